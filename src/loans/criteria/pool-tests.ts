import { type Engine, inPartsIfTooLong } from '../engine/engine.ts';
import { inMillions, MILLION, sqlName } from '../engine/sql.ts';
import { MICRO, microText, toMicro } from './decimal.ts';
import type { CriteriaSet, PoolTest } from './language.ts';
import {
  concentration,
  groupsSql,
  herfindahl,
  largestGroups,
  type MeasuredGroup,
  squaresOf,
  weightOfAll,
} from './pool-groups.ts';
import { describeResult, groupColumn, type PoolTestResult, population, valueColumn, weightOf } from './pool-result.ts';
import { FIRST_ROWS, measuredColumns } from './pool-sql.ts';
import { judgeFigure, type Quotient } from './pool-verdict.ts';

/** Measurements of one test from a pass over the pool: numerator and denominator of its figure, or its groups. */
interface Measured {
  n: string | null;
  d: string | null;
  groups: MeasuredGroup[];
}

/**
 * Measures every pool test of a set over a pool with the columns of `poolSql`, a table or a query in brackets: sums are exact in the engine,
 * quotients are exact here. `first` is a relation of some of the loans with the same columns.
 */
export async function judgePoolTests(
  engine: Engine,
  { pool, first = pool }: { pool: string; first?: string },
  set: CriteriaSet,
  signal?: AbortSignal,
): Promise<PoolTestResult[]> {
  const tests = set.pool_tests ?? [];
  if (tests.length === 0) return [];
  const few = await fewGroups(engine, first, set);
  const row = await inPartsIfTooLong((inParts) =>
    engine.first<Record<string, unknown>>(measureSql(pool, set, { inParts, few }), [], signal),
  );
  return tests.map((test, index) =>
    resultOf(test, {
      n: (row?.[`n_${index}`] ?? null) as string | null,
      d: (row?.[`d_${index}`] ?? null) as string | null,
      groups: (row?.[`groups_${index}`] ?? []) as MeasuredGroup[],
    }),
  );
}

function resultOf(test: PoolTest, { n, d, groups }: Measured): PoolTestResult {
  if (test.type === 'concentration') return concentration(test, groups, d);
  if (test.type === 'hhi') return herfindahl(test, n, d);
  return describeResult(test, null, judgeFigure(test, plainQuotient(test, n, d)));
}

/** So many combinations of groups are few: their sums take the place of the loans. */
const FEW_GROUPS = 4_096;

/** The columns of groups by which the loans may be summed up at once: those whose groups are few, together as well, as far as the first loans show. */
async function fewGroups(engine: Engine, first: string, set: CriteriaSet): Promise<string[]> {
  const columns = [...new Set((set.pool_tests ?? []).filter(hasGroups).map(groupColumn))];
  if (columns.length === 0) return [];
  const counts = columns.map((column, index) => `count(DISTINCT ${sqlName(column)}) AS n_${index}`);
  const found = await engine.first<Record<string, number>>(
    `SELECT ${counts.join(', ')} FROM (SELECT * FROM ${first} LIMIT ${FIRST_ROWS})`,
  );
  const bySize = columns
    .map((column, index) => ({ column, groups: Math.max(1, Number(found?.[`n_${index}`])) }))
    .toSorted((a, b) => a.groups - b.groups);
  let combinations = 1;
  return bySize.filter(({ groups }) => (combinations *= groups) <= FEW_GROUPS).map(({ column }) => column);
}

const hasGroups = ({ type }: PoolTest): boolean => type === 'concentration' || type === 'hhi';

/** Figures of the loans of each combination of few groups, by their SQL: an aggregate that several tests need is computed once. */
type Parts = Map<string, string>;

/** The same aggregate of several parts; the number of no part is 0. */
type Figure = (aggregate: 'sum' | 'count' | 'min' | 'max', value: string, conditions: readonly (string | null)[]) => string;

function figuresOf(parts: Parts): Figure {
  return (aggregate, value, conditions) => {
    const given = conditions.filter((each) => each !== null);
    const sql = `${aggregate}(${value})${given.length === 0 ? '' : ` FILTER (${given.join(' AND ')})`}`;
    const part = parts.get(sql) ?? `part_${parts.size}`;
    parts.set(sql, part);
    if (aggregate === 'count') return `coalesce(sum(${part}), 0)`;
    return `${aggregate}(${part})`;
  };
}

