import type { Engine } from '../../engine/engine.ts';
import { sqlName } from '../../engine/sql.ts';
import { microOf } from '../../values/quotient.ts';
import { noBits } from '../bits.ts';
import { MICRO, toMicro } from '../decimal.ts';
import type { CriteriaSet, PoolTest } from '../language.ts';
import { groupColumn, valueColumn, weightOf } from '../pool-result.ts';
import type { PoolLoans } from './model.ts';

/** The loans of a test's population, and their row numbers on the tape. */
export interface LoadedPool {
  loans: PoolLoans;
  rowNumbers: number[];
}

/** Reads populations of pool tests from a table of `poolSql`, in the order of the tape, into memory, column by column; tests share columns. */
export function poolLoader(engine: Engine, table: string, set: CriteriaSet): { load(index: number): Promise<LoadedPool> } {
  const cache = new Map<string, Promise<unknown>>();
  const once = <Value>(key: string, read: () => Promise<Value>): Promise<Value> => {
    const known = (cache.get(key) ?? read()) as Promise<Value>;
    cache.set(key, known);
    return known;
  };
  const column = async (sql: string, from: string, order = ''): Promise<WholeNumbers> =>
    readColumn(engine, sql, from + order, await once(`size ${from}`, () => sizeOf(engine, from)));
  return {
    async load(index) {
      const test = set.pool_tests?.[index] as PoolTest;
      const all = test.population === 'all';
      const from = `FROM ${table} WHERE ${all ? 'true' : noBits('fail', set.loan_rules.length)}`;
      const rowNumbers = await once(`${all} rows`, async () => Array.from((await column('row_number', from)).values, Number));
      const { cost, unit } = await once(`${all} costs`, async () => costsOf(await column(microOf('balance'), from)));
      const amounts = (name: string) => once(`${all} amounts ${name}`, () => column(microOf(name), from));
      const count = cost.length;
      const weightField = weightOf(test, set);
      const weight =
        weightField === undefined
          ? await once(`${all} ones`, async () => new BigInt64Array(count).fill(MICRO))
          : (await amounts(quoted(weightField))).values;
      const figures =
        test.field === undefined
          ? await once(`${all} nothing`, async () => ({ values: new BigInt64Array(count), measured: new Uint8Array(count) }))
          : filled(await amounts(quoted(test.field)), test.missing_as);
      const inside = test.where
        ? Uint8Array.from((await column(`where_${index}`, from)).values, Number)
        : await once(`${all} trues`, async () => new Uint8Array(count).fill(1));
      const groups = test.group_by ? await groupsOf(engine, sqlName(groupColumn(test)), from, column) : null;
      const group = new Int32Array(count).fill(-1);
      groups?.ranks.forEach((rank, position) => inside[position] && (group[position] = Number(rank)));
      return {
        loans: {
          cost,
          unit,
          weight,
          value: figures.values,
          measured: figures.measured,
          inside,
          group,
          groupKeys: groups?.keys ?? [],
        },
        rowNumbers,
      };
    },
  };
}

/** A column of whole numbers: 0 where there is none, of which `measured` is 0. */
type WholeNumbers = { values: BigInt64Array; measured: Uint8Array };

function filled(column: WholeNumbers, missingAs: number | undefined): WholeNumbers {
  if (missingAs === undefined) return column;
  const missing = toMicro(missingAs);
  return {
    values: column.values.map((value, index) => (column.measured[index] ? value : missing)),
    measured: new Uint8Array(column.values.length).fill(1),
  };
}

function quoted(field: string): string {
  return sqlName(valueColumn(field));
}

async function sizeOf(engine: Engine, from: string): Promise<number> {
  return (await engine.first<{ size: number }>(`SELECT count(*)::INTEGER AS size ${from}`))?.size ?? 0;
}

/** A column in the order of the table, which is that of the tape. */
async function readColumn(engine: Engine, sql: string, from: string, size: number): Promise<WholeNumbers> {
  const [values, measured] = [new BigInt64Array(size), new Uint8Array(size)];
  let at = 0;
  for await (const [column = []] of engine.columns(`SELECT CAST(${sql} AS BIGINT) ${from}`))
    for (const value of column) {
      if (value !== null) [values[at], measured[at]] = [value, 1];
      at += 1;
    }
  return { values, measured };
}

/** The rank of each loan's group, and the keys of the groups in their order. */
async function groupsOf(
  engine: Engine,
  name: string,
  from: string,
  column: (sql: string, from: string, order: string) => Promise<WholeNumbers>,
): Promise<{ ranks: BigInt64Array; keys: string[] }> {
  const rows = await engine.rows<{ key: string }>(`SELECT DISTINCT lower(${name}) AS key ${from} ORDER BY key`);
  const rank = `(SELECT rank FROM (SELECT key, row_number() OVER (ORDER BY key) - 1 AS rank FROM (SELECT DISTINCT lower(${name}) AS key ${from})) k WHERE k.key = lower(${name}))`;
  // What is joined need not keep the order.
  const { values } = await column(rank, from, ' ORDER BY row_number');
  return { ranks: values, keys: rows.map(({ key }) => key) };
}

/** Costs in the coarsest power of ten that every balance is a multiple of, so that sums of them stay exact in a number. */
function costsOf({ values, measured }: WholeNumbers): { cost: number[]; unit: bigint } {
  if (measured.includes(0)) throw new Error('a loan of a pool has no balance');
  let [unit, total] = [MICRO, 0n];
  for (const balance of values) {
    while (unit > 1n && balance % unit !== 0n) unit /= 10n;
    total += balance < 0n ? -balance : balance;
  }
  if (total / unit > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RangeError('the balances are too fine for their size: round them to cents');
  return { unit, cost: Array.from(values, (balance) => Number(balance / unit)) };
}
