import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { BETWEEN, choice, type Filter, text } from '../../ui/filters.tsx';
import { words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { OrganizationName } from '../operator/names.tsx';
import { RecordLink } from './record-link.tsx';
import { whenColumn, wordsColumn } from '../../ui/columns.tsx';

type Access = Records['RecordAccess'] & { organization_id?: string };

const FILTERS: readonly Filter[] = [
  choice('act', 'Act', ['READ', 'DOWNLOADED']),
  text('entity_id', 'Record', 'deal_…'),
  text('reader_id', 'Reader', 'org_…'),
  ...BETWEEN,
];

/** Who outside an organization read its records. */
export function AccessLog(): ReactNode {
  const me = useMe();
  const operator = isOperator(me);
  return (
    <Page
      title="Access log"
      about={
        operator
          ? 'Who read records of another organization, the operator among them. Kept for seven years; documents have logs of their own.'
          : `Who outside ${me.organization} read its records, the operator among them. Kept for seven years; documents have logs of their own.`
      }
    >
      <RecordList<Access, QueryOf<'/v1/operator/access-log'>>
        name={['access-log']}
        label="Access log"
        read={(query) =>
          operator
            ? sent(api.GET('/v1/operator/access-log', { params: { query } }))
            : sent(api.GET('/v1/api/access-log', { params: { query } }))
        }
        filters={operator ? [text('organization_id', 'Owner', 'org_…'), ...FILTERS] : FILTERS}
        columns={operator ? [OWNER, ...COLUMNS] : COLUMNS}
        rowKey={({ at, reader_id, entity_id, what, act }) => [at, reader_id, entity_id, what, act].join(' ')}
        empty={operator ? 'Nobody has read a record of another organization yet.' : 'Nobody else has read your records yet.'}
      />
    </Page>
  );
}

const OWNER: Column<Access> = {
  id: 'organization_id',
  title: 'Owner',
  value: ({ organization_id }) => organization_id,
  cell: ({ organization_id = '' }) => <OrganizationName id={organization_id} />,
};

const COLUMNS: readonly Column<Access>[] = [
  whenColumn('at', 'At'),
  {
    id: 'reader',
    title: 'Reader',
    value: ({ reader }) => reader,
    cell: ({ reader, reader_id }) => <RecordLink id={reader_id}>{reader}</RecordLink>,
  },
  {
    id: 'actor',
    title: 'Key or member',
    value: ({ key_id, member_id }) => key_id ?? member_id,
    cell: ({ key_id, member_id }) => <span className="id nowrap">{key_id ?? member_id ?? '–'}</span>,
  },
  wordsColumn('act', 'Act'),
  wordsColumn('what', 'What'),
  {
    id: 'entity_id',
    title: 'Record',
    value: ({ entity_id }) => entity_id,
    cell: ({ entity_id }) => <RecordLink id={entity_id} />,
  },
  {
    id: 'details',
    title: 'Details',
    value: ({ details }) => told(details),
    cell: ({ details }) => (
      <span className="named" title={told(details) ?? ''}>
        {told(details) ?? '–'}
      </span>
    ),
  },
];

/** What of the record was read, in words. */
const told = (details: Access['details']): string | null =>
  Object.entries(details)
    .map(([name, value]) => `${words(name).toLowerCase()}: ${Array.isArray(value) ? value.join(', ') : String(value)}`)
    .join('; ') || null;
