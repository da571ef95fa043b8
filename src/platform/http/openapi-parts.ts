import type { Json } from './openapi-components.ts';

/** A parameter or response of an operation, and its name as a component. */
export type Part = { name: string; value: Json };

/** How many times as often as any other of its name the value of a part is used that nearly all have. */
const NEARLY_ALL = 5;

/** Parts that many operations share: written once among the components and referred to. */
export class SharedParts {
  readonly #section: 'parameters' | 'responses';
  readonly #texts: ReadonlyMap<Part, string>;
  readonly #shared: ReadonlyMap<string, Part>;

  /** `all` is every part of every operation. Where a name has two values that recur, neither is shared, unless nearly all have one of them. */
  constructor(section: 'parameters' | 'responses', all: readonly Part[]) {
    this.#section = section;
    this.#texts = new Map(all.map((part) => [part, JSON.stringify(part.value)]));
    const recurring = [...Map.groupBy(all, (part) => this.#texts.get(part)).values()].filter((same) => same.length > 1);
    const byName = Map.groupBy(
      recurring.toSorted((a, b) => b.length - a.length),
      ([part]) => part?.name ?? '',
    );
    const common = [...byName].flatMap(([name, [most = [], second = []]]) =>
      most[0] && most.length > NEARLY_ALL * second.length ? [[name, most[0]] as const] : [],
    );
    this.#shared = new Map(common);
  }

  refer(part: Part): Json {
    const shared = this.#shared.get(part.name);
    if (!shared || this.#texts.get(shared) !== this.#texts.get(part)) return part.value;
    return { $ref: `#/components/${this.#section}/${part.name}` };
  }

  list(): Record<string, Json> {
    const sorted = [...this.#shared.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
    return Object.fromEntries(sorted.map(({ name, value }) => [name, value]));
  }
}
