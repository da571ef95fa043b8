import { mayReach } from '../platform/http/may-reach.ts';
import { nearestName } from '../platform/http/nearest.ts';
import type { Route } from '../platform/http/route.ts';
import type { Caller } from '../platform/http/caller.ts';
import { hasScopes } from '../platform/http/scopes.ts';
import { templateOf } from '../platform/http/path-template.ts';
import { neededScopes } from '../scopes.ts';
import { ToolProblem } from './tool-problem.ts';

/** Whose tools they are. */
export type ToolUser = Pick<Caller, 'role' | 'environment' | 'scopes'>;

export const isRead = ({ method }: Pick<Route, 'method'>): boolean => method === 'GET';

/** Why an operation is no tool, with what to do instead; null for one that is. */
export function whyNoTool(route: Route): string | null {
  const outside = `Send ${route.method} ${templateOf(route.path)} with a client of the API.`;
  if (route.access === 'public') return `It belongs to a signed address, which is used as it is. ${outside}`;
  if (route.bodyKind === 'raw') return `It takes the bytes of a file. ${outside}`;
  if (route.replyKind === 'file') return `It responds with a file. ${outside}`;
  if (route.replyKind === 'stream') return `It responds with a stream that does not end. ${outside}`;
  if (route.secretFields && !route.onReplay)
    return `Its response holds a secret (${route.secretFields.join(', ')}) that is shown once and does not belong in a conversation. ${outside}`;
  return null;
}

/** The operations that a key may call, by name, and among them those that are tools. */
export class Catalog {
  readonly #reachable: ReadonlyMap<string, Route>;
  readonly #writes: boolean;

  constructor(routes: readonly Route[], { role, environment, scopes }: ToolUser, { writes }: { writes: boolean }) {
    const reachable = routes.filter(
      (route) =>
        mayReach(role, route.access) &&
        hasScopes(scopes, neededScopes(route)) &&
        !(environment === 'production' && route.path.startsWith('/v1/sandbox/')),
    );
    this.#reachable = new Map(reachable.map((route) => [route.operation, route]));
    this.#writes = writes;
  }

  /** The operations that are tools, in the order of the specification. */
  tools(): Route[] {
    return [...this.#reachable.values()].filter((route) => whyNoTool(route) === null && (this.#writes || isRead(route)));
  }

  /** An operation that the key may call, as a tool or elsewhere. */
  known(operation: string): Route {
    const route = this.#reachable.get(operation);
    if (!route) throw this.#unknown(operation);
    return route;
  }

  /** The operation of a tool; a problem says why there is none. */
  find(operation: string): Route {
    const route = this.known(operation);
    const why = whyNoTool(route);
    if (why !== null) throw new ToolProblem('NOT_A_TOOL', `${operation} is no tool. ${why}`);
    if (!this.#writes && !isRead(route)) throw new ToolProblem('READ_ONLY', `${operation} changes records, and ${READ_ONLY}`);
    return route;
  }

  /** What to say of a name that is no operation of this key; null for one that is. */
  unknown(operation: string): ToolProblem | null {
    return this.#reachable.has(operation) ? null : this.#unknown(operation);
  }

  #unknown(operation: string): ToolProblem {
    const known = this.tools().map((route) => route.operation);
    const near = nearestName(operation.slice(0, 100), known);
    const nearest = near?.alike ? ` Did you mean ${near.nearest}?` : '';
    return new ToolProblem(
      'UNKNOWN_OPERATION',
      `There is no such operation for this key.${nearest} searchOperations finds operations by words.`,
    );
  }
}

export const READ_ONLY =
  'this connection is read-only. A person allows changes: over stdio by starting sluice mcp with --allow-writes, over HTTP by the address /mcp?allow_writes=true.';
