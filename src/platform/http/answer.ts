import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Scope, Tx } from '../db/database.ts';
import type { Deps } from '../deps.ts';
import { ApiError } from './errors.ts';
import { claimKey, findAnswer, hashRequest, type Idempotency, type StoredAnswer, storeAnswer, takesKey } from './idempotency.ts';
import { hasControls } from './input.ts';
import type { ServerOptions } from './options.ts';
import { type Caller, type Context, FileAnswer, type FileReply, type Page, type Route } from './route.ts';
import { scopeOfRequest } from './row-scope.ts';
import { pagination } from './schemas.ts';

/** Runs a route's handler and puts what it returns into the envelope; a repeated request gets its stored answer instead. */
export async function answer(
  options: ServerOptions,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { deps } = options;
  const status = statusOf(route, request);
  const { caller } = request;
  if (!caller && route.access !== 'public') throw new ApiError('UNAUTHORIZED');
  const idempotency = idempotencyOf(route, request);
  const findStored = async (): Promise<StoredAnswer | null> =>
    idempotency && deps.db.tx({ organization: idempotency.organizationId }, (tx) => findAnswer(tx, idempotency));
  const known = await findStored();
  if (known && caller) return replay(options, route, caller, known, reply);
  const context = createContext(deps, route, request, reply, idempotency);
  try {
    const result: unknown = await route.handler(context);
    if (route.replyKind === 'file') return await sendFile(reply, result as FileReply);
    if (result instanceof FileAnswer) return await sendFile(reply, result.file);
    if (route.replyKind === 'stream') return reply;
    return await reply.status(status).send(body(route, request, result));
  } catch (error) {
    // What refused this request may be what the first one with its key has done meanwhile.
    const stored = error instanceof Replayed ? error.stored : error instanceof ApiError ? await findStored() : null;
    if (stored && caller) return replay(options, route, caller, stored, reply);
    throw error;
  }
}

export const statusesOf = (route: Route): number[] => [route.status ?? 200, ...(route.dryRunStatus ? [route.dryRunStatus] : [])];

function statusOf(route: Route, request: FastifyRequest): number {
  const dry = (request.body as { dry_run?: unknown } | null | undefined)?.dry_run === true;
  return (dry && route.dryRunStatus) || (route.status ?? 200);
}

/** Ends a handler whose request turned out, inside its transaction, to have been answered already. */
class Replayed extends Error {
  readonly stored: StoredAnswer;
  constructor(stored: StoredAnswer) {
    super('already answered');
    this.stored = stored;
  }
}

function createContext(
  deps: Deps,
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  idempotency: Idempotency | null,
): Context<never, never, never> {
  const scope = (): Scope => scopeOfRequest(deps, route, request.caller);
  return {
    deps,
    // Public routes have none and ask for none.
    caller: request.caller as Caller,
    params: request.params as never,
    query: request.query as never,
    body: request.body as never,
    requestId: request.id,
    rate: request.rate ?? { limit: 0, remaining: 0, reset: 0 },
    request,
    reply,
    peek: (work) => deps.db.peek(scope(), work),
    read: (work) => deps.db.tx(scope(), work),
    write: (work) =>
      deps.db.tx(scope(), async (tx: Tx) => {
        if (!idempotency) return work(tx);
        await claimKey(tx, idempotency);
        const stored = await findAnswer(tx, idempotency);
        if (stored) throw new Replayed(stored);
        const result = await work(tx);
        const status = statusOf(route, request);
        await storeAnswer(tx, idempotency, { status, body: asSent(reply, status, body(route, request, result)) });
        return result;
      }),
  };
}

/** The body as the serializer sends it: fields that the reply does not declare are not part of the answer. */
function asSent(reply: FastifyReply, status: number, answered: Record<string, unknown>): Record<string, unknown> {
  const serialize = reply.getSerializationFunction(String(status));
  return serialize ? JSON.parse(serialize(answered)) : answered;
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
    requestHash: hashRequest(request.method, request.url, request.body),
  };
}

async function replay(
  options: ServerOptions,
  route: Route,
  caller: Caller,
  stored: StoredAnswer,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const data = stored.body.data as Record<string, unknown> | undefined;
  const fresh = route.onReplay && data ? { ...stored.body, data: await route.onReplay(options.deps, caller, data) } : stored.body;
  reply.serializer(JSON.stringify as (payload: unknown) => string);
  return reply
    .header('idempotency-replayed', 'true')
    .header('content-type', 'application/json; charset=utf-8')
    .status(stored.status)
    .send(fresh);
}

function body(route: Route, request: FastifyRequest, result: unknown): Record<string, unknown> {
  const { page, limit } = (request.query ?? {}) as { page: number; limit: number };
  switch (route.replyKind ?? 'data') {
    case 'page': {
      const { rows, total } = result as Page<unknown>;
      return { success: true, data: rows, pagination: pagination(page, limit, total) };
    }
    case 'meta': {
      const { rows, total } = result as Page<unknown>;
      return { success: true, data: rows, meta: { total, page, limit, totalPages: Math.ceil(total / limit) } };
    }
    case 'message':
      return { success: true, message: result };
    case 'cursor': {
      const { rows, next_after } = result as { rows: unknown[]; next_after: string | null };
      return { success: true, data: rows, next_after };
    }
    default:
      return { success: true, data: result };
  }
}

async function sendFile(reply: FastifyReply, file: FileReply): Promise<FastifyReply> {
  const name = file.fileName.replace(/[^\w.-]+/g, '_');
  return reply
    .header('content-type', file.contentType)
    .header('content-disposition', `attachment; filename="${name}"; filename*=UTF-8''${encodeURIComponent(file.fileName)}`)
    .send(file.stream);
}
