import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { raiseAlert } from '../../events/emit.ts';
import type { IngestResult } from '../../loans/ingest-types.ts';
import type { RawColumn } from '../../loans/reading/raw-table.ts';
import { ingestTask } from '../../loans/tasks/run-ingest.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { moveDeal } from '../deals/deal.ts';
import { type Deal, findDeal, lockDeal, setTapeVersion } from '../deals/queries.ts';
import { mergeBySource } from './map-tape.ts';
import { findCurrentTape, findMapping, findTape, finishTape, rememberMapping, type Tape, type TapeResult } from './queries.ts';
import { settleBulkItem } from './run-bulk.ts';

export type IngestJob = { organization_id: string; deal_id: string; version: number; run: number };

/** The platform failed, not the tape: the deal stays where it is, and a new version can be sent. */
const GIVEN_UP =
  'The platform could not finish reading this tape. Send it again as a new version, or quote the deal to the operator.';

type Outcome = { result: TapeResult; rejection: { reason_code: string; reason: string } | null };

/**
 * Reads, maps and checks one tape version and commits what came out in one transaction: the files are written first, under the run's
 * own key, so that a run that was killed or taken over leaves nothing that anybody sees.
 */
export async function ingestTape(deps: Deps, job: IngestJob, signal: AbortSignal, last = false): Promise<void> {
  const scope = { organization: job.organization_id };
  const found = await deps.db.tx(scope, async (tx) => ({
    deal: await findDeal(tx, job.organization_id, job.deal_id),
    tape: await findTape(tx, job.organization_id, job.deal_id, job.version),
  }));
  if (!found.deal || !found.tape || found.tape.state !== 'RUNNING' || found.tape.run !== job.run) return;
  const outcome = await check(deps, found.deal, found.tape, signal).catch((error: unknown) => {
    if (!last) throw error;
    deps.log.error(
      { job: 'ingest-tape', deal_id: job.deal_id, err: { message: (error as Error).message } },
      'a tape is given up',
    );
    return { result: emptyResult(GIVEN_UP), rejection: null };
  });
  await deps.db.tx({ platform: true }, (tx) => commit(tx, found.tape as Tape, outcome));
  deps.metrics.rowsIngested.inc({ outcome: 'accepted' }, outcome.result.accepted);
  deps.metrics.rowsIngested.inc({ outcome: 'rejected' }, outcome.result.rejected);
}

