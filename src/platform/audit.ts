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

const APPEND = 'select sluice_audit_append($1) as sequence';
// A subquery is evaluated before what selects from it, and what is selected from left to right.
const APPEND_ACROSS = `select sluice_audit_append($1) as sequence, set_config('sluice.scope', scope, true)
  from (select current_setting('sluice.scope', true) as scope, set_config('sluice.scope', 'platform', true) as platform offset 0) as before`;

/**
 * Appends to the audit log inside the operation's own transaction. The database links each entry to the previous one, for which every
 * writer waits: the statement is therefore sent together with COMMIT, after everything else that the transaction does.
 */
export const audit = (tx: Tx, ...entries: AuditEntry[]): void => append(tx, APPEND, entries);

/**
 * Appends entries of other organizations too: of what an organization's transaction did to their records in the platform's scope, which has
 * ended by the commit.
 */
export const auditAcross = (tx: Tx, ...entries: AuditEntry[]): void => append(tx, APPEND_ACROSS, entries);

function append(tx: Tx, sql: string, entries: readonly AuditEntry[]): void {
  const rows = entries.map((entry) => ({ ...entry, entry_id: tx.newId('aud') }));
  tx.atCommit<{ sequence: number }>(sql, [JSON.stringify(rows)], ([appended]) => {
    const before = (appended?.sequence ?? 0) - rows.length;
    if (Math.floor((before + rows.length) / CHECKPOINT_ENTRIES) > Math.floor(before / CHECKPOINT_ENTRIES))
      tx.signal(AUDIT_SIGNAL);
  });
}
