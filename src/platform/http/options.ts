import type { FastifyRequest } from 'fastify';
import type { Caused } from '../db/database.ts';
import type { Deps } from '../deps.ts';
import type { ApprovalGate } from './approval-gate.ts';
import type { ApiVersion } from './api-version.ts';
import type { ApiError, ErrorCode } from './errors.ts';
import type { KnownPaths } from './known-paths.ts';
import type { LoadShedderOptions } from './load-shedder.ts';
import type { Answered } from './request-log.ts';
import type { NeededScopes } from './scopes.ts';
import type { Position } from '../db/replica.ts';
import type { Route } from './route.ts';
import type { Access, Caller, RateWindow, RefusedKey, RefusedSession } from './caller.ts';

/** Limits on how slowly the bytes of a file may arrive. Only the time in which the reader waits for the sender counts. */
export type BodyPace = {
  /** The longest silence. */
  idleMs: number;
  leastBytesPerSecond: number;
  /** The minimum rate is averaged over this much waiting time. */
  windowMs: number;
};

export type HttpOptions = {
  deps: Deps;
  routes: readonly Route[];
  /**
   * The holder of the key in an Authorization header, or why there is none. `version` is that of the call, which a key remembers of its first;
   * null of a call that will be refused for its version, which is no first one.
   */
  authenticate(authorization: string | undefined, version: ApiVersion | null): Promise<Caller | RefusedKey>;
  /** The person of a session's cookie; without this no cookie opens anything. */
  authenticatePerson?(cookie: string): Promise<Caller | RefusedSession>;
  /** Whether a caller still is one: asked while a file is sent to them; without this a file is sent to its end. */
  isInForce?: (caller: Caller) => Promise<boolean>;
  /** The scopes that a narrowed key needs for a route; without this no narrowed key may call any. */
  neededScopes?(route: Route): NeededScopes;
  /** What routes with an `approval` pass; without this none can be served. */
  approvalGate?: ApprovalGate;
  /** Named constraints of the database and the error that a request gets for each. */
  constraints: Record<string, ErrorCode>;
  /** Query parameters that clients may spell in several ways. */
  spellings?: readonly Spellings[];
  /** How long a JSON body may take to arrive. */
  bodyTimeoutMs?: number;
  /** How slowly the bytes of a file may arrive. */
  bodyPace?: BodyPace;
  /** How long a stop waits for requests in flight. */
  drainTimeoutMs?: number;
  /** When the process rejects requests that it could not serve in time. */
  load?: LoadShedderOptions;
};

/** The names of one query parameter; with `words` of one that takes exactly these, since others may have the same name. */
export type Spellings = { readonly names: readonly string[]; readonly words?: readonly string[] };

/** The body of an error in the terms of another protocol than the API's. */
export type ErrorBody = (error: ApiError, requestId: string, page: string | null) => Record<string, unknown>;

/** The configuration of a path in the server: its route, or for other methods who may call it and which methods it has. */
export type RouteConfig = { route?: Route; allow?: string[]; access?: Access; errorBody?: ErrorBody };

declare module 'fastify' {
  interface FastifyContextConfig extends RouteConfig {}
  interface FastifyInstance {
    /** The same gateway over other means; the caller closes it. */
    over(deps: Deps): Promise<FastifyInstance>;
    knownPaths: KnownPaths;
  }
  interface FastifyRequest {
    caller: Caller | null;
    rate: RateWindow | null;
    /** Where the database was when the request was counted; null where reads have no replica. */
    position: Position | null;
    /** The version of the API in which it is answered. */
    apiVersion: ApiVersion;
    /** True where a list that is sent whole is asked for a page behind its first. */
    pastOnlyPage: boolean;
    startedAt: number;
    bodyTimer: NodeJS.Timeout | undefined;
    /** True while the process works on the request, which then counts towards its load. */
    counted: boolean;
    answered: Answered | null;
    /** What the request's transactions have caused. */
    caused: readonly Caused[] | null;
  }
}

export const routeConfigOf = (request: FastifyRequest): RouteConfig => request.routeOptions?.config ?? {};
