import type { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TObject, TSchema } from 'typebox';
import type { Reader, Tx } from '../db/database.ts';
import type { Page } from '../pages.ts';
import type { Deps } from '../deps.ts';
import type { ApprovalAct } from './approval-acts.ts';
import { type AuditedAct, audited } from './audited.ts';
import type { ErrorCode } from './errors.ts';
import type { ResponseHeader } from './response-headers.ts';
import type { Operation } from './operation.ts';
import type { RecordOfPath } from './stored-record.ts';
import type { Right } from './member-rights.ts';
import type { RowScope } from './row-scope.ts';
import type { Access, Caller, RateWindow } from './caller.ts';

export type Context<Params, Query, Body> = {
  deps: Deps;
  caller: Caller;
  params: Params;
  query: Query;
  body: Body;
  requestId: string;
  rate: RateWindow;
  request: FastifyRequest;
  reply: FastifyReply;
  /** The request has an Idempotency-Key, so `write` has to store its response. */
  idempotent: boolean;
  /** Reads in the route's row scope in one trip to the database; it has no `now`. */
  peek: <Result>(work: (reader: Reader) => Promise<Result>) => Promise<Result>;
  /** A read-only transaction in the route's row scope. */
  read: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  /**
   * The operation's transaction, in the route's row scope. Its result is the response: with an Idempotency-Key the response is stored in
   * this transaction, and a repeated request gets it again.
   */
  write: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
};

/** The kind of a response: one record, a page of records, a message, a file, or an open stream. */
export type Reply = 'data' | 'page' | 'meta' | 'message' | 'cursor' | 'file' | 'stream';

export type FileReply = {
  stream: Readable | Buffer | string;
  contentType: string;
  fileName: string;
  /** Of a file at a signed address: whether the holder for whom it was signed still is one. */
  isInForce?: () => Promise<boolean>;
};

/** A file from a route that otherwise responds with data, as for `format=csv`. */
export class FileResponse {
  readonly file: FileReply;
  constructor(file: FileReply) {
    this.file = file;
  }
}

type Result<Kind extends Reply, Row> = Kind extends 'page' | 'meta'
  ? Page<Row>
  : Kind extends 'message'
    ? string
    : Kind extends 'cursor'
      ? { rows: Row[]; next_after: string | null }
      : Kind extends 'file'
        ? FileReply
        : Kind extends 'stream'
          ? void
          : Row | FileResponse;

export type RouteDefinition<P extends TObject, Q extends TObject, B extends TSchema, R extends TSchema, Kind extends Reply> = {
  /** Its name in clients: verb first, then the noun. */
  operation: Operation;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  access: Access;
  /** What a person needs of their organization for it: by default VIEW for GET, and EDIT for the other methods. */
  right?: Right;
  /** Only people may call it, never a key, and with one of these rights: it takes the place of `right`. */
  people?: readonly [Right, ...Right[]];
  /** The act of which the policy of the operators says how many people it needs. What a dry run only reads needs none. */
  approval?: ApprovalAct;
  /** Acts that a request does beside its own: it needs the people of the one that needs most. */
  approvalAlso?(
    tx: Tx,
    request: Pick<Context<Static<P>, Static<Q>, Static<B>>, 'deps' | 'body'>,
  ): Promise<readonly ApprovalAct[]>;
  /** The rows that its transactions may reach, if they differ from what `access` implies. */
  scope?: RowScope;
  /** The record that the path names, if it is one: its version is the response's `ETag`, and conditions on it are checked. */
  record?: RecordOfPath;
  /** The audit entry of a customer's act that moves money or rights. */
  audit?: AuditedAct;
  tag: string;
  summary: string;
  description?: string;
  params?: P;
  query?: Q;
  body?: B;
  /** Whether the body may be omitted. */
  bodyOptional?: boolean;
  /** `raw`: the handler reads the request's stream itself. */
  bodyKind?: 'json' | 'raw';
  bodyLimitBytes?: number;
  reply: R;
  replyKind?: Kind;
  /** It asks what only the primary of the database knows, such as which transactions are open. */
  reads?: 'primary';
  /** Content types of the files with which it may respond instead of data. */
  fileTypes?: readonly string[];
  /** Headers of the response that say what data or a file cannot. */
  replyHeaders?: readonly ResponseHeader[];
  status?: 200 | 201 | 202;
  /** Status where the body says `dry_run: true`: nothing is created or queued then. */
  dryRunStatus?: 200;
  errors?: readonly ErrorCode[];
  example?: { body?: unknown; data?: unknown };
  /** Fields of the response's data that are secret (keys, tokens, signed addresses): never stored for a repeated request. */
  secretFields?: readonly string[];
  /** Adds the parts that must not be stored (signed addresses) to a stored response. */
  onReplay?(deps: Deps, caller: Caller, data: Record<string, unknown>): Promise<Record<string, unknown>>;
  handler(context: Context<Static<P>, Static<Q>, Static<B>>): Promise<Result<Kind, Static<R>>>;
};

// oxlint-disable-next-line typescript/no-explicit-any
export type Route = RouteDefinition<any, any, any, any, any>;

/** A route as a value: the schemas give the handler its types, validate the request, shape the response and document all of it. */
export function route<P extends TObject, Q extends TObject, B extends TSchema, R extends TSchema, Kind extends Reply = 'data'>(
  definition: RouteDefinition<P, Q, B, R, Kind>,
): Route {
  return definition.audit ? { ...definition, handler: audited(definition.audit, definition.handler) } : definition;
}
