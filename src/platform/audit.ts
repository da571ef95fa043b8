import { createHash } from 'node:crypto';
import type { Tx } from './db/database.ts';
import { newId } from './ids.ts';

export type AuditEntry = {
  organization_id: string;
  /** Key id of who acted, or the name of the part of the platform. */
  actor: string;
  action: string;
  entity_type: string;
  entity_id: string;
  before?: unknown;
  after?: unknown;
  reason?: string | null;
};

/** Appends to the audit log inside the act's own transaction. Each entry carries the hash of the one before. */
export async function audit(tx: Tx, entry: AuditEntry): Promise<void> {
  const head = await tx.one<{ sequence: number; hash: string }>('select sequence, hash from audit_head for update');
  if (!head) throw new Error('the audit log has no head');
  const sequence = head.sequence + 1;
  const row = {
    entry_id: newId('aud', tx.now.getTime()),
    at: tx.now.toISOString(),
    before: entry.before ?? null,
    after: entry.after ?? null,
    reason: entry.reason ?? null,
  };
  const hash = hashEntry({ ...entry, ...row, sequence }, head.hash);
  await tx.exec(
    `insert into audit_log (sequence, entry_id, organization_id, actor, action, entity_type, entity_id, before, after, reason, at, previous_hash, hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      sequence,
      row.entry_id,
      entry.organization_id,
      entry.actor,
      entry.action,
      entry.entity_type,
      entry.entity_id,
      toJson(row.before),
      toJson(row.after),
      row.reason,
      row.at,
      head.hash,
      hash,
    ],
  );
  await tx.exec('update audit_head set sequence = $1, hash = $2', [sequence, hash]);
}

type HashedEntry = Omit<AuditEntry, 'reason'> & { entry_id: string; at: string; sequence: number; reason: string | null };

/** sha-256 over the entry's fields in a fixed order and the hash before it. */
export function hashEntry(entry: HashedEntry, previousHash: string): string {
  const { sequence, entry_id, organization_id, actor, action, entity_type, entity_id, before, after, reason, at } = entry;
  const fields = [
    sequence,
    entry_id,
    organization_id,
    actor,
    action,
    entity_type,
    entity_id,
    sorted(before),
    sorted(after),
    reason,
    at,
    previousHash,
  ];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

/** Walks the whole chain; names the first entry that does not follow from the one before. */
export async function verifyAudit(tx: Tx): Promise<{ valid: boolean; entries: number; broken_at: number | null }> {
  let previous = '0'.repeat(64);
  let sequence = 0;
  for (;;) {
    const rows = await tx.rows<HashedEntry & { at: Date; previous_hash: string; hash: string }>(
      'select * from audit_log where sequence > $1 order by sequence limit 1000',
      [sequence],
    );
    for (const row of rows) {
      const expected = hashEntry({ ...row, at: (row.at as unknown as Date).toISOString() }, previous);
      if (row.sequence !== sequence + 1 || row.previous_hash !== previous || row.hash !== expected) {
        return { valid: false, entries: sequence, broken_at: row.sequence };
      }
      previous = row.hash;
      sequence = row.sequence;
    }
    if (rows.length === 0) break;
  }
  const head = await tx.one<{ sequence: number; hash: string }>('select sequence, hash from audit_head');
  const complete = head?.sequence === sequence && head.hash === previous;
  return { valid: complete, entries: sequence, broken_at: complete ? null : sequence + 1 };
}

const toJson = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));

/** Objects with their keys in order: the database keeps JSON's meaning, not the order of its keys. */
function sorted(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(sorted);
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}
