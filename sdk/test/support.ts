import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Gateway } from '../../test/support/gateway.ts';
import { type Clock, Sluice, type SluiceOptions } from '../src/index.ts';

/** A clock that does not wait: it keeps what it was asked to wait for, and does what the test says meanwhile. */
export function quickClock(meanwhile: () => unknown = () => {}): Clock & { slept: number[] } {
  const slept: number[] = [];
  let nowMs = Date.parse('2026-11-20T12:00:00Z');
  return {
    slept,
    now: () => nowMs,
    random: () => 0.5,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      nowMs += ms;
      await meanwhile();
      signal?.throwIfAborted();
    },
  };
}

/** Clients of a gateway that listens; what they wait for, the queued jobs do meanwhile. */
export async function openDoor(
  gateway: Gateway,
): Promise<{ url: string; client(token: string, options?: SluiceOptions): Sluice }> {
  const url = await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  gateway.deps.setPublicUrl(url);
  return {
    url,
    client: (key, options = {}) => new Sluice({ url, key, clock: quickClock(() => gateway.runJobs()), ...options }),
  };
}

export type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
export type Fault = (response: ServerResponse, request: IncomingMessage) => void;

/** A server that answers request after request as the list says, and the last answer ever after. */
export async function faultyServer(...answers: Fault[]) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const answer = answers[Math.min(seen.length, answers.length - 1)];
      seen.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      answer?.(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.dispose]: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Answers with JSON. */
export const json =
  (status: number, body: object, headers: Record<string, string> = {}): Fault =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

/** Answers with an error of the API. */
export const refusal = (status: number, code: string, headers: Record<string, string> = {}): Fault =>
  json(status, { success: false, message: `It is ${code}.`, statusCode: status, code, request_id: 'req-1' }, headers);

/** Closes the connection without an answer. */
export const hangUp: Fault = (_response, request) => request.socket.destroy();

export const ok: Fault = json(200, { success: true, data: { done: true } });
