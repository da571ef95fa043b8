import { localDate } from '../../finance/business-date.ts';
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { IngestProgress, IngestResult, LoansBefore } from '../../loans/ingest/ingest-types.ts';
import type { RawColumn } from '../../loans/reading/raw-table.ts';
import { ingestTask } from '../../loans/tasks/tasks.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { GAVE_UP, type GaveUp, judgeFailure, MAX_ATTEMPTS, returnAttempt } from '../../platform/jobs/attempts.ts';
import { type Deal, findDeal } from '../deals/queries.ts';
import { commitChecks, type ChecksOutcome } from './commit-checks.ts';
import { countRows } from './metrics.ts';
import {
  findReplaced,
  findTape,
  isOfInlineLoans,
  listMergeable,
  type MergeableTape,
  returnTapeAttempt,
  startTape,
  type Tape,
  type TapeResult,
  type TapeRun,
} from './queries.ts';
import { hasLoanIds } from './loan-ids.ts';
import { rememberedFor } from './remembered.ts';
import { localFile } from '../../platform/files/local-file.ts';
import type { Id } from '../../platform/ids.ts';
import { sealPart, tokenKey } from './data-key.ts';
import { checksFailure, readingFigures } from './reading-figures.ts';
import { type ProgressRecord, recordProgress } from './record-progress.ts';
import { fetchUpload, openColumns } from './seal-upload.ts';
import { removeReplaced } from './replaced-files.ts';
import { claimStored } from '../uploads/sweep-queries.ts';
import { storeUnclaimed } from '../uploads/upload.ts';

/** The platform failed, not the tape: the deal keeps its status, and its checks can be started again. */
const GIVEN_UP =
  'The platform could not finish the checks of this tape. Start them again with POST /v1/api/originator/loans/{dealId}/recheck or send the tape as a new version. If that fails too, give the operator the deal id.';

/**
 * Reads, maps and checks one tape version and commits the outcome in one transaction. The files are written first, under keys of this
 * attempt alone, so that one that was killed or replaced leaves nothing visible, and one that goes on late changes nothing. The attempt is counted before it starts, so that a tape that
 * crashes its process at every attempt is given up too.
 */
export async function ingestTape(deps: Deps, job: TapeRun, signal: AbortSignal, last = false): Promise<GaveUp | undefined> {
  const scope = { organization: job.organization_id };
  const started = await deps.db.tx(scope, async (tx) => {
    const deal = await findDeal(tx, job.organization_id, job.deal_id);
    const tape = deal && (await startTape(tx, job));
    return tape ? { deal, tape } : null;
  });
  if (!started) return;
  const { deal, tape } = started;
  if (tape.attempts > MAX_ATTEMPTS) return giveUp(deps, tape, new Error('every attempt crashed its process'));
  try {
    const outcome = await runChecks(deps, deal, tape, signal);
    await deps.db.tx({ platform: true }, async (tx) => {
      await commitChecks(tx, tape, outcome);
      if (!outcome.result) return;
      await keepStored(tx, tape, outcome.result, outcome.stored);
      await removeReplaced(tx, tape, outcome.result);
    });
    countRows(deps.metrics.registry, { accepted: outcome.result?.accepted ?? 0, rejected: outcome.result?.rejected ?? 0 });
  } catch (error) {
    const failure = judgeFailure(error, signal, { number: tape.attempts, last });
    if (!failure.counts) await returnAttempt(signal, () => deps.db.tx(scope, (tx) => returnTapeAttempt(tx, tape)));
    if (!failure.final) throw error;
    return await giveUp(deps, tape, error);
  }
}

async function giveUp(deps: Deps, tape: Tape, error: unknown): Promise<GaveUp> {
  const { deal_id, version } = tape;
  deps.log.error({ job: 'ingest-tape', deal_id, version, err: error }, 'gave up the checks of a tape');
  await deps.db.tx({ platform: true }, (tx) => commitChecks(tx, tape, { result: null, failure: GIVEN_UP }));
  return GAVE_UP;
}

/** What an attempt has found, and the objects that it has stored for it. */
type AttemptOutcome = ChecksOutcome & { stored: readonly string[] };

