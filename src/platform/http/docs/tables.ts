import type { Description, Parameter, Schema } from './described.ts';
import { escaped, prose } from './shell.ts';

/** A bound beyond which no value is meant is not worth a word. */
const BEYOND = 1_000_000_000;
/** Deeper records are linked to the list of records at the end of the page. */
const DEEPEST = 2;

/** Makes tables of schemas, and remembers the records that they link to. */
export class SchemaTables {
  readonly #description: Description;
  readonly #linked = new Map<string, Schema>();

  constructor(description: Description) {
    this.#description = description;
  }

  parameters(parameters: readonly Parameter[]): string {
    const rows = parameters.map(({ name, in: place, required = false, description = '', schema }) =>
      row(name, required, `${this.#type(schema)}, ${place}`, prose(description) + limitsOf(schema)),
    );
    return table(rows);
  }

  body(schema: Schema): string {
    const { name = '', schema: record } = this.#description.record(schema) ?? { schema };
    if (record.properties) return this.#fields(record, 0);
    return `<p class="type">${name ? `<code>${name}</code>: ` : ''}${this.#type(record)}</p>${this.#below(record, 0)}`;
  }

  /** The records that were linked to, each once, with those that they link to. */
  records(): string {
    const written = new Map<string, string>();
    for (let left = this.#missing(written); left.length > 0; left = this.#missing(written))
      for (const [name, schema] of left) written.set(name, this.#record(name, schema));
    const parts = [...written].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, html]) => html);
    return parts.length === 0 ? '' : `<section id="records"><h2>Records</h2>\n${parts.join('\n')}</section>`;
  }

  #missing(written: ReadonlyMap<string, string>): [string, Schema][] {
    return [...this.#linked].filter(([name]) => !written.has(name));
  }

  #record(name: string, schema: Schema): string {
    const inside = schema.properties ? this.#fields(schema, DEEPEST) : `<p class="type">${this.#type(schema)}</p>`;
    return `<details id="record-${name}"><summary><code>${name}</code></summary>${prose(schema.description ?? '')}${inside}</details>`;
  }

  #fields(schema: Schema, depth: number): string {
    const required = new Set(schema.required);
    const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => {
      const about = field.description ?? this.#description.record(field)?.schema.description ?? '';
      return row(name, required.has(name), this.#type(field), prose(about) + limitsOf(field) + this.#below(field, depth + 1));
    });
    return table(rows);
  }

  /** The records inside a field, folded. */
  #below(field: Schema, depth: number): string {
    return this.#parts(field)
      .map((part) => {
        const { name = '', schema } = this.#description.record(part) ?? { schema: part };
        if (!schema.properties) return '';
        if (depth > DEEPEST && name) return this.#link(name, schema);
        return `<details><summary>${name ? `<code>${name}</code>` : 'Fields'}</summary>${this.#fields(schema, depth)}</details>`;
      })
      .join('');
  }

  #link(name: string, schema: Schema): string {
    this.#linked.set(name, schema);
    return ` <a href="#record-${name}"><code>${name}</code></a>`;
  }

  #parts(field: Schema): Schema[] {
    const inner = [...(field.items ? [field.items] : []), ...Object.values(field.patternProperties ?? {})];
    const branches = [...(field.anyOf ?? []), ...(field.oneOf ?? []), ...(field.allOf ?? [])];
    const below = [...inner, ...branches];
    return below.length === 0 ? [field] : below.flatMap((part) => this.#parts(part));
  }

  #type(schema: Schema): string {
    const record = this.#description.record(schema);
    if (record) return record.schema.enum ? words(record.schema.enum) : escaped(record.name);
    if (schema.const !== undefined) return words([schema.const]);
    if (schema.enum) return words(schema.enum);
    const branches = schema.anyOf ?? schema.oneOf;
    if (branches) return [...new Set(branches.map((branch) => this.#type(branch)))].join(' or ');
    const types = [schema.type ?? 'any'].flat();
    if (types.includes('array')) return `list of ${this.#type(schema.items ?? {})}`;
    return types.map((type) => (type === 'string' && schema.format ? escaped(schema.format) : type)).join(' or ');
  }
}

const words = (values: readonly unknown[]): string =>
  values.map((value) => `<code>${escaped(String(value))}</code>`).join('<wbr> ');

const row = (name: string, required: boolean, type: string, about: string): string =>
  `<tr><td><code>${escaped(name)}</code>${required ? ' <span class="needed">required</span>' : ''}</td><td><span class="type">${type}</span> ${about}</td></tr>`;

const table = (rows: readonly string[]): string =>
  rows.length === 0 ? '' : `<div class="wide"><table>${rows.join('')}</table></div>`;

function limitsOf({ minimum, maximum, minItems, maxItems, minLength, maxLength, pattern, default: preset }: Schema): string {
  const between = (least: number | undefined, most: number | undefined, unit: string): string | null =>
    least === undefined && most === undefined
      ? null
      : `${least === undefined ? 'at most ' : `${least} to `}${most ?? '…'}${unit}`;
  const limits = [
    between(minimum, maximum !== undefined && maximum > BEYOND ? undefined : maximum, ''),
    between(minItems, maxItems, ' entries'),
    between(minLength, maxLength, ' characters'),
    pattern === undefined ? null : `<code>${escaped(pattern)}</code>`,
    preset === undefined ? null : `default <code>${escaped(JSON.stringify(preset))}</code>`,
  ].filter((limit) => limit !== null);
  return limits.length === 0 ? '' : ` <span class="type">(${limits.join('; ')})</span>`;
}