async function check(deps: Deps, deal: Deal, tape: Tape, signal: AbortSignal): Promise<Outcome> {
  const workDir = await mkdtemp(join(deps.workDir, 'ingest-'));
  try {
    const taken = await takeIn(deps, deal, tape, workDir, signal);
    if ('problem' in taken)
      return {
        result: emptyResult(taken.problem),
        rejection: tape.mode === 'MERGE' ? null : { reason_code: 'QC_FAILED', reason: taken.problem },
      };
    return { result: await keep(deps, tape, taken), rejection: rejectionOf(taken.ingested) };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

type Read = { ingested: IngestResult; columns: RawColumn[]; mappingId: string | null };
type Taken = Read | { problem: string };

/** The files that the tape is read from are fetched here; reading them is a child's work. */
async function takeIn(deps: Deps, deal: Deal, tape: Tape, workDir: string, signal: AbortSignal): Promise<Taken> {
  const { remembered, today, before } = await deps.db.tx({ organization: deal.organization_id }, async (tx) => ({
    remembered: await findMapping(tx, deal.organization_id, deal.loan_type),
    today: tx.now.toISOString().slice(0, 10),
    before: tape.mode === 'MERGE' ? await findCurrentTape(tx, tape.organization_id, tape.deal_id) : null,
  }));
  const local = async (key: string | null | undefined): Promise<string | null> => (key ? deps.store.localPath(key) : null);
  const [path, rawPath, previousRawPath] = await Promise.all([
    local(tape.object_key),
    local(tape.raw_key),
    local(before?.raw_key),
  ]);
  if (!path) throw new Error(`the tape's file ${tape.object_key} is not in the store`);
  const reply = await deps.compute.run(
    ingestTask,
    {
      path,
      format: tape.format,
      mode: tape.mode,
      loanType: deal.loan_type,
      rawPath,
      previousRawPath,
      asOf: today,
      overrides: tape.overrides,
      remembered: remembered?.entries ?? [],
      outDir: workDir,
    },
    { owner: tape.organization_id, signal },
  );
  if ('problem' in reply) return reply;
  return { ...reply, mappingId: reply.remembered ? (remembered?.mapping_id ?? null) : null };
}

async function keep(deps: Deps, tape: Tape, { ingested, columns, mappingId }: Read): Promise<TapeResult> {
  const prefix = `tapes/${tape.organization_id}/${tape.deal_id}/${tape.version}/${tape.run}`;
  const put = async (name: string, path: string): Promise<string> => {
    await deps.store.put(`${prefix}/${name}`, createReadStream(path), Number.MAX_SAFE_INTEGER);
    return `${prefix}/${name}`;
  };
  return {
    state: ingested.needs_mapping ? 'NEEDS_MAPPING' : 'DONE',
    rows: ingested.rows,
    accepted: ingested.accepted,
    rejected: ingested.rejected,
    total_balance: ingested.total_balance,
    balance_basis: ingested.balance_basis,
    errors: ingested.issue_counts.error,
    warnings: ingested.issue_counts.warning,
    as_of_date: ingested.as_of_date,
    findings: {
      tape: ingested.tape_findings,
      decisions: ingested.decisions,
      statistics: ingested.statistics,
      synthetic_ids: ingested.synthetic_ids,
    },
    raw_key: tape.raw_key ?? (await put('raw.parquet', ingested.files.raw)),
    loans_key: ingested.files.loans ? await put('loans.parquet', ingested.files.loans) : null,
    issues_key: await put('issues.parquet', ingested.files.issues),
    mapping_id: mappingId,
    mapping: { ...ingested.mapping, columns },
  };
}

function rejectionOf(ingested: IngestResult): Outcome['rejection'] {
  if (!ingested.qc_failed) return null;
  const share = ((100 * ingested.rejected) / Math.max(1, ingested.rows)).toFixed(1);
  return {
    reason_code: 'QC_FAILED',
    reason: `${ingested.rejected} of ${ingested.rows} rows (${share} %) cannot serve as loans; at most 10 % may be rejected.`,
  };
}

function emptyResult(problem: string): TapeResult {
  return {
    state: 'FAILED',
    rows: 0,
    accepted: 0,
    rejected: 0,
    total_balance: '0',
    balance_basis: null,
    errors: 0,
    warnings: 0,
    as_of_date: null,
    findings: { tape: [{ rule_id: 'UNREADABLE_FILE', severity: 'ERROR', message: problem }] },
    loans_key: null,
    raw_key: null,
    issues_key: null,
    mapping_id: null,
    mapping: null,
  };
}

async function commit(tx: Tx, tape: Tape, outcome: Outcome): Promise<void> {
  const deal = await lockDeal(tx, tape.organization_id, tape.deal_id);
  if (!deal || !(await finishTape(tx, tape, outcome.result))) return;
  if (!outcome.rejection && outcome.result.state !== 'FAILED') await remember(tx, deal, tape);
  // A deal that was decided meanwhile stands on what was decided.
  const usable = outcome.result.state === 'DONE' && ['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status);
  if (usable) await setTapeVersion(tx, deal.organization_id, deal.deal_id, tape.version);
  // The deal's numbers are the new version's from here on, in its events too.
  const now: Deal = usable
    ? { ...deal, tape_version: tape.version, loan_count: outcome.result.accepted, total_balance: outcome.result.total_balance }
    : deal;
  if (outcome.rejection) await rejectTape(tx, now, outcome.rejection);
  else if (outcome.result.state === 'NEEDS_MAPPING') await askForMapping(tx, now);
  else if (now.status === 'IN_REVIEW') await moveDeal(tx, now, { to: 'QC_COMPLETED', actor: 'platform' });
  await settleBulkItem(tx, now);
}

/** What was said of this tape's columns is kept for the next tape; a tape that it failed could not be corrected any more. */
async function remember(tx: Tx, deal: Deal, tape: Tape): Promise<void> {
  // What was said of keys of inline loans says nothing about the columns of a file.
  if (tape.overrides.length === 0 || !tape.mapping_id || tape.format === 'inline') return;
  const before = await findMapping(tx, deal.organization_id, deal.loan_type);
  const entries = mergeBySource(before?.entries ?? [], tape.overrides);
  await rememberMapping(tx, deal.organization_id, deal.loan_type, { mapping_id: tape.mapping_id, entries });
}

async function rejectTape(tx: Tx, deal: Deal, rejection: { reason_code: string; reason: string }): Promise<void> {
  if (deal.status === 'IN_REVIEW' || deal.status === 'QC_COMPLETED')
    await moveDeal(tx, deal, { to: 'REJECTED', actor: 'platform', ...rejection });
}

async function askForMapping(tx: Tx, deal: Deal): Promise<void> {
  await raiseAlert(tx, deal.organization_id, 'loan.mapping_needed', {
    category: 'loan',
    priority: 'HIGH',
    title: `${deal.name}: no column could be read as the amount`,
    entity_type: 'deal',
    entity_id: deal.deal_id,
    message:
      'No column of the tape was recognised as original balance, current balance or credit limit. Name it with PUT /v1/api/originator/loans/{dealId}/mapping; the checks then run again.',
  });
}
