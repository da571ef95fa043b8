import { sqlText } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';
import { cellTextSql } from '../values/missing.ts';
import { withoutBlanks } from '../values/text.ts';
import { normalizedVin, VIN_FORM } from '../values/vin.ts';

/** What shows that two organizations hold one loan, each a column of digests. */
export const FINGERPRINTS = ['vin', 'property', 'contract_number', 'invoice'] as const;
export type Fingerprint = (typeof FINGERPRINTS)[number];

/** A loan table as its tape was read: its columns, and whether row numbers stand for the ids that the tape does not have. */
export type IdentitySource = { loanType: LoanType; columns: ReadonlySet<string>; syntheticIds: boolean };

const text = (expression: string): string => `coalesce(CAST(${expression} AS VARCHAR), '')`;
/** Parts joined by a character that no value can hold. */
const joined = (parts: readonly string[]): string => `concat_ws(chr(31), ${parts.join(', ')})`;

/**
 * SQL of the text that identifies a loan within its organization and loan type: its id, NFC and without outer blanks, or what the tape
 * says about it at origination where it has no id.
 */
export function identityText(source: IdentitySource): string {
  const content = joined(["'content'", contentText(source)]);
  if (source.syntheticIds) return content;
  return `CASE WHEN loan_id = 'row-' || row_number THEN ${content} ELSE ${idText()} END`;
}

/** SQL of the text that identifies a loan by its id. */
export const idText = (): string => joined(["'id'", comparedId('loan_id')]);

/** SQL of what a tape says about a loan at origination: it orders loans that share an id, and stands for an id that is absent. */
export function contentText(source: IdentitySource): string {
  const terms = ['interest_rate', 'apr', 'original_term_months', 'state'].map((name) => column(source, name));
  const collateral = ['vin', 'property_id', 'invoice_number', 'contract_number'].map((name) => column(source, name));
  return joined([originalAmount(source), originationDate(source), ...terms, `coalesce(${collateral.join(', ')})`].map(text));
}

/** SQL of the amount at origination; the limit of a card. */
export const originalAmount = (source: IdentitySource): string =>
  column(source, source.loanType === 'Credit Card' ? 'credit_limit' : 'original_balance');

/** The field with the day on which the contract began. */
const BEGINNING: Partial<Record<LoanType, string>> = { Business: 'disbursement_date', 'Credit Card': 'open_date' };

export const originationDate = (source: IdentitySource): string =>
  column(source, BEGINNING[source.loanType] ?? 'origination_date');

/** SQL of the texts that are fingerprinted; NULL where the loan lacks a part. */
export function fingerprintTexts(source: IdentitySource): Record<Fingerprint, string> {
  const of = (name: string): string => comparedText(column(source, name));
  const [amount, originated] = [originalAmount(source), originationDate(source)];
  return {
    vin: `CASE WHEN ${isVehicle(column(source, 'vin'))} THEN ${joined(["'vin'", normalizedVin(column(source, 'vin'))])} END`,
    // A mortgage without a rank is a first lien, as the market reads it.
    property: whole('property', [of('property_id')], [`coalesce(CAST(${column(source, 'lien_position')} AS INTEGER), 1)`]),
    contract_number: whole('contract_number', [of('contract_number'), amount, originated]),
    invoice: whole('invoice', [of('invoice_number'), of('debtor'), amount]),
  };
}

function whole(kind: Fingerprint, needed: readonly string[], others: readonly string[] = []): string {
  const complete = needed.map((part) => `${part} IS NOT NULL`).join(' AND ');
  return `CASE WHEN ${complete} THEN ${joined([sqlText(kind), ...[...needed, ...others].map(text)])} END`;
}

/** A number of one repeated character is a placeholder, although its check digit may be right. */
function isVehicle(value: string): string {
  const vin = normalizedVin(value);
  return `regexp_full_match(${vin}, '${VIN_FORM}') AND ${vin} <> repeat(left(${vin}, 1), 17)`;
}

/** SQL of an id: NFC, without outer blanks, and without the mark of a spreadsheet, which loans that were read earlier may have; case and inner blanks tell ids apart. */
export const comparedId = (id: string): string => `nfc_normalize(${cellTextSql(id)})`;

/** SQL of a text in upper case, NFC and without blanks and what nobody sees, so that the ways of writing one number meet. */
export const comparedText = (value: string): string => `nullif(upper(nfc_normalize(${withoutBlanks(cellTextSql(value))})), '')`;

const column = ({ columns }: IdentitySource, name: string): string => (columns.has(name) ? name : 'NULL');
