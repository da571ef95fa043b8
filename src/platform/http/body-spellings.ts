import type { TSchema } from 'typebox';
import { invalidField } from './errors.ts';

type Shape = TSchema & { properties?: Record<string, Shape>; items?: Shape; maxItems?: number };

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Whether a body has fields in camelCase, which the specification uses for uploads only. */
export const hasOtherSpelling = (schema: Shape): boolean =>
  Object.entries(schema.properties ?? {}).some(([name, each]) => snake(name) !== name || hasOtherSpelling(each)) ||
  (schema.items !== undefined && hasOtherSpelling(schema.items));

/** Renames fields in snake_case, the spelling of the rest of the API, to the route's camelCase; a body with both spellings is refused. */
export function takeOtherSpelling(schema: Shape, value: unknown, path = ''): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    // One that is too long is refused as it is.
    if (!schema.items || value.length > (schema.maxItems ?? Infinity)) return;
    for (const [index, each] of value.entries()) takeOtherSpelling(schema.items, each, `${path}${index}.`);
    return;
  }
  const fields = value as Record<string, unknown>;
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    const other = snake(name);
    if (other !== name && Object.hasOwn(fields, other)) {
      if (Object.hasOwn(fields, name))
        throw invalidField(`${path}${other}`, 'INVALID', `${other} and ${name} are the same field: send one of them`);
      fields[name] = fields[other];
      delete fields[other];
    }
    takeOtherSpelling(each, fields[name], `${path}${name}.`);
  }
}
