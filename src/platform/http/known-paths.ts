import type { FastifyRequest } from 'fastify';
import { templateOf } from './path-template.ts';

type KnownPath = { path: string; order: string; pattern: RegExp; allow: readonly string[] };

/** The paths of a server and the methods of each, for requests whose method the router does not know. */
export type KnownPaths = {
  add(path: string, allow: readonly string[]): void;
  /** The path of a request of such a method, as the API reference writes it; null where there is none. */
  find(request: Pick<FastifyRequest, 'method' | 'url'>): { template: string; allow: readonly string[] } | null;
};

/** Methods that paths are registered for. To register them for the thirty others too would take longer than the rest of a start. */
export const ROUTED_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export function createKnownPaths(): KnownPaths {
  const known: KnownPath[] = [];
  return {
    add: (path, allow) => known.push({ path, order: orderOf(path), pattern: patternOf(path), allow }),
    find: ({ method, url }) => {
      if (ROUTED_METHODS.some((each) => each === method)) return null;
      const path = decoded(url.replace(/[?#].*$/s, ''));
      const [found] = known.filter(({ pattern }) => pattern.test(path)).toSorted((a, b) => (a.order < b.order ? -1 : 1));
      return found ? { template: templateOf(found.path), allow: found.allow } : null;
    },
  };
}

/** A part that is written out comes before one that may be anything, as in the router. */
const orderOf = (path: string): string => path.replace(/:\w+/g, '\uffff').replace('*', '\uffff\uffff');

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', '\\.').replace(/:\w+/g, '[^/]+').replace('*', '.*')}$`, 's');

/** An encoded slash is no slash. */
const decoded = (path: string): string =>
  path
    .split('/')
    .map((part) => {
      try {
        return decodeURIComponent(part).replaceAll('/', '%2F');
      } catch {
        return part;
      }
    })
    .join('/');
