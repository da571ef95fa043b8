import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caused, Scope, Tx } from '../db/database.ts';
import type { Page } from '../pages.ts';
import type { Reads } from '../db/replica.ts';
import type { Deps } from '../deps.ts';
import type { ApprovalAct } from './approval-acts.ts';
import { type ActRequest, type ApprovalGate, PendingApproval } from './approval-gate.ts';
import { listOf, readCursor } from './cursor.ts';
import { endDownloadWithHolder } from './end-download.ts';
import { ApiError } from './errors.ts';
import {
  claimKey,
  findStoredResponse,
  hashRequest,
  type Idempotency,
  type StoredResponse,
  storeResponse,
  takesKey,
} from './idempotency.ts';
import { hasControls } from './input.ts';
import type { HttpOptions } from './options.ts';
import { RecordVersion } from './record-version.ts';
import { type Context, type FileReply, FileResponse, type Route } from './route.ts';
import type { Caller } from './caller.ts';
import { scopeOfRequest } from './row-scope.ts';
import { type Bounds, createdBetween, hasBounds, pagination, refuseReversed } from './schemas.ts';

/** Runs a route's handler and puts its result into the envelope; a repeated request gets its stored response instead. */
export async function respond(
  options: HttpOptions,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { deps } = options;
  const status = statusOf(route, request);
  const { caller } = request;
  if (!caller && route.access !== 'public') throw new ApiError('KEY_MISSING');
  const idempotency = idempotencyOf(route, request);
  const findStored = async (): Promise<StoredResponse | null> =>
    idempotency && deps.db.tx({ organization: idempotency.organizationId }, (tx) => findStoredResponse(tx, idempotency));
  const known = await findStored();
  if (known && caller) return replay(options, route, caller, known, request, reply);
  const version = caller && route.record ? new RecordVersion(route.record, route, request, caller.organization_id) : null;
  try {
    await checkEarly(deps, route, caller, version);
    const context = createContext({ deps, route, request, reply, idempotency, version, gate: options.approvalGate });
    const result: unknown = await route.handler(context);
    // Reversed bounds are no time at all, and what the list belongs to is looked up all the same: that it is absent is told first.
    if (hasBounds(route.query)) refuseReversed(request.query as Bounds);
    if (version?.tag) reply.header('etag', version.tag);
    if (version?.isKnown()) return await reply.status(304).send();
    const file = result instanceof FileResponse ? result.file : route.replyKind === 'file' ? (result as FileReply) : null;
    if (file || route.replyKind === 'stream') request.answered = { file: true };
    if (file) return await sendFile(options, request, reply, file);
    if (route.replyKind === 'stream') return reply;
    const body = envelopeOf(deps, route, request, result);
    request.answered = { body };
    return await reply.status(status).send(body);
  } catch (error) {
    if (error instanceof Waiting) {
      request.answered = { body: error.body };
      return await reply.status(WAITING).send(error.body);
    }
    // The error may be an effect of the first request with this key, in the meantime.
    const stored = error instanceof Replayed ? error.stored : error instanceof ApiError ? await findStored() : null;
    if (stored && caller) return replay(options, route, caller, stored, request, reply);
    throw error;
  }
}

export const statusesOf = (route: Route): number[] => [route.status ?? 200, ...(route.dryRunStatus ? [route.dryRunStatus] : [])];

function statusOf(route: Route, request: FastifyRequest): number {
  const dry = (request.body as { dry_run?: unknown } | null | undefined)?.dry_run === true;
  return (dry && route.dryRunStatus) || (route.status ?? 200);
}

/** Ends a handler whose transaction found a stored response of the request. */
class Replayed extends Error {
  readonly stored: StoredResponse;
  constructor(stored: StoredResponse) {
    super('the request already has its response');
    this.stored = stored;
  }
}

/** Ends a handler whose act waits for people. */
class Waiting extends Error {
  readonly body: Record<string, unknown>;
  constructor({ data }: PendingApproval) {
    super('the act waits for people');
    this.body = { success: true, data };
  }
}

const WAITING = 202;

/**
 * Refuses a change of an outdated version before the handler looks into anything: what it would say of the change does not matter then. The
 * transaction of the change checks again, under the lock of the record.
 */
