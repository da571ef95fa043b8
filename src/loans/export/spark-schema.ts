import { findField } from '../dictionary/dictionary.ts';
import { type TypedColumn, typedColumnsOf } from '../engine/columns-of.ts';
import type { Engine } from '../engine/engine.ts';
import type { LoanType } from '../types.ts';

/** A column of a table as Apache Spark describes it in JSON. Source: the schema object of the Delta Sharing protocol. */
export type SparkField = { name: string; type: string; nullable: boolean; metadata: { comment?: string } };

/** The columns of a file of loans, those of the dictionary with what they mean. Throws for a column that Spark could not read. */
export async function sparkFieldsOf(engine: Engine, path: string, loanType: LoanType): Promise<SparkField[]> {
  return (await typedColumnsOf(engine, path)).map((column) => sparkField(column, loanType));
}

function sparkField({ name, type }: TypedColumn, loanType: LoanType): SparkField {
  const field = findField(loanType, name);
  const comment = field && [field.description, field.unit].filter((text) => text !== null).join('; ');
  return { name, type: sparkType(name, type), nullable: true, metadata: comment ? { comment } : {} };
}

const TYPES: Record<string, string> = {
  VARCHAR: 'string',
  BOOLEAN: 'boolean',
  INTEGER: 'integer',
  BIGINT: 'long',
  DOUBLE: 'double',
  DATE: 'date',
};

function sparkType(name: string, type: string): string {
  const known = /^DECIMAL\(\d+,\d+\)$/.test(type) ? type.toLowerCase() : TYPES[type];
  if (known === undefined) throw new Error(`the column ${name} of type ${type} has no type in Spark`);
  return known;
}
