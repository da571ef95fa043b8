import { exampleNumber, exampleText } from './example-values.ts';
import { type Expecting } from './expectations.ts';

/** A schema with what an example has to know of it beside its bounds. */
export type Exemplary = Expecting & {
  readonly title?: string;
  readonly default?: unknown;
  readonly items?: Exemplary;
  readonly properties?: Readonly<Record<string, Exemplary>>;
  readonly anyOf?: readonly Exemplary[];
  readonly oneOf?: readonly Exemplary[];
  readonly allOf?: readonly Exemplary[];
  readonly patternProperties?: Readonly<Record<string, Exemplary>>;
  readonly additionalProperties?: boolean | Exemplary;
  readonly propertyNames?: Exemplary;
};

/**
 * Values of fields by name, by `Record.name` for the field of one record, or by `Record` for a whole one. A value counts where the
 * type of the schema has it.
 */
export type KnownValues = Readonly<Record<string, unknown>>;

/** What a program knows of its fields, and the words of enumerations that an example shows where they are listed. */
export type Known = { values: KnownValues; words: readonly string[] };

type Place = { name: string; record: string; index: number; depth: number };
/** A request has what is required; a response has every field. */
type Use = 'request' | 'response';

const DEEPEST = 7;
/** What is null while nothing has gone wrong, nothing was replaced and nothing has ended. */
const USUALLY_NULL =
  /^(error|failure|reason|problem|doc_url|disabled|failing|revoked|cancelled|withdrawn|rejected_|failed_at|deleted|destroyed|previous|next_|restates|replay_of|rotated_from|merged_into|accepted_at|restated_at|archived_|read_at|unreadable|withheld|samples_withheld|missing|omitted|resolved|decided|closed|waiting|superseded)|_reason$|_error$|_withheld$/;

/** Makes examples of schemas: the same for the same schema, and plausible by the names and descriptions of its fields. */
export class Examples {
  readonly #known: KnownValues;
  readonly #words: readonly string[];

  constructor({ values, words }: Known) {
    this.#known = values;
    this.#words = words;
  }

  of(schema: Exemplary, use: Use, name = ''): unknown {
    return this.#value(schema, use, { name, record: '', index: 0, depth: 0 });
  }

  #value(schema: Exemplary, use: Use, place: Place): unknown {
    if (schema.const !== undefined) return schema.const;
    if (accepts(schema, 'null') && USUALLY_NULL.test(place.name)) return null;
    const known = this.#knownValue(schema, place);
    if (known !== undefined) return known;
    if (schema.enum) return this.#word(schema.enum, place.index);
    if (schema.type === 'null') return null;
    const branches = (schema.anyOf ?? schema.oneOf)?.filter((branch) => branch.type !== 'null');
    if (branches?.[0]) return this.#value(branches[0], use, place);
    if (schema.allOf) return Object.assign({}, ...schema.allOf.map((part) => this.#value(part, use, place)));
    switch ([schema.type].flat().find((type) => type !== 'null')) {
      case 'string':
        return exampleText(schema, place.name, place.index);
      case 'number':
      case 'integer':
        return exampleNumber(schema, place.name, place.index);
      case 'boolean':
        return !/_omitted$|^more|^unreadable|^truncated|^replayed/.test(place.name);
      case 'array':
        return this.#list(schema, use, place);
      default:
        return this.#record(schema, use, place);
    }
  }

  #word(values: readonly unknown[], index: number): unknown {
    const words = values.filter((value) => value !== null);
    const usual = this.#words.find((word) => words.includes(word));
    return index === 0 && usual !== undefined ? usual : words[index % words.length];
  }

  #knownValue(schema: Exemplary, { name, record, index }: Place): unknown {
    const candidates = [schema.title ?? '', `${record}.${name}`, name].map((key) => this.#known[key]);
    const found = candidates.find((value) => value !== undefined && isOf(schema, value));
    return index > 0 && typeof found === 'string' ? undefined : found;
  }

  #list(schema: Exemplary, use: Use, place: Place): unknown[] {
    const { items = {}, minItems = 0 } = schema;
    const length = Math.max(minItems, place.depth > DEEPEST ? 0 : 1);
    const below = { name: place.name.replace(/s$/, ''), record: place.record, depth: place.depth + 1 };
    return Array.from({ length }, (_, index) => this.#value(items, use, { ...below, index }));
  }

  #record(schema: Exemplary, use: Use, place: Place): Record<string, unknown> {
    const record = schema.title ?? place.record;
    const below = { record, index: 0, depth: place.depth + 1 };
    const required = new Set(schema.required);
    const fields = Object.entries(schema.properties ?? {});
    const shown = fields.filter(([name]) => required.has(name) || (use === 'response' && place.depth < DEEPEST));
    const chosen = shown.length === 0 ? fields.slice(0, 1) : shown;
    const entry = Object.values(schema.patternProperties ?? {})[0] ?? schema.additionalProperties;
    if (fields.length > 0 || typeof entry !== 'object')
      return Object.fromEntries(chosen.map(([name, field]) => [name, this.#value(field, use, { ...below, name })]));
    const key = String(this.#value(schema.propertyNames ?? { type: 'string' }, use, { ...below, name: `${place.name}{}` }));
    return { [key]: this.#value(entry, use, { ...below, name: place.name }) };
  }
}

const accepts = (schema: Exemplary, type: string): boolean =>
  [schema.type].flat().includes(type) || (schema.anyOf ?? []).some((branch) => accepts(branch, type));

/** Whether a value is of a type of the schema, one of its words and within its bounds. */
function isOf(schema: Exemplary, value: unknown): boolean {
  if (schema.const !== undefined) return schema.const === value;
  if (schema.enum) return schema.enum.includes(value);
  const branches = schema.anyOf ?? schema.oneOf;
  if (branches) return branches.some((branch) => isOf(branch, value));
  if (schema.type === undefined) return true;
  if (typeof value === 'number' && (value < (schema.minimum ?? value) || value > (schema.maximum ?? value))) return false;
  if (![schema.type].flat().some((type) => typeOf(value).includes(type))) return false;
  if (Array.isArray(value)) return value.every((each) => isOf(schema.items ?? {}, each));
  return typeof value !== 'object' || value === null || hasFields(schema, value);
}

function hasFields({ required = [], properties = {} }: Exemplary, value: object): boolean {
  const fields = new Map<string, unknown>(Object.entries(value));
  return required.every((name) => fields.has(name) && isOf(properties[name] ?? {}, fields.get(name)));
}

function typeOf(value: unknown): readonly string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['number', 'integer'] : ['number'];
  return [typeof value];
}
