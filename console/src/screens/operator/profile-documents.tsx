import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { bytes } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Problem } from '../../ui/problem.tsx';
import { statusColumn, whenColumn, wordsColumn } from '../../ui/columns.tsx';

/** Documents by which an organization shows what its compliance profile says. */
export const ProfileDocuments = ({ organizationId }: { organizationId: string }): ReactNode => (
  <RecordList
    name={['organizations', organizationId, 'documents']}
    label="Profile documents"
    read={(query: QueryOf<'/v1/operator/profile-documents'>) =>
      sent(api.GET('/v1/operator/profile-documents', { params: { query } }))
    }
    fixed={{ organization_id: organizationId }}
    filters={[choice('status', 'Status', ['PENDING', 'REVIEWED'])]}
    columns={COLUMNS}
    rowKey={({ document_id }) => document_id}
    empty="The organization has sent no document yet."
  />
);

const COLUMNS: readonly Column<Records['OperatorProfileDocument']>[] = [
  { id: 'file_name', title: 'File', value: ({ file_name }) => file_name },
  wordsColumn('document_type', 'Kind'),
  statusColumn('status', 'Status'),
  { id: 'version', title: 'Version', number: true, value: ({ version }) => version },
  { id: 'size', title: 'Size', number: true, value: ({ size }) => size, cell: ({ size }) => bytes(size) },
  whenColumn('created_at', 'Sent'),
  { id: 'sha256', title: 'SHA-256', hidden: true, value: ({ sha256 }) => sha256 },
  { id: 'acts', title: '', value: () => null, cell: ({ document_id }) => <Download documentId={document_id} /> },
];

function Download({ documentId }: { documentId: string }): ReactNode {
  const download = useMutation({
    mutationFn: () =>
      sent(api.POST('/v1/operator/profile-documents/{documentId}/download', { params: { path: { documentId } }, body: {} })),
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
