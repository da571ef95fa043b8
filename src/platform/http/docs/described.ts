import type { Json } from '../openapi-components.ts';

/** The parts of a description that pages and collections are made of. */
export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  format?: string;
  pattern?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  required?: readonly string[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
};
export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
};
type Referred = { $ref?: string };
export type Media = { schema: Schema; example?: unknown; examples?: Record<string, Referred> };
export type Body = Referred & { description?: string; required?: boolean; content?: Record<string, Media> };
export type Operation = {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  security?: readonly unknown[];
  parameters?: readonly (Parameter & Referred)[];
  requestBody?: Body;
  responses: Record<string, Body>;
};
type Described = {
  info: { title: string; version: string; description: string };
  tags: readonly { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, { post: Operation }>;
  components: {
    schemas: Record<string, Schema>;
    parameters: Record<string, Parameter>;
    responses: Record<string, Body>;
    examples: Record<string, { value: unknown }>;
  };
};

/** An operation with the place where it is called. */
export type Placed = Operation & { method: string; path: string; parameters: readonly Parameter[] };
export type Chapter = { name: string; description: string; slug: string; operations: readonly Placed[] };

const lastPart = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

/** A description to read: its references are followed here. */
export class Description {
  readonly info: Described['info'];
  readonly #described: Described;

  constructor(description: Json) {
    // The generator of the description makes these parts.
    this.#described = description as Described;
    this.info = this.#described.info;
  }

  /** The operations and webhook messages by tag, in the order of the tags. */
  chapters(): readonly Chapter[] {
    const all = [...this.#operations(), ...this.#messages()];
    const byTag = Map.groupBy(all, ({ tags }) => tags[0] ?? '');
    return this.#described.tags.map(({ name, description = '' }) => ({
      name,
      description,
      slug: slugOf(name),
      operations: byTag.get(name) ?? [],
    }));
  }

  /** The name and the schema behind a reference. */
  record(schema: Schema): { name: string; schema: Schema } | null {
    if (schema.$ref === undefined) return null;
    const name = lastPart(schema.$ref);
    return { name, schema: this.#described.components.schemas[name] ?? {} };
  }

  response(body: Body): Body {
    return body.$ref === undefined ? body : (this.#described.components.responses[lastPart(body.$ref)] ?? {});
  }

  example({ example, examples }: Media): unknown {
    const [shared] = Object.values(examples ?? {});
    if (shared?.$ref === undefined) return example;
    return this.#described.components.examples[lastPart(shared.$ref)]?.value;
  }

  #operations(): Placed[] {
    return Object.entries(this.#described.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => this.#placed(operation, method.toUpperCase(), path)),
    );
  }

  #messages(): Placed[] {
    return Object.values(this.#described.webhooks ?? {}).map(({ post }) => this.#placed(post, 'POST', ''));
  }

  #placed(operation: Operation, method: string, path: string): Placed {
    const { parameters } = this.#described.components;
    const resolved = (operation.parameters ?? []).map((each) =>
      each.$ref === undefined ? each : (parameters[lastPart(each.$ref)] ?? each),
    );
    return { ...operation, method, path, parameters: resolved };
  }
}

/** `Operator’s own notices` → `operators-own-notices`. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll('’', '')
    .replace(/[^a-z0-9]+/g, '-');
