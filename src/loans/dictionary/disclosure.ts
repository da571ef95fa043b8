import { nearestName } from '../../platform/http/nearest.ts';
import type { LoanType } from '../types.ts';
import { dictionary, findField } from './dictionary.ts';

/** The field that names the obligor. It is disclosed as a token that is made for disclosure: what the tape has is never shown. */
export const OBLIGOR_FIELD = 'obligor_id';

/** Filled from a sealed column: a person's name. */
const SEALED = new Set(['obligor_name']);

/** What names one loan, its contract, its collateral or its debtor outside the platform too. */
const IDENTITIES = new Set(['loan_id', 'account_id', 'contract_number', 'vin', 'property_id', 'invoice_number', 'debtor']);

const isDisclosable = (field: string): boolean => !SEALED.has(field) && !IDENTITIES.has(field);

/** The fields of a loan type that its owner may disclose loan by loan, in the order of the dictionary. */
export function disclosableFields(type: LoanType): string[] {
  return dictionary(type).flatMap(({ field }) => (isDisclosable(field) ? [field] : []));
}

export type DisclosureFault = { code: 'SEALED_FIELD' | 'IDENTIFIES_LOAN' | 'UNKNOWN_FIELD'; message: string };

/** Why a field cannot be disclosed; null where it can. `isPersonal` says of a name that no field has whether it names data of a person. */
export function disclosureFault(type: LoanType, name: string, isPersonal: (name: string) => boolean): DisclosureFault | null {
  if (SEALED.has(name) && findField(type, name))
    return { code: 'SEALED_FIELD', message: `${name} is sealed: it names a person; ${OBLIGOR_FIELD} is disclosed as a token` };
  if (IDENTITIES.has(name) && findField(type, name))
    return {
      code: 'IDENTIFIES_LOAN',
      message: `${name} names the loan, its contract, its collateral or its debtor outside the platform too; each disclosed loan has an id of its own`,
    };
  if (findField(type, name)) return null;
  const shown = name.slice(0, 100);
  if (isPersonal(name)) return { code: 'SEALED_FIELD', message: `"${shown}" names data of a person, which is never disclosed` };
  const near = nearestName(name, disclosableFields(type));
  const hint = near?.alike ? `; did you mean ${near.nearest}?` : '; see may_disclose';
  return { code: 'UNKNOWN_FIELD', message: `"${shown}" is not a field of ${type} loans${hint}` };
}
