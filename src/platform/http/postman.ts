import { exampleBody } from './docs/calls.ts';
import { Description, type Parameter, type Placed } from './docs/described.ts';
import type { Json } from './openapi-components.ts';

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

/** The description as a Postman collection: a folder per tag, the key and the address as variables, bodies from the examples. */
export function postmanCollection(described: Json, baseUrl: string): Json {
  const description = new Description(described);
  const folders = description.chapters().filter(({ operations }) => operations.some(({ path }) => path !== ''));
  return {
    info: { name: description.info.title, description: description.info.description, schema: SCHEMA },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{key}}', type: 'string' }] },
    variable: [
      { key: 'base', value: baseUrl },
      { key: 'key', value: '' },
    ],
    item: folders.map(({ name, description: text, operations }) => ({
      name,
      description: text,
      item: operations.map((operation) => requestOf(description, operation)),
    })),
  };
}

function requestOf(description: Description, operation: Placed): Json {
  const { operationId, summary, description: text = '', method, path, parameters, security } = operation;
  const body = exampleBody(description, operation);
  const isFile = operation.requestBody?.content?.['*/*'] !== undefined;
  return {
    name: operationId,
    request: {
      method,
      description: `${summary}\n\n${text}`,
      ...(security?.length === 0 ? { auth: { type: 'noauth' } } : {}),
      header: body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
      url: urlOf(path, parameters),
      ...(body === undefined
        ? {}
        : { body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } } }),
      ...(isFile ? { body: { mode: 'file', file: {} } } : {}),
    },
    response: [],
  };
}

function urlOf(path: string, parameters: readonly Parameter[]): Json {
  const segments = path
    .slice(1)
    .replace(/\{(\w+)\}/g, ':$1')
    .split('/');
  const of = (place: Parameter['in']) => parameters.filter((each) => each.in === place);
  const entry = ({ name, example, description = '' }: Parameter) => ({ key: name, value: String(example ?? ''), description });
  const query = of('query').map((each) => ({ ...entry(each), ...(each.required ? {} : { disabled: true }) }));
  return {
    raw: `{{base}}/${segments.join('/')}`,
    host: ['{{base}}'],
    path: segments,
    ...(query.length > 0 ? { query } : {}),
    variable: of('path').map(entry),
  };
}
