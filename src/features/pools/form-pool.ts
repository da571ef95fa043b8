import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { validateStructure } from '../../finance/structure/validate.ts';
import { poolTableTask } from '../../loans/tasks/write-pool.ts';
import { runForRequest, type WaitingClient } from '../../platform/compute/run-for-request.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { type Id, newId } from '../../platform/ids.ts';
import { filterCondition } from './loan-filter.ts';
import { checkDates, checkOpen, refuseStructure } from './pool.ts';
import { listOverlaps, listPoolableDeals, listRuns, type PassingRun, type PoolableDeal } from './forming-queries.ts';
import { type FormedLoans, findPool, insertPool, lockPool, type Pool, type PoolTerms, updatePool } from './queries.ts';

export type PoolRequest = Omit<PoolTerms, 'loan_type'>;

/** What a pool is formed of, read before its loans are selected and checked again when the pool is written. */
type Ground = { deals: PoolableDeal[]; runs: PassingRun[] };

/** The request's transactions: one that reads first, and the one whose pool is the answer. */
type Transactions<Answer> = {
  read: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  write: (work: (tx: Tx) => Promise<Pool>) => Promise<Answer>;
};

/**
 * Forms a DRAFT pool: the loans are selected outside any transaction into a table of their own, then the pool and its claims on the
 * loans are written at once. 409 LOAN_ALREADY_POOLED when another live pool holds one of them.
 */
export async function createPool<Answer>(
  client: WaitingClient,
  request: PoolRequest,
  { read, write }: Transactions<Answer>,
): Promise<Answer> {
  const organizationId = client.caller.organization_id;
  checkDates(request);
  const ground = await read((tx) => readGround(tx, organizationId, request));
  const terms = { ...request, loan_type: (ground.deals[0] as PoolableDeal).loan_type };
  const owner = { organization_id: organizationId, pool_id: newId('pool') };
  const formed = await selectLoans(client, owner, terms, ground);
  return write(async (tx) => {
    await confirmGround(tx, organizationId, request, ground);
    await refuseOverlaps(tx, owner, formed);
    await insertPool(tx, owner, terms, formed);
    return (await findPool(tx, organizationId, owner.pool_id)) as Pool;
  });
}

const LOAN_TERMS = ['deal_ids', 'sc_job_ids', 'filter', 'cut_off_date'] as const;

/** Changes a DRAFT or STRUCTURED pool; where its loans change they are selected anew, and a structure must still fit them. */
export async function changePool<Answer>(
  client: WaitingClient,
  poolId: Id<'pool'>,
  changes: Partial<PoolRequest>,
  { read, write }: Transactions<Answer>,
): Promise<Answer> {
  const organizationId = client.caller.organization_id;
  const before = await read((tx) => openPool(tx, organizationId, poolId));
  const request: PoolRequest = { ...before, ...changes };
  checkDates(request);
  const reformed = LOAN_TERMS.some((term) => JSON.stringify(request[term]) !== JSON.stringify(before[term]));
  const ground = reformed ? await read((tx) => readGround(tx, organizationId, request)) : null;
  const terms = { ...request, loan_type: ground?.deals[0]?.loan_type ?? before.loan_type };
  const formed = ground && (await selectLoans(client, before, terms, ground));
  return write(async (tx) => {
    const pool = await lockPool(tx, organizationId, poolId);
    if (!pool) throw notFound('pool');
    checkOpen(pool);
    if (pool.updated_at.getTime() !== before.updated_at.getTime()) throw changedMeanwhile();
    if (ground && formed) {
      await confirmGround(tx, organizationId, request, ground);
      await refuseOverlaps(tx, pool, formed);
    }
    refuseMisfit(pool, terms, formed?.balance ?? pool.balance);
    await updatePool(tx, pool, terms, formed);
    return (await findPool(tx, organizationId, poolId)) as Pool;
  });
}

