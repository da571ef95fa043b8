import type { Json } from './openapi-components.ts';

/** A parameter or response of an operation, and its name as a component. */
export type Part = { name: string; value: Json };

/** Parts that many operations share: written once among the components and referred to. */
export class SharedParts {
  readonly #section: 'parameters' | 'responses';
  readonly #texts: ReadonlyMap<Part, string>;
  readonly #shared: ReadonlyMap<string, Part>;

  /** `all` is every part of every operation. Where a name has two values that recur, neither is shared. */
  constructor(section: 'parameters' | 'responses', all: readonly Part[]) {
    this.#section = section;
    this.#texts = new Map(all.map((part) => [part, JSON.stringify(part.value)]));
    const recurring = [...Map.groupBy(all, (part) => this.#texts.get(part)).values()].filter((same) => same.length > 1);
    const byName = Map.groupBy(
      recurring.flatMap(([part]) => (part ? [part] : [])),
      (part) => part.name,
    );
    this.#shared = new Map([...byName].flatMap(([name, [part, other]]) => (part && !other ? [[name, part]] : [])));
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
