import { disclosableFields, OBLIGOR_FIELD } from '../dictionary/disclosure.ts';
import type { LoanType } from '../types.ts';
import { MISSING } from './bands.ts';
import { OTHER } from './small-groups.ts';
import type { Stratum } from './strats.ts';

type Naming = {
  loanType: LoanType;
  /** What the groups are made by, and the groups inside of them. */
  fields: readonly string[];
  /** The token of an obligor, where it is disclosed. */
  tokenOf: ((value: string) => string) | null;
};

/**
 * Groups as investors see them. Those of a field that names a loan, its collateral or who owes it, in however many loans, have their rank for a
 * name; those of obligors the token that is disclosed of them, if it is.
 */
export function withoutNames(groups: readonly Stratum[], naming: Naming): Stratum[] {
  const [field, ...inner] = naming.fields;
  let rank = 0;
  const named = (key: string): string => {
    if (field === undefined || key === MISSING || key === OTHER) return key;
    if (field === OBLIGOR_FIELD) return naming.tokenOf?.(key) ?? `Obligor ${++rank}`;
    return disclosableFields(naming.loanType).includes(field) ? key : `${field} ${++rank}`;
  };
  return groups.map(({ key, groups: inside, ...rest }) => ({
    ...rest,
    key: named(key),
    ...(inside ? { groups: withoutNames(inside, { ...naming, fields: inner }) } : {}),
  }));
}
