import { type AuditProblem, BEGINNING, type Link, walkChain } from './audit-chain.ts';
import {
  type Checkpoint,
  type CheckpointDeps,
  differs,
  fingerprintOf,
  hasSignature,
  headProblem,
  isClaimed,
  listCheckpoints,
  noCheckpoint,
  notSigned,
  readStored,
  seriesOf,
} from './audit-checkpoints.ts';
import type { Tx } from './db/database.ts';

export type AuditVerdict = {
  /** Null: the log is consistent in the database, but the object store could not be read. */
  valid: boolean | null;
  /** Entries that follow from one another from the first. */
  entries: number;
  /** Sequence of the first problem. */
  broken_at: number | null;
  problems: AuditProblem[];
  public_key_sha256: string;
  checkpoints: {
    store: 'read' | 'unavailable';
    count: number;
    /** The last entry that a checkpoint covers: later ones are protected by the chain alone. */
    last_sequence: number;
    last_at: string | null;
  };
};

type Known = Checkpoint & { stored: boolean };
type Seen = { entries: number; checkpoints: Known[]; problems: AuditProblem[]; last: number };

/** Compares the log with itself, with the checkpoints of the database, and with those of the object store. */
export async function verifyAudit(deps: CheckpointDeps): Promise<AuditVerdict> {
  const series = seriesOf(deps);
  const inDatabase = await deps.db.tx({ platform: true }, (tx) => verifyDatabase(tx, deps, series));
  const inStore = await verifyStore(deps, series, inDatabase).catch((error: Error) => {
    deps.log.warn({ err: error }, 'the checkpoints of the audit log could not be read');
    return null;
  });
  const problems = [...inDatabase.problems, ...(inStore ?? [])].sort((a, b) => a.sequence - b.sequence);
  const last = inDatabase.checkpoints.at(-1);
  return {
    valid: problems.length > 0 ? false : inStore ? true : null,
    entries: inDatabase.entries,
    broken_at: problems[0]?.sequence ?? null,
    problems,
    public_key_sha256: fingerprintOf(deps.tokens),
    checkpoints: {
      store: inStore ? 'read' : 'unavailable',
      count: inDatabase.checkpoints.length,
      last_sequence: last?.sequence ?? 0,
      last_at: last?.at ?? null,
    },
  };
}

async function verifyDatabase(tx: Tx, deps: CheckpointDeps, series: string): Promise<Seen> {
  // One statement, so that entries appended in the meantime are in both results or in neither.
  const state = await tx.one<Link & { last: number }>(
    `select coalesce(head.sequence, 0) as sequence, coalesce(head.hash, '') as hash, log.last
     from (select coalesce(max(sequence), 0) as last from audit_log) log left join audit_head head on true`,
  );
  const head = state ?? BEGINNING;
  const last = state?.last ?? 0;
  const { reached, problem } = await walkChain(tx, BEGINNING, Math.max(head.sequence, last));
  const problems = problem ? [problem] : [];
  // If the end was cut, there is nothing between the last entry and the head.
  if (!problem && (reached.sequence !== head.sequence || reached.hash !== head.hash)) problems.push(headProblem(head, reached));
  const checkpoints = await listCheckpoints(tx, series);
  for (const [index, each] of checkpoints.entries()) {
    const wrong =
      each.number !== index + 1
        ? noCheckpoint(each, 'database', index + 1)
        : hasSignature(deps.tokens, series, each)
          ? await checkAgainstLog(tx, last, each)
          : notSigned(each, 'database');
    // Checkpoints after a wrong one are not checked: they would be wrong as well.
    if (wrong) return { entries: reached.sequence, checkpoints, problems: [...problems, wrong], last };
  }
  return { entries: reached.sequence, checkpoints, problems, last };
}

/** Compares a checkpoint with the log. */
async function checkAgainstLog(tx: Tx, last: number, { number, sequence, hash }: Checkpoint): Promise<AuditProblem | null> {
  const entry = await tx.one<{ hash: string }>('select hash from audit_log where sequence = $1', [sequence]);
  if (entry?.hash === hash) return null;
  if (sequence > last) {
    const message = `Checkpoint ${number} was signed when the log had ${sequence} entries; it ends with entry ${last}.`;
    return { code: 'TAIL_CUT', sequence: last + 1, seen: `${last} entries`, expected: `${sequence} entries`, message };
  }
  const message = `Checkpoint ${number} was signed over another entry ${sequence}: entries up to it were rewritten.`;
  return { code: 'TAIL_REWRITTEN', sequence, seen: entry?.hash ?? 'no entry', expected: hash, message };
}

/** Distances of the numbers that are looked up after the last known one: a longer series without gaps has one of them. */
const FURTHER = Array.from({ length: 20 }, (_, power) => 2 ** power);

/** The last known checkpoint as the store has it, and what the store has beyond it. */
async function verifyStore(deps: CheckpointDeps, series: string, { checkpoints, last }: Seen): Promise<AuditProblem[]> {
  const { db, store, tokens } = deps;
  await store.ready();
  const known = checkpoints.findLast((each) => each.stored);
  const problems: AuditProblem[] = [];
  if (known) {
    const there = await readStored(store, series, known.number);
    if (there === null) problems.push(noCheckpoint(known, 'object store', known.number));
    else if (there === 'unreadable' || there.signature !== known.signature) problems.push(differs(known, there));
  }
  const numbers = FURTHER.map((distance) => (known?.number ?? 0) + distance);
  const beyond = await Promise.all(numbers.map((number) => readStored(store, series, number)));
  for (const each of beyond.reverse()) {
    if (each === null || each === 'unreadable') continue;
    if (!hasSignature(tokens, series, each)) problems.push(notSigned(each, 'object store'));
    else {
      const wrong = await db.tx(
        { platform: true },
        async (tx) => (await checkAgainstLog(tx, last, each)) ?? missingIn(tx, series, each),
      );
      if (wrong) problems.push(wrong);
    }
  }
  return problems;
}

async function missingIn(tx: Tx, series: string, checkpoint: Checkpoint): Promise<AuditProblem | null> {
  return (await isClaimed(tx, series, checkpoint.number)) ? null : noCheckpoint(checkpoint, 'database', checkpoint.number);
}
