import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { ALERTS_RAISED } from '../../events/emit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Caller, Context } from '../../platform/http/route.ts';
import { findCaller } from '../keys/queries.ts';
import { type AlertRow, type Cursor, endOfAlerts, findCursor, listAlertsAfter } from './queries.ts';

const MOST_STREAMS = 20;
const BATCH = 100;
const HEARTBEAT_MS = 15_000;
/** A revoked key loses its streams within this, and a stopping process ends them. */
const CHECK_MS = 1_500;
/** After a signal: what a slower transaction still holds back comes soon. */
const LOOK_AGAIN_MS = [30, 150, 600];

const open = new WeakMap<Deps, Map<string, number>>();

/**
 * Server-sent events: every alert of the organization as it is raised. With `Last-Event-ID` first those that were raised since. Ends
 * when the client leaves, the key stops working, or the process stops.
 */
export async function streamAlerts(context: Context<unknown, unknown, unknown>): Promise<void> {
  const { deps, caller, request, reply } = context;
  if (request.method === 'HEAD') return void reply.header('content-type', 'text/event-stream; charset=utf-8').send();
  const lastId = request.headers['last-event-id'];
  const leave = enter(deps, caller.organization_id);
  try {
    const cursor = await context.read(async (tx) => {
      const known = typeof lastId === 'string' ? await findCursor(tx, caller.organization_id, lastId) : null;
      return known ?? (await endOfAlerts(tx));
    });
    const response = reply.hijack().raw;
    response.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    });
    response.write('retry: 3000\n\n');
    // A failure ends the stream; the client comes back with the last id that it has.
    await run(deps, caller, response, cursor, () => request.server.server.listening).catch((error: Error) =>
      deps.log.warn({ err: { name: error.name, message: error.message } }, 'a stream of alerts ended'),
    );
    response.end();
  } finally {
    leave();
  }
}

function enter(deps: Deps, organizationId: string): () => void {
  const counts = open.get(deps) ?? new Map<string, number>();
  open.set(deps, counts);
  const count = counts.get(organizationId) ?? 0;
  if (count >= MOST_STREAMS) {
    throw new ApiError('RATE_LIMITED', `An organization has at most ${MOST_STREAMS} streams open.`, {
      headers: { 'retry-after': '10' },
    });
  }
  counts.set(organizationId, count + 1);
  return () => void counts.set(organizationId, (counts.get(organizationId) ?? 1) - 1);
}

async function run(deps: Deps, caller: Caller, response: ServerResponse, start: Cursor, serving: () => boolean): Promise<void> {
  let cursor = start;
  let wake = (): void => {};
  const looks: NodeJS.Timeout[] = [];
  const stop = deps.db.signals.on(ALERTS_RAISED, () => {
    wake();
    for (const timer of looks.splice(0)) clearTimeout(timer);
    looks.push(...LOOK_AGAIN_MS.map((delayMs) => setTimeout(() => wake(), delayMs)));
  });
  const beat = setInterval(() => response.write(': \n\n'), HEARTBEAT_MS);
  const check = setInterval(() => wake(), CHECK_MS);
  const gone = once(response, 'close').catch(() => {});
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve;
      });
      cursor = await sendAfter(deps, caller, response, cursor);
      if (response.destroyed || !serving() || !(await isInForce(deps, caller))) return;
      await Promise.race([woken, gone]);
      if (response.destroyed) return;
    }
  } finally {
    stop();
    clearInterval(beat);
    clearInterval(check);
    for (const timer of looks) clearTimeout(timer);
  }
}

async function sendAfter(deps: Deps, caller: Caller, response: ServerResponse, start: Cursor): Promise<Cursor> {
  let cursor = start;
  for (;;) {
    const rows = await deps.db.tx({ organization: caller.organization_id }, (tx: Tx) =>
      listAlertsAfter(tx, caller.organization_id, cursor, BATCH),
    );
    for (const row of rows) {
      cursor = { at: row.at, id: row.id };
      if (!response.write(frame(row))) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      if (response.destroyed) return cursor;
    }
    if (rows.length < BATCH) return cursor;
  }
}

function frame({ at, ...alert }: AlertRow & { at: string }): string {
  void at;
  return `id: ${alert.id}\nevent: alert\ndata: ${JSON.stringify(alert)}\n\n`;
}

async function isInForce(deps: Deps, caller: Caller): Promise<boolean> {
  const claims = { jti: caller.key_id, sub: caller.organization_id, role: caller.role };
  return (await deps.db.tx({ platform: true }, (tx) => findCaller(tx, claims, caller.environment))) !== null;
}
