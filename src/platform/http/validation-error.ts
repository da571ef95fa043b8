import type { Expecting } from './expectations.ts';

/** A list of many bad entries has findings for each; what is beyond says nothing new. */
export const MOST_FINDINGS = 500;

/** A problem that the validator found: its place in body, query or path, the keyword of the schema, and both sides of it. */
export type ValidationError = {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: Record<string, unknown>;
  /** The value of the keyword, and the schema that has it. */
  schema: unknown;
  parentSchema: Expecting;
  data: unknown;
  /** The name at fault, where the schema is that of the names of a record. */
  propertyName?: string;
};
