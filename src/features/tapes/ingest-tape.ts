import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { raiseAlert } from '../../events/emit.ts';
import { openEngine } from '../../loans/engine.ts';
import { ingestTape as ingestFile, ingestInline, ingestMerged, remapTape } from '../../loans/ingest.ts';
import type { IngestResult, InlineValue } from '../../loans/ingest-types.ts';
import { readTape } from '../../loans/reading/read-tape.ts';
import { MergeRefused } from '../../loans/merge-raw.ts';
import { findSource, readRawManifest } from '../../loans/raw-file.ts';
import { type RawColumn, tapeLimits } from '../../loans/reading/raw-table.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { judgeFailure, MAX_ATTEMPTS } from '../../platform/jobs/attempts.ts';
import { moveDeal } from '../deals/deal.ts';
import { type Deal, findDeal, lockDeal, setTapeVersion } from '../deals/queries.ts';
import { mergeBySource } from './map-tape.ts';
import {
  failTape,
  findCurrentTape,
  findMapping,
  finishTape,
  rememberMapping,
  returnTapeAttempt,
  startTape,
  type Tape,
  type TapeResult,
  type TapeRun,
} from './queries.ts';
import { settleBulkItem } from './run-bulk.ts';

/** The platform failed, not the tape: the deal stays where it is, and its checks can be started again. */
const GIVEN_UP =
  'The platform could not finish the checks of this tape. Start them again with POST /v1/api/originator/loans/{dealId}/recheck or send the tape as a new version; if that fails too, quote the deal to the operator.';

/** What the checks found: a result, with the deal's rejection where it fails the tape, or why there is none. */
type Outcome =
  | { result: TapeResult; rejection: { reason_code: string; reason: string } | null }
  | { result: null; failure: string };

/**
 * Reads, maps and checks one tape version and commits what came out in one transaction: the files are written first, under the run's
 * own key, so that a run that was killed or taken over leaves nothing that anybody sees. The attempt is counted before it starts: a tape
 * that ends its process is given up as one that fails its attempts is.
 */
export async function ingestTape(deps: Deps, job: TapeRun, signal: AbortSignal, last = false): Promise<void> {
  const scope = { organization: job.organization_id };
  const started = await deps.db.tx(scope, async (tx) => {
    const deal = await findDeal(tx, job.organization_id, job.deal_id);
    const tape = deal && (await startTape(tx, job));
    return tape ? { deal, tape } : null;
  });
  if (!started) return;
  const { deal, tape } = started;
  if (tape.attempts > MAX_ATTEMPTS) return giveUp(deps, tape, new Error('its attempts ended their processes'));
  try {
    const outcome = await check(deps, deal, tape, signal);
    await deps.db.tx({ platform: true }, (tx) => commit(tx, tape, outcome));
    deps.metrics.rowsIngested.inc({ outcome: 'accepted' }, outcome.result?.accepted ?? 0);
    deps.metrics.rowsIngested.inc({ outcome: 'rejected' }, outcome.result?.rejected ?? 0);
  } catch (error) {
    const failure = judgeFailure(error, signal, { number: tape.attempts, last });
    // A count that cannot be taken back now costs the tape one of its attempts, nothing else.
    if (!failure.counts) await deps.db.tx(scope, (tx) => returnTapeAttempt(tx, tape)).catch(() => {});
    if (!failure.final) throw error;
    await giveUp(deps, tape, error);
  }
}

async function giveUp(deps: Deps, tape: Tape, error: unknown): Promise<void> {
  deps.log.error(
    { job: 'ingest-tape', deal_id: tape.deal_id, version: tape.version, err: { message: (error as Error).message } },
    'the checks of a tape are given up',
  );
  await deps.db.tx({ platform: true }, (tx) => commit(tx, tape, { result: null, failure: GIVEN_UP }));
}

