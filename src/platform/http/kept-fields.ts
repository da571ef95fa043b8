import type { TSchema } from 'typebox';

/** Why a value of a request or response is not kept. */
export const OMISSIONS = ['SECRET', 'ADDRESS', 'LOAN', 'TEXT', 'OPEN', 'INVALID', 'FILE', 'ROWS'] as const;
export type Omission = (typeof OMISSIONS)[number];

/** A field that was left out: its path in the schema, and how many values of it. */
export type OmittedField = { path: string; reason: Omission; count: number };

/** What is kept of a value: JSON of at most the given number of bytes, and what was left out. */
export type Kept = {
  json: string | null;
  /** The value was larger than what may be kept: its end is missing, also in the counts below. */
  truncated: boolean;
  /** Fields that the schema does not have. */
  unknownFields: number;
  omitted: OmittedField[];
};

export type KeepOptions = {
  /** Fields that are never kept, beside those whose names say so. */
  secretFields?: readonly string[];
  /** Fields whose text names a thing and no person. */
  labels: ReadonlySet<string>;
  /** The value is the platform's own: fields that the schema lacks are not sent and not counted, and numbers may be decimal text. */
  own?: boolean;
  /** Whether the rows of the list under `data` are left out and only counted. */
  withoutRows?: boolean;
};

type Shape = {
  type?: string | string[];
  properties?: Record<string, Shape>;
  patternProperties?: Record<string, Shape>;
  required?: readonly string[];
  items?: Shape;
  anyOf?: readonly Shape[];
  enum?: readonly unknown[];
  const?: unknown;
  format?: string;
  pattern?: string;
};

/** Writes what may be kept of a value, or undefined. */
type Keep = (value: unknown, out: Out) => string | undefined;

type Field = { path: string; reason: Omission; in?: Out; entry?: OmittedField };

class Out {
  left: number;
  truncated = false;
  unknownFields = 0;
  readonly omitted: OmittedField[] = [];

  constructor(bytes: number) {
    this.left = bytes;
  }

  omit(field: Field, count = 1): undefined {
    // A field remembers its last entry: looking it up for every value would cost more than the rest.
    if (field.in === this && field.entry) field.entry.count += count;
    else {
      field.in = this;
      this.omitted.push((field.entry = { path: field.path, reason: field.reason, count }));
    }
    return undefined;
  }

  /** The text, if there is room for it. */
  take(text: string, bytes = text.length): string | undefined {
    if (this.left < bytes) {
      this.truncated = true;
      return undefined;
    }
    this.left -= bytes;
    return text;
  }
}

// What is never kept goes by the names of fields, so that a route which is added later has its secrets left out too.
const SECRET = /(secret|token|password|credential|signature|csrf|cookie|authorization|cursor|api_?key)s?$/i;
const ADDRESS = /(^|_)(url|headers)$|[a-z]Url$/;
const LOAN = /^(loans?|loan_ids?|actual|samples?|values|_row)$/;
/** An object with one of these fields is a row of a tape, or says something about one. */
const OF_A_ROW = ['loan', 'loan_id', 'row', '_row', 'row_number'];
/** Beside one of these a name is that of a person, or of a file about one. */
const OF_A_PERSON = ['email', 'emails', 'documentType', 'document_type', 'requester'];

const ID = /^[a-z]{2,6}_[0-9a-z]{20,40}(?:_\d{1,9})?$/;
const LABEL = /^[\p{L}\p{N}][\p{L}\p{N} _.,:;&/()%+#'’-]{0,79}$/u;
/** Numbers that stand for persons and accounts, and texts as long as a token: never a part of a label. */
const NO_LABEL = /\d{7}|\d{3}-\d{2}-\d{4}|[\w-]{33}|\beyJ|whsec_/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]{5,18}(?:Z|[+-]\d{2}:\d{2})$/;
const NUMBER = /^-?\d{1,20}(?:\.\d{1,20})?$/;
const LONGEST_PATTERN_TEXT = 64;

export const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value);

/**
 * Derives from a schema what may be kept of its values: numbers, booleans, dates, identifiers of the platform, the words that the schema
 * lists, and labels, each only where it is valid; of fields that the schema does not have, their number. Free text, open records, secrets,
 * addresses and everything about single loans are left out and named with the reason. The work is bounded by the bytes that may be kept.
 */
export function keeperOf(schema: TSchema, options: KeepOptions): (value: unknown, bytes: number) => Kept {
  const keep = new Compiler(options).compile(schema, '', '');
  return (value, bytes) => {
    const out = new Out(bytes);
    const json = keep(value, out) ?? null;
    return { json, truncated: out.truncated, unknownFields: out.unknownFields, omitted: out.omitted };
  };
}

class Compiler {
  readonly #secretFields: readonly string[];
  readonly #labels: ReadonlySet<string>;
  readonly #own: boolean;
  readonly #withoutRows: boolean;

