import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setInterval as every } from 'node:timers/promises';
import { ALERTS_RAISED } from '../../events/emit.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Context } from '../../platform/http/route.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { LOOK_AGAIN_MS } from '../../platform/recent-looks.ts';
import { isCallerInForce } from '../sessions/queries.ts';
import { type AlertCursor, type AlertRow, endOfAlerts, findCursor, listAlertsAfter } from './queries.ts';

const STREAMS_PER_ORGANIZATION = 20;
const BATCH = 100;
const HEARTBEAT_MS = 15_000;
/** A slower transaction can commit an earlier alert after the signal: the stream polls again after each of these. */
const POLL_AGAIN_MS = [30, 150, 600];

/**
 * Server-sent events: every alert of the organization as it is raised; with `Last-Event-ID`, the alerts raised since then come first. The
 * stream ends when the client disconnects, the key stops working, or the process stops.
 */
export async function streamAlerts({
  deps,
  caller,
  request,
  reply,
  read,
}: Pick<Context<unknown, unknown, unknown>, 'deps' | 'caller' | 'request' | 'reply' | 'read'>): Promise<void> {
  if (request.method === 'HEAD') return void reply.header('content-type', 'text/event-stream; charset=utf-8').send();
  const lastId = request.headers['last-event-id'];
  const release = deps.alertStreams.take(caller.organization_id, STREAMS_PER_ORGANIZATION);
  if (!release) {
    throw new ApiError('RATE_LIMITED', `An organization has at most ${STREAMS_PER_ORGANIZATION} alert streams open.`, {
      headers: { 'retry-after': '10' },
    });
  }
  try {
    const cursor = await read(async (tx) => {
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
    const closed = once(response, 'close').catch(() => {});
    const stream = { deps, caller, response, closed, isServing: () => request.server.server.listening };
    // A failure ends the stream; the client reconnects with the id of the last alert that it got.
    await Promise.race([follow(stream, cursor), untilOver(stream)]).catch((error: Error) =>
      deps.log.warn({ err: error }, 'an alert stream ended'),
    );
    // A client that takes nothing would keep what waits for it, and the connection.
    if (response.writableNeedDrain) response.destroy();
    else response.end();
  } finally {
    release();
  }
}

type AlertStream = { deps: Deps; caller: Caller; response: ServerResponse; closed: Promise<unknown>; isServing(): boolean };

const hasEnded = ({ response }: AlertStream): boolean => response.destroyed || response.writableEnded;

/** Resolves when the key or the process has ended, or the client has gone, whatever the stream itself waits for. */
async function untilOver(stream: AlertStream): Promise<void> {
  using gone = new DisposableStack();
  const stopped = new AbortController();
  gone.defer(() => stopped.abort());
  const over = async (): Promise<void> => {
    for await (const _tick of every(LOOK_AGAIN_MS, undefined, { signal: stopped.signal }))
      if (!stream.isServing() || !(await isInForce(stream))) return;
  };
  await Promise.race([over(), stream.closed]);
}

async function follow(stream: AlertStream, start: AlertCursor): Promise<void> {
  const { deps, response, closed } = stream;
  const waker = createWaker();
  using background = new DisposableStack();
  background.defer(() => waker.stop());
  background.defer(deps.db.signals.on(ALERTS_RAISED, waker.signal));
  const heartbeat = setInterval(() => hasEnded(stream) || response.write(': \n\n'), HEARTBEAT_MS);
  background.defer(() => clearInterval(heartbeat));
  const check = setInterval(waker.wake, LOOK_AGAIN_MS);
  background.defer(() => clearInterval(check));
  let cursor = start;
  while (!hasEnded(stream)) {
    const woken = waker.next();
    cursor = await sendAfter(stream, cursor);
    await Promise.race([woken, closed]);
  }
}

type WakerState = { wakeOne: () => void; polls: NodeJS.Timeout[] };

/** Lets one loop wait for signals: at once, and again after `POLL_AGAIN_MS`. */
function createWaker() {
  const state: WakerState = { wakeOne: () => {}, polls: [] };
  const wake = (): void => state.wakeOne();
  const stop = (): void => {
    for (const poll of state.polls.splice(0)) clearTimeout(poll);
  };
  return {
    wake,
    stop,
    signal: (): void => {
      wake();
      stop();
      state.polls.push(...POLL_AGAIN_MS.map((delayMs) => setTimeout(wake, delayMs)));
    },
    /** Resolves at the next wake after this call. */
    next: (): Promise<void> =>
      new Promise((resolve) => {
        state.wakeOne = resolve;
      }),
  };
}

/** Sends the alerts after the cursor; returns the cursor of the last one sent. */
async function sendAfter(stream: AlertStream, start: AlertCursor): Promise<AlertCursor> {
  const { deps, caller, response, closed } = stream;
  let cursor = start;
  for (;;) {
    const rows = await deps.db.tx({ organization: caller.organization_id }, (tx) =>
      listAlertsAfter(tx, caller.organization_id, cursor, BATCH),
    );
    for (const { at, ...alert } of rows) {
      if (hasEnded(stream)) return cursor;
      cursor = { at, id: alert.id };
      if (!response.write(frameOf(alert))) await Promise.race([once(response, 'drain'), closed]);
    }
    if (rows.length < BATCH) return cursor;
  }
}

const frameOf = (alert: AlertRow): string => `id: ${alert.id}\nevent: alert\ndata: ${JSON.stringify(alert)}\n\n`;

async function isInForce({ deps, caller }: AlertStream): Promise<boolean> {
  return await deps.db.tx({ platform: true }, (tx) => isCallerInForce(tx, caller));
}
