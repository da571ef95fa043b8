import { findField } from '../../dictionary/dictionary.ts';
import type { FieldType } from '../../dictionary/field.ts';
import type { LoanType } from '../../types.ts';

/** A tape as texts, and which canonical field each column is when it is read undamaged. */
export type Table = {
  loanType: LoanType;
  header: readonly string[];
  rows: readonly (readonly string[])[];
  fields: readonly (string | null)[];
};

/** A damaged tape: its bytes, and what a reader may know of the loans from it. */
export type Damaged = {
  bytes: Buffer;
  /** Fields of which the tape has no value any more: to be read as missing. */
  gone?: readonly string[];
  /** Loans that are in the tape, by their row in the undamaged one; all when it is not given. */
  kept?: readonly number[];
  /** The ids are not those of the undamaged tape, so loans are compared by their order. */
  byOrder?: boolean;
};

export type Pick = { integer(below: number): number };

/** One kind of damage. `damage` gives undefined where the tape has no column for it. */
export type DamageKind = { name: string; damage(table: Table, pick: Pick): Damaged | undefined };

export function csv(header: readonly string[], rows: readonly (readonly string[])[], delimiter = ',', end = '\n'): string {
  const cell = (text: string) => (text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return [header, ...rows].map((row) => row.map(cell).join(delimiter) + end).join('');
}

export function bytesOf(header: readonly string[], rows: readonly (readonly string[])[]): Buffer {
  return Buffer.from(csv(header, rows));
}

/** The columns of these types, by their fields; ids and words of a list are no texts to be damaged. */
export function columnsOf(table: Table, types: readonly FieldType[]): number[] {
  return table.fields.flatMap((field, index) => {
    const known = field === null ? undefined : findField(table.loanType, field);
    return known && types.includes(known.type) ? [index] : [];
  });
}

export function pickOne<Value>(values: readonly Value[], pick: Pick): Value | undefined {
  return values[pick.integer(values.length)];
}

/** The table with the texts of one column rewritten; a blank stays blank. */
export function withColumn(table: Table, column: number, change: (text: string, row: number) => string): Table {
  return {
    ...table,
    rows: table.rows.map((row, at) => row.map((text, index) => (index === column && text !== '' ? change(text, at) : text))),
  };
}

export function withHeader(table: Table, column: number, change: (name: string) => string): Table {
  return { ...table, header: table.header.map((name, index) => (index === column ? change(name) : name)) };
}

export function plain({ header, rows }: Table): Damaged {
  return { bytes: bytesOf(header, rows) };
}

/** The decimal of a text of money or percents, or null. */
export function decimalOf(text: string): number | null {
  const bare = text.replace(/[$,%\s]/g, '');
  return /^-?\d+(?:\.\d+)?$/.test(bare) ? Number(bare) : null;
}
