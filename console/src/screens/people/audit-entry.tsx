import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Id, When, words } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { Empty, Facts, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { changesOf, plain } from './changes.ts';
import { RecordLink } from './record-link.tsx';

/** One entry of the audit log with every field that changed, and its place in the chain. */
export function AuditEntryPage(): ReactNode {
  const { entryId = '' } = useParams({ strict: false });
  const entry = useQuery({
    queryKey: ['audit', entryId],
    queryFn: () => sent(api.GET('/v1/operator/audit/{entryId}', { params: { path: { entryId } } })),
  });
  return (
    <Page title={entry.data ? words(entry.data.data.action) : 'Audit entry'} up={{ to: '/audit', title: 'Audit log' }}>
      <Read from={entry}>
        {({ data }) => (
          <>
            <Facts
              facts={[
                ['At', <When key="at" at={data.at} />],
                [
                  'Actor',
                  data.actor_name ? <span title={data.actor}>{data.actor_name}</span> : <Id key="actor" of={data.actor} />,
                ],
                ['Organization', <RecordLink key="organization" id={data.organization_id} />],
                ['Record', <RecordLink key="record" id={data.entity_id} />],
                ['Kind of record', words(data.entity_type)],
                [
                  'Action',
                  <span key="action" className="id">
                    {data.action}
                  </span>,
                ],
                ['Reason', data.reason],
                ['Id', <Id key="id" of={data.id} />],
              ]}
            />
            <Part title="What changed">
              <Changes entry={data} />
            </Part>
            <Part
              title="Place in the chain"
              about="The hash covers the entry and the hash before it: a change of an earlier entry breaks every later one."
            >
              <Facts
                facts={[
                  ['Number', data.sequence],
                  [
                    'Hash',
                    <span key="hash" className="id">
                      {data.hash}
                    </span>,
                  ],
                  [
                    'Hash before',
                    <span key="previous" className="id">
                      {data.previous_hash}
                    </span>,
                  ],
                ]}
              />
              <To to="/audit" search={{ entity_id: data.entity_id }} size="sm">
                All entries about this record
              </To>
            </Part>
          </>
        )}
      </Read>
    </Page>
  );
}

function Changes({ entry }: { entry: Records['OperatorAuditEntry'] }): ReactNode {
  const changes = changesOf(entry);
  if (changes.length === 0) return <Empty>The entry tells of an act that changed no field of the record.</Empty>;
  return (
    <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label="What changed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Field</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map(({ field, before, after }) => (
            <Table.Tr key={field}>
              <Table.Td title={field}>{words(field)}</Table.Td>
              <Table.Td className="id">{plain(before)}</Table.Td>
              <Table.Td className="id">{plain(after)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
