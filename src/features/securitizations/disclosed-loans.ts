import { mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DisclosedLoans } from '../../loans/export/disclosed-loans.ts';
import { disclosedLoansTask } from '../../loans/tasks/tasks.ts';
import { runForRequest, type WaitingClient } from '../../platform/compute/run-for-request.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { downloadType } from '../../platform/files/content-types.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { FileReply } from '../../platform/http/route.ts';
import type { Id } from '../../platform/ids.ts';
import { recordAccess } from '../accesses/queries.ts';
import { disclosureKey } from '../pools/disclosure-key.ts';
import type { Pool } from '../pools/queries.ts';
import { listPoolMonths } from '../servicing/queries.ts';
import { findVisiblePool } from './queries.ts';

const DEADLINE_MS = 120_000;
const WAIT_MS = 30_000;
const INSTEAD = 'Read the loans in pages instead: GET /v1/api/investor/deals/{dealId}/loans.';

/** A pool whose loans an investor may see one by one. */
export type DisclosedPool = Pool & { loans_key: string; deal_id: Id<'deal'> };

/** The pool behind a deal that an investor sees; 404 otherwise. */
export async function findInvestorPool(tx: Tx, investorId: Id<'org'>, dealId: Id<'deal'>): Promise<DisclosedPool> {
  const pool = await findVisiblePool(tx, investorId, dealId);
  if (!pool?.loans_key) throw notFound('deal');
  return { ...pool, loans_key: pool.loans_key, deal_id: dealId };
}

/** The pool of a deal whose loans are disclosed to the investor one by one. 404 where it does not see the deal, or sees aggregates alone. */
export async function findDisclosedPool(tx: Tx, investorId: Id<'org'>, dealId: Id<'deal'>): Promise<DisclosedPool> {
  const pool = await findInvestorPool(tx, investorId, dealId);
  if (pool.disclosure_level === 'LOAN_LEVEL') return pool;
  throw new ApiError('NOT_FOUND', 'The loans of this deal are disclosed as aggregates: there is no list of them.');
}

/** The disclosed loans of a pool in one of its tables, the closing one by default. */
export async function disclosedLoans(deps: Deps, pool: DisclosedPool, loansKey = pool.loans_key): Promise<DisclosedLoans> {
  return {
    loansPath: await localFile(deps, loansKey),
    loanType: pool.loan_type,
    dealId: pool.deal_id,
    fields: pool.disclosed_fields,
    key: disclosureKey(deps, pool.organization_id),
  };
}

/** The table of a pool's loans as of a period: those of the closing tape where none is named. 422 where no tape of the period is in force. */
async function loansOfPeriod(tx: Tx, pool: DisclosedPool, period: string | undefined): Promise<string> {
  if (period === undefined || period === 'closing') return pool.loans_key;
  const months = await listPoolMonths(tx, pool);
  const month = months.find((each) => String(each.period) === period);
  if (month) return month.loans_key;
  const known = ['closing', ...months.map((each) => each.period)].join(', ');
  const message = `there is no tape of period ${period}, expected one of ${known}`;
  throw new ApiError('UNPROCESSABLE', `The loans cannot be read: period: ${message}.`, {
    errors: [{ field: 'period', code: 'NO_SUCH_TAPE', message }],
  });
}

/** Writes the reading of disclosed loans into the log of their owner. */
export function recordLoanAccess(
  tx: Tx,
  reader: Actor,
  pool: DisclosedPool,
  act: 'READ' | 'DOWNLOADED',
  details: Record<string, unknown>,
): Promise<void> {
  const { organization_id, deal_id } = pool;
  return recordAccess(tx, reader, { organization_id, act, entity_type: 'deal', entity_id: deal_id, what: 'loans', details });
}

type Transactions = {
  read: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  write: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
};
export type LoansFileRequest = {
  dealId: Id<'deal'>;
  format: 'csv' | 'parquet';
  period: string | undefined;
  /** False for a HEAD request, which gets no loan. */
  wanted: boolean;
};

/**
 * The disclosed loans of a deal as a file. It is whole before its first byte is sent, and its reading is in the log by then. 409 when the owner has
 * changed what it discloses in the meantime.
 */
export async function downloadLoans(
  { read, write }: Transactions,
  client: WaitingClient,
  { dealId, format, period, wanted }: LoansFileRequest,
): Promise<FileReply> {
  const { deps, caller } = client;
  const find = async (tx: Tx) => {
    const pool = await findDisclosedPool(tx, caller.organization_id, dealId);
    return { pool, loansKey: await loansOfPeriod(tx, pool, period) };
  };
  const { pool, loansKey } = await read(find);
  const loans = await disclosedLoans(deps, pool, loansKey);
  const workDir = await mkdtemp(join(deps.workDir, 'disclosed-'));
  const path = join(workDir, `loans.${format}`);
  try {
    const options = { deadlineMs: DEADLINE_MS, waitMs: WAIT_MS, instead: INSTEAD };
    const written = await runForRequest(client, disclosedLoansTask, { ...loans, workDir, path, format }, options);
    // Opened, the file can be removed at once: its bytes stay until the stream ends, however it does.
    const file = await open(path);
    try {
      await write(async (tx) => {
        const now = await find(tx);
        if (now.pool.disclosure_version !== pool.disclosure_version || now.loansKey !== loansKey)
          throw new ApiError('CONFLICT', 'What the deal discloses was changed while the file was made: ask for it again.');
        const details = { format, period: period ?? 'closing', loans: written.loans, fields: loans.fields };
        if (wanted) await recordLoanAccess(tx, caller, pool, 'DOWNLOADED', details);
      });
    } catch (error) {
      await file.close();
      throw error;
    }
    return { stream: file.createReadStream(), contentType: downloadType(format), fileName: `${dealId}-loans.${format}` };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}
