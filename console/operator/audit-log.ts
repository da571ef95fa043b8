import { get, list } from '../lib/api.ts';
import { count, time } from '../lib/format.ts';
import { useAction, useLoad } from '../lib/load.ts';
import { html, useState, type VNode } from '../lib/view.ts';
import { page } from '../parts/page.ts';
import { problem, shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { AuditVerification, OperatorAuditEntry } from '../wire/api.ts';
import { useOrganizations } from './organizations.ts';

/** The audit log: actor, action, and the record before and after; each entry has the hash of the one before it. */
export function AuditLog({ query }: { query: Readonly<Record<string, string>> }): VNode {
  const { page: at = '1' } = query;
  const nameOf = useOrganizations();
  const [verdict, setVerdict] = useState<AuditVerification | null>(null);
  const entries = useLoad(() => list<OperatorAuditEntry>('/v1/operator/audit', { page: at, limit: 25 }), [at]);
  const verifying = useAction(async () => setVerdict(await get<AuditVerification>('/v1/operator/audit/verify')));
  return page(
    {
      title: 'Audit',
      lead: 'Append-only; each entry carries the hash of the one before.',
      aside: html`<button type="button" disabled=${verifying.busy} onClick=${() => void verifying.run()}>Verify the chain</button>`,
    },
    problem(verifying.problem),
    verdict && outcome(verdict),
    shown(entries, (data) => [table({ caption: 'Audit log', columns: columnsOf(nameOf), rows: data.rows }), pager(data)]),
  );
}

function outcome({ valid, entries, problems }: AuditVerification): VNode {
  if (valid) return note('good', `The chain of ${count(entries)} entries is intact and agrees with its signed checkpoints.`);
  // The checkpoints could not be read.
  if (valid === null)
    return note(
      'warn',
      `The chain of ${count(entries)} entries is intact, but the checkpoints of the object store could not be read: entries may have been removed from its end. Verify it again when the object store responds.`,
    );
  return note('bad', 'The log has been changed.', html`<ul>${problems.map((each) => html`<li>${each.message}</li>`)}</ul>`);
}

const note = (tone: 'good' | 'warn' | 'bad', text: string, more?: VNode): VNode =>
  html`<div class="note ${tone}" role="status">${text}${more}</div>`;

const columnsOf = (nameOf: (id: string | undefined) => string): readonly Column<OperatorAuditEntry>[] => [
  { title: 'No.', kind: 'number', cell: (row) => count(row.sequence) },
  {
    title: 'Act',
    kind: 'wide',
    cell: (row) => html`<strong>${row.action}</strong><small>${time(row.at)} · ${nameOf(row.organization_id)}</small>`,
  },
  { title: 'Of', cell: (row) => html`${row.entity_type}<small><code>${row.entity_id}</code></small>` },
  { title: 'By', cell: (row) => html`<code>${row.actor}</code>${row.reason && html`<small>${row.reason}</small>`}` },
  {
    title: 'Change',
    cell: (row) =>
      html`<details class="more"><summary>Show</summary><pre tabindex="0">${JSON.stringify({ before: row.before, after: row.after, hash: row.hash }, null, 2)}</pre></details>`,
  },
];
