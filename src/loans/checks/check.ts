import { sumSql } from '../engine/sql.ts';
import type { Field } from '../dictionary/field.ts';
import type { LoanType, Severity } from '../types.ts';

/** Facts about the tape from which its checks are built. */
export type TapeFacts = {
  loanType: LoanType;
  /** YYYY-MM-DD; later dates lie in the future. */
  asOf: string;
  fields: readonly Field[];
  /** Fields that a column of the tape fills. */
  mapped: ReadonlySet<string>;
  /** Fields that are mapped or derived. */
  present: ReadonlySet<string>;
  /** The field that must have an amount for a row to serve as a loan; null while no column has it. */
  amount: string | null;
  /** The field used as the amount of a row whose `amount` is blank. */
  fallback: string | null;
  id: string;
};

/**
 * One check of every row: facts in, findings out, none aware of another. `when`, `message`, `actual` and `expected` are SQL
 * over the columns of the loan table; a `when` that is NULL is no finding. Without `actual` the source text is shown.
 */
export type RowCheck = {
  rule_id: string;
  severity: Severity;
  field: string;
  when: string;
  message: string;
  expected: string;
  actual?: string;
};

export type RowCheckMaker = (facts: TapeFacts) => RowCheck[];

/** SQL that shows a value of a field in a message: `12.500000` as `12.5`. */
export function shown(column: string): string {
  return `regexp_replace(CAST(${column} AS VARCHAR), '\\.?0+$', '')`;
}

/** SQL that shows a date. */
export function shownDate(column: string): string {
  return `CAST(${column} AS VARCHAR)`;
}

/** SQL text of several parts: strings in quotes are literals, the rest SQL. */
export function sentence(...parts: readonly string[]): string {
  return `concat(${parts.join(', ')})`;
}

/** SQL that is true where the text of the field is present and could not be read. */
export function unreadableBit(fields: readonly Field[], field: string): string {
  const bit = fields.findIndex((candidate) => candidate.field === field);
  return `(unreadable & ${2n ** BigInt(bit)}) <> 0`;
}

/** Checks per flag column: a sum of this many powers of two is exact in a BIGINT. */
const BITS = 60;

/** SQL of the flag columns `mask_0, mask_1 …`: a bit for each check whose finding the row has. */
export function maskColumns(checks: readonly RowCheck[]): string[] {
  const masks: string[] = [];
  for (let start = 0; start < checks.length; start += BITS) {
    const bits = checks
      .slice(start, start + BITS)
      .map((check, bit) => `CASE WHEN ${check.when} THEN ${2n ** BigInt(bit)} ELSE 0 END`);
    masks.push(`CAST(${sumSql(bits)} AS BIGINT) AS mask_${start / BITS}`);
  }
  return masks;
}

export function maskNames(checks: readonly RowCheck[]): string[] {
  return Array.from({ length: Math.ceil(checks.length / BITS) }, (_, index) => `mask_${index}`);
}

/** SQL that is true where the row has the finding of a check at one of those positions; never null. */
export function hasFinding(...positions: readonly number[]): string {
  const masks = new Map<number, bigint>();
  for (const position of positions) {
    const mask = Math.floor(position / BITS);
    masks.set(mask, (masks.get(mask) ?? 0n) | (2n ** BigInt(position % BITS)));
  }
  return [...masks].map(([mask, bits]) => `(mask_${mask} & ${bits}) <> 0`).join(' OR ') || 'false';
}

/** The positions of the checks whose findings are in a flag column. */
export function* positionsIn(mask: bigint, word: number): Generator<number, void> {
  const half = BITS / 2;
  for (const [start, part] of [
    [0, Number(BigInt.asUintN(half, mask))],
    [half, Number(mask >> BigInt(half))],
  ])
    for (let bits = part; bits !== 0; bits &= bits - 1) yield word * BITS + start + 31 - Math.clz32(bits & -bits);
}

/** Name of the column with the source text of a field, kept where a finding shows it. */
export function sourceTextColumn(field: string): string {
  return `seen_${field}`;
}
