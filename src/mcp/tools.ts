import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { Route } from '../platform/http/route.ts';
import { isRead } from './catalog.ts';
import { inputSchema } from './input-schema.ts';

/** Verbs that add or compute and take nothing away. Clients ask before tools that may destroy something, so every other verb counts as one. */
const ADDING = /^(check|complete|create|fire|mark|open|place|preview|request|run|seed|submit|test|verify|watch)[A-Z]/;
const REPEATABLE = ['GET', 'PUT', 'DELETE'];

/** An operation as a tool: its name, its words and its schemas are those of the route. */
export const toolOf = (route: Route): Tool => ({
  name: route.operation,
  title: route.summary,
  description: [`${route.summary}.`, route.description, hiddenSecrets(route)].filter(Boolean).join(' '),
  inputSchema: { ...inputSchema(route) },
  annotations: annotationsOf(route),
});

export const annotationsOf = (route: Route): NonNullable<Tool['annotations']> => ({
  readOnlyHint: isRead(route),
  destructiveHint: !isRead(route) && !ADDING.test(route.operation),
  idempotentHint: REPEATABLE.includes(route.method),
  openWorldHint: false,
});

const hiddenSecrets = ({ secretFields }: Route): string | null =>
  secretFields ? `Of its response ${secretFields.join(', ')} is left out here: the result says how a person gets it.` : null;
