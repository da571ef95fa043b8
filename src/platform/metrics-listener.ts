import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';

export type ListenAddress = { host: string; port: number };

export type ProbeReply = { status?: number; contentType: string; body: string };

/** The paths that the listener serves: path → function that makes the response. */
export type Probes = Record<string, () => Promise<ProbeReply>>;

export type MetricsListener = {
  /** The address at which it listens; null when it is off or another process holds the address. */
  address: string | null;
  [Symbol.asyncDispose](): Promise<void>;
};

const SETTING = 'SLUICE_METRICS_LISTEN';
const REQUEST_TIMEOUT_MS = 5_000;
const CONNECTIONS = 64;

/**
 * A small HTTP server of the process, separate from the address of the API: metrics and probes without a key. If the address is in use
 * the process continues without it and logs a warning (`serve` and `work` on one machine share the default).
 */
export async function openMetricsListener(listen: ListenAddress | null, probes: Probes, log: Logger): Promise<MetricsListener> {
  if (!listen) return { address: null, [Symbol.asyncDispose]: async () => {} };
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: 1_000 },
    (request, response) => void respond(probes, request, response, log),
  );
  server.maxConnections = CONNECTIONS;
  const refusal = await bind(server, listen);
  if (refusal) {
    log.warn(
      { setting: SETTING, address: textOf(listen) },
      `this process serves no metrics: ${textOf(listen)} is in use; give each process on a machine its own ${SETTING}, or "off"`,
    );
    return { address: null, [Symbol.asyncDispose]: async () => {} };
  }
  const { port } = server.address() as AddressInfo;
  const address = `http://${textOf({ host: listen.host, port })}`;
  log.info({ address }, 'metrics are served');
  return {
    address,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Binds the server; returns the error when the address is in use, throws one that names the setting for any other problem. */
function bind(server: Server, listen: ListenAddress): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') return resolve(error);
      reject(new Error(`${SETTING}: cannot listen on ${textOf(listen)}: ${error.message}`));
    });
    server.listen(listen, () => resolve(null));
  });
}

async function respond(probes: Probes, request: IncomingMessage, response: ServerResponse, log: Logger): Promise<void> {
  const path = (request.url ?? '').replace(/\?.*$/s, '');
  const probe = Object.hasOwn(probes, path) ? probes[path] : undefined;
  request.resume();
  if (!probe) return send(response, 404, `There is no such path; known: ${Object.keys(probes).join(', ')}\n`);
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return send(response, 405, 'Use GET.\n');
  }
  try {
    const { status = 200, contentType, body } = await probe();
    send(response, status, body, contentType);
  } catch (error) {
    log.error({ path, err: error }, 'probe failed');
    send(response, 500, 'The probe failed: see the log.\n');
  }
}

function send(response: ServerResponse, status: number, body: string, contentType = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  response.end(body);
}

const textOf = ({ host, port }: ListenAddress): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;
