import { Anchor, Button, Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { BETWEEN, type Filter, text } from '../../ui/filters.tsx';
import { count, When, words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Note, Page } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { To } from '../../ui/link.tsx';
import { changesOf, plain } from './changes.ts';
import { RecordLink } from './record-link.tsx';
import { whenColumn } from '../../ui/columns.tsx';

type Entry = Records['AuditEntry'] & { sequence?: number; organization_id?: string };

const FILTERS: readonly Filter[] = [
  text('action', 'Action', 'deal.approved'),
  text('actor', 'Actor', 'key_… or mem_…'),
  text('entity_id', 'Record', 'deal_…'),
  ...BETWEEN,
];
const OPERATOR_FILTERS: readonly Filter[] = [
  text('organization_id', 'Organization', 'org_…'),
  text('deal_id', 'Deal', 'deal_…'),
  ...FILTERS,
];

/** Who did what and when; the operator verifies the chain of the entries. */
export function AuditLog(): ReactNode {
  const me = useMe();
  const operator = isOperator(me);
  return (
    <Page
      title="Audit log"
      about={
        operator
          ? 'Every change of every organization, in a chain that shows tampering.'
          : `Every change by and for ${me.organization}.`
      }
      acts={
        <Button
          component="a"
          size="compact-sm"
          variant="default"
          href={operator ? '/v1/operator/audit/export' : '/v1/api/audit/export'}
          download
        >
          Export
        </Button>
      }
    >
      {operator && <Verification />}
      <RecordList<Entry, QueryOf<'/v1/operator/audit'>>
        name={['audit']}
        label="Audit log"
        read={(query) =>
          operator
            ? sent(api.GET('/v1/operator/audit', { params: { query } }))
            : sent(api.GET('/v1/api/audit', { params: { query } }))
        }
        filters={operator ? OPERATOR_FILTERS : FILTERS}
        columns={operator ? [SEQUENCE, ...COLUMNS] : COLUMNS}
        rowKey={({ id }) => id}
        empty="Nothing has been changed yet."
      />
    </Page>
  );
}

const SEQUENCE: Column<Entry> = {
  id: 'sequence',
  title: 'No.',
  number: true,
  value: ({ sequence }) => sequence,
  cell: ({ id, sequence }) => (
    <To to="/audit/$entryId" params={{ entryId: id }} size="sm">
      {count(sequence)}
    </To>
  ),
};

const COLUMNS: readonly Column<Entry>[] = [
  whenColumn('at', 'At'),
  {
    id: 'actor',
    title: 'Actor',
    value: ({ actor }) => actor,
    cell: ({ actor, actor_name }) => (actor_name ? <span title={actor}>{actor_name}</span> : <span className="id">{actor}</span>),
  },
  {
    id: 'action',
    title: 'Action',
    value: ({ action }) => action,
    cell: ({ action }) => <span title={action}>{words(action)}</span>,
  },
  {
    id: 'entity_id',
    title: 'Record',
    value: ({ entity_id }) => entity_id,
    cell: ({ entity_id }) => <RecordLink id={entity_id} />,
  },
  {
    id: 'change',
    title: 'Change',
    value: ({ before, after }) => JSON.stringify({ before, after }),
    cell: (entry) => <Change entry={entry} />,
  },
  { id: 'reason', title: 'Reason', value: ({ reason }) => reason },
  { id: 'hash', title: 'Hash', hidden: true, value: ({ hash }) => hash, cell: ({ hash }) => <span className="id">{hash}</span> },
];

/** What became different: field by field, in the fewest words. */
function Change({ entry }: { entry: Entry }): ReactNode {
  const [open, setOpen] = useState(false);
  const changes = changesOf(entry);
  if (changes.length === 0) return '–';
  const status = changes.find(({ field }) => field === 'status');
  const short = status
    ? `${plain(status.before)} → ${plain(status.after)}`
    : changes
        .slice(0, 3)
        .map(({ field }) => field)
        .join(', ');
  return (
    <>
      <Anchor component="button" type="button" size="sm" ta="left" aria-expanded={open} onClick={() => setOpen(!open)}>
        {short}
        {changes.length > 3 ? ' …' : ''}
      </Anchor>
      {open && (
        <Code block mt={4} fz="xs">
          {changes.map(({ field, before, after }) => `${field}: ${plain(before)} → ${plain(after)}`).join('\n')}
        </Code>
      )}
    </>
  );
}

function Verification(): ReactNode {
  const verification = useQuery({
    queryKey: ['audit', 'verification'],
    queryFn: () => sent(api.GET('/v1/operator/audit/verify')),
    enabled: false,
  });
  return (
    <div>
      <Group gap="sm">
        <Button size="compact-sm" variant="default" loading={verification.isFetching} onClick={() => void verification.refetch()}>
          Verify the chain
        </Button>
        <Text size="xs" c="dimmed">
          Recomputes the hash of every entry, and compares the log with its signed checkpoints in the object store.
        </Text>
      </Group>
      {(verification.data ?? verification.error) && (
        <Read from={verification}>
          {({ data }) => (
            <Note color={data.valid ? 'teal' : data.valid === null ? 'yellow' : 'red'} title={verdict(data)}>
              {count(data.entries)} entries and {count(data.checkpoints.count)} checkpoints were compared; the newest checkpoint
              is of <When at={data.checkpoints.last_at} />.
              {data.problems.map(({ sequence, message }) => (
                <div key={`${sequence} ${message}`}>{message}</div>
              ))}
            </Note>
          )}
        </Read>
      )}
    </div>
  );
}

const verdict = ({ valid, broken_at }: Records['AuditVerification']): string => {
  if (valid) return 'The chain is intact and agrees with its signed checkpoints';
  return valid === null
    ? 'The chain is intact, but its checkpoints could not be read'
    : `The chain is broken at entry ${broken_at}`;
};