async function checkEarly(deps: Deps, route: Route, caller: Caller | null, version: RecordVersion | null): Promise<void> {
  if (!version?.conditional) return;
  await deps.db.peek(scopeOfRequest(deps, route, caller), (reader) => version.read(reader));
  version.check();
}

type Exchange = {
  deps: Deps;
  route: Route;
  request: FastifyRequest;
  reply: FastifyReply;
  idempotency: Idempotency | null;
  version: RecordVersion | null;
  gate: ApprovalGate | undefined;
};

function createContext({
  deps,
  route,
  request,
  reply,
  idempotency,
  version,
  gate,
}: Exchange): Context<unknown, unknown, unknown> {
  const shown = route.method === 'GET' ? version : null;
  const scope = (): Scope => scopeOfRequest(deps, route, request.caller);
  // What a change is decided on is read where it is made. Later reads of a request must not see less than its first, or than its own writes.
  let next: Reads = route.method === 'GET' && route.reads !== 'primary' ? deps.reads(request.position) : deps.db;
  const reads = (): Reads => {
    const now = next;
    next = deps.db;
    return now;
  };
  return {
    deps,
    // Handlers of public routes have no caller and do not use it.
    caller: request.caller as Caller,
    params: request.params,
    query: readQuery(deps, request, route),
    body: request.body,
    requestId: request.id,
    rate: request.rate ?? { limit: 0, remaining: 0, reset: 0 },
    request,
    reply,
    idempotent: idempotency !== null,
    // The version is read before the record: of a change in between, the reader gets the fields without the tag, never the reverse.
    peek: (work) => reads().peek(scope(), async (reader) => (await Promise.all([shown?.read(reader), work(reader)]))[1]),
    read: (work) =>
      reads().read(scope(), async (tx) => {
        await shown?.read(tx);
        return work(tx);
      }),
    write: async (work) => {
      next = deps.db;
      let caused: readonly Caused[] = [];
      const written = await deps.db.tx(scope(), async (tx: Tx) => {
        ({ caused } = tx);
        const direct = (inside: Tx) => (version ? changeVersion(inside, version, work) : work(inside));
        const act = actOf(deps, route, request);
        const change = act && gate ? (inside: Tx) => gate(inside, act, direct) : direct;
        if (!idempotency) return change(tx);
        await claimKey(tx, idempotency);
        const stored = await findStoredResponse(tx, idempotency);
        if (stored) throw new Replayed(stored);
        const result = await change(tx);
        const [status, envelope] =
          result instanceof PendingApproval
            ? [WAITING, new Waiting(result).body]
            : [statusOf(route, request), envelopeOf(deps, route, request, result)];
        const response = { status, body: asSent(reply, status, envelope), etag: version?.tag ?? null };
        await storeResponse(tx, idempotency, response, route);
        return result;
      });
      // The transaction may have been tried several times: only its last attempt has committed.
      if (caused.length > 0) request.caused = [...(request.caused ?? []), ...caused];
      if (written instanceof PendingApproval) throw new Waiting(written);
      return written;
    },
  };
}

/** The act that a request asks for, where the policy of the operators may want several people for it. */
function actOf(deps: Deps, route: Route, request: FastifyRequest): ActRequest | null {
  const { caller, params, body } = request;
  const { approval, operation, access } = route;
  if (!approval) return null;
  if (!caller || access !== 'operator') throw new Error(`${operation} is no act of an operator`);
  const also = async (tx: Tx): Promise<readonly ApprovalAct[]> => (await route.approvalAlso?.(tx, { deps, body })) ?? [];
  return { act: approval, operation, caller, params, body, also };
}

/** Runs the change of a record in the version that the request names, if it names one; the response has the new version's tag. */
async function changeVersion<Result>(tx: Tx, version: RecordVersion, work: (tx: Tx) => Promise<Result>): Promise<Result> {
  let existed = true;
  if (version.conditional) {
    await version.lock(tx);
    await version.read(tx);
    existed = version.tag !== null;
    version.check();
  }
  const result = await work(tx);
  version.checkMade(existed);
  await version.read(tx);
  return result;
}

/** The body as the serializer sends it: fields that the reply does not declare are not part of the response. */
function asSent(reply: FastifyReply, status: number, envelope: Record<string, unknown>): Record<string, unknown> {
  const serialize = reply.getSerializationFunction(String(status));
  return serialize ? JSON.parse(serialize(envelope)) : envelope;
}

