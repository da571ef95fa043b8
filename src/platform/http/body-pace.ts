import type { IncomingMessage } from 'node:http';
import { Readable, Transform } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './errors.ts';
import { type BodyPace, routeConfigOf } from './options.ts';

const BODY_PACE: BodyPace = { idleMs: 30_000, leastBytesPerSecond: 16 * 1024, windowMs: 30_000 };
const TICKS = 10;

/**
 * Bytes of a rejected body that are still read, beyond the limit of a JSON body, so that a client that first writes everything gets the
 * response.
 */
const DRAIN_BYTES = 1024 * 1024;
const DRAIN_MS = 10_000;
const DRAIN_SILENCE_MS = 2_000;

/** The bytes of a request for its reader, which gets a 408 when the sender falls silent, is too slow or disconnects. */
export function paceBody(raw: IncomingMessage, pace: BodyPace = BODY_PACE): Readable {
  if (!declaresBody(raw)) return raw;
  let received = 0;
  const paced = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      received += chunk.length;
      done(null, chunk);
    },
  });
  const cut = (message: string) => paced.destroy(new ApiError('REQUEST_TIMEOUT', message));
  const isSlow = slowness(pace, () => received);
  const watch = setInterval(() => {
    // A full buffer means that the reader is slow, not the sender.
    if (!paced.writableNeedDrain && isSlow()) cut('The bytes of the file stopped arriving or arrive too slowly.');
  }, pace.idleMs / TICKS);
  watch.unref();
  const stop = (): void => clearInterval(watch);
  paced.on('error', () => {}).once('close', stop);
  // An error response unpipes the bytes: the reader must not wait for the rest.
  paced.once('unpipe', () => {
    if (!paced.writableEnded) cut('The file was rejected.');
  });
  raw.on('error', () => {}).once('end', stop);
  raw.once('close', () => {
    stop();
    if (!raw.readableEnded) cut('The connection ended before the file did.');
  });
  return raw.pipe(paced);
}

/** Called at every tick of waiting; true when the sender was silent for too long or sent too little in a window. */
function slowness({ idleMs, leastBytesPerSecond, windowMs }: BodyPace, received: () => number): () => boolean {
  const tickMs = idleMs / TICKS;
  let [seen, silentMs, waitedMs, windowStart] = [0, 0, 0, 0];
  return () => {
    const now = received();
    silentMs = now > seen ? 0 : silentMs + tickMs;
    waitedMs += tickMs;
    seen = now;
    if (silentMs >= idleMs) return true;
    if (waitedMs < windowMs) return false;
    const tooLittle = now - windowStart < (leastBytesPerSecond * waitedMs) / 1_000;
    waitedMs = 0;
    windowStart = now;
    return tooLittle;
  };
}

/** True while bytes of the request's body are still outstanding. */
export const isArriving = ({ raw }: FastifyRequest): boolean => raw.complete === false && !raw.destroyed && declaresBody(raw);

/** True when the rest is small enough for the connection to serve another request. */
export function isShort(request: FastifyRequest): boolean {
  const { headers } = request;
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= mostDrained(request);
}

const mostDrained = (request: FastifyRequest): number =>
  DRAIN_BYTES + (routeConfigOf(request).route?.bodyKind === 'raw' ? 0 : (request.routeOptions?.bodyLimit ?? 0));

/**
 * The text of an error for a client that is still sending. It is sent at once, but the response and the connection end only when the body
 * has ended or enough of it was read: if they ended earlier, the connection would be reset before the client reads the response.
 */
export function respondWhileArriving(request: FastifyRequest, reply: FastifyReply, text: string): Readable {
  const { raw } = request;
  const most = mostDrained(request);
  const response = new Readable({ read() {} });
  let drained = 0;
  const count = (chunk: Buffer): void => {
    drained += chunk.length;
    silence.refresh();
    if (drained >= most) end();
  };
  const end = (): void => {
    clearTimeout(deadline);
    clearTimeout(silence);
    raw.off('data', count).off('end', end).off('close', end);
    if (!raw.complete) reply.raw.once('finish', () => raw.destroy());
    response.push(null);
  };
  const deadline = setTimeout(end, DRAIN_MS);
  const silence = setTimeout(end, DRAIN_SILENCE_MS);
  response.push(text);
  raw.unpipe();
  raw.on('error', () => {});
  raw.on('data', count).once('end', end).once('close', end).resume();
  return response;
}

/** Nothing reads the rest of a body after the response: unless it ends soon, the connection is closed. */
export function boundRest(request: FastifyRequest): void {
  if (!isArriving(request)) return;
  const { raw } = request;
  const deadline = setTimeout(() => raw.destroy(), DRAIN_MS);
  raw.once('close', () => clearTimeout(deadline));
}

/** True when the request announces a body. */
export function declaresBody({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
