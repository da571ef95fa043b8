import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Json } from '../platform/http/openapi-components.ts';
import type { Route } from '../platform/http/route.ts';
import { templateOf } from '../platform/http/path-template.ts';
import { type DescribedParts, describedParts } from './api-description.ts';
import { type Catalog, isRead, READ_ONLY, whyNoTool } from './catalog.ts';
import { sizeOf } from './cut-to-size.ts';
import { chooseFields, readFields } from './fields.ts';
import { inputSchema } from './input-schema.ts';
import { searchOperations } from './search-operations.ts';
import type { Arguments } from './to-request.ts';
import { invalidArgument } from './tool-problem.ts';
import { annotationsOf } from './tools.ts';

const text = (description: string): Json => ({ type: 'string', minLength: 1, maxLength: 200, description });
const OPERATION = text('Name of the operation, such as getLoanDealRisk.');
const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const FOUND = 15;
/** Of a description with its schemas, beside what the result adds. */
const DESCRIPTION_BYTES = 12 * 1024;

const tool = (name: string, description: string, properties: Record<string, Json>, required: string[]): Tool => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required, additionalProperties: false },
  annotations: READS,
});

const SEARCH = tool(
  'searchOperations',
  'Find operations of the platform by words, such as "delinquency of a pool" or "webhook deliveries". Most operations are no tools of their own: find one here, read its arguments with describeOperation, then call it.',
  { query: text('Words of what is to be read or done.') },
  ['query'],
);
const DESCRIBE = tool(
  'describeOperation',
  'Read the arguments of an operation, the schemas of its body and its response, and an example.',
  {
    operation: OPERATION,
    fields: { type: 'array', items: { type: 'string' }, description: 'Only these parts, such as "schemas.Tranche".' },
  },
  ['operation'],
);
const ARGUMENTS: Json = { type: 'object', description: 'The arguments that describeOperation names.' };
const CALL = tool(
  'callOperation',
  'Call any operation that reads, by its name. It changes nothing.',
  {
    operation: OPERATION,
    arguments: ARGUMENTS,
  },
  ['operation'],
);
const CALL_WRITE: Tool = {
  ...tool(
    'callWriteOperation',
    'Call any operation that changes records, by its name: only when the person for whom you act has agreed to exactly this call.',
    {
      operation: OPERATION,
      arguments: { type: 'object', description: 'The arguments that describeOperation names, without confirm.' },
      confirm: text('The name of the operation again, given once the person has agreed.'),
    },
    ['operation', 'confirm'],
  ),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
};

/** The tools by which every operation is reached, listed or not. */
export const metaTools = ({ writes }: { writes: boolean }): Tool[] => [SEARCH, DESCRIBE, CALL, ...(writes ? [CALL_WRITE] : [])];

export type Found = { operation: string; summary: string; changes_records: boolean };

export function search(catalog: Catalog, { query }: Arguments): { found: Found[]; notes: string[] } {
  const found = searchOperations(catalog.tools(), textOf('query', query));
  const listed = found.slice(0, FOUND);
  return {
    found: listed.map((route) => ({ operation: route.operation, summary: route.summary, changes_records: !isRead(route) })),
    notes: found.length > FOUND ? [`${found.length - FOUND} more have some of these words: more words find the right one.`] : [],
  };
}

/** An operation in full, or its parts that `fields` names; schemas for which there is no room are named in a note. */
export function describe(catalog: Catalog, api: Json, { operation, fields }: Arguments): { described: unknown; notes: string[] } {
  const route = catalog.known(textOf('operation', operation));
  const about = aboutOf(route);
  const parts = describedParts(api, route);
  const paths = readFields(fields);
  if (paths.length === 0) return withRoomFor(about, parts);
  const { data, missing } = chooseFields({ ...about, ...parts }, paths);
  const notes = missing.length === 0 ? [] : [`fields: ${missing.slice(0, 5).join(', ')} names nothing in the description.`];
  return { described: data, notes };
}

function aboutOf(route: Route): Json {
  const { properties, required } = inputSchema(route);
  return {
    operation: route.operation,
    summary: route.summary,
    description: route.description ?? null,
    request: `${route.method} ${templateOf(route.path)}`,
    no_tool: whyNoTool(route),
    ...annotationsOf(route),
    arguments: properties,
    required,
    errors: route.errors ?? [],
  };
}

/** The schemas that the body and the response refer to, as far as there is room. */
function withRoomFor(about: Json, { schemas, ...parts }: DescribedParts): { described: unknown; notes: string[] } {
  const kept: Record<string, Json> = {};
  const left: string[] = [];
  let room = DESCRIPTION_BYTES - sizeOf(about) - sizeOf(parts);
  for (const [name, schema] of Object.entries(schemas)) {
    const size = sizeOf(schema) + sizeOf(name) + 2;
    if (size > room) left.push(name);
    else {
      kept[name] = schema;
      room -= size;
    }
  }
  const notes =
    left.length === 0
      ? []
      : [`No room for ${left.length} schemas: ${left.join(', ')}. Read them with fields: ["schemas.${left[0]}", …].`];
  return { described: { ...about, ...parts, schemas: kept }, notes };
}

/** The operation and the arguments of a call by name. */
export function calledByName(
  catalog: Catalog,
  given: Arguments,
  { writes }: { writes: boolean },
): { route: Route; given: Arguments } {
  const route = catalog.find(textOf('operation', given.operation));
  if (isRead(route) === writes)
    throw invalidArgument(
      'operation',
      writes
        ? `${route.operation} changes nothing: use callOperation.`
        : `${route.operation} changes records: use callWriteOperation, where ${READ_ONLY}`,
    );
  const inner = given.arguments ?? {};
  if (typeof inner !== 'object' || inner === null || Array.isArray(inner))
    throw invalidArgument('arguments', 'expected an object.');
  return { route, given: { ...inner, ...(writes ? { confirm: given.confirm } : {}) } };
}

function textOf(name: string, value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '') return value;
  throw invalidArgument(name, 'expected text.');
}