/** The query as handlers get it: bounds of a time as instants, a cursor as its position. */
function readQuery({ cursors }: Deps, request: FastifyRequest, route: Route): unknown {
  const query = readCursor(cursors, request, route);
  return hasBounds(route.query) ? { ...(query as object), ...createdBetween(query as Bounds) } : query;
}

function idempotencyOf(route: Route, request: FastifyRequest): Idempotency | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined || !request.caller || !takesKey(route)) return null;
  if (typeof key !== 'string' || key.length < 1 || key.length > 255 || hasControls(key)) {
    throw new ApiError('VALIDATION_FAILED', undefined, {
      errors: [{ field: 'Idempotency-Key', code: 'INVALID', message: 'expected 1 to 255 printable characters' }],
    });
  }
  return {
    organizationId: request.caller.organization_id,
    key,
    requestHash: hashRequest(request.method, decodedPath(request.url), request.body),
  };
}

/** The target with its path decoded, as it was routed: two spellings of a path are one request. */
const decodedPath = (url: string): string => url.replace(/^[^?#]+/, (path) => decodeURIComponent(path));

async function replay(
  options: HttpOptions,
  route: Route,
  caller: Caller,
  stored: StoredResponse,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const data = stored.body.data as Record<string, unknown> | undefined;
  const fresh = route.onReplay && data ? { ...stored.body, data: await route.onReplay(options.deps, caller, data) } : stored.body;
  request.answered = { body: fresh };
  reply.serializer((payload) => JSON.stringify(payload));
  if (stored.etag !== null) reply.header('etag', stored.etag);
  return reply
    .header('idempotency-replayed', 'true')
    .header('content-type', 'application/json; charset=utf-8')
    .status(stored.status)
    .send(fresh);
}

function envelopeOf({ cursors }: Deps, route: Route, request: FastifyRequest, result: unknown): Record<string, unknown> {
  const paging = request.query as { page: number; limit: number; offset?: number };
  switch (route.replyKind ?? 'data') {
    case 'page':
    case 'meta': {
      const found = result as Page<unknown>;
      const about = pagination(paging, found, found.next && cursors.sign(listOf(request, route), found.next));
      return { success: true, data: found.rows, [route.replyKind === 'meta' ? 'meta' : 'pagination']: about };
    }
    case 'message':
      return { success: true, message: result };
    case 'cursor': {
      const { rows, next_after } = result as { rows: unknown[]; next_after: string | null };
      return { success: true, data: rows, next_after };
    }
    default:
      return { success: true, data: request.pastOnlyPage ? [] : result };
  }
}

/** HTTP/1.0 has no chunks: the end of the connection is the end of a file, whether or not all of it has been sent. */
const NEEDS_CHUNKS =
  'Over HTTP/1.0 a file that was cut off would look complete: ask for it over HTTP/1.1. If your client does, a proxy in front of the gateway does not (nginx: proxy_http_version 1.1).';

function callerInForce(options: HttpOptions, caller: Caller | null): (() => Promise<boolean>) | null {
  const { isInForce } = options;
  return caller && isInForce ? () => isInForce(caller) : null;
}

/** Sends a file. One that fails after its beginning was sent ends without its last chunk, which a client sees as an error. */
async function sendFile(
  options: HttpOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  file: FileReply,
): Promise<FastifyReply> {
  const { log } = options.deps;
  if (file.stream instanceof Readable) {
    if (request.raw.httpVersion === '1.0') {
      file.stream.destroy();
      throw new ApiError('BAD_REQUEST', NEEDS_CHUNKS);
    }
    file.stream.once('error', (error) =>
      log.error({ request_id: request.id, route: request.routeOptions.url, err: error }, 'a file was cut off'),
    );
  }
  const isInForce = file.isInForce ?? callerInForce(options, request.caller);
  if (isInForce) endDownloadWithHolder(options.deps, request, reply, isInForce);
  const name = file.fileName.replace(/[^\w.-]+/g, '_');
  return reply
    .header('content-type', file.contentType)
    .header('content-disposition', `attachment; filename="${name}"; filename*=UTF-8''${encodeURIComponent(file.fileName)}`)
    .send(file.stream);
}