async function runChecks(deps: Deps, deal: Deal, tape: Tape, signal: AbortSignal): Promise<AttemptOutcome> {
  const workDir = await mkdtemp(join(deps.workDir, 'ingest-'));
  const progress = recordProgress(deps, tape);
  try {
    const ingested = await ingestInChild(deps, deal, tape, workDir, { signal, onProgress: progress.tell });
    if ('problem' in ingested) {
      const { problem } = ingested;
      if (tape.mode === 'MERGE') return { result: null, failure: problem, stored: [] };
      return { result: unreadableResult(problem), rejection: { reason_code: 'QC_FAILED', reason: problem }, stored: [] };
    }
    return { ...(await storeResult(deps, ingested.tape, ingested, progress)), rejection: rejectionOf(ingested.result) };
  } finally {
    await progress.end();
    await rm(workDir, { recursive: true, force: true });
  }
}

type Ingested = {
  /** With its data key. */
  tape: Tape;
  /** The raw table that was there before, as it was read. */
  rawPath: string | null;
  result: IngestResult;
  columns: RawColumn[];
  mappingId: Id<'map'> | null;
  mergedInto: number | null;
};

/** Fetches the tape's files in this process, decrypted, and reads them in a child process, which has no data key. */
async function ingestInChild(
  deps: Deps,
  deal: Deal,
  started: Tape,
  workDir: string,
  options: { signal: AbortSignal; onProgress: (progress: IngestProgress) => void },
): Promise<Ingested | { problem: string }> {
  const { organization_id, deal_id } = started;
  const { remembered, today, isInline, mergeable, replaced } = await deps.db.tx(
    { organization: organization_id },
    async (tx) => ({
      remembered: await rememberedFor(tx, deal.organization_id, deal.loan_type, started.sent_by),
      today: localDate(tx.now, tx.zone),
      isInline: await isOfInlineLoans(tx, organization_id, deal_id, started.version),
      mergeable: started.mode === 'MERGE' && !started.raw_key ? await basesOf(tx, started) : [],
      replaced: await findReplaced(tx, started),
    }),
  );
  // Compared with the size and hash of the upload; throws ObjectDamaged if they differ. A destroyed file leaves its raw table.
  const { tape, path } = isDestroyed(started) ? { tape: started, path: '' } : await fetchUpload(deps, started, workDir);
  const rawPath = tape.raw_key ? await localFile(deps, tape.raw_key) : null;
  const sealedPath = rawPath ? await openColumns(deps, tape, workDir) : null;
  const bases = await Promise.all(
    mergeable.map(async (base) => ({
      version: base.version,
      rawPath: await localFile(deps, base.raw_key),
      issuesPath: await localFile(deps, base.issues_key),
      sealedPath: await openColumns(deps, base, workDir),
      inline: base.isInline,
    })),
  );
  const outDir = join(workDir, 'out');
  await mkdir(outDir, { mode: 0o700 });
  const reply = await deps.compute.run(
    ingestTask,
    {
      path,
      format: tape.format,
      mode: tape.mode,
      loanType: deal.loan_type,
      rawPath,
      inline: isInline,
      sealedPath,
      bases,
      replaces: await loansBefore(deps, replaced),
      tokenKey: tokenKey(deps, tape.organization_id),
      asOf: today,
      overrides: tape.overrides,
      remembered: remembered?.entries ?? [],
      outDir,
    },
    { owner: tape.organization_id, ...options },
  );
  if ('problem' in reply) return reply;
  const mappingId = reply.remembered ? (remembered?.mapping_id ?? null) : null;
  return {
    tape,
    rawPath,
    result: reply.ingested,
    columns: reply.columns,
    mappingId,
    mergedInto: reply.merged_into ?? tape.merged_into,
  };
}

/** The loans of the version before; null where there is none, or its file is lost: that is no reason to refuse another version. */
async function loansBefore(
  { store }: Deps,
  replaced: Pick<Tape, 'version' | 'loans_key' | 'mapping'> | null,
): Promise<LoansBefore | null> {
  const loansPath = replaced?.loans_key ? await store.localPath(replaced.loans_key) : null;
  return replaced && loansPath ? { version: replaced.version, loansPath, hasIds: hasLoanIds(replaced) } : null;
}

/** Whether only the raw table of a version is left of its file. */
function isDestroyed({ version, deal_id, raw_key, keys_destroyed_at }: Tape): boolean {
  if (keys_destroyed_at === null) return false;
  if (!raw_key) throw new Error(`the file of version ${version} of ${deal_id} was destroyed before it was read`);
  return true;
}

