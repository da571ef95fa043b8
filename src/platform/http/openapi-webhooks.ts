import { type Json, pascal } from './openapi-components.ts';

/** A message that the platform posts to receivers: the schema of its `data`, and an example of that. */
export type WebhookMessage = { event: string; description: string; data: Json; sample: unknown };

const TIME = '2026-01-15T09:30:00.000Z';
const SECONDS = '1768469400';

/** The schema of the whole body of a message. */
export function webhookBody({ event, data }: WebhookMessage): Json {
  const name = pascal(event);
  return {
    title: `${name}Message`,
    type: 'object',
    required: ['event', 'timestamp', 'data'],
    properties: {
      event: { const: event, type: 'string' },
      timestamp: { type: 'string', format: 'date-time', description: 'Time of the event; messages may arrive out of order.' },
      data: { title: `${name}Data`, ...data },
    },
  };
}

/** The section `webhooks`: one post per event. `refer` puts a body among the components. */
export function webhooksOf(messages: readonly WebhookMessage[], refer: (schema: Json) => Json): Record<string, Json> {
  return Object.fromEntries(
    messages.map((message) => {
      const { event, description, sample } = message;
      const example = { event, timestamp: TIME, data: sample };
      const post = {
        operationId: `receive${pascal(event)}`,
        tags: [WEBHOOK_TAG.name],
        summary: `\`${event}\``,
        description,
        security: [],
        parameters: Object.keys(HEADERS).map((name) => ({ $ref: `#/components/parameters/${name}` })),
        requestBody: { required: true, content: { 'application/json': { schema: refer(webhookBody(message)), example } } },
        responses: {
          '2XX': { description: 'The event is delivered. Respond within 15 seconds, before you process it.' },
          '410': { description: 'The subscription is disabled at once.' },
          '4XX': { description: FAILED },
          '5XX': { description: FAILED },
        },
      };
      return [event, { post }];
    }),
  );
}

export const WEBHOOK_TAG = {
  name: 'Webhook messages',
  description: 'What the platform posts to the receivers of webhook subscriptions, signed with the secret of the subscription.',
};

const FAILED =
  'The attempt has failed. It is repeated after 30 s, 5 min, 30 min, 2 h, 6 h and 12 h, or later where 429 or 503 has `Retry-After`.';

const header = (description: string, example: string, required = true): Json => ({ description, example, required });

const HEADERS: Record<string, Json> = {
  'webhook-id': header(
    'The id of the event: the same in retries and replays, so that you process each event once.',
    'evt_01m7xj4nfq000wh40xa84xpckd',
  ),
  'webhook-timestamp': header('Time of the attempt, in seconds since 1970.', SECONDS),
  'webhook-signature': header(
    'Signatures by Standard Webhooks, separated by blanks: HMAC-SHA-256 of `{webhook-id}.{webhook-timestamp}.{body}`, with each valid secret.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
  'X-Platform-Event': header('The name of the event.', 'deal.status_changed'),
  'X-Platform-Delivery': header('The id of the delivery: another one for a replay.', 'dlv_01m7xj4nfq000wh40xa84xpckd'),
  'X-Platform-Signature': header(
    'HMAC-SHA-256 of the raw body, keyed with the whole text of the secret, in hexadecimal digits.',
    'sha256=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
  ),
  'X-Platform-Signature-Next': header(
    'The same with the new secret, during the grace period of a rotation.',
    'sha256=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd',
    false,
  ),
};

/** The headers of a message, as components. */
export const webhookHeaders = (): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(HEADERS).map(([name, about]) => [name, { name, in: 'header', schema: { type: 'string' }, ...about }]),
  );

/** `deal.status_changed` → `DealStatusChanged`. */
