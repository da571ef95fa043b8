import { numberOrNull } from '../../finance/decimal.ts';
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { addMonths } from '../../finance/dates.ts';
import { localDate } from '../../finance/business-date.ts';
import type { MonthReply } from '../../loans/servicing/compare-month.ts';
import { compareMonthTask, ingestTask } from '../../loans/tasks/tasks.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { GAVE_UP, type GaveUp, judgeFailure, MAX_ATTEMPTS, returnAttempt } from '../../platform/jobs/attempts.ts';
import { findPool, listPoolTapes, lockPool, type Pool } from '../pools/queries.ts';
import { tokenKey } from '../tapes/data-key.ts';
import { checksFailure, readingFigures } from '../tapes/reading-figures.ts';
import { type Remembered, rememberedFor } from '../tapes/remembered.ts';
import { mergeBySource } from '../tapes/tape.ts';
import { noteRemoved, READERS_MINUTES } from '../tapes/seal-queries.ts';
import { findUpload } from '../uploads/queries.ts';
import { claimStored } from '../uploads/sweep-queries.ts';
import { storeUnclaimed, withUploadedFile } from '../uploads/upload.ts';
import {
  dropUploadedFile,
  findMonth,
  findMonthUpTo,
  findMappedTape,
  type PoolMonth,
  type PoolTape,
  type PoolTapeRun,
  putMonth,
  returnPoolTapeAttempt,
  startPoolTape,
} from './queries.ts';
import { dropMonths, restartNext } from './send-pool-tape.ts';
import { ifIssued, type IssuedPool, monthsTo, POOL_TAPE_MOVES, type RunFile } from './servicing.ts';
import { tellRead } from './tell-read.ts';

/** The platform failed, not the tape. */
const GIVEN_UP =
  'The platform could not finish reading this tape. Send it again; if that fails too, give the operator the pool id and the period.';

/** What the reading of the file gave; the keys name stored files. */
type Read = Pick<
  PoolTape,
  | 'mapping'
  | 'mapping_id'
  | 'rows'
  | 'accepted'
  | 'rejected'
  | 'errors'
  | 'warnings'
  | 'by_rule'
  | 'findings'
  | 'as_of_date'
  | 'raw_key'
  | 'read_issues_key'
  | 'loans_key'
>;
type Compared = Pick<PoolTape, 'errors' | 'warnings' | 'by_rule' | 'issues_key'> & { month: PoolMonth; unexplained: number };
type Outcome = { read: Read | null; compared: Compared | null; failure: string | null; stored?: readonly string[] };
const NOTHING: Outcome = { read: null, compared: null, failure: null };

/**
 * Reads the tape of a period and follows the loans of the pool to it, from the tape before or from closing. Files are written first, under
 * keys of this attempt alone, and the outcome is committed in one transaction: one that was killed, superseded or goes on late changes nothing.
 * Once it is in force the next tape is compared again, and the file as it was sent is deleted.
 */
export async function readPoolTape(deps: Deps, job: PoolTapeRun, signal: AbortSignal, last = false): Promise<GaveUp | undefined> {
  const scope = { organization: job.organization_id };
  const started = await deps.db.tx(scope, async (tx) => {
    const found = await findPool(tx, job.organization_id, job.pool_id);
    const tape = found && (await startPoolTape(tx, job));
    if (!tape) return null;
    const pool = ifIssued(found);
    if (pool) {
      const deals = (await listPoolTapes(tx, pool)).filter(({ synthetic_ids }) => synthetic_ids);
      const before = await findMonthUpTo(tx, pool, job.period - 1);
      return { pool, tape, before, dealsWithoutIds: deals.map(({ deal_number }) => deal_number), stored: [] };
    }
    await commit(tx, deps, tape, NOTHING);
    return null;
  });
  if (!started) return;
  const { tape } = started;
  try {
    if (tape.attempts > MAX_ATTEMPTS) throw new Error('every attempt crashed its process');
    const outcome = await run(deps, started, signal);
    await deps.db.tx(scope, (tx) => commit(tx, deps, tape, { ...outcome, stored: started.stored }));
  } catch (error) {
    const failure = judgeFailure(error, signal, { number: tape.attempts, last: last || tape.attempts > MAX_ATTEMPTS });
    if (!failure.counts) await returnAttempt(signal, () => deps.db.tx(scope, (tx) => returnPoolTapeAttempt(tx, tape)));
    if (!failure.final) throw error;
    const { pool_id, period } = tape;
    deps.log.error({ job: 'read-pool-tape', pool_id, period, err: error }, 'gave up a monthly tape');
    await deps.db.tx(scope, (tx) => commit(tx, deps, tape, { ...NOTHING, failure: GIVEN_UP }));
    return GAVE_UP;
  }
}

