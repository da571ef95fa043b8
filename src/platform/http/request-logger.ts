import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { inTime } from '../in-time.ts';
import type { Metrics } from '../metrics.ts';
import { ApiError, type FieldProblem } from './errors.ts';
import { isId, type Kept, keeperOf, type OmittedField } from './kept-fields.ts';
import { routeConfigOf } from './options.ts';
import { replySchema } from './reply-schema.ts';
import { encodeEntry, writeRequests, type LogEntry } from './request-log-rows.ts';
import type { Route } from './route.ts';
import { hasSecret } from './shown.ts';
import type { Answered, RequestLog } from './request-log.ts';

export type RequestLogOptions = {
  db: Database;
  metrics: Pick<Metrics, 'requestsNotLogged'>;
  log: Logger;
  /** Names of fields whose text names a thing and no person. */
  labels: ReadonlySet<string>;
  /** How many entries may wait. */
  mostEntries?: number;
  mostBytes?: number;
  flushMs?: number;
  retryMs?: number;
};

const MOST_ENTRIES = 8_192;
const MOST_BYTES = 32 * 1024 * 1024;
const BATCH = 1_024;
const FLUSH_MS = 250;
const RETRY_MS = 1_000;
const ATTEMPTS = 10;
const STOP_MS = 5_000;

/** Largest request and largest response in the log, each with its list of omitted fields. */
const KEPT_BYTES = 16 * 1024;
const OMITTED_BYTES = 3 * 1024;
const ABOUT_BYTES = 512;
const BODY_BYTES = KEPT_BYTES - OMITTED_BYTES - ABOUT_BYTES;
const QUERY_BYTES = 2 * 1024;

export function createRequestLog(options: RequestLogOptions): RequestLog {
  return new BufferedLog(options);
}

type Waiting = { encoded: Buffer; organizationId: string; droppedBefore: number };

class BufferedLog implements RequestLog {
  readonly #options: RequestLogOptions;
  readonly #keepers: Keepers;
  readonly #waiting: Waiting[] = [];
  #bytes = 0;
  /** Requests of an organization that were left out since its last entry. */
  readonly #dropped = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | null = null;
  #failures = 0;

  constructor(options: RequestLogOptions) {
    this.#options = options;
    this.#keepers = new Keepers(options.labels);
  }

  note(request: FastifyRequest, reply: FastifyReply): void {
    const { caller } = request;
    if (!caller) return;
    const { mostEntries = MOST_ENTRIES, mostBytes = MOST_BYTES, flushMs = FLUSH_MS } = this.#options;
    // Nothing is made of a request that would be dropped.
    if (this.#waiting.length >= mostEntries || this.#bytes >= mostBytes) return this.#drop(caller.organization_id, 'full');
    const entry = entryOf(this.#keepers, request, reply, this.#dropped.get(caller.organization_id) ?? 0);
    if (!entry) return;
    this.#dropped.delete(caller.organization_id);
    const encoded = encodeEntry(entry);
    this.#waiting.push({ encoded, organizationId: entry.organization_id, droppedBefore: entry.dropped_before });
    this.#bytes += encoded.length;
    if (this.#waiting.length >= BATCH && this.#failures === 0) this.#start();
    else this.#timer ??= setTimeout(() => this.#start(), flushMs).unref();
  }

  async flush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#writing) {
      this.#start();
      await this.#writing;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await inTime(this.flush(), STOP_MS).catch(() => {});
    clearTimeout(this.#timer);
    const left = this.#take(this.#waiting.length);
    if (left.length > 0) this.#lose(left, 'stopped', 'the process stopped');
  }

  #start(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#writing || this.#waiting.length === 0) return;
    this.#writing = this.#write().finally(() => {
      this.#writing = null;
      if (this.#waiting.length === 0) return;
      // After a failure the database gets a pause.
      const { flushMs = FLUSH_MS, retryMs = RETRY_MS } = this.#options;
      const soon = this.#failures > 0 ? retryMs : this.#waiting.length >= BATCH ? 0 : flushMs;
      this.#timer ??= setTimeout(() => this.#start(), soon).unref();
    });
  }

  async #write(): Promise<void> {
    const batch = this.#waiting.slice(0, BATCH).map(({ encoded }) => encoded);
    try {
      await writeRequests(this.#options.db, batch);
      this.#take(batch.length);
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      if (this.#failures < ATTEMPTS) return;
      this.#failures = 0;
      this.#lose(this.#take(batch.length), 'failed', error);
    }
  }

  #take(count: number): Waiting[] {
    const taken = this.#waiting.splice(0, count);
    for (const { encoded } of taken) this.#bytes -= encoded.length;
    return taken;
  }

  #lose(entries: readonly Waiting[], reason: DropReason, err: unknown): void {
    for (const { organizationId, droppedBefore } of entries) {
      this.#drop(organizationId, reason);
      // Those that the entry would have told of were counted when they were dropped.
      this.#remember(organizationId, droppedBefore);
    }
    this.#options.log.warn({ count: entries.length, reason, err }, 'requests were not logged');
  }

