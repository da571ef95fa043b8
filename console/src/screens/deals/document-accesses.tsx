import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { RecordList } from '../../ui/list.tsx';
import { Part } from '../../ui/page.tsx';
import { whenColumn, wordsColumn } from '../../ui/columns.tsx';

/** Who has read a document, and when. */
export const Accesses = ({ documentId, close }: { documentId: string; close: () => void }): ReactNode => (
  <Part
    title="Readings"
    acts={
      <Button size="compact-sm" variant="default" onClick={close}>
        Close
      </Button>
    }
  >
    <RecordList
      name={['documents', documentId, 'accesses']}
      label="Readings of the document"
      read={(query: QueryOf<'/v1/api/deals/documents/{documentId}/access-log'>) =>
        sent(api.GET('/v1/api/deals/documents/{documentId}/access-log', { params: { path: { documentId }, query } }))
      }
      columns={COLUMNS}
      rowKey={({ reader_id, at, act }) => `${reader_id} ${at} ${act}`}
      few
      empty="Nobody has read it yet."
    />
  </Part>
);

const COLUMNS: readonly Column<Records['DocumentAccess']>[] = [
  { id: 'reader', title: 'Reader', value: ({ reader }) => reader },
  wordsColumn('act', 'What'),
  whenColumn('at', 'When'),
];
