import type { TSchema } from 'typebox';
import { MOST_PROBLEMS } from './most-problems.ts';
import { nearestName } from './nearest.ts';
import { visible } from './shown.ts';

/** The parts of a schema that say which fields a value may have. */
type Shape = {
  type?: string | string[];
  properties?: Record<string, Shape>;
  patternProperties?: Record<string, Shape>;
  required?: readonly string[];
  items?: Shape;
  anyOf?: readonly Shape[];
  enum?: readonly unknown[];
  const?: unknown;
};

/** A field that a schema does not have. `path` is a JSON path such as `tranches[1].coupon.marginn_bp`. */
export type UnknownField = { path: string; nearest: string | null; message: string };

const LONGEST_NAME = 64;

/**
 * Fields of a value that the schema of a body does not have, at any depth; at most `MOST_PROBLEMS`. The value has been validated. Where a schema is one
 * of several, the fields are those of the alternative that fits best. An object schema without properties is open.
 */
export function findUnknownFields(schema: TSchema, value: unknown): UnknownField[] {
  return walk(schema, value, '').take(MOST_PROBLEMS).toArray();
}

/** The finding about a name that is not among the known ones. */
export function unknownField(path: string, name: string, known: readonly string[]): UnknownField {
  const found = nearestName(name, known);
  const hint = found?.alike ? `did you mean ${found.nearest}? ` : '';
  const message = `there is no field "${visible(name.slice(0, LONGEST_NAME).toWellFormed())}" here; ${hint}expected one of ${known.join(', ')}`;
  return { path, nearest: found?.nearest ?? null, message };
}

/** One after the other: what is meant by a name takes long to find, and of a hundred thousand unknown ones the first hundred are asked for. */
function* walk(schema: Shape, value: unknown, path: string): Generator<UnknownField> {
  if (schema.anyOf) yield* walkAlternatives(schema.anyOf, value, path);
  else if (Array.isArray(value)) {
    const { items } = schema;
    if (items) for (const [index, each] of value.entries()) yield* walk(items, each, `${path}[${index}]`);
  } else if (isRecord(value) && (schema.properties ?? schema.patternProperties) !== undefined) {
    const known = Object.keys(schema.properties ?? {});
    for (const [name, each] of Object.entries(value)) {
      const own = fieldSchema(schema, name);
      const fieldPath = `${path === '' ? '' : `${path}.`}${name.slice(0, LONGEST_NAME)}`;
      if (own) yield* walk(own, each, fieldPath);
      else yield unknownField(fieldPath, name, known);
    }
  }
}

/** The schema of a field; a name of an open record may hold a line break. */
function fieldSchema({ properties = {}, patternProperties = {} }: Shape, name: string): Shape | undefined {
  if (Object.hasOwn(properties, name)) return properties[name];
  return Object.entries(patternProperties).find(([pattern]) => new RegExp(pattern, 'su').test(name))?.[1];
}

/** The findings of the alternative that the value fits best: the one with the fewest, among those whose required fields it has. */
function walkAlternatives(alternatives: readonly Shape[], value: unknown, path: string): UnknownField[] {
  const fitting = alternatives.filter((each) => fits(each, value));
  const findings = (fitting.length > 0 ? fitting : alternatives).map((each) =>
    walk(each, value, path).take(MOST_PROBLEMS).toArray(),
  );
  return findings.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** Whether a value has the kind of a schema, its required fields, and the words that tell it from other alternatives. */
function fits(schema: Shape, value: unknown): boolean {
  if (schema.anyOf) return schema.anyOf.some((each) => fits(each, value));
  if (schema.enum) return schema.enum.includes(value);
  if (schema.const !== undefined) return schema.const === value;
  if (!isRecord(value)) return schema.type !== 'object' && (schema.type === 'array') === Array.isArray(value);
  if (schema.type !== 'object') return false;
  const words = Object.entries(schema.properties ?? {}).filter(
    ([name, each]) => Object.hasOwn(value, name) && (each.enum || 'const' in each),
  );
  return (
    (schema.required ?? []).every((name) => Object.hasOwn(value, name)) && words.every(([name, each]) => fits(each, value[name]))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
