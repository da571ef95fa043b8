import { createHash, sign, verify } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { AUDIT_SIGNAL } from './audit.ts';
import { type AuditProblem, BEGINNING, type Link, walkChain } from './audit-chain.ts';
import type { Reader } from './db/database.ts';
import type { Deps } from './deps.ts';
import type { ObjectStore } from './files/store.ts';
import type { TokenKeys } from './tokens.ts';

/** A signed statement that the log stood at this entry with this hash. Numbers of one key have no gap. */
export type Checkpoint = Link & { number: number; at: string; signature: string };
type Unsigned = Omit<Checkpoint, 'signature'>;

const MOST_BYTES = 4_096;
const GAP_MS = 1_000;
const COLUMNS = `number, sequence, hash, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, signature`;

export type CheckpointDeps = Pick<Deps, 'config' | 'db' | 'log' | 'store' | 'tokens'>;

/** The checkpoints of one signing key in one environment: another key begins another series. */
export function seriesOf({ config, tokens }: Pick<Deps, 'config' | 'tokens'>): string {
  return `${config.environment}-${fingerprintOf(tokens).slice(0, 16)}`;
}

/** The SHA-256 of the public key, in hexadecimal. */
export const fingerprintOf = ({ publicKey }: TokenKeys): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');

/** Signs the end of an export: whose it is, how many entries it has, and the digest of all its lines before. */
export function signExport(
  keys: TokenKeys,
  {
    series,
    organization_id,
    entries,
    sha256,
    at,
  }: { series: string; organization_id: string | null; entries: number; sha256: string; at: string },
): string {
  const text = `sluice audit export\n${JSON.stringify([series, organization_id, entries, sha256, at])}`;
  return sign(null, Buffer.from(text), keys.privateKey).toString('base64url');
}

/** The signed text has a prefix that no token has, so that neither can be passed off as the other. */
const signed = (series: string, { number, sequence, hash, at }: Unsigned): Buffer =>
  Buffer.from(`sluice audit checkpoint\n${JSON.stringify([series, number, sequence, hash, at])}`);

export function hasSignature(keys: TokenKeys, series: string, checkpoint: Checkpoint): boolean {
  return verify(null, signed(series, checkpoint), keys.publicKey, Buffer.from(checkpoint.signature, 'base64url'));
}

export function listCheckpoints(reader: Reader, series: string): Promise<(Checkpoint & { stored: boolean })[]> {
  return reader.rows(`select ${COLUMNS}, stored_at is not null as stored from audit_checkpoints where key = $1 order by number`, [
    series,
  ]);
}

const objectKey = (series: string, number: number): string => `audit/${series}/${String(number).padStart(9, '0')}.json`;