async function openPool(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<Pool> {
  const pool = await findPool(tx, organizationId, poolId);
  if (!pool) throw notFound('pool');
  checkOpen(pool);
  return pool;
}

function refuseMisfit(pool: Pool, terms: PoolTerms, balance: string): void {
  if (!pool.structure) return;
  const { issues } = validateStructure(pool.structure, { ...terms, balance: Number(balance) });
  if (issues.length > 0) refuseStructure(issues);
}

const changedMeanwhile = () =>
  new ApiError('CONFLICT', 'The pool or one of its deals was changed meanwhile: read it and try again.');

async function readGround(tx: Tx, organizationId: Id<'org'>, request: PoolRequest, lock = false): Promise<Ground> {
  const deals = await listPoolableDeals(tx, organizationId, request.deal_ids, lock);
  const missing = request.deal_ids.find((dealId) => !deals.some((deal) => deal.deal_id === dealId));
  if (missing !== undefined) throw notFound(`deal ${missing}`);
  const runs = request.sc_job_ids.length > 0 ? await listRuns(tx, organizationId, request.sc_job_ids) : [];
  const unknown = request.sc_job_ids.find((runId) => !runs.some((run) => run.sc_job_id === runId));
  if (unknown !== undefined) throw notFound(`selection criteria run ${unknown}`);
  checkDeals(deals);
  checkRuns(runs, deals, request);
  return { deals, runs };
}

function checkDeals(deals: readonly PoolableDeal[]): void {
  const open = deals.find((deal) => deal.status !== 'APPROVED' || deal.loans_key === null);
  if (open) {
    throw new ApiError('CONFLICT', `The deal ${open.deal_id} is ${open.status}; only APPROVED deals can be pooled.`, {
      extra: { deal_id: open.deal_id, current_status: open.status },
    });
  }
  const [first] = deals;
  const other = deals.find((deal) => deal.loan_type !== first?.loan_type);
  if (first && other) {
    const message = `is of type ${other.loan_type}, expected ${first.loan_type} as ${first.deal_id}`;
    throw new ApiError('LOAN_TYPE_MISMATCH', 'A pool holds loans of one type.', {
      errors: [{ field: `deal_ids[${deals.indexOf(other)}]`, code: 'LOAN_TYPE_MISMATCH', message }],
    });
  }
}

function checkRuns(runs: readonly PassingRun[], deals: readonly PoolableDeal[], request: PoolRequest): void {
  for (const run of runs) {
    const field = `sc_job_ids[${request.sc_job_ids.indexOf(run.sc_job_id)}]`;
    const deal = deals.find((each) => each.deal_id === run.deal_id);
    if (!deal) {
      const message = `is a run on deal ${run.deal_id}, which is not in deal_ids`;
      throw new ApiError('UNPROCESSABLE', 'A selection criteria run is of another deal.', {
        errors: [{ field, code: 'OTHER_DEAL', message }],
      });
    }
    if (run.status !== 'COMPLETED' || run.outcomes_key === null) {
      throw new ApiError('CONFLICT', `The run ${run.sc_job_id} is ${run.status}; only a COMPLETED run tells which loans passed.`);
    }
    if (run.tape_version !== deal.tape_version) {
      const versions = `version ${run.tape_version} of the tape; the deal stands on version ${deal.tape_version}`;
      throw new ApiError('CONFLICT', `The run ${run.sc_job_id} is of ${versions}: run the criteria again.`);
    }
    if (run.loans_key !== null && run.loans_key !== deal.loans_key)
      throw new ApiError('CONFLICT', `The tape was mapped anew after the run ${run.sc_job_id}: run the criteria again.`);
  }
}

/** The deals, under a lock, must still be what the loans were selected from. */
async function confirmGround(tx: Tx, organizationId: Id<'org'>, request: PoolRequest, ground: Ground): Promise<void> {
  const now = await readGround(tx, organizationId, request, true);
  const same = now.deals.every((deal, index) => deal.loans_key === ground.deals[index]?.loans_key);
  if (!same) throw changedMeanwhile();
}

async function refuseOverlaps(
  tx: Tx,
  owner: { organization_id: Id<'org'>; pool_id: Id<'pool'> },
  formed: FormedLoans,
): Promise<void> {
  const overlaps = await listOverlaps(tx, owner.organization_id, formed.claims, owner.pool_id);
  if (overlaps.length === 0) return;
  const names = overlaps.map((pool) => `${pool.pool_id} (${pool.name})`).join(', ');
  throw new ApiError(
    'LOAN_ALREADY_POOLED',
    `A loan is in another live pool: ${names}. Leave its loans out, or cancel that pool.`,
    {
      extra: { pool_ids: overlaps.map((pool) => pool.pool_id) },
    },
  );
}

const FORMING_MS = 120_000;
const INSTEAD = 'Form several pools of fewer deals.';

async function selectLoans(
  client: WaitingClient,
  owner: { organization_id: Id<'org'>; pool_id: Id<'pool'> },
  terms: PoolTerms,
  { deals, runs }: Ground,
): Promise<FormedLoans> {
  const { deps } = client;
  const local = async (key: string): Promise<string> => {
    const path = await deps.store.localPath(key);
    if (!path) throw new Error(`${key} is not in the store`);
    return path;
  };
  const sources = await Promise.all(
    deals.map(async (deal) => ({
      deal_id: deal.deal_id,
      deal_number: deal.deal_number,
      tape_version: deal.tape_version as number,
      loansPath: await local(deal.loans_key as string),
      outcomesPaths: await Promise.all(
        runs.filter((run) => run.deal_id === deal.deal_id).map((run) => local(run.outcomes_key as string)),
      ),
    })),
  );
  const condition = terms.filter && filterCondition(terms.filter, terms.loan_type, terms.cut_off_date);
  const workDir = await mkdtemp(join(deps.workDir, 'pool-'));
  try {
    const path = join(workDir, 'loans.parquet');
    const selection = { loanType: terms.loan_type, cutOff: terms.cut_off_date, sources, condition, path, workDir };
    const table = await runForRequest(client, poolTableTask, selection, { deadlineMs: FORMING_MS, instead: INSTEAD });
    if (table.loan_count === 0)
      throw new ApiError('UNPROCESSABLE', 'No loan is left: the filter and the runs leave nothing to pool.');
    const key = `pools/${owner.organization_id}/${owner.pool_id}/${table.loan_set.slice(0, 16)}-${newId('set')}/loans.parquet`;
    await deps.store.put(key, createReadStream(path), Number.MAX_SAFE_INTEGER);
    const tapeVersions = Object.fromEntries(sources.map((source) => [source.deal_id, source.tape_version]));
    return { ...table, loans_key: key, tape_versions: tapeVersions, warnings: [...table.warnings, ...basisWarnings(deals)] };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

const BASES: Record<string, string> = { ORIGINAL: 'original balances', LIMIT: 'credit limits' };

function basisWarnings(deals: readonly PoolableDeal[]): string[] {
  return deals.flatMap(({ deal_id, balance_basis }) => {
    const basis = BASES[balance_basis ?? ''];
    return basis ? [`the tape of ${deal_id} has no current balances: ${basis} serve`] : [];
  });
}
