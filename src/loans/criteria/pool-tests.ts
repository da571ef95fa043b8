import type { Engine } from '../engine.ts';
import { sqlText } from '../engine.ts';
import { type Compiling, compileWhere } from './compile.ts';
import { MICRO, toMicro } from './decimal.ts';
import type { CriteriaSet, PoolTest } from './language.ts';
import { fieldColumn, fieldOperand } from './operand.ts';
import { concentration, herfindahl } from './pool-groups.ts';
import { describe, MISSING_GROUP, type PoolTestResult, population, valueColumn, weightOf } from './pool-result.ts';
import { judgeFigure, type Quotient } from './pool-verdict.ts';

/** Columns that the pool tests of a set need beside the outcome of a loan, name → SQL: `where_i`, `group_i`, and the fields by name. */
export function poolColumns(set: CriteriaSet, context: Compiling): Map<string, string> {
  const columns = new Map<string, string>();
  (set.pool_tests ?? []).forEach((test, index) => {
    if (test.where) columns.set(`where_${index}`, compileWhere(test.where, context));
    if (test.group_by) columns.set(`group_${index}`, groupKey(test.group_by, context));
    for (const name of [test.field, weightOf(test, set)])
      if (name !== undefined) columns.set(valueColumn(name), numeric(name, context));
  });
  return columns;
}

function numeric(name: string, context: Compiling): string {
  const field = context.fields.get(name);
  if (!field) throw new Error(`the pool test names the field "${name}", which the set was not checked against`);
  context.used.add(name);
  return fieldColumn(field);
}

function groupKey(names: readonly string[], context: Compiling): string {
  const parts = names.map((name) => {
    const field = context.fields.get(name);
    if (!field) throw new Error(`the pool test groups by "${name}", which the set was not checked against`);
    context.used.add(name);
    const { shown } = fieldOperand(field);
    const text = field.kind === 'number' ? `rtrim(rtrim(${shown}, '0'), '.')` : shown;
    return `coalesce(${text}, ${sqlText(MISSING_GROUP)})`;
  });
  return parts.join(` || ' | ' || `);
}

/** Measures every pool test of a set over the judged loans: sums are exact in the engine, quotients are exact here. */
export async function judgePoolTests(
  engine: Engine,
  table: string,
  set: CriteriaSet,
  signal?: AbortSignal,
): Promise<PoolTestResult[]> {
  const tests = set.pool_tests ?? [];
  const plain = await plainFigures(engine, table, set, signal);
  const results: PoolTestResult[] = [];
  for (const [index, test] of tests.entries()) {
    if (test.type === 'concentration') results.push(await concentration(engine, table, set, index, signal));
    else if (test.type === 'hhi') results.push(await herfindahl(engine, table, set, index, signal));
    else results.push(describe(test, null, judgeFigure(test, plain[index] ?? null)));
  }
  return results;
}

/** Figures of the tests without groups, all from one pass; null where a test is not applicable (0/0, no loan). */
async function plainFigures(engine: Engine, table: string, set: CriteriaSet, signal?: AbortSignal): Promise<(Quotient | null)[]> {
  const tests = set.pool_tests ?? [];
  const selects = tests.flatMap((test, index) => plainSql(test, set, index));
  if (selects.length === 0) return [];
  const row = await engine.first<Record<string, string | null>>(`SELECT ${selects.join(', ')} FROM ${table}`, [], signal);
  return tests.map((test, index) => plainQuotient(test, row?.[`n_${index}`] ?? null, row?.[`d_${index}`] ?? null));
}

function plainSql(test: PoolTest, set: CriteriaSet, index: number): string[] {
  const pair = (n: string, d: string) => [`CAST(${n} AS VARCHAR) AS n_${index}`, `CAST(${d} AS VARCHAR) AS d_${index}`];
  const inside = population(test, set, index, true);
  if (test.type === 'share') {
    const weight = `"${valueColumn(weightOf(test, set) ?? '')}"`;
    return pair(
      `coalesce(sum(${weight}) FILTER (${inside}), 0)`,
      `sum(${weight}) FILTER (${population(test, set, index, false)})`,
    );
  }
  if (test.type === 'count') return pair(`count(*) FILTER (${inside})`, '1');
  if (test.field === undefined) return [];
  const raw = `"${valueColumn(test.field)}"`;
  const value = test.missing_as === undefined ? raw : `coalesce(${raw}, CAST('${test.missing_as}' AS DECIMAL(18,6)))`;
  const there = `${inside} AND ${value} IS NOT NULL`;
  if (test.type === 'weighted_average') {
    const weight = `"${valueColumn(weightOf(test, set) ?? '')}"`;
    const product = `CAST(${weight} AS DECIMAL(38,6)) * CAST(${value} AS DECIMAL(38,6))`;
    return pair(`sum(${product}) FILTER (${there})`, `sum(${weight}) FILTER (${there})`);
  }
  if (test.type === 'average') return pair(`sum(${value}) FILTER (${there})`, `count(*) FILTER (${there})`);
  if (test.type === 'sum') return pair(`coalesce(sum(${value}) FILTER (${there}), 0)`, '1');
  return pair(`${test.type}(${value}) FILTER (${there})`, '1');
}

/** The figure as an exact quotient. Products carry twelve decimals, everything else six. */
function plainQuotient(test: PoolTest, n: string | null, d: string | null): Quotient | null {
  if (n === null || d === null) return null;
  if (test.type === 'weighted_average') return quotient(BigInt(n.replace('.', '')), toMicro(d) * MICRO);
  return quotient(toMicro(n), toMicro(d));
}

function quotient(n: bigint, d: bigint): Quotient | null {
  return d > 0n ? { n, d } : null;
}
