import type { ValidationError } from './validation-error.ts';

/** The parts of a schema that tell one alternative from another. */
type Shape = {
  type?: string | readonly string[];
  properties?: Readonly<Record<string, Shape>>;
  anyOf?: readonly Shape[];
  enum?: readonly unknown[];
  const?: unknown;
};

/**
 * A value that meets none of several alternatives has the findings of each. Of those the findings of the alternative that was meant are
 * left: the one whose kind and distinguishing words the value has. Where none was meant, one finding names the alternatives.
 */
export function findingsOfMeant(findings: readonly ValidationError[]): ValidationError[] {
  const outer = findings.filter(({ keyword }) => keyword === 'anyOf').toSorted(byDepth)[0];
  if (!outer) return [...findings];
  const inside = findings.filter((each) => isInside(each, outer));
  const rest = findings.filter((each) => each !== outer && !inside.includes(each));
  return [...findingsOfMeant(meant(outer, inside)), ...findingsOfMeant(rest)];
}

const byDepth = (a: ValidationError, b: ValidationError): number => a.schemaPath.length - b.schemaPath.length;

const isInside = (each: ValidationError, outer: ValidationError): boolean =>
  each.schemaPath.startsWith(`${outer.schemaPath}/`) &&
  (each.instancePath === outer.instancePath || each.instancePath.startsWith(`${outer.instancePath}/`));

function meant(outer: ValidationError, inside: readonly ValidationError[]): ValidationError[] {
  const alternatives = (outer.schema as readonly Shape[]).map((shape, index) => ({
    shape,
    findings: inside.filter(({ schemaPath }) => schemaPath.startsWith(`${outer.schemaPath}/${index}/`)),
  }));
  const ofKind = alternatives.filter(({ shape }) => isOfKind(shape, outer.data));
  const distinguishing = (name: string) => ofKind.filter(({ shape }) => isWorded(shape, name)).length > 1;
  const worded = ofKind.filter(({ shape }) => hasWords(shape, outer.data, distinguishing));
  const [fewest, next] = worded.toSorted(
    (a, b) => a.findings.length - b.findings.length || fieldsOf(b.shape, outer.data) - fieldsOf(a.shape, outer.data),
  );
  if (fewest && (next === undefined || isComposite(outer.data))) return fewest.findings;
  return [wrongWord(outer, ofKind) ?? { ...outer, keyword: 'alternatives' }];
}

/** How many of the fields of an alternative the value has. */
const fieldsOf = ({ properties = {} }: Shape, value: unknown): number =>
  isComposite(value) ? Object.keys(properties).filter((name) => Object.hasOwn(value, name)).length : 0;

const isComposite = (value: unknown): value is object => typeof value === 'object' && value !== null;

function isOfKind(shape: Shape, value: unknown): boolean {
  if (shape.anyOf) return shape.anyOf.some((each) => isOfKind(each, value));
  if (shape.const !== undefined) return typeof shape.const === typeof value;
  return shape.type === undefined || [shape.type].flat().some((type) => TYPES[type]?.(value) ?? false);
}

const TYPES: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: (value) => isComposite(value) && !Array.isArray(value),
};

/** Whether a schema, or one of its own alternatives, fixes a field to certain words. */
function isWorded({ anyOf, properties = {} }: Shape, name: string): boolean {
  if (anyOf) return anyOf.some((each) => isWorded(each, name));
  return properties[name]?.enum !== undefined || properties[name]?.const !== undefined;
}

/** Whether every field that tells alternatives apart, and that a schema fixes to certain words, has one of them. */
function hasWords(shape: Shape, value: unknown, distinguishing: (name: string) => boolean): boolean {
  if (shape.anyOf) return shape.anyOf.some((each) => hasWords(each, value, distinguishing));
  return Object.entries(shape.properties ?? {}).every(
    ([name, field]) =>
      !isComposite(value) ||
      !Object.hasOwn(value, name) ||
      !distinguishing(name) ||
      hasWord(field, (value as Record<string, unknown>)[name]),
  );
}

function hasWord(field: Shape, value: unknown): boolean {
  if (field.const !== undefined) return field.const === value;
  return field.enum === undefined || field.enum.includes(value);
}

/** The finding about a field whose word no alternative has. */
function wrongWord(outer: ValidationError, ofKind: readonly { shape: Shape }[]): ValidationError | null {
  if (!isComposite(outer.data) || Array.isArray(outer.data)) return null;
  for (const [name, value] of Object.entries(outer.data)) {
    const fields = ofKind.flatMap(({ shape }) => shape.properties?.[name] ?? []);
    const words = new Set(fields.flatMap((field) => field.enum ?? (field.const === undefined ? [] : [field.const])));
    if (words.size === 0 || words.has(value)) continue;
    return {
      ...outer,
      instancePath: `${outer.instancePath}/${name}`,
      keyword: 'enum',
      params: { allowedValues: [...words] },
      data: value,
      parentSchema: { enum: [...words] },
    };
  }
  return null;
}
