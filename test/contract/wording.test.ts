import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AjvCompiler } from '@fastify/ajv-compiler';
import { ROUTES } from '../../src/app.ts';
import { invalid } from '../../src/platform/http/field-problems.ts';
import type { ValidationError } from '../../src/platform/http/validation-error.ts';
import { ajvOptions } from '../../src/platform/http/lazy-compilers.ts';

type Shape = {
  properties?: Record<string, Shape>;
  patternProperties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: Shape[];
  pattern?: string;
  description?: string;
};

/** Words of the validator that mean nothing to the sender of a request. */
const SCHEMA_WORDS =
  /anyOf|oneOf|allOf|\bconst\b|\benum\b|schema|must match|must NOT|must be|instancePath|patternProperties|undefined|\[object/;
const WRONG = [null, true, 7.123456, -1e20, 'x', '', 'a\u202eb', '2026-13-45', [], [1, 1], {}, { bad: 1 }];
const DEEPEST = 7;

const compile = AjvCompiler()({}, { customOptions: ajvOptions });

/** Bodies of a schema that are wrong in one place, for every place of it. */
function* wrongValues(shape: Shape, depth = 0): Generator<unknown> {
  yield* WRONG;
  if (depth >= DEEPEST) return;
  for (const alternative of shape.anyOf ?? []) yield* wrongValues(alternative, depth + 1);
  for (const [name, field] of Object.entries(shape.properties ?? {}))
    for (const value of wrongValues(field, depth + 1)) yield { [name]: value };
  for (const field of Object.values(shape.patternProperties ?? {}))
    for (const value of wrongValues(field, depth + 1)) yield { some_name: value };
  if (shape.items) for (const value of wrongValues(shape.items, depth + 1)) yield [value];
}

test('what any route says of a wrong field is what was seen and what is expected, in plain words', () => {
  const seen = new Set<string>();
  let told = 0;
  for (const route of ROUTES) {
    for (const [schema, httpPart] of [
      [route.body, 'body'],
      [route.query, 'querystring'],
    ] as const) {
      if (!schema || route.bodyKind === 'raw' || seen.has(JSON.stringify(schema))) continue;
      seen.add(JSON.stringify(schema));
      const validate = compile({ schema, httpPart, method: route.method, url: route.path });
      for (const value of wrongValues(schema as Shape)) {
        if (validate(structuredClone(value)) === true) continue;
        const { message, errors = [] } = invalid(validate.errors as unknown as ValidationError[], httpPart);
        assert.ok(errors.length > 0 && message.length < 6_000, `${route.method} ${route.path}: ${message}`);
        for (const each of errors) {
          told += 1;
          const text = `${route.method} ${route.path} ${JSON.stringify(value)}: ${each.field}: ${each.message}`;
          assert.match(each.message, /^(seen |this field is missing, |the entries ).*expected \S/s, text);
          assert.doesNotMatch(each.message, SCHEMA_WORDS, text);
        }
      }
    }
  }
  assert.ok(told > 10_000, `${told} problems`);
});

test('every pattern of a request has a description, which stands in its message', () => {
  const bare: string[] = [];
  const walk = (shape: Shape, at: string): void => {
    if (shape.pattern !== undefined && !shape.description) bare.push(at);
    for (const [name, field] of Object.entries({ ...shape.properties, ...shape.patternProperties })) walk(field, `${at}.${name}`);
    for (const each of [...(shape.anyOf ?? []), ...(shape.items ? [shape.items] : [])]) walk(each, at);
  };
  for (const route of ROUTES)
    for (const schema of [route.params, route.query, route.body])
      if (schema) walk(schema as Shape, `${route.method} ${route.path}`);
  assert.deepEqual(bare, []);
});