/** Versions that a corrected file is compared with. */
const BASES_MAX = 5;

/**
 * The versions that a tape may be merged into, the one in force first. A version that another one extends is left out: its rows have the
 * same numbers in that one, with later corrections.
 */
async function basesOf(tx: Tx, { organization_id, deal_id }: Tape): Promise<(MergeableTape & { isInline: boolean })[]> {
  const bases = newestOfEach(await listMergeable(tx, organization_id, deal_id));
  const found = [];
  for (const base of bases) found.push({ ...base, isInline: await isOfInlineLoans(tx, organization_id, deal_id, base.version) });
  return found;
}

function newestOfEach(tapes: readonly MergeableTape[]): MergeableTape[] {
  const bases: MergeableTape[] = [];
  const extended = new Set<number>();
  for (const tape of tapes) {
    if (extended.has(tape.version) || bases.length === BASES_MAX) continue;
    bases.push(tape);
    let before = tape.merged_into;
    while (before !== null && !extended.has(before)) {
      extended.add(before);
      before = tapes.find((each) => each.version === before)?.merged_into ?? null;
    }
  }
  return bases;
}

async function storeResult(
  deps: Deps,
  tape: Tape,
  { result, rawPath, columns, mappingId, mergedInto }: Ingested,
  progress: ProgressRecord,
): Promise<{ result: TapeResult; stored: readonly string[] }> {
  const { raw, sealed, loans, issues } = result.files;
  const isNew = raw !== rawPath;
  const prefix = `tapes/${tape.organization_id}/${tape.deal_id}/${tape.version}/${tape.run}/${randomUUID()}`;
  const stored: string[] = [];
  const total = [isNew, isNew && sealed, loans, issues].filter(Boolean).length;
  const put = async (name: string, path: string, isSealed = false): Promise<string> => {
    progress.tell({ stage: 'STORING', done: stored.length, total });
    const key = `${prefix}/${name}`;
    const open = () => (isSealed ? sealPart(deps, tape, 'columns', createReadStream(path)) : createReadStream(path));
    await storeUnclaimed(deps, tape.organization_id, key, open);
    stored.push(key);
    return key;
  };
  const found: TapeResult = {
    state: result.needs_mapping ? 'NEEDS_MAPPING' : 'DONE',
    ...readingFigures(result),
    total_balance: result.total_balance,
    balance_basis: result.balance_basis,
    merged_into: mergedInto,
    findings: {
      tape: result.tape_findings,
      decisions: result.decisions,
      statistics: result.statistics,
      synthetic_ids: result.synthetic_ids,
    },
    raw_key: isNew ? await put('raw.parquet', raw) : tape.raw_key,
    sealed_key: isNew ? sealed && (await put('columns.sealed', sealed, true)) : tape.sealed_key,
    loans_key: loans ? await put('loans.parquet', loans) : null,
    issues_key: await put('issues.parquet', issues),
    mapping_id: mappingId,
    mapping: { ...result.mapping, columns },
    failure: null,
  };
  return { result: found, stored };
}

/** Keeps the objects of the attempt that has ended the checks. Those of another, which went on late or was replaced, are deleted after an hour. */
async function keepStored(tx: Tx, tape: Tape, { issues_key }: TapeResult, stored: readonly string[]): Promise<void> {
  const { organization_id, deal_id, version } = tape;
  const now = await findTape(tx, organization_id, deal_id, version);
  if (now?.issues_key === issues_key) await claimStored(tx, stored);
}

function rejectionOf(result: IngestResult): { reason_code: string; reason: string } | null {
  const reason = checksFailure(result);
  return reason === null ? null : { reason_code: 'QC_FAILED', reason };
}

function unreadableResult(problem: string): TapeResult {
  return {
    state: 'FAILED',
    rows: 0,
    accepted: 0,
    rejected: 0,
    total_balance: '0',
    balance_basis: null,
    errors: 1,
    warnings: 0,
    by_rule: [{ rule_id: 'UNREADABLE_FILE', severity: 'ERROR', count: 1 }],
    merged_into: null,
    as_of_date: null,
    findings: { tape: [{ rule_id: 'UNREADABLE_FILE', severity: 'ERROR', message: problem }] },
    loans_key: null,
    raw_key: null,
    issues_key: null,
    sealed_key: null,
    mapping_id: null,
    mapping: null,
    failure: problem,
  };
}