async function check(deps: Deps, deal: Deal, tape: Tape, signal: AbortSignal): Promise<Outcome> {
  const workDir = await mkdtemp(join(deps.workDir, 'ingest-'));
  try {
    const taken = await takeIn(deps, deal, tape, workDir, signal);
    if ('problem' in taken) {
      if (tape.mode === 'MERGE') return { result: null, failure: taken.problem };
      return { result: emptyResult(taken.problem), rejection: { reason_code: 'QC_FAILED', reason: taken.problem } };
    }
    return { result: await keep(deps, tape, taken), rejection: rejectionOf(taken.ingested) };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

type Read = { ingested: IngestResult; columns: RawColumn[]; mappingId: string | null };
type Taken = Read | { problem: string };

/** The file itself the first time; its raw table when only the mapping changed; a JSON list when it came inline. */
async function takeIn(deps: Deps, deal: Deal, tape: Tape, workDir: string, signal: AbortSignal): Promise<Taken> {
  const { remembered, today, before } = await deps.db.tx({ organization: deal.organization_id }, async (tx) => ({
    remembered: await findMapping(tx, deal.organization_id, deal.loan_type),
    today: tx.now.toISOString().slice(0, 10),
    before: tape.mode === 'MERGE' ? await findCurrentTape(tx, tape.organization_id, tape.deal_id) : null,
  }));
  const local = async (key: string | null | undefined): Promise<string | null> => (key ? deps.store.localPath(key) : null);
  const [path, rawPath, previousRawPath] = await Promise.all([
    // Compared with what was uploaded: other bytes are ObjectDamaged, never the tape.
    deps.store.localPath(tape.object_key, tape),
    local(tape.raw_key),
    local(before?.raw_key),
  ]);
  if (!path) throw new Error(`the tape's file ${tape.object_key} is not in the store`);
  const allowedDirectories = [rawPath, previousRawPath].flatMap((each) => (each ? [dirname(each)] : []));
  await using engine = await openEngine({ workDir, allowedDirectories });
  const context = {
    engine,
    loanType: deal.loan_type,
    outDir: workDir,
    asOf: today,
    signal,
    overrides: tape.overrides,
    remembered: remembered?.entries ?? [],
  };
  const taken = async (work: Promise<IngestResult>): Promise<Taken> => {
    const ingested = await work;
    const { columns } = await readRawManifest(engine, ingested.files.raw);
    const applies =
      remembered !== null && tape.format !== 'inline' && remembered.entries.some(({ source }) => findSource(source, columns));
    return { ingested, columns, mappingId: applies ? remembered.mapping_id : null };
  };
  if (rawPath) return await taken(remapTape({ ...context, rawPath, inline: tape.format === 'inline' }));
  if (tape.format === 'inline') {
    const loans = JSON.parse(await readFile(path, 'utf8')) as Record<string, InlineValue>[];
    return await taken(ingestInline({ ...context, loans }));
  }
  const read = await readTape({ path, format: tape.format, workDir, limits: tapeLimits(tape.format), signal });
  if (!read.ok) return { problem: read.problem.message };
  if (tape.mode === 'REPLACE') return await taken(ingestFile({ ...context, raw: read.table }));
  if (!previousRawPath) return { problem: 'There is no earlier version to merge into: send the whole tape.' };
  try {
    return await taken(ingestMerged({ ...context, raw: read.table, previousRawPath }));
  } catch (error) {
    if (error instanceof MergeRefused) return { problem: error.message };
    throw error;
  }
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
    failure: null,
  };
}

function rejectionOf(ingested: IngestResult): { reason_code: string; reason: string } | null {
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
    failure: problem,
  };
}

async function commit(tx: Tx, tape: Tape, outcome: Outcome): Promise<void> {
  const deal = await lockDeal(tx, tape.organization_id, tape.deal_id);
  if (!deal) return;
  if (!outcome.result) return fail(tx, deal, tape, outcome.failure);
  if (!(await finishTape(tx, tape, outcome.result))) return;
  if (!outcome.rejection) await remember(tx, deal, tape);
  // A deal that was decided meanwhile stands on what was decided.
  const usable = outcome.result.state === 'DONE' && ['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status);
  if (usable) await setTapeVersion(tx, deal.organization_id, deal.deal_id, tape.version);
  // The deal's numbers are the new version's from here on, in its events too.
  const now: Deal = usable
    ? { ...deal, tape_version: tape.version, loan_count: outcome.result.accepted, total_balance: outcome.result.total_balance }
    : deal;
  if (outcome.rejection) await rejectTape(tx, now, outcome.rejection);
  else if (outcome.result.state === 'NEEDS_MAPPING') await askForMapping(tx, now);
  else if (usable && now.status === 'IN_REVIEW') await moveDeal(tx, now, { to: 'QC_COMPLETED', actor: 'platform' });
  await settleBulkItem(tx, now);
}

/** The checks ended without a result: the deal stays as it is, and cannot be approved before checks have ended with one. */
async function fail(tx: Tx, deal: Deal, tape: Tape, failure: string): Promise<void> {
  if (!(await failTape(tx, tape, failure))) return;
  await settleBulkItem(tx, deal);
  // Of a deal that was decided meanwhile nothing more is expected.
  if (!['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status)) return;
  await raiseAlert(tx, deal.organization_id, 'loan.checks_failed', {
    category: 'loan',
    priority: 'HIGH',
    title: `${deal.name}: the checks of version ${tape.version} of the tape failed`,
    entity_type: 'deal',
    entity_id: deal.deal_id,
    message: failure,
  });
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
