import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import S3rver from '@20minutes/s3rver';

const BUCKET = 'sluice-objects';

export type S3Service = {
  options: { bucket: string; endpoint: string; region: string };
  /** Value of SLUICE_STORAGE_URL. */
  url: string;
  /** Keys of the whole objects. */
  keys(): string[];
  /** Uploads in parts that were begun and neither ended nor given up. */
  unfinished(): number;
  /** Requests received so far. */
  requests(): number;
  stop(): Promise<void>;
  /** Starts again on the same port with the same objects. */
  start(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A service that speaks S3, on a port of this machine, with one bucket. */
export async function startS3(): Promise<S3Service> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-s3-service-'));
  // The credentials that the service knows; a client finds them the usual way.
  process.env.AWS_ACCESS_KEY_ID ??= 'S3RVER';
  process.env.AWS_SECRET_ACCESS_KEY ??= 'S3RVER';
  let requests = 0;
  let begun = 0;
  const ended = new Set<string>();
  const watch = ({ method, url = '' }: IncomingMessage): void => {
    requests += 1;
    const query = new URL(url, 'http://s3').searchParams;
    if (method === 'POST' && query.has('uploads')) begun += 1;
    if (method !== 'PUT' && query.has('uploadId')) ended.add(query.get('uploadId') ?? '');
  };
  let running: { port: number; stop(): Promise<void> } | null = null;
  const start = async (port: number): Promise<number> => {
    const service = new S3rver({
      address: '127.0.0.1',
      port,
      silent: true,
      directory,
      configureBuckets: [{ name: BUCKET }],
      // It takes the address of a bucket itself as if it ended with a slash, which is not what clients sign.
      allowMismatchedSignatures: true,
    });
    const address = await service.run();
    service.httpServer.on('request', watch);
    running = { port: address.port, stop: () => stopServer(service) };
    return address.port;
  };
  const port = await start(0);
  const endpoint = `http://127.0.0.1:${port}`;
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = null;
  };
  const files = (): string[] =>
    readdirSync(join(directory, BUCKET), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(join(directory, BUCKET), join(entry.parentPath, entry.name)));
  return {
    options: { bucket: BUCKET, endpoint, region: 'us-east-1' },
    url: `s3://${BUCKET}?endpoint=${encodeURIComponent(endpoint)}&region=us-east-1`,
    keys: () =>
      files()
        .filter((name) => name.endsWith('._S3rver_object'))
        .map((name) => name.replace(/\._S3rver_object$/, '')),
    unfinished: () => begun - ended.size,
    requests: () => requests,
    stop,
    start: async () => void (await start(port)),
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function stopServer(service: { httpServer: Server; close(): Promise<void> }): Promise<void> {
  service.httpServer.closeAllConnections();
  await service.close();
}
