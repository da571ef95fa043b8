/** Key of the kind of record whose id a schema expects, such as `deal`; it is not part of the document. */
export const ID_KIND: unique symbol = Symbol('kind of id');

/** The parts of a schema that say what a value has to be. */
export type Expecting = {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Expecting[];
  readonly properties?: Readonly<Record<string, Expecting>>;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly uniqueItems?: boolean;
  readonly pattern?: string;
  readonly description?: string;
  readonly [ID_KIND]?: string;
};

/** A bound beyond which no value is meant is not worth a word. */
export const BEYOND = 1_000_000_000;

const FORMATS: Record<string, string> = {
  date: 'a date as YYYY-MM-DD, such as "2026-11-30"',
  'date-time': 'an instant such as "2026-11-30T12:00:00.000Z"',
  'date-or-instant': 'a date such as 2026-11-30, or an instant with its time zone such as 2026-11-30T12:00:00Z',
};

/** What a schema expects, in words. */
export function expectedOf(schema: Expecting): string {
  if (schema[ID_KIND] !== undefined) return `an id that begins with ${schema[ID_KIND]}_`;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return wordsOf(schema.enum);
  // No pattern is readable; the description of such a text says its form.
  if (schema.pattern !== undefined && schema.description) return `text of this form: ${schema.description.replace(/\.$/, '')}`;
  if (schema.anyOf) return [...new Set(schema.anyOf.map(expectedOf))].join(', or ');
  if (schema.format !== undefined && FORMATS[schema.format] !== undefined) return FORMATS[schema.format] ?? '';
  return [schema.type ?? 'value']
    .flat()
    .map((type) => ofType(type, schema))
    .join(' or ');
}

function wordsOf(words: readonly unknown[]): string {
  const [only, ...more] = words.map(String);
  return more.length === 0 ? `"${only}"` : `one of ${[only, ...more].join(', ')}`;
}

function ofType(type: string, schema: Expecting): string {
  switch (type) {
    case 'string':
      return `text${lengths(schema.minLength, schema.maxLength, 'character')}`;
    case 'integer':
      return `a whole number${bounds(schema)}`;
    case 'number':
      return schema.format === 'money'
        ? `an amount${bounds(schema)} with at most 2 decimals, such as 1250000.5`
        : `a number${bounds(schema)}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a list${lengths(schema.minItems, schema.maxItems, 'entry')}${schema.uniqueItems ? ' that all differ' : ''}`;
    case 'object':
      return objectOf(schema);
    default:
      return type === 'null' ? 'null' : 'another value';
  }
}

function objectOf({ properties, required = [], maxProperties }: Expecting): string {
  if (maxProperties !== undefined) return `an object of at most ${maxProperties} names`;
  const names = required.length > 0 ? required : Object.keys(properties ?? {});
  return names.length === 0 ? 'an object in braces' : `an object in braces, with fields such as ${names.slice(0, 3).join(', ')}`;
}

function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Expecting): string {
  const above = exclusiveMinimum === undefined ? null : `above ${exclusiveMinimum}`;
  const below = exclusiveMaximum === undefined ? null : `below ${exclusiveMaximum}`;
  const most = maximum === undefined || maximum >= BEYOND ? null : maximum;
  const least = minimum === undefined || minimum <= -BEYOND ? null : minimum;
  const plain =
    least === null ? most !== null && `of at most ${most}` : most === null ? `from ${least}` : `from ${least} to ${most}`;
  const words = [above, below, plain].filter(Boolean);
  return words.length === 0 ? '' : ` ${words.join(' and ')}`;
}

const PLURALS = { character: 'characters', entry: 'entries' };

function lengths(least: number | undefined, most: number | undefined, unit: keyof typeof PLURALS): string {
  const [from, to] = [least ?? 0, most ?? Number.POSITIVE_INFINITY];
  if (from === to) return ` of ${from} ${from === 1 ? unit : PLURALS[unit]}`;
  if (to === Number.POSITIVE_INFINITY) return from > 0 ? ` of at least ${from} ${from === 1 ? unit : PLURALS[unit]}` : '';
  return from > 0 ? ` of ${from} to ${to} ${PLURALS[unit]}` : ` of at most ${to} ${to === 1 ? unit : PLURALS[unit]}`;
}