/** A checkpoint in the object store; `null`: there is no such object. */
export async function readStored(store: ObjectStore, series: string, number: number): Promise<Checkpoint | 'unreadable' | null> {
  const found = await store.get(objectKey(series, number));
  if (!found) return null;
  const body = await text(found.stream);
  try {
    const { sequence, hash, at, signature } = JSON.parse(body) as Checkpoint;
    const whole = Number.isSafeInteger(sequence) && [hash, at, signature].every((each) => typeof each === 'string');
    return whole ? { number, sequence, hash, at, signature } : 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/**
 * Signs the state of the log if it has entries since the last checkpoint, and stores the checkpoints that are not stored yet. A log that
 * does not follow from its last checkpoint is not signed: an operator must investigate.
 */
export async function checkpointAudit(deps: CheckpointDeps): Promise<void> {
  const problem = (await nextIsTaken(deps)) ?? (await claimCheckpoint(deps)) ?? (await storeCheckpoints(deps));
  if (problem)
    deps.log.error({ audit: problem }, 'the audit log does not follow from its last checkpoint: no checkpoint was made');
}

/** A checkpoint is in the database before it is in the store: one that only the store has means that the database was rolled back. */
async function nextIsTaken({ config, db, store, tokens }: CheckpointDeps): Promise<AuditProblem | null> {
  const series = seriesOf({ config, tokens });
  const last = await db.tx({ platform: true }, (tx) => findLast(tx, series));
  const number = (last?.number ?? 0) + 1;
  const there = await readStored(store, series, number);
  if (there === null || (await db.tx({ platform: true }, (tx) => isClaimed(tx, series, number)))) return null;
  return noCheckpoint(there === 'unreadable' ? (last ?? BEGINNING) : there, 'database', number);
}

const findLast = (reader: Reader, series: string): Promise<Checkpoint | null> =>
  reader.one(`select ${COLUMNS} from audit_checkpoints where key = $1 order by number desc limit 1`, [series]);

export async function isClaimed(reader: Reader, series: string, number: number): Promise<boolean> {
  return (await reader.one('select 1 from audit_checkpoints where key = $1 and number = $2', [series, number])) !== null;
}

function claimCheckpoint({ config, db, tokens }: CheckpointDeps): Promise<AuditProblem | null> {
  const series = seriesOf({ config, tokens });
  return db.tx({ platform: true }, async (tx) => {
    await tx.exec('select pg_advisory_xact_lock(hashtextextended($1, 11))', [`audit checkpoint ${series}`]);
    const last = await findLast(tx, series);
    const head = await tx.one<Link>('select sequence, hash from audit_head');
    if (last && !hasSignature(tokens, series, last)) return notSigned(last, 'database');
    if (!head || (head.sequence === last?.sequence && head.hash === last.hash) || (!last && head.sequence === 0)) return null;
    // Before the first checkpoint of a key the whole log is walked, once.
    const { reached, problem } = await walkChain(tx, last ?? BEGINNING, head.sequence);
    if (problem) return problem;
    if (reached.hash !== head.hash || reached.sequence !== head.sequence) return headProblem(head, reached);
    const next = { number: (last?.number ?? 0) + 1, ...reached, at: new Date().toISOString() };
    const signature = sign(null, signed(series, next), tokens.privateKey).toString('base64url');
    await tx.exec('insert into audit_checkpoints (key, number, sequence, hash, at, signature) values ($1, $2, $3, $4, $5, $6)', [
      series,
      next.number,
      next.sequence,
      next.hash,
      next.at,
      signature,
    ]);
    return null;
  });
}

export const notSigned = ({ number, sequence, signature }: Checkpoint, where: string): AuditProblem => ({
  code: 'CHECKPOINT_INVALID',
  sequence,
  seen: signature,
  expected: 'a signature of the signing key over the checkpoint',
  message: `Checkpoint ${number} in the ${where} is not signed by this gateway: it was changed or made by someone else.`,
});

export const noCheckpoint = ({ sequence }: Link, where: string, number: number): AuditProblem => ({
  code: 'CHECKPOINT_MISSING',
  sequence,
  seen: `no checkpoint ${number} in the ${where}`,
  expected: `checkpoint ${number}`,
  message: `Checkpoint ${number} is missing in the ${where}, though later ones are there, or it is in the other place.`,
});

export const headProblem = (head: Link, reached: Link): AuditProblem => ({
  code: 'HEAD_DIFFERS',
  sequence: reached.sequence,
  seen: `${head.sequence} ${head.hash}`,
  expected: `${reached.sequence} ${reached.hash}`,
  message: `The head says that the log ends with entry ${head.sequence} and its hash; the log ends with entry ${reached.sequence}.`,
});

/** Objects are never overwritten: an existing one with other contents means that the log was rolled back. */
async function storeCheckpoints({ config, db, store, tokens }: CheckpointDeps): Promise<AuditProblem | null> {
  const series = seriesOf({ config, tokens });
  const waiting = await db.tx({ platform: true }, (tx) =>
    tx.rows<Checkpoint>(`select ${COLUMNS} from audit_checkpoints where key = $1 and stored_at is null order by number`, [
      series,
    ]),
  );
  for (const checkpoint of waiting) {
    const there = await readStored(store, series, checkpoint.number);
    if (there === null) {
      const { number, sequence, hash, at, signature } = checkpoint;
      const body = Buffer.from(`${JSON.stringify({ series, number, sequence, hash, at, signature })}\n`);
      await store.put(objectKey(series, number), Readable.from([body]), MOST_BYTES);
    } else if (there === 'unreadable' || there.signature !== checkpoint.signature) {
      return differs(checkpoint, there);
    }
    await db.tx({ platform: true }, (tx) =>
      tx.exec('update audit_checkpoints set stored_at = now() where key = $1 and number = $2', [series, checkpoint.number]),
    );
  }
  return null;
}

export const differs = (checkpoint: Checkpoint, there: Checkpoint | 'unreadable'): AuditProblem => ({
  code: 'CHECKPOINT_INVALID',
  sequence: there === 'unreadable' ? checkpoint.sequence : Math.min(checkpoint.sequence, there.sequence),
  seen: there === 'unreadable' ? 'an object that is not a checkpoint' : `${there.sequence} ${there.hash}`,
  expected: `${checkpoint.sequence} ${checkpoint.hash}`,
  message: `Checkpoint ${checkpoint.number} of the object store is not the one of that number in the database.`,
});

/** Makes a checkpoint whenever any process has appended enough entries; at most one a second. */
export function startCheckpoints(deps: CheckpointDeps): AsyncDisposable {
  const ending = new AbortController();
  let running: Promise<void> | null = null;
  let again = false;
  const run = async (): Promise<void> => {
    do {
      again = false;
      await checkpointAudit(deps).catch((error: Error) =>
        deps.log.warn({ err: error }, 'no checkpoint of the audit log: housekeeping tries again'),
      );
      await setTimeout(GAP_MS, undefined, { signal: ending.signal }).catch(() => {});
    } while (again && !ending.signal.aborted);
    running = null;
  };
  const stop = deps.db.signals.on(AUDIT_SIGNAL, () => {
    again = true;
    running ??= run();
  });
  return {
    async [Symbol.asyncDispose]() {
      stop();
      ending.abort();
      await running;
    },
  };
}
