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
  return {
    async load(index) {
      const test = set.pool_tests?.[index] as PoolTest;
      const all = test.population === 'all';
      const from = `FROM ${table} WHERE ${all ? 'true' : noBits('fail', set.loan_rules.length)}`;
      const column = (sql: string, order = '') => readColumn(engine, sql, from + order);
      const rowNumbers = await once(`${all} rows`, async () => (await column('row_number')).map(Number));
      const { cost, unit } = await once(`${all} costs`, async () => costsOf((await column(microOf('balance'))).map(present)));
      const amounts = (name: string) => once(`${all} amounts ${name}`, () => column(microOf(name)));
      const weightField = weightOf(test, set);
      const weight =
        weightField === undefined
          ? await once(`${all} ones`, async () => cost.map(() => MICRO))
          : await once(`${all} weights ${weightField}`, async () =>
              (await amounts(quoted(weightField))).map((each) => each ?? 0n),
            );
      const missing = test.missing_as === undefined ? null : toMicro(test.missing_as);
      const value =
        test.field === undefined
          ? await once(`${all} nulls`, async () => cost.map(() => null))
          : filled(await amounts(quoted(test.field)), missing);
      const inside = test.where
        ? (await column(`where_${index}`)).map((one) => one === 1n)
        : await once(`${all} trues`, async () => cost.map(() => true));
      const groups = test.group_by
        ? await groupsOf(engine, sqlName(groupColumn(test)), from, column)
        : { ids: cost.map(() => -1), keys: [] };
      const group = Int32Array.from(groups.ids, (id, position) => (inside[position] ? id : -1));
      return { loans: { cost, unit, weight, value, inside, group, groupKeys: groups.keys }, rowNumbers };
    },
  };
}

function filled(values: (bigint | null)[], missing: bigint | null): (bigint | null)[] {
  return missing === null ? values : values.map((each) => each ?? missing);
}

function quoted(field: string): string {
  return sqlName(valueColumn(field));
}

/** A column in the order of the table, which is that of the tape. */
async function readColumn(engine: Engine, sql: string, from: string): Promise<(bigint | null)[]> {
  const values: (bigint | null)[] = [];
  for await (const [column = []] of engine.columns(`SELECT CAST(${sql} AS BIGINT) ${from}`))
    for (const value of column) values.push(value);
  return values;
}

async function groupsOf(
  engine: Engine,
  name: string,
  from: string,
  column: (sql: string, order: string) => Promise<(bigint | null)[]>,
): Promise<{ ids: number[]; keys: string[] }> {
  const rows = await engine.rows<{ key: string }>(`SELECT DISTINCT lower(${name}) AS key ${from} ORDER BY key`);
  const keys = rows.map(({ key }) => key);
  const ids = await column(
    `(SELECT rank FROM (SELECT key, row_number() OVER (ORDER BY key) - 1 AS rank FROM (SELECT DISTINCT lower(${name}) AS key ${from})) k WHERE k.key = lower(${name}))`,
    // What is joined need not keep the order.
    ' ORDER BY row_number',
  );
  return { ids: ids.map(Number), keys };
}

function present(value: bigint | null): bigint {
  if (value === null) throw new Error('a loan of a pool has no balance');
  return value;
}

/** Costs in the coarsest power of ten that every balance is a multiple of, so that sums of them stay exact in a number. */
function costsOf(balances: readonly bigint[]): { cost: number[]; unit: bigint } {
  let unit = MICRO;
  for (const balance of balances) while (unit > 1n && balance % unit !== 0n) unit /= 10n;
  const total = balances.reduce((sum, balance) => sum + (balance < 0n ? -balance : balance), 0n);
  if (total / unit > BigInt(Number.MAX_SAFE_INTEGER))
    throw new RangeError('the balances are too fine for their size: round them to cents');
  return { unit, cost: balances.map((balance) => Number(balance / unit)) };
}