  constructor({ secretFields = [], labels, own = false, withoutRows = false }: KeepOptions) {
    this.#withoutRows = withoutRows;
    this.#secretFields = secretFields;
    this.#labels = labels;
    this.#own = own;
  }

  /** `name` is that of the field which has the value, or whose list has it. */
  compile(schema: Shape, name: string, path: string, personal = false): Keep {
    const never = this.#neverKept(schema, name);
    if (never) return omitAll({ path, reason: never });
    if (schema.anyOf) return this.#alternatives(schema.anyOf, name, path, personal);
    if (schema.const !== undefined) return wordOf([schema.const], { path, reason: 'INVALID' });
    if (schema.enum) return wordOf(schema.enum, { path, reason: 'INVALID' });
    const types = [schema.type ?? []].flat();
    const keeps = types.filter((type) => type !== 'null').map((type) => this.#ofType(type, schema, name, path, personal));
    const [only = omitAll({ path, reason: 'OPEN' })] = keeps;
    const keep = keeps.length < 2 ? only : firstOf(keeps, { path, reason: 'INVALID' });
    return types.includes('null') ? (value, out) => (value === null ? out.take('null') : keep(value, out)) : keep;
  }

  #neverKept(schema: Shape, name: string): Omission | null {
    if (SECRET.test(name) || this.#secretFields.includes(name)) return 'SECRET';
    if (ADDRESS.test(name)) return 'ADDRESS';
    // As a number `loans` is how many there are.
    if (LOAN.test(name) && !(/^loans?$/.test(name) && isCount(schema))) return 'LOAN';
    return schema.properties && isAboutLoans(schema.properties) ? 'LOAN' : null;
  }

  #ofType(type: string, schema: Shape, name: string, path: string, personal: boolean): Keep {
    const invalid: Field = { path, reason: 'INVALID' };
    switch (type) {
      case 'object':
        return this.#object(schema, path);
      case 'array':
        return this.#array(schema, name, path, personal);
      case 'boolean':
        return (value, out) => (typeof value === 'boolean' ? out.take(String(value)) : out.omit(invalid));
      case 'number':
      case 'integer':
        return numberKeep(invalid, this.#own);
      case 'string':
        return this.#text(schema, name, path, personal);
      default:
        return omitAll({ path, reason: 'OPEN' });
    }
  }

  #object({ properties }: Shape, path: string): Keep {
    const invalid: Field = { path, reason: 'INVALID' };
    // The names of an open record are the sender's own words.
    if (!properties) return omitAll({ path, reason: 'OPEN' });
    const personal = OF_A_PERSON.some((name) => Object.hasOwn(properties, name));
    const fields = Object.entries(properties).map(([name, schema]) => ({
      name,
      head: `${JSON.stringify(name)}:`,
      keep: this.compile(schema, name, path === '' ? name : `${path}.${name}`, personal),
    }));
    const own = this.#own;
    return (value, out) => {
      if (!isRecord(value)) return out.omit(invalid);
      if (out.take('{}') === undefined) return undefined;
      let text = '';
      let present = 0;
      for (const { name, head, keep } of fields) {
        const each = own || Object.hasOwn(value, name) ? value[name] : undefined;
        if (each === undefined) continue;
        present += 1;
        // What encloses a value is paid for first, so that a value that fills the room has its place.
        if (out.truncated || out.take(head, head.length + 1) === undefined) continue;
        const kept = keep(each, out);
        if (kept === undefined) out.left += head.length + 1;
        else text += `${text === '' ? '' : ','}${head}${kept}`;
      }
      if (!own) out.unknownFields += Object.keys(value).length - present;
      return `{${text}}`;
    };
  }

  #array({ items }: Shape, name: string, path: string, personal: boolean): Keep {
    const invalid: Field = { path, reason: 'INVALID' };
    const below = `${path}[]`;
    const rows = this.#withoutRows && path === 'data' ? 'ROWS' : null;
    const never = items ? (this.#neverKept(items, name) ?? rows) : 'OPEN';
    if (!items || never) {
      const field: Field = { path: below, reason: never ?? 'OPEN' };
      return (value, out) => {
        if (!Array.isArray(value)) return out.omit(invalid);
        return value.length === 0 ? out.take('[]') : out.omit(field, value.length);
      };
    }
    const keep = this.compile(items, name, below, personal);
    return (value, out) => {
      if (!Array.isArray(value)) return out.omit(invalid);
      if (out.take('[]') === undefined) return undefined;
      let text = '';
      for (const each of value) {
        if (out.take(',') === undefined) break;
        const kept = keep(each, out);
        if (out.truncated) break;
        if (kept === undefined) out.left += 1;
        else text += `${text === '' ? '' : ','}${kept}`;
      }
      return `[${text}]`;
    };
  }

