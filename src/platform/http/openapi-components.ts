/** A JSON schema or another part of the document, as plain data. */
export type Json = { readonly [keyword: string]: unknown };

/** Annotations of a schema beside its shape: two schemas that differ only in these are the same component. */
const ANNOTATIONS = ['title', 'description', 'default'];
const SCHEMA_MAPS = ['properties', 'patternProperties'];
const SCHEMA_LISTS = ['anyOf', 'oneOf', 'allOf'];
const SCHEMAS = ['items', 'additionalProperties'];

type Named = { name: string; schema: Json };

/** The named schemas of the document. A schema becomes a component when it, or one of the same shape, has a title. */
export class Components {
  readonly #shapes = new Shapes();
  readonly #named = new Map<number, Named>();
  readonly #declared = new Map<string, Json>();
  readonly #written = new Map<string, Json>();
  readonly #unnamed = new Map<number, Json[]>();

  constructor(roots: readonly Json[]) {
    const seen = new Set<Json>();
    for (const root of roots) this.#declareParts(root, seen);
  }

  /** A reference to the schema where it has a name, else the schema with references in place of its named parts. */
  refer(schema: Json): Json {
    const { base, nullable } = withoutNull(schema);
    const shape = this.#shapes.of(base);
    const named = this.#named.get(shape);
    if (!named) {
      if (isObject(base) || isEnum(base)) this.#unnamed.set(shape, [...(this.#unnamed.get(shape) ?? []), base]);
      return this.#referParts(schema);
    }
    this.#write(named);
    const ref = { $ref: `#/components/schemas/${named.name}` };
    return { ...(nullable ? { anyOf: [ref, { type: 'null' }] } : ref), ...annotationsBeyond(schema, named.schema) };
  }

  /** Every component that was referred to, by name. */
  list(): Record<string, Json> {
    return Object.fromEntries([...this.#written].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Objects and enums that the document repeats because they have no name. */
  repeated(): Json[] {
    return [...this.#unnamed.values()].flatMap(([schema, other]) => (schema && other ? [schema] : []));
  }

  #write({ name, schema }: Named): void {
    if (this.#written.has(name)) return;
    const { default: _default, ...rest } = schema;
    this.#written.set(name, this.#referParts(rest));
  }

  #referParts({ title: _title, ...schema }: Json): Json {
    return mapParts(schema, (part) => this.refer(part));
  }

  #declareParts(schema: Json, seen: Set<Json>): void {
    if (seen.has(schema)) return;
    seen.add(schema);
    mapParts(schema, (part) => this.#declareParts(part, seen));
    const { base } = withoutNull(schema);
    if (typeof base.title === 'string') this.#declare({ name: base.title, schema: base });
  }

  #declare(named: Named): void {
    const shape = this.#shapes.of(named.schema);
    const known = this.#named.get(shape);
    if (known && known.name !== named.name)
      throw new Error(`the schemas ${known.name} and ${named.name} are the same: declare one of them`);
    const other = this.#declared.get(named.name);
    if (other && !known)
      throw new Error(`two schemas are named ${named.name}, with ${fieldsOf(other)} and ${fieldsOf(named.schema)}`);
    if (!known) this.#named.set(shape, named);
    this.#declared.set(named.name, named.schema);
  }
}

/** A number for each shape; equal schemas have the same one. */
class Shapes {
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<Json, number>();

  of(schema: Json): number {
    const known = this.#known.get(schema);
    if (known !== undefined) return known;
    const shape = mapParts(without(schema, ANNOTATIONS), (part) => [this.of(part), part.description, part.default]);
    const text = JSON.stringify(inOrder(shape));
    const number = this.#numbers.get(text) ?? this.#numbers.size;
    this.#numbers.set(text, number);
    this.#known.set(schema, number);
    return number;
  }
}

/** Names the fields of an object, or the values of an enum, in a message. */
export const fieldsOf = (schema: Json): string => JSON.stringify(schema.enum ?? Object.keys(schema.properties ?? {}));

const isObject = (schema: Json): boolean => schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0;
/** A single value is a constant. */
const isEnum = (schema: Json): boolean => Array.isArray(schema.enum) && schema.enum.length > 1;

/** An enum that may be null, without the null. */
function withoutNull(schema: Json): { base: Json; nullable: boolean } {
  const { type, enum: values } = schema;
  if (!Array.isArray(type) || !type.includes('null') || !Array.isArray(values)) return { base: schema, nullable: false };
  return { base: { ...schema, type: 'string', enum: values.filter((value) => value !== null) }, nullable: true };
}

/** The schema with each inner schema replaced. */
function mapParts(schema: Json, change: (part: Json) => unknown): Json {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (SCHEMA_MAPS.includes(keyword) && isJson(value))
        return [keyword, Object.fromEntries(Object.entries(value).map(([name, part]) => [name, change(part as Json)]))];
      if (SCHEMA_LISTS.includes(keyword) && Array.isArray(value)) return [keyword, value.map(change)];
      return [keyword, SCHEMAS.includes(keyword) && isJson(value) ? change(value) : value];
    }),
  );
}

/** Description and default of one use, if they differ from the component's. */
function annotationsBeyond(schema: Json, component: Json): Json {
  const { description, default: preset } = schema;
  return {
    ...(description === undefined || description === component.description ? {} : { description }),
    ...(preset === undefined ? {} : { default: preset }),
  };
}

const without = (schema: Json, keywords: readonly string[]): Json =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));

/** The keywords, and the fields of an object, as sorted pairs. */
const inOrder = (shape: Json): unknown[] =>
  Object.entries(shape)
    .map(([keyword, value]) => [keyword, SCHEMA_MAPS.includes(keyword) && isJson(value) ? sorted(value) : value])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));

const sorted = (value: Json): unknown[] => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

/** `NOT_FOUND` and `not.found` as NotFound. */
export const pascal = (text: string): string =>
  text.toLowerCase().replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

export const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
