import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { ROUTES } from '../../src/app.ts';
import { describeApi } from '../../src/description.ts';
import { FORMATS } from '../../src/platform/http/schemas.ts';
import { startGateway } from '../support/gateway.ts';

type Media = { schema: { $ref?: string }; example?: unknown; examples?: Record<string, { $ref: string }> };
type Content = { content?: Record<string, Media> };
type Parameter = { $ref?: string; name: string; in: string; required: boolean; schema: object; example?: unknown };
type Operation = {
  operationId: string;
  parameters: Parameter[];
  requestBody?: Content;
  responses: Record<string, Content & { $ref?: string }>;
};
type Described = {
  paths: Record<string, Record<string, Operation>>;
  components: Record<'examples' | 'responses', Record<string, Content & { value?: unknown }>> & {
    parameters: Record<string, Parameter>;
  };
};

const description = describeApi(ROUTES) as Described;
/** Types of files that are not text. */
const BINARY = /^(image\/|application\/(octet-stream$|pdf$|vnd\.))/;

/** Every body and response of the document with its example, by a name that says where it is. */
const media = Object.values(description.paths)
  .flatMap((item) => Object.values(item))
  .flatMap(({ operationId, requestBody, responses }) => [
    ...contentsOf(`${operationId} body`, requestBody),
    ...Object.entries(responses).flatMap(([status, each]) => contentsOf(`${operationId} ${status}`, resolved(each))),
  ]);

function resolved(response: Content & { $ref?: string }): Content {
  return response.$ref ? (description.components.responses[response.$ref.split('/').at(-1) ?? ''] ?? {}) : response;
}

function contentsOf(at: string, part: Content | undefined): { at: string; type: string; schema: object; example: unknown }[] {
  return Object.entries(part?.content ?? {}).map(([type, { schema, example, examples }]) => {
    const [shared] = Object.values(examples ?? {});
    const name = shared?.$ref.split('/').at(-1) ?? '';
    return { at, type, schema, example: shared ? description.components.examples[name]?.value : example };
  });
}

test('every request body and every response has an example, except files that are not text', () => {
  assert.ok(media.length > 2_000, `${media.length}`);
  const without = media.filter(({ type, example }) => example === undefined && !BINARY.test(type));
  assert.deepEqual(
    without.map(({ at, type }) => `${at} ${type}`),
    [],
  );
});

test('each example is what its schema describes', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format);
  ajv.addSchema({ $id: 'description', ...description });
  const each = new Map(media.map((one) => [JSON.stringify([one.schema, one.example]), one])).values();
  const problems = [...each].flatMap(({ at, schema, example }) => {
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"description#/components')) as object;
    return ajv.validate(absolute, example) || example === undefined ? [] : [`${at}: ${ajv.errorsText()}`];
  });
  assert.deepEqual(problems, []);
});

test('each example of a parameter is what its schema describes, and no parameter that a call needs is without', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  for (const [name, format] of Object.entries(FORMATS)) ajv.addFormat(name, format);
  ajv.addSchema({ $id: 'description', ...description });
  const own = Object.values(description.paths).flatMap((item) => Object.values(item).flatMap(({ parameters }) => parameters));
  const parameters = [...own.filter(({ $ref }) => $ref === undefined), ...Object.values(description.components.parameters)];
  for (const { name, in: place, required, schema, example } of parameters) {
    if (place === 'header') continue;
    assert.equal(example !== undefined, required, name);
    if (example === undefined) continue;
    const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"description#/components')) as object;
    assert.ok(ajv.validate(absolute, example), `${name}: ${JSON.stringify(example)} ${ajv.errorsText()}`);
  }
});

/** They make the sandbox anew, or move its time. */
const OF_THE_WHOLE_SANDBOX = ['seedSandbox', 'resetSandbox', 'advanceSandboxClock'];

test('a gateway takes the example of each body as it stands', async () => {
  await using gateway = await startGateway({ SLUICE_RATE_LIMIT: '1000' });
  const customer = await gateway.key('both', 'Harbor Lending');
  const operator = await gateway.key('operator', 'Platform');
  const refused: string[] = [];
  for (const [path, item] of Object.entries(description.paths))
    for (const [method, { operationId, requestBody }] of Object.entries(item)) {
      const [json] = contentsOf(operationId, requestBody).filter(({ type }) => type === 'application/json');
      if (json === undefined || OF_THE_WHOLE_SANDBOX.includes(operationId)) continue;
      const as = path.startsWith('/v1/operator') ? operator : customer;
      const { status, text } = await gateway.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'), {
        as,
        body: json.example as object,
      });
      if ([400, 415, 422].includes(status)) refused.push(`${operationId}: ${text}`);
    }
  assert.deepEqual(refused, []);
});

test('no example says a type in the place of a value', () => {
  for (const { at, example } of media) {
    if (example === undefined || at.startsWith('listEventTypes') || at.startsWith('listOperatorEventTypes')) continue;
    assert.doesNotMatch(JSON.stringify(example), /"(string|String|number|Text)"|\[object|undefined|NaN/, at);
  }
});
