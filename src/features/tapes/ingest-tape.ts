import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IngestResult } from '../../loans/ingest/ingest-types.ts';
import type { RawColumn } from '../../loans/reading/raw-table.ts';
import { ingestTask } from '../../loans/tasks/run-ingest.ts';
import type { Deps } from '../../platform/deps.ts';
import { judgeFailure, MAX_ATTEMPTS } from '../../platform/jobs/attempts.ts';
import { type Deal, findDeal } from '../deals/queries.ts';
import { commitChecks, type Outcome } from './commit-checks.ts';
import { countRows } from './metrics.ts';
import {
  findCurrentTape,
  findMapping,
  returnTapeAttempt,
  startTape,
  type Tape,
  type TapeResult,
  type TapeRun,
} from './queries.ts';
import type { Id } from '../../platform/ids.ts';

/** The platform failed, not the tape: the deal stays where it is, and its checks can be started again. */
const GIVEN_UP =
  'The platform could not finish the checks of this tape. Start them again with POST /v1/api/originator/loans/{dealId}/recheck or send the tape as a new version; if that fails too, quote the deal to the operator.';

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
    await deps.db.tx({ platform: true }, (tx) => commitChecks(tx, tape, outcome));
    countRows(deps.metrics.registry, { accepted: outcome.result?.accepted ?? 0, rejected: outcome.result?.rejected ?? 0 });
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
  await deps.db.tx({ platform: true }, (tx) => commitChecks(tx, tape, { result: null, failure: GIVEN_UP }));
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

type Read = { ingested: IngestResult; columns: RawColumn[]; mappingId: Id<'map'> | null };
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
    // Compared with what was uploaded: other bytes are ObjectDamaged, never the tape.
    deps.store.localPath(tape.object_key, tape),
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
