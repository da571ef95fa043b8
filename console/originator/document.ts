import { get, list } from '../lib/api.ts';
import { bytes, time, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { card, figures, id, page } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { DocumentAccess, DocumentSummary, DocumentWithVersions } from '../wire/api.ts';
import { documentActs, visibleTo } from './deal-room.ts';

type Props = { id: string; room: string; query: Readonly<Record<string, string>> };

/** One version of a document: its details, its other versions, and its readers. */
export function DocumentPage({ id: documentId, room, query }: Props): VNode {
  const path = `/v1/api/deals/documents/${documentId}`;
  const { page: at = '1' } = query;
  const document = useLoad(() => get<DocumentWithVersions>(path), [documentId]);
  const log = useLoad(() => list<DocumentAccess>(`${path}/access-log`, { page: at, limit: 20 }), [documentId, at]);
  const again = (): void => {
    document.reload();
    log.reload();
  };
  const { data } = document;
  return page(
    {
      title: data?.file_name ?? 'Document',
      back: { href: room, text: 'Documents' },
      lead: data && html`${words(data.document_type)} · ${id(documentId)}`,
      aside: data && documentActs(data, again),
    },
    shown(document, (given) => [
      figures([
        { name: 'Version', value: given.version, note: `of ${given.versions.length}` },
        { name: 'Visible to', value: visibleTo(given) },
        { name: 'Size', value: bytes(given.size) },
        { name: 'Added', value: time(given.created_at) },
      ]),
      html`<p class="fine">SHA-256 <code class="id">${given.sha256}</code></p>`,
      card('Versions', table({ caption: 'Versions', columns: versionsOf(given, room, again), rows: given.versions })),
    ]),
    card(
      'Access log',
      shown(log, (rows) => [
        table({ caption: 'Access log', columns: ACCESSES, rows: rows.rows, empty: 'This version has not been requested yet.' }),
        pager(rows),
      ]),
    ),
  );
}

const versionsOf = (shownNow: DocumentSummary, room: string, after: () => void): readonly Column<DocumentSummary>[] => [
  {
    title: 'Version',
    kind: 'wide',
    cell: (row) =>
      row.version === shownNow.version
        ? html`<strong>Version ${row.version}</strong><small>shown here</small>`
        : html`<a href="${room}/${row.document_id}">Version ${row.version}</a>`,
  },
  { title: 'Visible to', cell: visibleTo },
  { title: 'Size', kind: 'number', cell: (row) => bytes(row.size) },
  { title: 'Added', cell: (row) => time(row.created_at) },
  { title: '', kind: 'act', cell: (row) => row.version !== shownNow.version && documentActs(row, after) },
];

const ACCESSES: readonly Column<DocumentAccess>[] = [
  { title: 'Reader', kind: 'wide', cell: (row) => html`<strong>${row.reader}</strong><small><code>${row.key_id}</code></small>` },
  { title: 'Act', cell: (row) => (row.act === 'DOWNLOADED' ? 'Downloaded' : 'Requested an address') },
  { title: 'When', cell: (row) => time(row.at) },
];
