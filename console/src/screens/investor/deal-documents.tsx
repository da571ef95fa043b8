import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { bytes } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Problem } from '../../ui/problem.tsx';
import { whenColumn, wordsColumn } from '../../ui/columns.tsx';

/** Documents that the originator shows to investors. */
export function DealDocuments({ dealId }: { dealId: string }): ReactNode {
  return (
    <RecordList
      name={['market', dealId, 'documents']}
      label="Documents"
      read={(query: QueryOf<'/v1/api/investor/deals/{dealId}/documents'>) =>
        sent(api.GET('/v1/api/investor/deals/{dealId}/documents', { params: { path: { dealId }, query } }))
      }
      columns={columnsOf(dealId)}
      rowKey={({ document_id }) => document_id}
      empty="The originator shows no document to investors yet."
    />
  );
}

const columnsOf = (dealId: string): readonly Column<Records['DocumentSummary']>[] => [
  { id: 'file_name', title: 'File', value: ({ file_name }) => file_name },
  wordsColumn('document_type', 'Kind'),
  { id: 'version', title: 'Version', number: true, value: ({ version }) => version },
  { id: 'size', title: 'Size', number: true, value: ({ size }) => size, cell: ({ size }) => bytes(size) },
  whenColumn('created_at', 'Added'),
  { id: 'sha256', title: 'SHA-256', hidden: true, value: ({ sha256 }) => sha256 },
  { id: 'acts', title: '', value: () => null, cell: ({ document_id }) => <Download dealId={dealId} documentId={document_id} /> },
];

function Download({ dealId, documentId }: { dealId: string; documentId: string }): ReactNode {
  const download = useMutation({
    mutationFn: () =>
      sent(
        api.POST('/v1/api/investor/deals/{dealId}/documents/{documentId}/download', {
          params: { path: { dealId, documentId } },
          body: {},
        }),
      ),
    onSuccess: ({ data }) => location.assign(data.download_url),
  });
  return (
    <>
      <Button size="compact-xs" variant="default" loading={download.isPending} onClick={() => download.mutate()}>
        Download
      </Button>
      {download.error && <Problem error={download.error} />}
    </>
  );
}