/** `dealsWithoutIds`: numbers of the pool's deals whose tapes had no ids. */
type Started = {
  pool: IssuedPool;
  tape: PoolTape;
  before: PoolMonth | null;
  dealsWithoutIds: number[];
  /** Keys of the objects that this attempt has stored. */
  stored: string[];
};

async function run(deps: Deps, started: Started, signal: AbortSignal): Promise<Outcome> {
  const workDir = await mkdtemp(join(deps.workDir, 'pool-tape-'));
  try {
    const { tape } = started;
    // Loans that were read are compared again as they are, when only the tape before has changed.
    if (tape.loans_key) return { read: null, ...(await compare(deps, started, tape, workDir, signal)) };
    const outcome = await read(deps, started, workDir, signal);
    if (outcome.failure !== null || !outcome.read?.loans_key) return outcome;
    return { ...outcome, ...(await compare(deps, started, { ...tape, ...outcome.read }, workDir, signal)) };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/**
 * Stores a file under a key that no other attempt ever has, of this tape or of one that is sent after this was taken away. It is deleted after an
 * hour unless this attempt ends the tape.
 */
async function put(deps: Deps, { tape, stored }: Started, name: RunFile, path: string): Promise<string> {
  const { organization_id, pool_id, period, upload_id, run } = tape;
  const key = `tapes/${organization_id}/${pool_id}/${period}/${upload_id}/${run}/${randomUUID()}/${name}.parquet`;
  await storeUnclaimed(deps, organization_id, key, () => createReadStream(path));
  stored.push(key);
  return key;
}

async function read(deps: Deps, started: Started, workDir: string, signal: AbortSignal): Promise<Outcome> {
  const { pool, tape } = started;
  const scope = { organization: tape.organization_id };
  const { remembered, today, upload } = await deps.db.tx(scope, async (tx) => ({
    remembered: await mappingFor(tx, pool, tape),
    today: localDate(tx.now, tx.zone),
    upload: tape.raw_key ? null : await findUpload(tx, tape.organization_id, tape.upload_id),
  }));
  const outDir = join(workDir, 'out');
  await mkdir(outDir, { mode: 0o700 });
  const rawPath = tape.raw_key ? await localFile(deps, tape.raw_key) : null;
  const ingest = (path: string) =>
    deps.compute.run(
      ingestTask,
      {
        path,
        format: tape.format,
        mode: 'REPLACE',
        loanType: pool.loan_type,
        rawPath,
        sealedPath: null,
        bases: [],
        tokenKey: tokenKey(deps, tape.organization_id),
        asOf: today,
        overrides: tape.overrides,
        remembered: remembered?.entries ?? [],
        outDir,
      },
      { owner: tape.organization_id, signal },
    );
  const reply = rawPath
    ? await ingest('')
    : await withUploadedFile(deps, upload?.object_key ?? null, { size: tape.size, sha256: tape.sha256 }, ingest);
  if ('problem' in reply) return { ...NOTHING, failure: reply.problem };
  const { ingested, columns } = reply;
  const { raw, loans, issues } = ingested.files;
  const found: Read = {
    mapping: { ...ingested.mapping, columns },
    mapping_id: tape.mapping_id ?? (reply.remembered ? (remembered?.mapping_id ?? null) : null),
    ...readingFigures(ingested),
    findings: { tape: ingested.tape_findings, decisions: ingested.decisions },
    raw_key: raw === rawPath ? tape.raw_key : await put(deps, started, 'raw', raw),
    read_issues_key: await put(deps, started, 'read-issues', issues),
    loans_key: loans && !ingested.qc_failed ? await put(deps, started, 'loans', loans) : null,
  };
  return { read: found, compared: null, failure: checksFailure(ingested) };
}

/** The mapping that a tape starts with: what was changed for the tapes of this pool before, over what is remembered for its owner. */
async function mappingFor(tx: Tx, pool: IssuedPool, { sent_by }: PoolTape): Promise<Remembered | null> {
  const remembered = await rememberedFor(tx, pool.organization_id, pool.loan_type, sent_by);
  const mapped = await findMappedTape(tx, pool);
  if (!mapped?.mapping_id) return remembered;
  return { mapping_id: mapped.mapping_id, entries: mergeBySource(remembered?.entries ?? [], mapped.overrides) };
}

async function compare(
  deps: Deps,
  started: Started,
  tape: PoolTape,
  workDir: string,
  signal: AbortSignal,
): Promise<Pick<Outcome, 'compared' | 'failure'>> {
  const { pool, before, dealsWithoutIds } = started;
  const compared_with = before?.period ?? 0;
  const elapsed = monthsTo(pool, compared_with);
  const months = Math.max(1, monthsTo(pool, tape.period) - elapsed);
  const [monthPath, findingsPath] = [join(workDir, 'month.parquet'), join(workDir, 'findings.parquet')];
  const [previousPath, tapePath, issuesPath] = await Promise.all(
    [before?.loans_key ?? pool.loans_key, tape.loans_key ?? '', tape.read_issues_key ?? ''].map((key) => localFile(deps, key)),
  );
  const has = (field: string) => tape.mapping?.mappings.some(({ target }) => target === field) ?? false;
  const reply = await deps.compute.run(
    compareMonthTask,
    {
      loanType: pool.loan_type,
      workDir,
      cutOff: addMonths(pool.cut_off_date, elapsed),
      averageRatePercent: numberOrNull(pool.wac),
      averageRemainingMonths: pool.wam === null ? null : Math.max(1, Number(pool.wam) - elapsed),
      previousPath: previousPath ?? '',
      dealsWithoutIds,
      tapePath: tapePath ?? '',
      hasIds: has('loan_id') || has('account_id'),
      issuesPath: issuesPath ?? '',
      months,
      hasRecoveries: has('recovered_amount'),
      monthPath,
      findingsPath,
    },
    { owner: tape.organization_id, signal },
  );
  const { opening_count } = reply.figures;
  // Otherwise the whole pool would be paid off by a file that was sent for it by mistake.
  if (reply.matched === 0 && opening_count > 0) return { compared: null, failure: notOfPool(tape, opening_count) };
  const count = (severity: string) =>
    reply.findings.filter((each) => each.severity === severity).reduce((sum, each) => sum + each.count, 0);
  const compared: Compared = {
    errors: count('ERROR'),
    warnings: count('WARNING'),
    by_rule: reply.findings,
    unexplained: reply.unexplained,
    issues_key: await put(deps, started, 'issues', findingsPath),
    month: monthOf(tape, { compared_with, months }, reply, await put(deps, started, 'month', monthPath)),
  };
  return { compared, failure: null };
}

const notOfPool = ({ accepted }: PoolTape, owing: number): string =>
  `None of the ${owing} loans of the pool that owe is among the ${accepted} loans of this tape, by its id or by what else identifies it: the tape is of other loans, or its ids are those of another system.`;

const monthOf = (
  { period, version }: PoolTape,
  since: Pick<PoolMonth, 'compared_with' | 'months'>,
  { figures, rolls, vintages, matched, strangers, reported }: MonthReply,
  loans_key: string,
): PoolMonth => ({ period, version, ...since, reported_on: reported, matched, strangers, figures, rolls, vintages, loans_key });

/** Share of the loans that owed which may be missing from a tape, or end on it without a reason, before it waits for a confirmation. */
const MOST_UNEXPLAINED = 0.5;

/** Writes the outcome under the pool's lock, unless the run was superseded: the tape before may have changed meanwhile. */
async function commit(tx: Tx, { jobs }: Pick<Deps, 'jobs'>, tape: PoolTape, outcome: Outcome): Promise<void> {
  const pool = await lockPool(tx, tape.organization_id, tape.pool_id);
  if (!pool) return;
  const isServiced = ifIssued(pool) !== null;
  const { read: found, compared, failure } = isServiced ? outcome : { ...NOTHING, failure: endedBefore(pool) };
  const { month: made, unexplained = 0, ...counts } = compared ?? { month: null };
  const owed = made?.figures.opening_count ?? 0;
  const waits = tape.confirmed_at === null && unexplained > MOST_UNEXPLAINED * owed;
  const state = failure !== null ? 'FAILED' : !made ? 'NEEDS_MAPPING' : waits ? 'NEEDS_CONFIRMATION' : 'DONE';
  const month = waits ? null : made;
  const ended = await POOL_TAPE_MOVES.tryMove(tx, tape, state, { ...found, ...counts, failure, completed_at: tx.now });
  // What a superseded attempt has stored is deleted, and what one has that ends with nothing.
  if (!ended) return;
  if (found || compared) await claimStored(tx, outcome.stored ?? []);
  if (tape.issues_key && tape.issues_key !== ended.issues_key)
    await noteRemoved(tx, tape.organization_id, [tape.issues_key], READERS_MINUTES);
  // Its table is read; what could not be read has to be sent again.
  await dropUploadedFile(tx, tape.organization_id, tape.upload_id);
  const replaced = await findMonth(tx, pool, tape.period);
  if (waits && made) await dropMonths(tx, pool, [made.loans_key]);
  if (month) {
    await putMonth(tx, pool, month);
    if (replaced) await dropMonths(tx, pool, [replaced.loans_key]);
  }
  // A file that gave nothing leaves the month of the file before it in force.
  if (isServiced && (month || !replaced)) await restartNext(tx, ended, { jobs });
  const loss = `${unexplained} of the ${owed} loans that owed are not on it, or owe nothing any more without a reason`;
  await tellRead(tx, pool, ended, waits ? loss : null);
}

const endedBefore = ({ status }: Pool): string =>
  `The pool was ${status} before this tape was read; monthly tapes are of pools that are ISSUED or CLOSED.`;
