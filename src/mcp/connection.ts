import { ApiError, invalidField } from '../platform/http/errors.ts';
import type { Route } from '../platform/http/route.ts';
import { shown } from '../platform/http/shown.ts';
import { DEFAULT_SETS, readSets, type ToolSets } from './tool-sets.ts';

export type Connection = { writes: boolean; sets: ToolSets };

const PARAMETERS = ['allow_writes', 'tools'];

/** What the address of a connection asks for: `/mcp?allow_writes=true&tools=default,pools`. */
export function readConnection(query: Readonly<Record<string, unknown>>, routes: readonly Route[]): Connection {
  const unknown = Object.keys(query).find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined)
    throw new ApiError('UNKNOWN_PARAMETER', `/mcp has no parameter ${shown(unknown)}: it takes ${PARAMETERS.join(' and ')}.`, {
      extra: { parameter: unknown.slice(0, 100).toWellFormed(), known: PARAMETERS },
    });
  const { allow_writes: allow = 'false', tools } = query;
  if (allow !== 'true' && allow !== 'false') throw invalidField('allow_writes', 'INVALID', 'expected true or false, once');
  const sets = tools === undefined ? DEFAULT_SETS : typeof tools === 'string' ? readSets(tools, routes) : 'expected one text';
  if (typeof sets === 'string') throw invalidField('tools', 'INVALID', sets);
  return { writes: allow === 'true', sets };
}
