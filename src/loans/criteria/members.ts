import { sqlText } from '../engine/sql.ts';
import { columnOf, type DerivedColumns } from './derived.ts';
import type { Scalar } from './language.ts';
import { constant, constantText, constantType, type Operand } from './operand.ts';

/**
 * A list of at least this many values becomes a table to join. A shorter one is searched loan by loan, which keeps the order of the rows;
 * each join costs the planner some milliseconds, and a set may have a hundred such lists.
 */
const JOINED_FROM = 500;

/**
 * SQL of whether an operand is one of some values: NULL where it is missing. The values cross as one JSON text, because the engine
 * takes 50 µs to read each constant of a statement. Long lists are searched once for all comparisons that
 * share them, in a derived column; without derived columns they are searched in the comparison itself.
 */
export function memberOf(
  left: Operand,
  values: readonly Scalar[],
  context: { asOf: string | undefined; derived: DerivedColumns | null },
) {
  const unique = new Map(values.map((value) => [constantText(value, left.kind, context.asOf), value]));
  const texts = [...unique.keys()];
  const [only] = unique.values();
  if (unique.size === 1) return `(${left.sql} = ${constant(only, left.kind, context.asOf)})`;
  const list = `CAST(from_json(${sqlText(JSON.stringify(texts))}, '["VARCHAR"]') AS ${constantType(left.kind, texts)}[])`;
  if (unique.size < JOINED_FROM) return `(CASE WHEN ${left.sql} IS NULL THEN NULL ELSE list_contains(${list}, ${left.sql}) END)`;
  const joined = `(${left.sql} IN (SELECT unnest(${list})))`;
  return context.derived === null ? joined : columnOf(joined, context.derived.members, 'members');
}
