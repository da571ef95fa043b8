import { list, send } from '../lib/api.ts';
import { openDocument, put } from '../lib/files.ts';
import { bytes, time, words } from '../lib/format.ts';
import { useLoad } from '../lib/load.ts';
import { h, html, useState, type VNode } from '../lib/view.ts';
import { act } from '../parts/act.ts';
import { badge } from '../parts/badge.ts';
import { field, optionsOf } from '../parts/form.ts';
import { shown } from '../parts/problem.ts';
import { sendFile, type ReportProgress } from '../parts/send-file.ts';
import { type Column, pager, table } from '../parts/table.ts';
import type { DealDocument, DocumentSummary, Upload } from '../wire/api.ts';
import { DOCUMENT_TYPES } from '../wire/choices.ts';

/** `at` is the address of the room, under which its documents have theirs. */
type Props = { deal: string; at: string; query: Readonly<Record<string, string>> };

/** The documents of a deal in their newest versions: private until the originator shows them to investors. */
export function DealRoom({ deal, at, query }: Props): VNode {
  const { page = '1' } = query;
  const documents = useLoad(() => list<DealDocument>('/v1/api/deals/documents', { dealId: deal, page, limit: 20 }), [deal, page]);
  return html`
    ${h(AddDocument, { deal, added: documents.reload })}
    ${shown(documents, (data) => [
      table({
        caption: 'Documents',
        columns: columnsOf(at, documents.reload),
        rows: data.rows,
        empty: 'There is no document in this deal’s room yet.',
      }),
      pager(data),
    ])}
  `;
}

function AddDocument({ deal, added }: { deal: string; added: () => void }): VNode {
  const [type, setType] = useState<string>(DOCUMENT_TYPES[0]);
  return html`
    <details class="group">
      <summary><strong>Add a document</strong> <span class="fine">a file of the same name becomes its next version</span></summary>
      <div class="inside">
        ${field({ name: 'documentType', label: 'Document type', value: type, set: setType, options: optionsOf(DOCUMENT_TYPES) })}
        ${sendFile({
          accept: '.pdf,.png,.jpg,.jpeg,.docx,.xlsx,.csv',
          title: 'Drop a document here, or choose a file',
          hint: 'PDF, DOCX, XLSX, CSV, PNG or JPEG of at most 25 MiB',
          button: 'Add the document',
          upload: async (file, report) => {
            await addDocument(file, { documentType: type, dealId: deal }, report);
            added();
          },
        })}
      </div>
    </details>
  `;
}

async function addDocument(file: File, about: { documentType: string; dealId: string }, report: ReportProgress): Promise<void> {
  report({ name: 'Requesting an upload address', share: 0 });
  const upload = await send<Upload>('POST', '/v1/api/deals/documents/initiate', { fileName: file.name, ...about });
  await put(upload, file, (share) => report({ name: `Sending: ${Math.round(share * 100)} %`, share }));
  report({ name: 'Checking the content', share: 1 });
  const named = { fileName: upload.file_name, fileKey: upload.file_key };
  await send<DealDocument>('POST', '/v1/api/deals/documents/complete', { ...named, ...about });
}

const columnsOf = (at: string, after: () => void): readonly Column<DealDocument>[] => [
  {
    title: 'Document',
    kind: 'wide',
    cell: (row) =>
      html`<a href="${at}/${row.document_id}"><strong>${row.file_name}</strong></a><small>${words(row.document_type)}</small>`,
  },
  { title: 'Version', kind: 'number', cell: (row) => row.version },
  { title: 'Visible to', cell: visibleTo },
  { title: 'Size', kind: 'number', cell: (row) => bytes(row.size) },
  { title: 'Added', cell: (row) => time(row.created_at) },
  { title: '', kind: 'act', cell: (row) => documentActs(row, after) },
];

export const visibleTo = (row: DocumentSummary): VNode | string =>
  row.visibility === 'INVESTORS' ? badge('investors', 'good') : badge('your organization');

export function documentActs(row: DocumentSummary, after: () => void): VNode {
  const path = `/v1/api/deals/documents/${row.document_id}`;
  const hidden = row.visibility === 'PRIVATE';
  return html`
    ${act({ text: 'Download', act: () => openDocument(`${path}/download`), after })}
    ${act({
      text: hidden ? 'Show to investors' : 'Hide',
      question: hidden
        ? {
            title: `Show ${row.file_name} to investors?`,
            text: 'Investors of the deal can read it and receive an alert.',
            yes: 'Show it',
          }
        : { title: `Hide ${row.file_name}?`, text: 'Investors who downloaded it keep their copy.', yes: 'Hide it' },
      act: () => send('PUT', `${path}/visibility`, { visibility: hidden ? 'INVESTORS' : 'PRIVATE' }),
      done: hidden ? 'Investors can read it.' : 'It is hidden from investors.',
      after,
    })}
  `;
}
