import { sqlName, sqlText } from '../engine/sql.ts';
import { toMicro } from './decimal.ts';
import { columnKey, columnOf, type DerivedColumns } from './derived.ts';
import type { FieldTable, KnownField } from './fields.ts';
import type { Leaf } from './language.ts';
import { resolveDate } from './as-of.ts';
import { type Extent, microOf, productSql, ratioSql, shownMicro } from '../values/quotient.ts';

/** Representation of an operand: `micro` is a HUGEINT of whole millionths, the others are the types of the loan table. */
export type OperandKind = 'number' | 'micro' | 'date' | 'text' | 'boolean';

/** One side of a comparison; computed once per loan, however many rules use it. */
export interface Operand {
  kind: OperandKind;
  /** SQL over the columns of the loan relation. NULL is a missing value. */
  sql: string;
  /** SQL of the value as a person reads it (VARCHAR). */
  shown: string;
  /** Fields that it reads. */
  fields: string[];
}

const BLANKS = ' \t\r\n\u00a0\ufeff';

/** Column of the loan relation that holds a field. */
export function fieldColumn(field: KnownField): string {
  return sqlName(field.header === null ? field.name : `custom ${columnKey(field.name)}`);
}

/** A field as an operand. Texts are compared trimmed and in lower case. */
export function fieldOperand(field: KnownField): Operand {
  const column = fieldColumn(field);
  if (field.kind !== 'text') return { kind: field.kind, sql: column, shown: `CAST(${column} AS VARCHAR)`, fields: [field.name] };
  const trimmed = `nullif(trim(${column}, ${sqlText(BLANKS)}), '')`;
  return { kind: 'text', sql: `lower(${trimmed})`, shown: trimmed, fields: [field.name] };
}

/** The fields that operands name; with `derived` a quotient is computed in a column of its own. */
export type OperandContext = Extent & { fields: FieldTable; derived: DerivedColumns | null };

/** The left side of a comparison: its field or its ratio. */
export function leftOperand(leaf: Leaf, context: OperandContext): Operand {
  const { fields: table } = context;
  if (leaf.expr === undefined) return fieldOperand(known(leaf.field, table));
  const [num, den] = [known(leaf.expr.num, table), known(leaf.expr.den, table)];
  return microOperand(
    ratioSql(fieldColumn(num), fieldColumn(den), toMicro(leaf.expr.scale ?? 1), context),
    [num.name, den.name],
    context,
  );
}

/** The other field of a comparison, times its factor. */
export function rightOperand(leaf: Leaf, context: OperandContext): Operand {
  const field = known(leaf.value_field, context.fields);
  if (leaf.factor === undefined || leaf.factor === 1) return fieldOperand(field);
  return microOperand(productSql(fieldColumn(field), toMicro(leaf.factor), context), [field.name], context);
}

/** An operand in millionths, so that both sides of a comparison have one type. */
export function inMicro(operand: Operand): Operand {
  return operand.kind === 'number' ? { ...operand, kind: 'micro', sql: microOf(operand.sql) } : operand;
}

/** A value of a rule as an SQL constant of the operand's type. Numbers are rounded half-even to six places. */
export function constant(value: unknown, kind: OperandKind, asOf: string | undefined): string {
  const text = constantText(value, kind, asOf);
  if (kind === 'text') return sqlText(text);
  return `CAST(${sqlText(text)} AS ${constantType(kind, [text])})`;
}

/** The text of such a constant, equal for values that compare as equal. */
export function constantText(value: unknown, kind: OperandKind, asOf: string | undefined): string {
  if (kind === 'boolean') return value === true ? 'true' : 'false';
  if (kind === 'date') return resolveDate(String(value), asOf);
  if (kind === 'text') return comparableText(String(value));
  const micro = toMicro(value as number);
  return kind === 'micro' ? micro.toString() : decimalText(micro);
}

const OUTER_BLANKS = new RegExp(`^[${BLANKS}]+|[${BLANKS}]+$`, 'g');

/** A text as comparisons see it: without blanks around it, in lower case letter by letter as the engine does, without regard to words. */
export function comparableText(text: string): string {
  const letters = Array.from(text.replace(OUTER_BLANKS, ''));
  return letters.map((letter) => (letter === 'İ' ? 'i' : letter.toLowerCase())).join('');
}

const CONSTANT_TYPES = { boolean: 'BOOLEAN', date: 'DATE', text: 'VARCHAR', micro: 'HUGEINT' } as const;

/** The type of constants that have these texts. */
export function constantType(kind: OperandKind, texts: readonly string[]): string {
  if (kind !== 'number') return CONSTANT_TYPES[kind];
  return `DECIMAL(${texts.every((text) => text.replace(/[-.]/g, '').length <= 18) ? 18 : 38},6)`;
}

function decimalText(micro: bigint): string {
  const digits = (micro < 0n ? -micro : micro).toString().padStart(7, '0');
  return `${micro < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

function microOperand(quotient: string, fields: string[], { derived }: OperandContext): Operand {
  const sql = derived === null ? quotient : columnOf(quotient, derived.ratios, 'ratios');
  return { kind: 'micro', sql, shown: shownMicro(sql), fields };
}

function known(name: string | undefined, table: FieldTable): KnownField {
  const field = name === undefined ? undefined : table.get(name);
  if (!field) throw new Error(`the rule names the field "${name}", which the set was not checked against`);
  return field;
}
