import Type, { type TObject, type TProperties, type TUnsafe } from 'typebox';

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
