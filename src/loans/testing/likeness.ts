import type { Field } from '../dictionary/field.ts';
import { headerLikeness, headerOf, type Likeness, namedField } from '../mapping/header-likeness.ts';

/** How well one header names one field. */
export const likenessOf = (header: string, field: Field): Likeness => headerLikeness(headerOf(header), namedField(field));
