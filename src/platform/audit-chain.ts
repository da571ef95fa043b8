import { createHash } from 'node:crypto';
import type { Reader } from './db/database.ts';

/** A state of the log: its last entry and the entry's hash. */
export type Link = { sequence: number; hash: string };

/** A defect of the log: where it is, what was found and what was expected. */
export type AuditProblem = { code: AuditProblemCode; sequence: number; seen: string; expected: string; message: string };

export const AUDIT_PROBLEMS = [
  'ENTRY_MISSING',
  'ENTRY_CHANGED',
  'HEAD_DIFFERS',
  'TAIL_CUT',
  'TAIL_REWRITTEN',
  'CHECKPOINT_INVALID',
  'CHECKPOINT_MISSING',
] as const;
export type AuditProblemCode = (typeof AUDIT_PROBLEMS)[number];

export const BEGINNING: Link = { sequence: 0, hash: '0'.repeat(64) };
const ROWS_AT_ONCE = 1_000;

export type LoggedEntry = {
  sequence: number;
  entry_id: string;
  organization_id: string;
  actor: string;
  action: string;
  entity_type: string;
  entity_id: string;
  /** JSON as the database writes it: the hash covers exactly these characters. */
  before: string | null;
  after: string | null;
  reason: string | null;
  at: Date;
  previous_hash: string;
  hash: string;
  hash_version: number;
};

/** The columns of an entry as its hash needs them. */
export const LOGGED = `sequence, entry_id, organization_id, actor, action, entity_type, entity_id, before::text as before, after::text as after,
  reason, at, previous_hash, hash, hash_version`;

/** Walks the chain from a link to an entry; ends at the first entry that does not follow from the one before. */
export async function walkChain(
  reader: Reader,
  from: Link,
  to: number,
): Promise<{ reached: Link; problem: AuditProblem | null }> {
  let reached = from;
  while (reached.sequence < to) {
    const rows = await reader.rows<LoggedEntry>(
      `select ${LOGGED} from audit_log where sequence > $1 and sequence <= $2 order by sequence limit ${ROWS_AT_ONCE}`,
      [reached.sequence, to],
    );
    if (rows.length === 0)
      return { reached, problem: missing(reached.sequence + 1, `the head says that there are ${to} entries`) };
    for (const row of rows) {
      const problem = problemOf(row, reached);
      if (problem) return { reached, problem };
      reached = { sequence: row.sequence, hash: row.hash };
    }
  }
  return { reached, problem: null };
}

function problemOf(row: LoggedEntry, before: Link): AuditProblem | null {
  const { sequence } = row;
  if (sequence !== before.sequence + 1) return missing(before.sequence + 1, `entry ${sequence} follows entry ${before.sequence}`);
  if (row.previous_hash !== before.hash) {
    const message = `Entry ${sequence} does not carry the hash of the entry before it: one of the two was changed.`;
    return { code: 'ENTRY_CHANGED', sequence, seen: row.previous_hash, expected: before.hash, message };
  }
  const hash = hashOf(row);
  if (row.hash === hash) return null;
  const message = `Entry ${sequence} does not have the hash of its content: a field or the hash was changed.`;
  return { code: 'ENTRY_CHANGED', sequence, seen: row.hash, expected: hash, message };
}

const missing = (sequence: number, found: string): AuditProblem => ({
  code: 'ENTRY_MISSING',
  sequence,
  seen: 'no entry',
  expected: `entry ${sequence}`,
  message: `Entry ${sequence} is not in the log, though ${found}.`,
});

function hashOf(row: LoggedEntry): string {
  return createHash('sha256').update(hashedText(row)).digest('hex');
}

/** The text over which the hash of an entry was made: a JSON list of its fields. */
export const hashedText = (row: LoggedEntry): string => (row.hash_version === 1 ? firstForm(row) : secondForm(row));

/** The array as sluice_audit_append makes it: the database's own spelling of JSON. */
function secondForm(row: LoggedEntry): string {
  const fields = [
    '2',
    String(row.sequence),
    ...[row.entry_id, row.organization_id, row.actor, row.action, row.entity_type, row.entity_id].map((each) =>
      JSON.stringify(each),
    ),
    row.before ?? 'null',
    row.after ?? 'null',
    JSON.stringify(row.reason),
    JSON.stringify(row.at.toISOString()),
    JSON.stringify(row.previous_hash),
  ];
  return `[${fields.join(', ')}]`;
}

/** Entries older than that function were linked by the gateway, over JSON with sorted keys. */
function firstForm(row: LoggedEntry): string {
  const { sequence, entry_id, organization_id, actor, action, entity_type, entity_id, reason, previous_hash } = row;
  const [before, after] = [row.before, row.after].map((each) => (each === null ? null : sorted(JSON.parse(each) as unknown)));
  return JSON.stringify([
    sequence,
    entry_id,
    organization_id,
    actor,
    action,
    entity_type,
    entity_id,
    before,
    after,
    reason,
    row.at.toISOString(),
    previous_hash,
  ]);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
