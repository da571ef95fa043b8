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
import { describeResult, type PoolTestResult, population, valueColumn, weightOf } from './pool-result.ts';
import { measuredColumns } from './pool-sql.ts';
import { judgeFigure, type Quotient } from './pool-verdict.ts';

/** Measurements of one test from a pass over the pool: numerator and denominator of its figure, or its groups. */
interface Measured {
  n: string | null;
  d: string | null;
  groups: MeasuredGroup[];
}

/**
 * Measures every pool test of a set over a pool with the columns of `poolSql`, a table or a query in brackets: sums are exact in the engine,
 * quotients are exact here.
 */
export async function judgePoolTests(
  engine: Engine,
  pool: string,
  set: CriteriaSet,
  signal?: AbortSignal,
): Promise<PoolTestResult[]> {
  const tests = set.pool_tests ?? [];
  if (tests.length === 0) return [];
  const row = await inPartsIfTooLong((inParts) =>
    engine.first<Record<string, unknown>>(measureSql(pool, set, inParts), [], signal),
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

/** One statement for all tests: the pool is read once, and groups that two tests share are computed once. */
function measureSql(pool: string, set: CriteriaSet, inParts: boolean): string {
  const tests = set.pool_tests ?? [];
  const groupings = new Map<string, string>();
  const lists = tests.flatMap((test, index) => {
    if (test.type !== 'concentration' && test.type !== 'hhi') return [];
    const sql = groupsSql(test, set, index, 'pool');
    const groups = groupings.get(sql) ?? `groups_of_${index}`;
    groupings.set(sql, groups);
    if (test.type === 'concentration') return [`(${largestGroups(test, groups)}) AS groups_${index}`];
    return [`(${squaresOf(groups, inParts)}) AS n_${index}`, `(${weightOfAll(groups)}) AS d_${index}`];
  });
  const tables = [`pool AS MATERIALIZED (SELECT ${measuredColumns(set).map(sqlName).join(', ')} FROM ${pool})`];
  for (const [sql, groups] of groupings) tables.push(`${groups} AS MATERIALIZED (${sql})`);
  const plain = ['count(*) AS loans', ...tests.flatMap((test, index) => plainSql(test, set, index, inParts))];
  return `WITH ${tables.join(', ')} SELECT ${['plain.*', ...lists].join(', ')} FROM (SELECT ${plain.join(', ')} FROM pool) plain`;
}

function plainSql(test: PoolTest, set: CriteriaSet, index: number, inParts: boolean): string[] {
  const inside = population(test, set, index, true);
  const pair = (n: string, d: string) => [`CAST(${n} AS VARCHAR) AS n_${index}`, `CAST(${d} AS VARCHAR) AS d_${index}`];
  const weight = sqlName(valueColumn(weightOf(test, set) ?? ''));
  const total = filtered(`sum(${weight})`, population(test, set, index, false));
  if (test.type === 'concentration') return [`CAST(${total} AS VARCHAR) AS d_${index}`];
  if (test.type === 'share') return pair(`coalesce(${filtered(`sum(${weight})`, inside)}, 0)`, total);
  if (test.type === 'count') return pair(filtered('count(*)', inside), '1');
  if (test.field === undefined) return [];
  const raw = sqlName(valueColumn(test.field));
  const given = test.missing_as === undefined ? null : microText(toMicro(test.missing_as));
  const value = given === null ? raw : `coalesce(${raw}, CAST('${given}' AS DECIMAL(18,6)))`;
  if (test.type === 'weighted_average') {
    const product = (of: string) => filtered(`sum(CAST(${of} AS DECIMAL(38,6)) * CAST(${value} AS DECIMAL(38,6)))`, inside);
    const { millions, rest } = inMillions(weight);
    const sum = inParts ? `${product(rest)} || ' ' || ${product(millions)}` : product(weight);
    return pair(sum, filtered(`sum(${weight})`, inside, `${value} IS NOT NULL`));
  }
  const figure = (name: string) => filtered(`${name}(${value})`, inside);
  if (test.type === 'average') return pair(figure('sum'), figure('count'));
  if (test.type === 'sum') return pair(`coalesce(${figure('sum')}, 0)`, '1');
  return pair(figure(test.type), '1');
}

/** An aggregate over the loans that satisfy all conditions; null is no condition. */
function filtered(aggregate: string, ...conditions: (string | null)[]): string {
  const given = conditions.filter((each) => each !== null);
  return given.length === 0 ? aggregate : `${aggregate} FILTER (${given.join(' AND ')})`;
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
