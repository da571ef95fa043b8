import type { Tx } from './db/database.ts';

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

/** Sent whenever this many entries have been appended since the last time. */
export const AUDIT_SIGNAL = 'audit';
const CHECKPOINT_ENTRIES = 100;

/**
 * Appends to the audit log inside the act's own transaction. The database links each entry to the one before, which every writer
 * waits for: the statement therefore leaves with COMMIT, after everything else that the transaction does.
 */
export function audit(tx: Tx, ...entries: AuditEntry[]): void {
  const rows = entries.map((entry) => ({ ...entry, entry_id: tx.newId('aud') }));
  tx.atCommit<{ sequence: number }>('select sluice_audit_append($1) as sequence', [JSON.stringify(rows)], ([appended]) => {
    const before = (appended?.sequence ?? 0) - rows.length;
    if (Math.floor((before + rows.length) / CHECKPOINT_ENTRIES) > Math.floor(before / CHECKPOINT_ENTRIES))
      tx.signal(AUDIT_SIGNAL);
  });
}
