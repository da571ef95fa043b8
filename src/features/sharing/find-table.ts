import type { LoanType } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound, orNotFound } from '../../platform/http/errors.ts';
import { asId } from '../../platform/ids.ts';
import { findDeal } from '../deals/queries.ts';
import { findPool, type Pool } from '../pools/queries.ts';
import { findDisclosedPool, type DisclosedPool } from '../securitizations/disclosed-loans.ts';
import type { Recipient } from './recipient.ts';
import { isShared, type KeptTape, listKeptTapes, listMonthFiles } from './table-queries.ts';
import type { TableName } from './table.ts';

/** One file of a table. */
export type Part = {
  /** The period of a monthly tape; null for a table of one file. */
  period: number | null;
  loans_key: string;
  /** Null where nobody has counted them. */
  rows: number | null;
};

/** A table in one of its versions. */
export type SharedTable = TableName & {
  /** Name of the deal or pool. */
  title: string;
  loan_type: LoanType;
  version: number;
  /** When the version came into force; null for tables that keep the present version alone. */
  since: Date | null;
  /** Oldest period first. */
  parts: Part[];
  /** What is disclosed of the loans, where the recipient is not of their owner. */
  disclosed: DisclosedPool | null;
};

/** The version that a request names: a number, the one in force at a moment, the first from a moment on, or the present one. */
export type When = { version?: number; at?: Date; from?: Date };

/** A table that a recipient reads. 404 where it reads none of this name; 400 for a version that is not kept. */
export async function findTable(tx: Tx, recipient: Recipient, name: TableName, when: When = {}): Promise<SharedTable> {
  if (!(await isShared(tx, recipient, name.share, name))) throw notFound('table');
  if (name.share === 'tapes') return findTape(tx, recipient, name, when);
  const table = await (name.share === 'pools' ? findOwn(tx, recipient, name) : findOnMarket(tx, recipient, name));
  if (when.at || when.from || (when.version !== undefined && when.version !== table.version))
    throw new ApiError(
      'BAD_REQUEST',
      `The table keeps its present version alone, which is ${table.version}: ask without a version or a time.`,
    );
  return table;
}

async function findTape(tx: Tx, { organization_id }: Recipient, name: TableName, when: When): Promise<SharedTable> {
  const dealId = asId('deal', name.schema);
  const deal = orNotFound(await findDeal(tx, organization_id, dealId), 'table');
  const tape = pickVersion(await listKeptTapes(tx, organization_id, dealId), when);
  return {
    ...name,
    title: deal.name,
    loan_type: deal.loan_type,
    version: tape.version,
    since: tape.completed_at,
    parts: [{ period: null, loans_key: tape.loans_key, rows: tape.accepted }],
    disclosed: null,
  };
}

/** Of the versions, newest first. */
function pickVersion(kept: readonly KeptTape[], { version, at, from }: When): KeptTape {
  const inTime = (tape: KeptTape): boolean => {
    if (version !== undefined) return tape.version === version;
    return at === undefined || tape.completed_at <= at;
  };
  const found = from ? kept.findLast((tape) => tape.completed_at >= from) : kept.find(inTime);
  if (found) return found;
  const all = kept.map((tape) => `${tape.version} (${tape.completed_at.toISOString()})`).reverse();
  throw new ApiError('BAD_REQUEST', `The table has no such version: its versions are ${all.join(', ')}.`);
}

async function findOwn(tx: Tx, { organization_id }: Recipient, name: TableName): Promise<SharedTable> {
  const pool = orNotFound(await findPool(tx, organization_id, asId('pool', name.schema)), 'table');
  const version = name.table === 'loans' ? pool.loans_version : pool.months_version;
  return { ...name, ...(await tableOfPool(tx, name, pool)), version, disclosed: null };
}

async function findOnMarket(tx: Tx, { organization_id }: Recipient, name: TableName): Promise<SharedTable> {
  const pool = await findDisclosedPool(tx, organization_id, asId('deal', name.schema));
  const months = name.table === 'loans' ? 0 : pool.months_version;
  return { ...name, ...(await tableOfPool(tx, name, pool)), version: pool.disclosure_version + months, disclosed: pool };
}

async function tableOfPool(tx: Tx, { table }: TableName, pool: Pool) {
  if (!pool.loans_key) throw notFound('table');
  const closing: Part = { period: null, loans_key: pool.loans_key, rows: pool.loan_count };
  return {
    title: pool.name,
    loan_type: pool.loan_type,
    since: null,
    parts: table === 'loans' ? [closing] : await listMonthFiles(tx, pool.pool_id),
  };
}
