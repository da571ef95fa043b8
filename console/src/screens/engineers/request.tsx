import { Code, List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { bytes, count, Id, When, words } from '../../ui/format.tsx';
import { Facts, Note, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { HttpStatus, Status } from '../../ui/status.tsx';
import { To } from '../../ui/link.tsx';
import { RecordLink } from '../people/record-link.tsx';

/** One request of a program: what it sent, what it was answered, and what came of it. */
export function RequestPage(): ReactNode {
  const operator = isOperator(useMe());
  const { requestId = '' } = useParams({ strict: false });
  const params = { path: { requestId } };
  const request = useQuery({
    queryKey: ['requests', requestId],
    queryFn: () =>
      operator
        ? sent(api.GET('/v1/operator/requests/{requestId}', { params }))
        : sent(api.GET('/v1/api/requests/{requestId}', { params })),
  });
  return (
    <Page title="Request" up={{ to: '/requests', title: 'Requests' }}>
      <Read from={request}>
        {({ data }) => (
          <>
            <Facts
              facts={[
                ['Request', `${data.method} ${data.path}`],
                ['Status', <HttpStatus key="status" of={data.status} />],
                ['Code', data.code],
                ['At', <When key="at" at={data.at} />],
                ['Took', `${count(data.ms)} ms`],
                ['Request id', <Id key="id" of={data.request_id} />],
                ['Key', <Id key="key" of={data.key_id} />],
                ['Member', <Id key="member" of={data.member_id} />],
                ['Idempotency key', data.replayed ? `${data.idempotency_key}, answered again` : data.idempotency_key],
                ['Deal', <RecordLink key="deal" id={data.deal_id} />],
              ]}
            />
            <Body title="What was sent" kept={data.request} />
            <Body title="What was answered" kept={data.response} />
            <Caused data={data} />
            <Earlier data={data} />
          </>
        )}
      </Read>
    </Page>
  );
}

type Kept = Pick<Records['KeptResponse'], 'bytes' | 'body' | 'truncated' | 'omitted'> & { query?: unknown };

const Body = ({ title, kept }: { title: string; kept: Kept }): ReactNode => (
  <Part title={title} about={kept.bytes === null ? null : bytes(kept.bytes)}>
    {kept.query ? (
      <Code block fz="xs" mb="xs">
        {JSON.stringify(kept.query, null, 2)}
      </Code>
    ) : null}
    <Code block fz="xs" tabIndex={0} mah={360} className="scroll">
      {kept.body === null || kept.body === undefined ? '(no body)' : JSON.stringify(kept.body, null, 2)}
    </Code>
    {(kept.truncated || kept.omitted.length > 0) && (
      <Note>
        {kept.truncated && 'The body was longer than what is kept. '}
        {kept.omitted.length > 0 &&
          `Not kept: ${kept.omitted.map(({ path, reason, count: times }) => `${path} (${words(reason)}, ${times})`).join('; ')}.`}
      </Note>
    )}
  </Part>
);

function Caused({ data }: { data: Records['LoggedRequestDetail'] }): ReactNode {
  if (data.events.length + data.job_ids.length === 0) return null;
  return (
    <Part title="What it caused">
      <List size="sm">
        {data.events.map(({ id, event, timestamp }) => (
          <List.Item key={id}>
            {words(event)} at <When at={timestamp} />
          </List.Item>
        ))}
        {data.deliveries.map(({ id, event, status }) => (
          <List.Item key={id}>
            <To to="/deliveries/$deliveryId" params={{ deliveryId: id }} size="sm">
              Delivery of {words(event)}
            </To>{' '}
            <Status of={status} />
          </List.Item>
        ))}
        {data.job_ids.map((id) => (
          <List.Item key={id}>
            Job <RecordLink id={id} />
          </List.Item>
        ))}
      </List>
      {data.caused_more > 0 && <Note>{count(data.caused_more)} more are not listed here.</Note>}
    </Part>
  );
}

function Earlier({ data }: { data: Records['LoggedRequestDetail'] }): ReactNode {
  if (data.earlier.length === 0) return null;
  return (
    <Part title="Earlier requests with this id" about={`${count(data.earlier_count)} in all`}>
      <List size="sm">
        {data.earlier.map(({ at, method, path, status }) => (
          <List.Item key={at}>
            <When at={at} />: {method} {path} <HttpStatus of={status} />
          </List.Item>
        ))}
      </List>
    </Part>
  );
}
