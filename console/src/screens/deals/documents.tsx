import { Button, Group, Select, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { sendFile } from '../../app/send-file.ts';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { FileDrop } from '../../ui/file-drop.tsx';
import { bytes, words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Part } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Accesses } from './document-accesses.tsx';
import { whenColumn, wordsColumn } from '../../ui/columns.tsx';

const TYPES = ['SERVICING_AGREEMENT', 'RATING_REPORT', 'TERM_SHEET', 'OFFERING_MEMORANDUM', 'OTHER'];

/** The deal room: documents of a deal, who may read them, and who has. */
export function Documents({ dealId }: { dealId: string }): ReactNode {
  const allowed = can(useMe(), 'EDIT');
  const [type, setType] = useState<string | null>(TYPES[0] ?? null);
  const [read, setRead] = useState<string | null>(null);
  const send = async (file: File, report: (done: number, all: number) => void): Promise<void> => {
    const about = { dealId, ...(type ? { documentType: type } : {}) };
    const { data } = await sent(api.POST('/v1/api/deals/documents/initiate', { body: { ...about, fileName: file.name } }));
    await sendFile(data.upload_url, data.upload_headers, file, report);
    await sent(
      api.POST('/v1/api/deals/documents/complete', { body: { ...about, fileName: data.file_name, fileKey: data.file_key } }),
    );
  };
  return (
    <Stack gap="lg">
      <RecordList
        name={['documents', dealId]}
        label="Documents"
        read={(query: QueryOf<'/v1/api/deals/documents'>) => sent(api.GET('/v1/api/deals/documents', { params: { query } }))}
        fixed={{ dealId }}
        columns={columnsOf(setRead)}
        rowKey={({ document_id }) => document_id}
        few
        empty="No document yet. Investors see those that you show to them, and each reading is kept."
      />
      {read && <Accesses documentId={read} close={() => setRead(null)} />}
      <Part title="Add a document" about="A file with the name of an earlier one is its next version.">
        <Stack gap="xs" maw={640}>
          <Select label="Kind" data={TYPES.map((value) => ({ value, label: words(value) }))} value={type} onChange={setType} />
          <FileDrop
            name="Document"
            question="Drop a document here, or choose a file"
            kinds="It stays private until you show it to investors"
            act="Add the document"
            blocked={allowed ? null : 'This needs the right EDIT.'}
            send={send}
          />
        </Stack>
      </Part>
    </Stack>
  );
}

type Document = Records['DealDocument'];

const columnsOf = (showAccesses: (id: string) => void): readonly Column<Document>[] => [
  { id: 'file_name', title: 'File', value: ({ file_name }) => file_name },
  wordsColumn('document_type', 'Kind'),
  wordsColumn('visibility', 'Shown to'),
  { id: 'version', title: 'Version', number: true, value: ({ version }) => version },
  { id: 'size', title: 'Size', number: true, value: ({ size }) => size, cell: ({ size }) => bytes(size) },
  whenColumn('created_at', 'Added'),
  { id: 'sha256', title: 'SHA-256', hidden: true, value: ({ sha256 }) => sha256 },
  { id: 'acts', title: '', value: () => null, cell: (row) => <Acts document={row} showAccesses={showAccesses} /> },
];

function Acts({ document, showAccesses }: { document: Document; showAccesses: (id: string) => void }): ReactNode {
  const { document_id, visibility, file_name } = document;
  const params = { path: { documentId: document_id } };
  const hidden = visibility === 'PRIVATE';
  const download = useMutation({
    mutationFn: () => sent(api.POST('/v1/api/deals/documents/{documentId}/download', { params, body: {} })),
    onSuccess: ({ data }) => location.assign(data.download_url),
  });
  return (
    <Group gap={6} wrap="nowrap">
      <Button size="compact-sm" variant="default" loading={download.isPending} onClick={() => download.mutate()}>
        Download
      </Button>
      <Act
        label={hidden ? 'Show to investors' : 'Make private'}
        right="EDIT"
        question={
          hidden
            ? `Investors who can see the deal can read “${file_name}” at once.`
            : `Investors cannot read “${file_name}” any more. What they have downloaded stays with them.`
        }
        run={() =>
          sent(
            api.PUT('/v1/api/deals/documents/{documentId}/visibility', {
              params,
              body: { visibility: hidden ? 'INVESTORS' : 'PRIVATE' },
            }),
          )
        }
        done={hidden ? 'Investors can read it.' : 'It is private.'}
      />
      <Button size="compact-sm" variant="subtle" onClick={() => showAccesses(document_id)}>
        Readings
      </Button>
      {download.error && <Problem error={download.error} />}
    </Group>
  );
}