  #drop(organizationId: string, reason: DropReason): void {
    this.#options.metrics.requestsNotLogged.inc({ reason });
    this.#remember(organizationId, 1);
  }

  #remember(organizationId: string, count: number): void {
    this.#dropped.set(organizationId, (this.#dropped.get(organizationId) ?? 0) + count);
  }
}

type DropReason = 'full' | 'failed' | 'stopped';

type Keeper = ReturnType<typeof keeperOf>;
type RouteKeepers = { query: Keeper; body: Keeper; reply: Keeper; fields: RegExp };

/** What may be kept of the requests and responses of each route, derived from its schemas at its first request. */
class Keepers {
  readonly #labels: ReadonlySet<string>;
  readonly #ofRoutes = new WeakMap<Route, RouteKeepers>();
  /** Without a schema no field is known. */
  readonly none = keeperOf(Type.Object({}), { labels: new Set() });

  constructor(labels: ReadonlySet<string>) {
    this.#labels = labels;
  }

  of(route: Route): RouteKeepers {
    const known = this.#ofRoutes.get(route);
    if (known) return known;
    const labels = this.#labels;
    const body = route.body && route.bodyKind !== 'raw' ? route.body : null;
    const secretFields = route.secretFields ?? [];
    const made: RouteKeepers = {
      query: route.query ? keeperOf(route.query, { labels }) : this.none,
      body: body ? keeperOf(body, { labels, secretFields }) : this.none,
      reply: keeperOf(replySchema(route), { labels, secretFields, own: true, withoutRows: route.method === 'GET' }),
      fields: fieldsOf([route.query, body].filter((each) => each)),
    };
    this.#ofRoutes.set(route, made);
    return made;
  }
}

/** Matches the paths of the fields that schemas have; any other path of a field problem is made of the sender's words. */
function fieldsOf(schemas: readonly Parameters<typeof keeperOf>[0][]): RegExp {
  type Node = { properties?: Record<string, Node>; items?: Node; anyOf?: readonly Node[] };
  const paths = new Set(['body', 'query', 'cursor', 'If-Match', 'If-None-Match', 'Idempotency-Key']);
  const walk = ({ properties = {}, items, anyOf = [] }: Node, path: string): void => {
    if (path !== '') paths.add(path);
    for (const [name, each] of Object.entries(properties)) walk(each, path === '' ? name : `${path}.${name}`);
    if (items) walk(items, `${path}.#`);
    for (const each of anyOf) walk(each, path);
  };
  for (const schema of schemas) walk(schema, '');
  const place = '(?:\\.\\d{1,9}|\\[\\d{1,9}\\])';
  const escaped = [...paths].map((path) =>
    path
      .split('.#')
      .map((part) => RegExp.escape(part))
      .join(place),
  );
  return new RegExp(`^(?:${escaped.join('|')})$`);
}

