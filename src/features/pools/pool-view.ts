import { numberOrNull } from '../../finance/decimal.ts';
import Type, { type Static } from 'typebox';
import { LoanTypeSchema } from '../deals/fields.ts';
import { date, id, money, nullable, timestamp } from '../../platform/http/schemas.ts';
import { OFFERINGS, type Pool, POOL_STATUSES } from './queries.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';

const fields = {
  pool_id: id('pool'),
  name: Type.String(),
  status: namedOneOf('PoolStatus', POOL_STATUSES),
  deal_ids: Type.Array(id('deal')),
  loan_type: LoanTypeSchema,
  loan_count: Type.Integer(),
  balance: money('Current balance of the loans.'),
  wac: nullable(Type.Number({ description: 'Balance-weighted rate, percent a year; loans without a rate are left out.' })),
  wam: nullable(Type.Number({ description: 'Balance-weighted remaining term, months; null for cards.' })),
  cut_off_date: date(),
  closing_date: date(),
  offering: namedOneOf('Offering', OFFERINGS),
  issue_requested_at: nullable(timestamp('When the originator requested the issue.')),
  deal_id: nullable(Type.String({ description: 'The securitization deal, once issued.' })),
  created_at: timestamp(),
  updated_at: timestamp(),
};

export const PoolSchema = named('PoolSummary', fields);
export const OperatorPoolSchema = named('OperatorPoolSummary', { ...fields, organization_id: id('org') });

const Fingerprinted = named('Fingerprinted', {
  vin: Type.Integer({ description: 'Loans with a vehicle identification number.' }),
  property: Type.Integer({ description: 'Loans with the id of their property.' }),
  contract_number: Type.Integer({ description: 'Loans with a contract number, an original balance and an origination date.' }),
  invoice: Type.Integer({ description: 'Loans with an invoice number, its debtor and an amount.' }),
});

/** A pool with its selection and its structure; the last servicer report is added where reports are known. */
export const POOL_DETAIL = {
  ...fields,
  filter: Type.Unknown({ description: 'Loan rules that every loan of the pool meets, or null.' }),
  sc_job_ids: Type.Array(id('scj')),
  tape_versions: Type.Record(Type.String(), Type.Integer(), { description: 'Deal → version of its tape.' }),
  warnings: Type.Array(Type.String(), { description: 'Values that the tapes lack, and what is used instead.' }),
  fingerprinted: nullable(Fingerprinted),
  structure: Type.Unknown({ description: 'The structure as it was sent, or null.' }),
  structure_version: Type.Integer({ description: 'Incremented with every new structure; 0 before the first.' }),
};

const PoolDetail = Type.Object(POOL_DETAIL);

export function wirePool(pool: Pool): Static<typeof PoolSchema> {
  const { pool_id, name, status, deal_ids, loan_type, loan_count, cut_off_date, closing_date, offering, deal_id } = pool;
  return {
    pool_id,
    name,
    status,
    deal_ids,
    loan_type,
    loan_count,
    balance: Number(pool.balance),
    wac: numberOrNull(pool.wac),
    wam: numberOrNull(pool.wam),
    cut_off_date,
    closing_date,
    offering,
    issue_requested_at: pool.issue_requested_at?.toISOString() ?? null,
    deal_id,
    created_at: pool.created_at.toISOString(),
    updated_at: pool.updated_at.toISOString(),
  };
}

export function wirePoolDetail(pool: Pool): Static<typeof PoolDetail> {
  const { filter, sc_job_ids, tape_versions, warnings, fingerprinted, structure, structure_version } = pool;
  return { ...wirePool(pool), filter, sc_job_ids, tape_versions, warnings, fingerprinted, structure, structure_version };
}
