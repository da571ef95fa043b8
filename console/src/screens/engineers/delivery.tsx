import { Code, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { Act } from '../../ui/act.tsx';
import { count, Id, When, words } from '../../ui/format.tsx';
import { Facts, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { HttpStatus, Status } from '../../ui/status.tsx';
import { RecordLink } from '../people/record-link.tsx';

type Delivery = Records['DeliverySummary'] & Partial<Pick<Records['Delivery'], 'request' | 'attempts_log'>>;

/** One delivery: exactly what was sent, every attempt with the receiver's answer, and a replay. */
export function DeliveryPage(): ReactNode {
  const operator = isOperator(useMe());
  const { deliveryId = '' } = useParams({ strict: false });
  const params = { path: { id: deliveryId } };
  const delivery = useQuery({
    queryKey: ['deliveries', deliveryId],
    queryFn: async (): Promise<Delivery> =>
      operator
        ? (await sent(api.GET('/v1/operator/webhooks/deliveries/{id}', { params }))).data
        : (await sent(api.GET('/v1/api/webhooks/deliveries/{id}', { params }))).data,
  });
  return (
    <Page
      title="Delivery"
      up={{ to: '/deliveries', title: 'Deliveries' }}
      acts={
        !operator && (
          <Act
            label="Replay"
            right="ADMIN"
            disabled={
              delivery.data?.status !== 'FAILED' &&
              'Only a delivery that failed is replayed: this one was taken, or is still tried.'
            }
            question="The same event is sent again, as a delivery of its own with the same event id."
            run={() => sent(api.POST('/v1/api/webhooks/deliveries/{id}/replay', { params }))}
            done="The replay is queued."
          />
        )
      }
    >
      <Read from={delivery}>
        {(data) => (
          <>
            <Facts
              facts={[
                ['Event', words(data.event)],
                ['Status', <Status key="status" of={data.status} />],
                ['Answer', data.http_status === null ? data.error : <HttpStatus key="answer" of={data.http_status} />],
                ['Attempts', count(data.attempts)],
                ['Next attempt', <When key="next" at={data.next_attempt_at} />],
                ['Created', <When key="created" at={data.created_at} />],
                ['Delivery', <Id key="id" of={data.id} />],
                ['Event id', <Id key="event" of={data.event_id} />],
                ['Receiver', <RecordLink key="receiver" id={data.subscription_id} />],
                ['Replay of', data.replay_of && <RecordLink key="replay" id={data.replay_of} />],
              ]}
            />
            {data.attempts_log && <Attempts log={data.attempts_log} />}
            {data.request && (
              <Part title="What was sent">
                <Code block fz="xs" tabIndex={0}>
                  {`POST ${data.request.url ?? ''}\n${Object.entries(data.request.headers)
                    .map(([name, value]) => `${name}: ${String(value)}`)
                    .join('\n')}\n\n${pretty(data.request.body)}`}
                </Code>
              </Part>
            )}
          </>
        )}
      </Read>
    </Page>
  );
}

const Attempts = ({ log }: { log: Records['DeliveryAttempt'][] }): ReactNode => (
  <Part title="Attempts">
    <Table aria-label="Attempts">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>At</Table.Th>
          <Table.Th className="number">Milliseconds</Table.Th>
          <Table.Th>Answer</Table.Th>
          <Table.Th>Beginning of its body</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {log.map(({ at, ms, http_status, error, response_excerpt }) => (
          <Table.Tr key={at}>
            <Table.Td>
              <When at={at} />
            </Table.Td>
            <Table.Td className="number">{count(ms)}</Table.Td>
            <Table.Td>{http_status === null ? error : <HttpStatus of={http_status} />}</Table.Td>
            <Table.Td>
              <span className="id">{response_excerpt}</span>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Part>
);

/** JSON with line breaks; anything else as it is. */
function pretty(body: string | null): string {
  try {
    return JSON.stringify(JSON.parse(body ?? ''), null, 2);
  } catch {
    return body ?? '';
  }
}
