import type { TObject } from 'typebox';
import { takesKey } from '../platform/http/idempotency.ts';
import type { Json } from '../platform/http/openapi-components.ts';
import type { Route } from '../platform/http/route.ts';
import { isRead } from './catalog.ts';

/** The arguments of a tool. */
export type InputSchema = {
  type: 'object';
  properties: Record<string, Json>;
  required: string[];
  additionalProperties: false;
};

/** Records in a page unless the call names another number: a conversation has little room. */
export const PAGE_RECORDS = 10;
/** A larger body is described on demand, so that a list of tools stays small. */
const MOST_BODY_BYTES = 4 * 1024;

/** The arguments of an operation: what its path and query take by their own names, its body as `body`, and what the tool adds. */
export function inputSchema(route: Route): InputSchema {
  const query = propertiesOf(route.query);
  const properties = {
    ...propertiesOf(route.params),
    ...query,
    ...('limit' in query ? { limit: { ...query.limit, default: PAGE_RECORDS } } : {}),
    ...(route.body ? { body: bodySchema(route) } : {}),
    ...(isRead(route) ? { fields: FIELDS } : writeArguments(route)),
  };
  return { type: 'object', properties, required: requiredOf(route), additionalProperties: false };
}

const FIELDS: Json = {
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 200 },
  maxItems: 50,
  description: 'Only these fields of each record, such as "status", "tranches.name", "rows[20:40]".',
};

function writeArguments(route: Route): Record<string, Json> {
  return {
    confirm: {
      type: 'string',
      const: route.operation,
      description: `The name of the operation, ${route.operation}, given once the person for whom you act has agreed to exactly this call. ${route.summary}.`,
    },
    ...(takesKey(route) ? { idempotency_key: IDEMPOTENCY_KEY } : {}),
    ...(route.record ? { if_match: IF_MATCH } : {}),
  };
}

const IDEMPOTENCY_KEY: Json = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: 'Only to repeat a call whose outcome is not known: the key that the first call named. Otherwise one is made.',
};
const IF_MATCH: Json = {
  type: 'string',
  maxLength: 255,
  description: 'The `etag` of the record as it was read: the change is refused when the record has changed since.',
};

function requiredOf(route: Route): string[] {
  const query = propertiesOf(route.query);
  const ofQuery = ((route.query?.required ?? []) as string[]).filter((name) => query[name]?.default === undefined);
  return [
    ...Object.keys(propertiesOf(route.params)),
    ...ofQuery,
    ...(route.body && !route.bodyOptional ? ['body'] : []),
    ...(isRead(route) ? [] : ['confirm']),
  ];
}

function bodySchema(route: Route): Json {
  const schema = plainSchema(route.body) as Json;
  if (Buffer.byteLength(JSON.stringify(schema)) <= MOST_BODY_BYTES) return schema;
  return {
    type: 'object',
    description: `Its schema is long: describeOperation with operation ${route.operation} gives it with an example.`,
  };
}

const propertiesOf = (schema: TObject | undefined): Record<string, Json> =>
  plainSchema(schema?.properties ?? {}) as Record<string, Json>;

/** Formats that clients know. The others are our own, and strict validators of clients refuse them; the descriptions say the same. */
const FORMATS = ['date', 'date-time'];

/** A schema as plain JSON Schema, without names for documents. */
const plainSchema = (schema: unknown): unknown =>
  JSON.parse(
    JSON.stringify(schema, (name, value: unknown) =>
      (name === 'format' && typeof value === 'string' && !FORMATS.includes(value)) ||
      (name === 'title' && typeof value === 'string')
        ? undefined
        : value,
    ),
  );
