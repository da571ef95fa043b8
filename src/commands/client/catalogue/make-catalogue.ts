import type { Body, Field, FieldKind, Method, Operation, Reply } from './operation.ts';

/** The parts of an OpenAPI description that are read here. */
type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: (string | null)[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  description?: string;
};
type Parameter = { $ref?: string; name: string; in: string; required?: boolean; description?: string; schema?: Schema };
type Content = Record<string, { schema?: Schema; example?: unknown; examples?: Record<string, { value?: unknown }> }>;
type Described = {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
};
type Description = { paths: Record<string, Record<string, unknown>>; components: Record<string, Record<string, unknown>> };

const METHODS: readonly Method[] = ['get', 'post', 'put', 'patch', 'delete'];
const MONEY = /\bcurrency units\b/i;

/** The operations of a description, in its order. */
export function makeCatalogue(description: object): Operation[] {
  const known = description as Description;
  return Object.entries(known.paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => (item[method] ? [operationOf(known, method, path, item[method] as Described)] : [])),
  );
}

function operationOf(known: Description, method: Method, path: string, described: Described): Operation {
  const parameters = (described.parameters ?? []).map((each) => resolved<Parameter>(known, each));
  const inside = (place: string): Parameter[] => parameters.filter((each) => each.in === place);
  return {
    id: described.operationId,
    method,
    path,
    summary: described.summary,
    description: described.description ?? '',
    path_fields: [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
    query: inside('query').map((each) => fieldOf(known, each.name, each.schema ?? {}, each.required ?? false, each.description)),
    headers: inside('header').map((each) => each.name),
    body: bodyOf(known, described.requestBody),
    reply: replyOf(known, described),
  };
}

function bodyOf(known: Description, body: Described['requestBody']): Body | null {
  if (!body) return null;
  const schema = body.content['application/json']?.schema;
  if (!schema) return { kind: 'bytes' };
  const fields = propertiesOf(known, schema);
  return {
    kind: 'json',
    required: body.required ?? false,
    fields: Object.entries(fields.properties).map(([name, each]) => fieldOf(known, name, each, fields.required.includes(name))),
    example: exampleOf(body.content['application/json']),
  };
}

function exampleOf(content: Content[string] | undefined): Record<string, unknown> | null {
  const value = content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
}

function replyOf(known: Description, { responses }: Described): Reply {
  const content = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content ?? {};
  const envelope = content['application/json']?.schema;
  const { properties } = propertiesOf(known, envelope ?? {});
  // A file can be JSON too: without an envelope.
  if (!envelope || !properties.success)
    return { kind: 'text/event-stream' in content ? 'stream' : 'file', paged: false, columns: [], money: [] };
  const data = nonNull(known, properties.data ?? envelope);
  const isList = data.type === 'array';
  const item = isList && data.items ? data.items : data;
  return {
    kind: isList ? 'list' : 'record',
    paged: isList && ('pagination' in properties || 'meta' in properties),
    columns: Object.entries(propertiesOf(known, item).properties).flatMap(([name, each]) =>
      kindOf(known, each) === 'json' || nonNull(known, each).type === 'array' ? [] : [name],
    ),
    money: [...moneyIn(known, item, new Set())].sort(),
  };
}

function fieldOf(known: Description, name: string, schema: Schema, required: boolean, description?: string): Field {
  const plain = nonNull(known, schema);
  const list = plain.type === 'array' && kindOf(known, plain.items ?? {}) !== 'json';
  const item = list && plain.items ? plain.items : plain;
  return {
    name,
    kind: kindOf(known, item),
    list,
    required,
    values: valuesOf(known, item),
    description: description ?? schema.description ?? plain.description ?? '',
  };
}

function kindOf(known: Description, schema: Schema): FieldKind {
  const plain = nonNull(known, schema);
  const branches = plain.anyOf ?? plain.oneOf;
  if (branches) {
    const kinds = new Set(branches.map((each) => kindOf(known, each)));
    const [only] = kinds;
    return kinds.size === 1 && only ? only : 'json';
  }
  const type = typeof plain.type === 'string' ? plain.type : plain.type?.find((each) => each !== 'null');
  if (type === 'string' || typeof plain.const === 'string' || plain.enum) return 'text';
  if (type === 'integer' || type === 'number') return 'number';
  return type === 'boolean' ? 'boolean' : 'json';
}

function valuesOf(known: Description, schema: Schema): string[] {
  const plain = nonNull(known, schema);
  const branches = plain.anyOf ?? plain.oneOf;
  if (branches) {
    const each = branches.map((branch) => valuesOf(known, branch));
    return each.every((values) => values.length > 0) ? each.flat() : [];
  }
  if (typeof plain.const === 'string') return [plain.const];
  return (plain.enum ?? []).filter((value): value is string => typeof value === 'string');
}

/** The fields of an object; of one that has several shapes, the fields of all of them, required where every shape requires them. */
function propertiesOf(known: Description, schema: Schema): { properties: Record<string, Schema>; required: string[] } {
  const plain = nonNull(known, schema);
  const shapes = plain.anyOf ?? plain.oneOf;
  const merged = { properties: { ...plain.properties }, required: [...(plain.required ?? [])] };
  for (const each of plain.allOf ?? []) {
    const part = propertiesOf(known, each);
    Object.assign(merged.properties, part.properties);
    merged.required.push(...part.required);
  }
  const parts = (shapes ?? []).map((each) => propertiesOf(known, each));
  for (const part of parts) merged.properties = { ...part.properties, ...merged.properties };
  const [first] = parts;
  if (first) merged.required.push(...first.required.filter((name) => parts.every((part) => part.required.includes(name))));
  return merged;
}

/** The names of the fields that the description declares to be in currency units. */
function moneyIn(known: Description, schema: Schema, seen: Set<Schema>): Set<string> {
  const plain = nonNull(known, schema);
  const names = new Set<string>();
  if (seen.has(plain)) return names;
  seen.add(plain);
  for (const [name, each] of Object.entries(plain.properties ?? {})) {
    const isNumber = kindOf(known, each) === 'number';
    if (isNumber && MONEY.test(`${each.description ?? ''} ${nonNull(known, each).description ?? ''}`)) names.add(name);
    for (const inner of moneyIn(known, each, seen)) names.add(inner);
  }
  for (const each of [
    ...(plain.anyOf ?? []),
    ...(plain.oneOf ?? []),
    ...(plain.allOf ?? []),
    ...(plain.items ? [plain.items] : []),
  ])
    for (const inner of moneyIn(known, each, seen)) names.add(inner);
  return names;
}

/** The schema behind references, and without the branch of null. */
function nonNull(known: Description, schema: Schema): Schema {
  const target = resolved<Schema>(known, schema);
  const branches = target.anyOf ?? target.oneOf;
  if (!branches) return target;
  const rest = branches.filter((each) => each.type !== 'null');
  const [only] = rest;
  return rest.length === 1 && only ? nonNull(known, only) : target;
}

function resolved<Kind extends { $ref?: string }>(known: Description, value: Kind): Kind {
  if (!value.$ref) return value;
  const [, , group = '', name = ''] = value.$ref.split('/');
  const target = known.components[group]?.[name];
  if (target === undefined) throw new Error(`the description lacks ${value.$ref}`);
  return resolved(known, target as Kind);
}
