import { Anchor, Button, Code, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { BETWEEN, type Filter, text } from '../../ui/filters.tsx';
import { count, Id, When, words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Note, Page } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import type { Column } from '../../ui/table.tsx';

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

const SEQUENCE: Column<Entry> = { id: 'sequence', title: 'No.', number: true, value: ({ sequence }) => sequence };
const COLUMNS: readonly Column<Entry>[] = [
  { id: 'at', title: 'At', value: ({ at }) => at, cell: ({ at }) => <When at={at} /> },
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
  { id: 'entity_id', title: 'Record', value: ({ entity_id }) => entity_id, cell: ({ entity_id }) => <Id of={entity_id} /> },
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
function Change({ entry: { before, after } }: { entry: Entry }): ReactNode {
  const [open, setOpen] = useState(false);
  const [old, now] = [asRecord(before), asRecord(after)];
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (field) => JSON.stringify(old[field]) !== JSON.stringify(now[field]),
  );
  if (fields.length === 0) return '–';
  const status = fields.includes('status') ? `${plain(old.status)} → ${plain(now.status)}` : fields.slice(0, 3).join(', ');
  return (
    <>
      <Anchor component="button" type="button" size="sm" ta="left" aria-expanded={open} onClick={() => setOpen(!open)}>
        {status}
        {fields.length > 3 ? ' …' : ''}
      </Anchor>
      {open && (
        <Code block mt={4} fz="xs">
          {fields.map((field) => `${field}: ${plain(old[field])} → ${plain(now[field])}`).join('\n')}
        </Code>
      )}
    </>
  );
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};
const plain = (value: unknown): string =>
  value === undefined ? '(nothing)' : typeof value === 'string' ? value : JSON.stringify(value);

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
