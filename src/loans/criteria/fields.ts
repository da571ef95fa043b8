import { dictionary } from '../dictionary/dictionary.ts';
import type { FieldType } from '../dictionary/field.ts';
import { normalizeHeader } from '../reading/header.ts';
import type { CriteriaSet } from './language.ts';

/** The part of a dictionary entry that the rule language needs. */
export interface DictionaryField {
  name: string;
  type: FieldType;
  /** Headers under which tapes have the field. */
  aliases?: readonly string[];
}

/** How values of a field are compared. */
export type FieldKind = 'number' | 'date' | 'text' | 'boolean';

export interface KnownField {
  name: string;
  kind: FieldKind;
  /** Normalised header of the source column whose text is read; null for fields of the dictionary. */
  header: string | null;
}

export type FieldTable = ReadonlyMap<string, KnownField>;

/**
 * The fields that rules of a set may name: the dictionary's and the declared columns of the tape. A declaration that names a
 * field of the dictionary means that field.
 */
export function fieldTable(set: Pick<CriteriaSet, 'custom_fields'>, dictionary: readonly DictionaryField[]): FieldTable {
  const table = new Map<string, KnownField>();
  for (const [name, type] of Object.entries(set.custom_fields ?? {})) {
    table.set(name, { name, kind: type === 'string' ? 'text' : type, header: normalizeHeader(name) });
  }
  for (const { name, type } of dictionary) table.set(name, { name, kind: kindOf(type), header: null });
  return table;
}

export function kindOf(type: DictionaryField['type']): FieldKind {
  if (type === 'date' || type === 'boolean') return type;
  return type === 'string' || type === 'enum' ? 'text' : 'number';
}

/** The dictionary of the set's loan type, in the form that the rule language needs. */
export function criteriaFields(set: Pick<CriteriaSet, 'loan_type'>): DictionaryField[] {
  return dictionary(set.loan_type).map(({ field, type, aliases }) => ({ name: field, type, aliases }));
}
