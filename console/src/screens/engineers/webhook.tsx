import { Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { Act } from '../../ui/act.tsx';
import { BETWEEN, choice } from '../../ui/filters.tsx';
import { Id, When } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Facts, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Status } from '../../ui/status.tsx';
import { DELIVERIES } from './deliveries.tsx';
import { RecoverForm, RotateForm, type Shown, TestForm } from './webhook-forms.tsx';

/** One receiver: its state, its secret, and what it was sent. */
export function Webhook(): ReactNode {
  const operator = isOperator(useMe());
  const { subscriptionId = '' } = useParams({ strict: false });
  const params = { path: { id: subscriptionId } };
  const [secret, setSecret] = useState<Shown | null>(null);
  const subscription = useQuery({
    queryKey: ['webhooks', subscriptionId],
    queryFn: () =>
      operator
        ? sent(api.GET('/v1/operator/webhooks/subscriptions/{id}', { params }))
        : sent(api.GET('/v1/api/webhooks/subscriptions/{id}', { params })),
  });
  return (
    <Page title="Receiver" up={{ to: '/webhooks', title: 'Webhooks' }}>
      <Read from={subscription}>
        {({ data }) => (
          <>
            {secret && <Secret title="The new secret" value={secret.value} note={secret.note} close={() => setSecret(null)} />}
            <Facts
              facts={[
                ['Address', data.url],
                ['State', <Status key="state" of={data.active ? 'ACTIVE' : (data.disabled_reason ?? 'PAUSED')} />],
                ['Failing since', <When key="failing" at={data.failing_since} />],
                ['Id', <Id key="id" of={data.id} />],
                ['Former secret verifies until', <When key="previous" at={data.previous_secret_expires_at} />],
                ['Events', data.events.join(', ')],
              ]}
            />
            <Acts receiver={data} show={setSecret} />
            <Sent subscriptionId={data.id} />
          </>
        )}
      </Read>
    </Page>
  );
}

function Acts({ receiver, show }: { receiver: Records['WebhookSubscription']; show: (secret: Shown) => void }): ReactNode {
  const operator = isOperator(useMe());
  const navigate = useNavigate();
  const params = { path: { id: receiver.id } };
  const change = (body: { active: boolean }): Promise<unknown> =>
    operator
      ? sent(api.PATCH('/v1/operator/webhooks/subscriptions/{id}', { params, body }))
      : sent(api.PATCH('/v1/api/webhooks/subscriptions/{id}', { params, body }));
  return (
    <Group gap="xs">
      <TestForm receiver={receiver} />
      {receiver.active ? (
        <Act
          label="Pause"
          right="ADMIN"
          question="Nothing is sent until the receiver is resumed; Recover sends what was missed."
          run={() => change({ active: false })}
          done="The receiver is paused."
        />
      ) : (
        <Act
          label="Resume"
          right="ADMIN"
          question="Events are sent again from now on; Recover sends what was missed."
          run={() => change({ active: true })}
          done="The receiver is sent events again."
        />
      )}
      <RecoverForm receiver={receiver} />
      <RotateForm receiver={receiver} show={show} />
      <Act
        label="Remove"
        right="ADMIN"
        danger
        typed="remove"
        question="The receiver is sent nothing more, and its secret is destroyed."
        run={() =>
          operator
            ? sent(api.DELETE('/v1/operator/webhooks/subscriptions/{id}', { params }))
            : sent(api.DELETE('/v1/api/webhooks/subscriptions/{id}', { params }))
        }
        done="The receiver is removed."
        after={() => void navigate({ to: '/webhooks' })}
      />
    </Group>
  );
}

/** What the receiver was sent; the last of it is looked for after a test or a replay. */
function Sent({ subscriptionId }: { subscriptionId: string }): ReactNode {
  const operator = isOperator(useMe());
  return (
    <Part title="What it was sent" about="Newest first; each with its attempts, its body and a replay.">
      <RecordList<Records['DeliverySummary'], QueryOf<'/v1/operator/webhooks/deliveries'>>
        name={['deliveries', subscriptionId]}
        label="Deliveries"
        read={(query) =>
          operator
            ? sent(api.GET('/v1/operator/webhooks/deliveries', { params: { query } }))
            : sent(api.GET('/v1/api/webhooks/deliveries', { params: { query } }))
        }
        fixed={{ subscription_id: subscriptionId }}
        filters={[choice('status', 'Status', ['PENDING', 'DELIVERED', 'FAILED']), ...BETWEEN]}
        columns={DELIVERIES}
        rowKey={({ id }) => id}
        few
        empty="Nothing has been sent yet. Send a test, or wait for an event."
      />
    </Part>
  );
}
