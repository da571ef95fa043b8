import type { TSchema } from 'typebox';
import { type Exemplary, Examples, type Known } from './examples.ts';
import type { Json } from './openapi-components.ts';
import { pendingReply, replySchema } from './reply-schema.ts';
import type { Route } from './route.ts';

const FILES: Record<string, unknown> = {
  'text/csv': 'loan_id,current_balance,interest_rate\nLN-1004,24150.75,6.49\n',
  'application/json': [{ loan_id: 'LN-1004', current_balance: '24150.75', interest_rate: '6.49' }],
  'application/x-ndjson': '{"type":"audit-export","version":1}\n{"type":"end","entries":0}\n',
  'text/event-stream': 'event: alert\nid: alt_01kf5xv1g0\ndata: {"title":"Deal passed quality control"}\n\n',
};

type Shared = { name: string; value: unknown };

/** The examples of bodies and responses: what several operations have is written once among the components and referred to. */
export class SharedExamples {
  readonly #made: Examples;
  readonly #shared = new Map<string, string>();
  readonly #listed = new Map<string, unknown>();

  constructor(routes: readonly Route[], { values, words }: Known) {
    this.#made = new Examples({ values: { ...handWritten(routes), ...values }, words });
    const all = routes
      .flatMap((route) => [this.#bodyOf(route), this.#responseOf(route), route.approval ? this.#waiting() : null])
      .filter((each) => each !== null);
    const byValue = Map.groupBy(all, ({ value }) => JSON.stringify(value));
    for (const [text, [first, second]] of byValue) if (first && second) this.#shared.set(text, this.#freeName(first));
  }

  body(route: Route): Json {
    return this.#refer(this.#bodyOf(route));
  }

  response(route: Route): Json {
    return this.#refer(this.#responseOf(route));
  }

  /** Of an act that waits for people. */
  pending(): Json {
    return this.#refer(this.#waiting());
  }

  parameter(schema: Exemplary, name: string): unknown {
    return this.#made.of(schema, 'request', name);
  }

  /** Of a file that is text. */
  file(type: string): Json {
    return FILES[type] === undefined ? {} : { example: FILES[type] };
  }

  list(): Record<string, Json> {
    return Object.fromEntries([...this.#listed].map(([name, value]) => [name, { value }]));
  }

  #refer(made: Shared | null): Json {
    if (!made) return {};
    const name = this.#shared.get(JSON.stringify(made.value));
    if (name === undefined) return { example: made.value };
    return { examples: { example: { $ref: `#/components/examples/${name}` } } };
  }

  #bodyOf({ body, bodyKind, example, operation }: Route): Shared | null {
    if (!body || bodyKind === 'raw') return null;
    const { title = `${operation}Body` } = body as { title?: string };
    return { name: title, value: example?.body ?? this.#made.of(body, 'request') };
  }

  #waiting(): Shared {
    return { name: 'PendingApprovalResponse', value: this.#made.of(pendingReply(), 'response') };
  }

  #responseOf(route: Route): Shared | null {
    if (route.replyKind === 'file' || route.replyKind === 'stream') return null;
    const schema = replySchema(route) as TSchema & Exemplary;
    const made = this.#made.of(schema, 'response') as Record<string, unknown>;
    const value = route.example?.data === undefined ? made : { ...made, data: route.example.data };
    return { name: schema.title ?? `${route.operation}Response`, value };
  }

  #freeName({ name, value }: Shared): string {
    const taken = [...this.#listed.keys()].filter((other) => other === name || other.startsWith(`${name}_`)).length;
    const free = taken === 0 ? name : `${name}_${taken + 1}`;
    this.#listed.set(free, value);
    return free;
  }
}

/** The records of which a route has an example, by name, so that they look the same wherever they occur. */
function handWritten(routes: readonly Route[]): Record<string, unknown> {
  return Object.fromEntries(
    routes.flatMap(({ reply, replyKind, example }) => {
      const { title } = reply as { title?: string };
      const [row] = [example?.data].flat();
      return title !== undefined && row !== undefined && replyKind !== 'cursor' ? [[title, row]] : [];
    }),
  );
}
