import Type, { type TObject, type TObjectOptions, type TProperties, type TSchema, type TString, type TUnsafe } from 'typebox';

/*
 * The OpenAPI document shows a schema with a title once, as a component of that name; equal schemas elsewhere refer to it. Generated
 * clients get a type of that name. The server itself uses every schema inline.
 */

export const named = <Properties extends TProperties>(name: string, properties: Properties): TObject<Properties> =>
  Type.Object(properties, { title: name });

export const namedOneOf = <const Values extends readonly string[]>(
  name: string,
  values: Values,
  description?: string,
): TUnsafe<Values[number]> =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, title: name, ...(description ? { description } : {}) });

/** A record whose names meet a schema. As the key of `Type.Record` that schema would become a pattern, and its bounds would not be checked. */
export const recordOf = <Value extends TSchema>(names: TString, value: Value, options: TObjectOptions = {}) =>
  Type.Record(Type.String(), value, { propertyNames: names, ...options });
