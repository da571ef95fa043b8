import { list, send } from '../lib/api.ts';
import { follow, sameOrigin } from '../lib/files.ts';
import { bytes, date } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { html, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { card } from '../parts/page.ts';
import { shown } from '../parts/problem.ts';
import { table } from '../parts/table.ts';
import type { Document } from '../wire/market.ts';

/** Documents that the originator shows to investors; each download is recorded. */
export function DealDocuments({ deal }: { deal: string }): VNode {
  const documents = useLoad(() => list<Document>(`/v1/api/investor/deals/${deal}/documents`, { limit: 50 }), [deal]);
  const open = (document: Document) => async (): Promise<void> => {
    const path = `/v1/api/investor/deals/${deal}/documents/${document.document_id}/download`;
    const { download_url: address } = await send<{ download_url: string }>('POST', path, {});
    follow(sameOrigin(address), document.file_name);
  };
  return card(
    'Documents',
    shown(documents, ({ rows }) =>
      table<Document>({
        caption: 'Documents',
        rows,
        empty: 'The originator shows no documents of this deal.',
        columns: [
          {
            title: 'Document',
            kind: 'wide',
            cell: (row) => html`<strong>${row.file_name}</strong><small>${row.document_type}</small>`,
          },
          { title: 'Version', kind: 'number', cell: (row) => row.version },
          { title: 'Size', kind: 'number', cell: (row) => bytes(row.size) },
          { title: 'Since', cell: (row) => date(row.created_at) },
          { title: '', kind: 'act', cell: (row) => act({ text: 'Download', act: open(row) }) },
        ],
      }),
    ),
  );
}
