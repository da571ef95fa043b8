import type { Tx } from './db/database.ts';

export type AuditEntry = {
  organization_id: string;
  /** Id of the key that acted, or the name of the part of the platform. */
  actor: string;
  action: string;
  entity_type: string;
  entity_id: string;
  before?: unknown;
  after?: unknown;
  reason?: string | null;
};

/** The channel that is signalled whenever this many more entries have been appended. */
export const AUDIT_SIGNAL = 'audit';
const CHECKPOINT_ENTRIES = 100;

/**
 * Appends to the audit log inside the operation's own transaction. The database links each entry to the previous one, for which every
 * writer waits: the statement is therefore sent together with COMMIT, after everything else that the transaction does.
 */
export function audit(tx: Tx, ...entries: AuditEntry[]): void {
  const rows = entries.map((entry) => ({ ...entry, entry_id: tx.newId('aud') }));
  tx.atCommit<{ sequence: number }>('select sluice_audit_append($1) as sequence', [JSON.stringify(rows)], ([appended]) => {
    const before = (appended?.sequence ?? 0) - rows.length;
    if (Math.floor((before + rows.length) / CHECKPOINT_ENTRIES) > Math.floor(before / CHECKPOINT_ENTRIES))
      tx.signal(AUDIT_SIGNAL);
  });
}