/** The entry of a request; null where nothing is to be logged. */
function entryOf(keepers: Keepers, request: FastifyRequest, reply: FastifyReply, droppedBefore: number): LogEntry | null {
  const { caller, answered } = request;
  if (!caller) return null;
  const { route } = routeConfigOf(request);
  const keep = route ? keepers.of(route) : null;
  const ms = performance.now() - request.startedAt;
  const key = request.headers['idempotency-key'];
  return {
    organization_id: caller.organization_id,
    request_id: request.id,
    at_ms: Math.round(Date.now() - ms),
    ms: Math.round(ms),
    method: request.method,
    path: pathOf(request, route),
    route: route?.path ?? null,
    status: reply.statusCode,
    code: answered && 'error' in answered ? answered.error.code : null,
    actor_id: caller.actor_id,
    idempotency_key: typeof key === 'string' && IDEMPOTENCY_KEY.test(key) && !hasSecret(key) ? key : null,
    replayed: reply.hasHeader('idempotency-replayed'),
    deal_id: dealOf(request, answered),
    request: requestJson(keep ?? { query: keepers.none, body: keepers.none }, request, route),
    response: responseJson(keep, request, reply),
    ...(request.caused ? causedIn(request.caused, caller.organization_id) : NOTHING_CAUSED),
    dropped_before: droppedBefore,
  };
}

const MOST_CAUSED = 100;
type CausedIds = Pick<LogEntry, 'event_ids' | 'delivery_ids' | 'job_ids' | 'caused_more'>;
const NOTHING_CAUSED: CausedIds = { event_ids: '', delivery_ids: '', job_ids: '', caused_more: 0 };

function causedIn(caused: NonNullable<FastifyRequest['caused']>, organizationId: string): CausedIds {
  const own = caused.filter((each) => each.organization_id === organizationId).map(({ id }) => id);
  const [events, deliveries] = ['evt_', 'dlv_'].map((prefix) => own.filter((id) => id.startsWith(prefix)));
  const jobs = [...new Set(own.filter((id) => !/^(?:evt|dlv)_/.test(id)))];
  const listed = (ids: readonly string[] = []): string => ids.slice(0, MOST_CAUSED).join();
  return {
    event_ids: listed(events),
    delivery_ids: listed(deliveries),
    job_ids: listed(jobs),
    caused_more: [events, deliveries, jobs].reduce((sum, ids) => sum + Math.max(0, (ids?.length ?? 0) - MOST_CAUSED), 0),
  };
}