/** One statement for all tests: the pool is summed up by its few groups in one pass, and groups that two tests share are computed once. */
function measureSql(pool: string, set: CriteriaSet, { inParts, few }: { inParts: boolean; few: readonly string[] }): string {
  const tests = set.pool_tests ?? [];
  const parts: Parts = new Map();
  const figure = figuresOf(parts);
  const groupings = new Map<string, string>();
  const lists = tests.flatMap((test, index) => {
    if (!hasGroups(test)) return [];
    const inside = population(test, set, index, true);
    const weight = sqlName(valueColumn(weightOf(test, set) ?? ''));
    const sql = few.includes(groupColumn(test))
      ? groupsSql(test, 'parts', { weight: figure('sum', weight, [inside]), loans: figure('count', '*', [inside]) })
      : groupsSql(test, `pool${inside === null ? '' : ` WHERE ${inside}`}`, { weight: `sum(${weight})`, loans: 'count(*)' });
    const groups = groupings.get(sql) ?? `groups_of_${index}`;
    groupings.set(sql, groups);
    if (test.type === 'concentration') return [`(${largestGroups(test, groups)}) AS groups_${index}`];
    return [`(${squaresOf(groups, inParts)}) AS n_${index}`, `(${weightOfAll(groups)}) AS d_${index}`];
  });
  const plain = tests.flatMap((test, index) => plainSql(test, set, index, { inParts, figure }));
  const loans = `${figure('count', '*', [])} AS loans`;
  const columns = [...few.map(sqlName), ...[...parts].map(([sql, part]) => `${sql} AS ${part}`)];
  // Only many groups need the loans again.
  const isReadAgain = tests.some((test) => hasGroups(test) && !few.includes(groupColumn(test)));
  const tables = [
    `pool AS ${isReadAgain ? '' : 'NOT '}MATERIALIZED (SELECT ${measuredColumns(set).map(sqlName).join(', ')} FROM ${pool})`,
    `parts AS MATERIALIZED (SELECT ${columns.join(', ')} FROM pool${few.length === 0 ? '' : ` GROUP BY ${few.map(sqlName).join(', ')}`})`,
    ...[...groupings].map(([sql, groups]) => `${groups} AS MATERIALIZED (${sql})`),
  ];
  return `WITH ${tables.join(', ')} SELECT ${['plain.*', ...lists].join(', ')} FROM (SELECT ${[loans, ...plain].join(', ')} FROM parts) plain`;
}

function plainSql(
  test: PoolTest,
  set: CriteriaSet,
  index: number,
  { inParts, figure }: { inParts: boolean; figure: Figure },
): string[] {
  const inside = population(test, set, index, true);
  const pair = (n: string, d: string) => [`CAST(${n} AS VARCHAR) AS n_${index}`, `CAST(${d} AS VARCHAR) AS d_${index}`];
  const weight = sqlName(valueColumn(weightOf(test, set) ?? ''));
  const total = () => figure('sum', weight, [population(test, set, index, false)]);
  if (test.type === 'concentration') return [`CAST(${total()} AS VARCHAR) AS d_${index}`];
  if (test.type === 'share') return pair(`coalesce(${figure('sum', weight, [inside])}, 0)`, total());
  if (test.type === 'count') return pair(figure('count', '*', [inside]), '1');
  if (test.type === 'hhi' || test.field === undefined) return [];
  const raw = sqlName(valueColumn(test.field));
  const given = test.missing_as === undefined ? null : microText(toMicro(test.missing_as));
  const value = given === null ? raw : `coalesce(${raw}, CAST('${given}' AS DECIMAL(18,6)))`;
  if (test.type === 'weighted_average') {
    // Of these widths no product exceeds 38 digits, and the engine need not look at each.
    const product = (of: string) => figure('sum', `CAST(${of} AS DECIMAL(19,6)) * CAST(${value} AS DECIMAL(18,6))`, [inside]);
    const { millions, rest } = inMillions(weight);
    const sum = inParts ? `${product(rest)} || ' ' || ${product(millions)}` : product(weight);
    return pair(sum, figure('sum', weight, [inside, `${value} IS NOT NULL`]));
  }
  if (test.type === 'average') return pair(figure('sum', value, [inside]), figure('count', value, [inside]));
  if (test.type === 'sum') return pair(`coalesce(${figure('sum', value, [inside])}, 0)`, '1');
  return pair(figure(test.type, value, [inside]), '1');
}

/** The figure as an exact quotient. Products carry twelve decimals, everything else six. */
function plainQuotient(test: PoolTest, n: string | null, d: string | null): Quotient | null {
  if (n === null || d === null) return null;
  if (test.type === 'weighted_average') {
    // Both carry twelve decimals.
    const [sum = 0n, millions = 0n] = n.split(' ').map((part) => BigInt(part.replace('.', '')));
    return quotient(sum + millions * MILLION, toMicro(d) * MICRO);
  }
  return quotient(toMicro(n), toMicro(d));
}

function quotient(n: bigint, d: bigint): Quotient | null {
  return d > 0n ? { n, d } : null;
}
