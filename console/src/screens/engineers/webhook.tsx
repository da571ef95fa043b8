import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { api, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { Act } from '../../ui/act.tsx';
import { Id, When } from '../../ui/format.tsx';
import { Facts, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Secret } from '../../ui/secret.tsx';
import { Status } from '../../ui/status.tsx';
import { ButtonTo } from '../../ui/link.tsx';

const DAY_SECONDS = 86_400;

/** One receiver: its state, its secret, and what it was sent. */
export function Webhook(): ReactNode {
  const operator = isOperator(useMe());
  const { subscriptionId = '' } = useParams({ strict: false });
  const params = { path: { id: subscriptionId } };
  const [secret, setSecret] = useState<string | null>(null);
  const navigate = useNavigate();
  const subscription = useQuery({
    queryKey: ['webhooks', subscriptionId],
    queryFn: () =>
      operator
        ? sent(api.GET('/v1/operator/webhooks/subscriptions/{id}', { params }))
        : sent(api.GET('/v1/api/webhooks/subscriptions/{id}', { params })),
  });
  const change = (body: { active: boolean }): Promise<unknown> =>
    operator
      ? sent(api.PATCH('/v1/operator/webhooks/subscriptions/{id}', { params, body }))
      : sent(api.PATCH('/v1/api/webhooks/subscriptions/{id}', { params, body }));
  return (
    <Page title="Receiver" up={{ to: '/webhooks', title: 'Webhooks' }}>
      <Read from={subscription}>
        {({ data }) => (
          <>
            {secret && (
              <Secret
                title="The new secret"
                value={secret}
                note="The former one verifies for one more day."
                close={() => setSecret(null)}
              />
            )}
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
            <Group gap="xs">
              <Act
                label="Send a test"
                right="ADMIN"
                question={`A sample of ${data.events[0]} is sent, signed and marked as a test.`}
                disabled={data.events.length === 0 && 'The receiver has no events.'}
                run={async () => {
                  const [event] = data.events;
                  if (!event) return;
                  const body = { event };
                  return operator
                    ? await sent(api.POST('/v1/operator/webhooks/subscriptions/{id}/test', { params, body }))
                    : await sent(api.POST('/v1/api/webhooks/subscriptions/{id}/test', { params, body }));
                }}
                done="The test is queued: see the deliveries."
              />
              {data.active ? (
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
              <Act
                label="Recover a day"
                right="ADMIN"
                question="What the receiver did not take in the last 24 hours is sent again."
                run={() => {
                  const body = { since: new Date(Date.now() - DAY_SECONDS * 1_000).toISOString() };
                  return operator
                    ? sent(api.POST('/v1/operator/webhooks/subscriptions/{id}/recover', { params, body }))
                    : sent(api.POST('/v1/api/webhooks/subscriptions/{id}/recover', { params, body }));
                }}
                done="What was missed is queued."
              />
              <Act
                label="Rotate the secret"
                right="ADMIN"
                question="A new secret is made; for a day, deliveries are signed with both."
                run={async () => {
                  const body = { grace_seconds: DAY_SECONDS };
                  const answer = operator
                    ? await sent(api.POST('/v1/operator/webhooks/subscriptions/{id}/rotate-secret', { params, body }))
                    : await sent(api.POST('/v1/api/webhooks/subscriptions/{id}/rotate-secret', { params, body }));
                  setSecret(answer.data.secret);
                  return answer;
                }}
                done="The secret is rotated."
              />
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
            <Part title="Deliveries">
              <Text size="sm">
                <ButtonTo to="/deliveries" search={{ subscription_id: data.id }} size="compact-sm" variant="default">
                  What this receiver was sent
                </ButtonTo>
              </Text>
            </Part>
          </>
        )}
      </Read>
    </Page>
  );
}