/** A key is the caller's own text: one that has a secret in it, a sentence or a name with blanks is not kept. */
const IDEMPOTENCY_KEY = /^[\w.:-]{1,128}$/;
/** What names a record beside the platform's ids: the number of a row, a version or a period, and the id of a request. */
const IDENTIFIER = /^(?:\d{1,8}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** What paths are made of beside them. */
const WORD = /^(?:[a-z]{1,24}(?:-[a-z]{1,24}){0,3}|v\d)$/;
const UNLISTED = '…';

/**
 * The path without its query. What stands in the place of an identifier and is none, such as the number of a loan or a secret, is replaced by its
 * name; on a path that there is not, what is no word.
 */
export function pathOf(request: FastifyRequest, route: Route | undefined): string {
  const end = request.url.search(/[?#]/);
  const path = end < 0 ? request.url : request.url.slice(0, end);
  if (path === route?.path) return path;
  const pattern = route?.path.split('/') ?? [];
  const segments = path.slice(0, 1_024).split('/').slice(0, 24);
  return segments
    .map((segment, index) =>
      segment === '' || segment === pattern[index] || isId(segment) || IDENTIFIER.test(segment) || (!route && WORD.test(segment))
        ? segment
        : (pattern[index] ?? UNLISTED),
    )
    .join('/');
}

/** The deal that a request names, or that its response does. */
function dealOf(request: FastifyRequest, answered: Answered | null): string | null {
  const data = answered && 'body' in answered ? fieldsIn(fieldsIn(answered.body).data) : {};
  for (const each of [fieldsIn(request.params), fieldsIn(request.query), fieldsIn(request.body), data])
    for (const value of [each.dealId, each.deal_id]) if (isId(value) && value.startsWith('deal_')) return value;
  return null;
}

const fieldsIn = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

function requestJson(keep: Pick<RouteKeepers, 'query' | 'body'>, request: FastifyRequest, route: Route | undefined): string {
  const asked = (request.query ?? {}) as Record<string, unknown>;
  const ofQuery = Object.keys(asked).length > 0 ? keep.query(asked, QUERY_BYTES) : NOTHING;
  const file = route?.bodyKind === 'raw';
  const sent = file || request.body === undefined || request.body === null ? null : request.body;
  const ofBody = sent === null ? NOTHING : keep.body(sent, BODY_BYTES - QUERY_BYTES);
  const omitted = [...prefixed('query', ofQuery.omitted), ...prefixed('body', ofBody.omitted)];
  if (file) omitted.push({ path: 'body', reason: 'FILE', count: 1 });
  return wholeOf(`"query":${ofQuery.json},"body":${ofBody.json}`, {
    bytes: Number(request.headers['content-length'] ?? 0) || null,
    truncated: ofQuery.truncated || ofBody.truncated,
    unknown_fields: ofQuery.unknownFields + ofBody.unknownFields,
    omitted,
  });
}

function responseJson(keep: RouteKeepers | null, request: FastifyRequest, reply: FastifyReply): string {
  const { answered } = request;
  const bytes = Number(reply.getHeader('content-length') ?? 0) || null;
  if (!answered || !keep || 'error' in answered) {
    const error = answered && 'error' in answered ? answered.error : null;
    const body = error ? errorJson(error, keep?.fields) : 'null';
    const omitted: OmittedField[] = error ? [{ path: 'body.message', reason: 'TEXT', count: 1 }] : [];
    const truncated = (error?.errors?.length ?? 0) > PROBLEMS_KEPT;
    return wholeOf(`"body":${body}`, { bytes, truncated, omitted });
  }
  if ('file' in answered)
    return wholeOf('"body":null', { bytes, truncated: false, omitted: [{ path: 'body', reason: 'FILE', count: 1 }] });
  const kept = keep.reply(answered.body, BODY_BYTES);
  return wholeOf(`"body":${kept.json}`, {
    bytes,
    truncated: kept.truncated,
    omitted: prefixed('body', kept.omitted),
  });
}

/** Problems of a refusal that the log keeps: it lists more. */
const PROBLEMS_KEPT = 50;
const CODE = /^[A-Z][A-Z0-9_]{1,63}$/;

/** An error without its sentences, which may repeat what was sent: its code, and the fields at fault where the schema has them. */
function errorJson({ code, statusCode, errors = [] }: ApiError, fields: RegExp | undefined): string {
  const problems = errors.slice(0, PROBLEMS_KEPT).map((each: FieldProblem) => ({
    field: each.field && fields?.test(each.field) ? each.field : null,
    code: CODE.test(each.code) ? each.code : null,
  }));
  return JSON.stringify({ success: false, statusCode, code, ...(problems.length > 0 ? { errors: problems } : {}) });
}

type About = { bytes: number | null; truncated: boolean; unknown_fields?: number; omitted: readonly OmittedField[] };

/** One side of an entry. Its list of omitted fields is bounded too; how many paths are missing from it is told. */
function wholeOf(parts: string, { omitted, ...about }: About): string {
  const { bytes, truncated, unknown_fields } = about;
  let list = '';
  let more = 0;
  // Paths and reasons are words of the schemas: they need no escapes.
  for (const { path, reason, count } of omitted) {
    const each = `{"path":"${path}","reason":"${reason}","count":${count}}`;
    if (list.length + each.length > OMITTED_BYTES) more += 1;
    else list += list === '' ? each : `,${each}`;
  }
  const unknown = unknown_fields === undefined ? '' : `,"unknown_fields":${unknown_fields}`;
  return `{${parts},"bytes":${bytes},"truncated":${truncated}${unknown},"omitted":[${list}]${more > 0 ? `,"omitted_more":${more}` : ''}}`;
}

const prefixed = (side: string, omitted: readonly OmittedField[]): OmittedField[] =>
  omitted.map(({ path, reason, count }) => ({ path: path === '' ? side : `${side}.${path}`, reason, count }));

const NOTHING: Kept = { json: null, truncated: false, unknownFields: 0, omitted: [] };
