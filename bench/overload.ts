// 2,000 clients that send again after each response, and a probe of /livez on connections of its own.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { start } from '../src/commands/serve.ts';
import { readConfig } from '../src/config.ts';
import { issueKey } from '../src/features/keys/issue-key.ts';
import { platformActor } from '../src/platform/http/platform-actor.ts';
import { quantile } from '../test/support/quantile.ts';

const CLIENTS = 2_000;
const SECONDS = 20;
const PROBE_EVERY_MS = 50;
const LIMIT_MS = 250;

type Ready = { address: string; token: string };
type Load = { answered: number; refused: number; failed: number; waits: number[] };

/** `clients` (default 2,000) and `seconds` (default 20); the ratio is the probe's p99 over 250 ms. */
export async function run(args: string[]): Promise<void> {
  const [clients, seconds] = [Number(args[0] ?? CLIENTS), Number(args[1] ?? SECONDS)];
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  const server = fork(fileURLToPath(import.meta.url), ['gateway', dataDir]);
  const loader = fork(fileURLToPath(import.meta.url), ['clients']);
  try {
    const { address, token } = await messageOf<Ready>(server);
    const loaded = messageOf<Load>(loader);
    loader.send({ address, token, clients, seconds });
    const probes: number[] = [];
    let over = false;
    void loaded.then(() => (over = true));
    while (!over) {
      probes.push(await probe(address));
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS));
    }
    report({ clients, seconds }, probes, await loaded);
  } finally {
    await ended(loader);
    await ended(server);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function report(size: { clients: number; seconds: number }, probes: number[], load: Load): void {
  const at = (values: number[], part: number): number => Math.round(quantile(values, part));
  process.stdout.write('what\tcount\tp50 ms\tp99 ms\tmost ms\n');
  for (const [what, values] of [
    ['livez', probes],
    ['answered', load.waits],
  ] as const)
    process.stdout.write(`${what}\t${values.length}\t${at(values, 0.5)}\t${at(values, 0.99)}\t${at(values, 1)}\n`);
  process.stdout.write(`refused\t${load.refused}\nfailed\t${load.failed}\n`);
  process.stdout.write(
    `${JSON.stringify({
      bench: 'overload',
      ratio: Number((at(probes, 0.99) / LIMIT_MS).toFixed(3)),
      limit: 1,
      livez_p99_ms: at(probes, 0.99),
      livez_most_ms: at(probes, 1),
      answered_p99_ms: at(load.waits, 0.99),
      answered_per_second: Math.round(load.answered / size.seconds),
      refused_per_second: Math.round(load.refused / size.seconds),
      failed: load.failed,
      clients: size.clients,
    })}\n`,
  );
}

function probe(address: string): Promise<number> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    get(`${address}/livez`, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(performance.now() - began));
    }).on('error', reject);
  });
}

/** Every client keeps its connection and sends again after each response; a refused one waits for Retry-After. */
async function loadServer({ address, token, clients, seconds }: Ready & { clients: number; seconds: number }): Promise<Load> {
  const { hostname, port } = new URL(address);
  const request = `GET /v1/api/alerts?limit=20 HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`;
  const until = performance.now() + seconds * 1_000;
  const load: Load = { answered: 0, refused: 0, failed: 0, waits: [] };
  await Promise.all(Array.from({ length: clients }, () => client(Number(port), hostname, request, until, load)));
  return load;
}

function client(port: number, host: string, request: string, until: number, load: Load): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, noDelay: true });
    let held = '';
    let sentAt = 0;
    const send = (): void => {
      if (performance.now() > until) {
        socket.removeAllListeners('close').destroy();
        return resolve();
      }
      sentAt = performance.now();
      socket.write(request);
    };
    socket.setEncoding('latin1');
    socket.on('error', () => {});
    socket.on('close', () => {
      load.failed += 1;
      resolve();
    });
    socket.on('connect', send);
    socket.on('data', (chunk) => {
      held += chunk;
      const head = held.indexOf('\r\n\r\n');
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(held)?.[1]);
      if (head < 0 || held.length < head + 4 + length) return;
      const status = held.slice(9, 12);
      held = '';
      if (status === '200') {
        load.answered += 1;
        load.waits.push(performance.now() - sentAt);
        return send();
      }
      if (status === '503') load.refused += 1;
      else load.failed += 1;
      setTimeout(send, 1_000);
    });
  });
}

async function serveGateway(dataDir: string): Promise<Ready> {
  const config = readConfig({ SLUICE_DATA_DIR: dataDir, PORT: '0', SLUICE_RATE_LIMIT: '1000000000', LOG_LEVEL: 'silent' });
  const running = await start(config, { api: true, worker: true });
  const request = {
    organization: 'Bench',
    role: 'both',
    environment: 'development',
    requester: 'bench',
    use_case: 'bench',
  } as const;
  const { token } = await running.runtime.db.tx({ platform: true }, (tx) =>
    issueKey(tx, platformActor('bench'), request, running.runtime),
  );
  process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)));
  return { address: running.address ?? '', token };
}

function messageOf<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null): void => reject(new Error(`the process ended with ${code}`));
    child.once('exit', failed);
    child.once('message', (message) => {
      child.off('exit', failed);
      resolve(message as Message);
    });
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

if (process.argv[2] === 'gateway') process.send?.(await serveGateway(process.argv[3] ?? ''));
if (process.argv[2] === 'clients') {
  process.once('message', (message) => {
    void loadServer(message as Parameters<typeof loadServer>[0]).then((load) => process.send?.(load));
  });
}
