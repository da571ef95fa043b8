import { list } from '../lib/api.ts';
import { openDocument } from '../lib/files.ts';
import { bytes, date, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { card } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { table } from '../parts/table.ts';
import type { DocumentSummary } from '../wire/api.ts';

/** Documents that the originator shows to investors; each download is recorded. */
export function DealDocuments({ deal }: { deal: string }): VNode {
  const path = `/v1/api/investor/deals/${deal}/documents`;
  const documents = useLoad(() => list<DocumentSummary>(path, { limit: 50 }), [deal]);
  return card(
    'Documents',
    shown(documents, ({ rows }) =>
      table<DocumentSummary>({
        caption: 'Documents',
        rows,
        empty: 'The originator shows no documents of this deal.',
        columns: [
          {
            title: 'Document',
            kind: 'wide',
            cell: (row) => html`<strong>${row.file_name}</strong><small>${words(row.document_type)}</small>`,
          },
          { title: 'Version', kind: 'number', cell: (row) => row.version },
          { title: 'Size', kind: 'number', cell: (row) => bytes(row.size) },
          { title: 'Since', cell: (row) => date(row.created_at) },
          {
            title: '',
            kind: 'act',
            cell: (row) => act({ text: 'Download', act: () => openDocument(`${path}/${row.document_id}/download`) }),
          },
        ],
      }),
    ),
  );
}