  #text({ format, pattern }: Shape, name: string, path: string, personal: boolean): Keep {
    const text: Field = { path, reason: 'TEXT' };
    const invalid: Field = { path, reason: 'INVALID' };
    if (format === 'date' || format === 'date-time' || format === 'date-or-instant')
      return (value, out) => {
        const shown = value instanceof Date ? value.toISOString() : value;
        if (typeof shown !== 'string' || !(DATE.test(shown) || INSTANT.test(shown))) return out.omit(invalid);
        return out.take(`"${shown}"`);
      };
    const expected = pattern === undefined ? null : new RegExp(pattern, 'u');
    const label = this.#labels.has(name) && !personal;
    return (value, out) => {
      if (typeof value !== 'string') return out.omit(invalid);
      if (ID.test(value)) return out.take(`"${value}"`);
      if (expected ? value.length <= LONGEST_PATTERN_TEXT && expected.test(value) : label && LABEL.test(value)) {
        if (NO_LABEL.test(value)) return out.omit(text);
        const json = JSON.stringify(value);
        return out.take(json, Buffer.byteLength(json));
      }
      return out.omit(text);
    };
  }

  #alternatives(schemas: readonly Shape[], name: string, path: string, personal: boolean): Keep {
    const each = schemas.map((schema) => ({ schema, keep: this.compile(schema, name, path, personal) }));
    const invalid: Field = { path, reason: 'INVALID' };
    return (value, out) => {
      const fitting = each.filter(({ schema }) => fits(schema, value));
      const [best] = isRecord(value) ? fitting.toSorted((a, b) => knownOf(b.schema, value) - knownOf(a.schema, value)) : fitting;
      return best ? best.keep(value, out) : out.omit(invalid);
    };
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A row of a tape, or a group of its rows, which may be a single one: figures with a number of loans that are no record's. */
function isAboutLoans(properties: Record<string, Shape>): boolean {
  const names = Object.keys(properties);
  if (OF_A_ROW.some((name) => names.includes(name))) return true;
  return names.includes('loan_count') && !names.some((name) => name === 'id' || name.endsWith('_id'));
}

const isCount = ({ type }: Shape): boolean => type === 'integer' || type === 'number' || type === 'boolean';

const omitAll =
  (field: Field): Keep =>
  (value, out) =>
    // That there is no value says nothing about it.
    value === null ? out.take('null') : out.omit(field, Array.isArray(value) ? Math.max(1, value.length) : 1);

function wordOf(words: readonly unknown[], invalid: Field): Keep {
  const known = new Map(words.map((word) => [word, JSON.stringify(word)]));
  return (value, out) => {
    const json = known.get(value);
    return json === undefined ? out.omit(invalid) : out.take(json, Buffer.byteLength(json));
  };
}

const numberKeep =
  (invalid: Field, own: boolean): Keep =>
  (value, out) => {
    if (typeof value === 'number' && Number.isFinite(value)) return out.take(String(value));
    return own && typeof value === 'string' && NUMBER.test(value) ? out.take(value) : out.omit(invalid);
  };

/** Tries the types of a value that may have several. */
function firstOf(keeps: readonly Keep[], invalid: Field): Keep {
  return (value, out) => {
    for (const keep of keeps) {
      const trial = new Out(out.left);
      const text = keep(value, trial);
      if (text !== undefined) return out.take(text, out.left - trial.left);
      if (trial.omitted.some(({ reason }) => reason !== 'INVALID')) {
        out.omitted.push(...trial.omitted);
        return undefined;
      }
    }
    return out.omit(invalid);
  };
}

function fits(schema: Shape, value: unknown): boolean {
  if (schema.anyOf) return schema.anyOf.some((each) => fits(each, value));
  if (schema.enum) return schema.enum.includes(value);
  if (schema.const !== undefined) return schema.const === value;
  if (schema.type === undefined) return true;
  return [schema.type].flat().some((type) => isOfType(type, value)) && (!isRecord(value) || fitsFields(schema, value));
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isRecord(value) && !(value instanceof Date);
  if (type === 'integer') return typeof value === 'number';
  return typeof value === type || (type === 'string' && value instanceof Date);
}

/** Whether an object has the fields that the alternative requires, and the words that tell it from others. */
function fitsFields({ properties = {}, required = [] }: Shape, value: Record<string, unknown>): boolean {
  const words = Object.entries(properties).filter(([name, { enum: listed, const: word }]) => {
    return Object.hasOwn(value, name) && (listed !== undefined || word !== undefined);
  });
  return required.every((name) => Object.hasOwn(value, name)) && words.every(([name, each]) => fits(each, value[name]));
}

const knownOf = ({ properties = {} }: Shape, value: Record<string, unknown>): number =>
  Object.keys(value).filter((name) => Object.hasOwn(properties, name)).length;
