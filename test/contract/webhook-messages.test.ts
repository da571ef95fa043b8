import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ROUTES } from '../../src/app.ts';
import { describeApi } from '../../src/description.ts';
import { EVENT_NAMES } from '../../src/events/events.ts';
import { signedHeaders } from '../../src/features/webhooks/signature.ts';
import { TAGS } from '../../src/tags.ts';

type Message = {
  post: {
    description: string;
    parameters: { $ref: string }[];
    requestBody: { content: { 'application/json': { schema: { $ref: string }; example: { event: string } } } };
    responses: Record<string, unknown>;
  };
};
type Described = {
  tags: { name: string; description?: string }[];
  webhooks: Record<string, Message>;
  components: { parameters: Record<string, { name: string; required: boolean }> };
};
const description = describeApi(ROUTES) as Described;

test('the description has every event as a webhook, with a sample that its schema accepts', () => {
  assert.deepEqual(Object.keys(description.webhooks), EVENT_NAMES);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'description', ...description });
  for (const [event, { post }] of Object.entries(description.webhooks)) {
    const { schema, example } = post.requestBody.content['application/json'];
    assert.equal(example.event, event);
    assert.ok(post.description.length > 20, event);
    const valid = ajv.validate({ $ref: `description${schema.$ref}` }, example);
    assert.ok(valid, `${event}: ${ajv.errorsText()}`);
    assert.equal(ajv.validate({ $ref: `description${schema.$ref}` }, { ...example, data: {} }), false, event);
  }
});

test('a webhook names the headers of the requests that are sent', () => {
  const message = { eventId: 'evt_1', deliveryId: 'dlv_1', event: 'sc.completed', body: Buffer.from('{}') };
  const sent = signedHeaders(message, { current: 'whsec_bmV3', previous: 'whsec_b2xk' }, 0);
  const usual = signedHeaders(message, { current: 'whsec_bmV3', previous: null }, 0);
  const ours = (headers: Record<string, unknown>) => Object.keys(headers).filter((name) => /^(x-platform|webhook)-/i.test(name));
  for (const { post } of Object.values(description.webhooks)) {
    const headers = post.parameters.map(({ $ref }) => description.components.parameters[$ref.split('/').at(-1) ?? '']);
    assert.deepEqual(headers.map((header) => header?.name).toSorted(), ours(sent).toSorted());
    const required = headers.filter((header) => header?.required).map((header) => header?.name);
    assert.deepEqual(required.toSorted(), ours(usual).toSorted());
  }
});

test('each tag of a route is described, and each described tag has routes', () => {
  const used = new Set(ROUTES.map(({ tag }) => tag));
  assert.deepEqual(TAGS.map(({ name }) => name).toSorted(), [...used].toSorted());
  for (const { name, description: text } of description.tags) assert.ok(text, name);
});
