import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRunning } from '../../src/platform/running.ts';
import { killGroup } from '../support/process-tree.ts';
import { until } from '../support/until.ts';

const SLUICE = fileURLToPath(new URL('../../bin/sluice', import.meta.url));
const LOANS = '/v1/api/originator/loans';
const READY = /sluice (?:serves (\S+)|works)|^API +(\S+)/m;

export type Running = {
  /** Where it serves; '' for a worker. */
  address: string;
  pid: number;
  stdout(): string;
  stderr(): string;
  /** Stops reading one of its outputs, as a collector does that dies. */
  close(output: 'stdout' | 'stderr'): void;
  /** Sends a signal to the process alone, or to its whole group as a terminal does. */
  signal(name: NodeJS.Signals, to?: 'process' | 'group'): void;
  /** Resolves with the exit code once it is gone. */
  exited: Promise<number | null>;
};

export type Machine = {
  dataDir: string;
  env: Record<string, string>;
  /** Starts a process of the gateway and waits until it says that it is ready; its standard error may be a descriptor of the test's. */
  start(args: string[], env?: Record<string, string>, stderr?: number): Promise<Running>;
  /** Runs a command to its end. */
  run(
    args: string[],
    env?: Record<string, string>,
    output?: { stdout?: number; stderr?: number },
  ): Promise<{ code: number | null; stdout: string; stderr: string }>;
  /** Kills every process that was started here, as a crash does; the database server, which has a group of its own, stays. */
  killAll(): void;
  /** What all processes that were started here have written to standard error, one after the other. */
  stderr(): string;
  /** Process id of the database server, or null when none runs on these files. */
  postmaster(): number | null;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A machine as a user has it: an empty data directory and the commands, each in real processes. Nothing outlives it. */
export function createMachine(settings: Record<string, string> = {}): Machine {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-fault-'));
  const env = {
    SLUICE_DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'warn',
    SLUICE_RATE_LIMIT: '1000000',
    SLUICE_METRICS_LISTEN: 'off',
    ...settings,
  };
  const children = new Set<ChildProcess>();
  const outputs: { stderr: string }[] = [];
  const launch = (
    args: string[],
    more: Record<string, string>,
    output: { stdout?: number | undefined; stderr?: number | undefined } = {},
  ): { child: ChildProcess; out: { stdout: string; stderr: string } } => {
    const child = spawn(SLUICE, args, {
      env: { ...inherited(), ...env, ...more },
      stdio: ['ignore', output.stdout ?? 'pipe', output.stderr ?? 'pipe'],
      detached: true,
    });
    children.add(child);
    const out = { stdout: '', stderr: '' };
    outputs.push(out);
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.setEncoding('utf8').on('data', (text: string) => {
        out[name] += text;
      });
    }
    return { child, out };
  };
  const postmaster = (): number | null => {
    const pid = Number(readText(join(dataDir, 'postgres', 'data', 'postmaster.pid')).split('\n')[0]);
    return pid > 0 && isRunning(pid) ? pid : null;
  };
  const killAll = (): void => {
    for (const child of children) if (child.exitCode === null && child.signalCode === null && child.pid) killGroup(child.pid);
  };
  return {
    dataDir,
    env,
    postmaster,
    killAll,
    stderr: () => outputs.map(({ stderr }) => stderr).join(''),
    async start(args, more = {}, stderr) {
      const { child, out } = launch(args, more, { stderr });
      const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
      await until(
        () => READY.test(out.stdout) || child.exitCode !== null || child.signalCode !== null,
        120_000,
        `the start of sluice ${args.join(' ')}`,
      );
      const ready = READY.exec(out.stdout);
      if (!ready) throw new Error(`sluice ${args.join(' ')} ended with ${child.exitCode}: ${out.stderr.slice(-2_000)}`);
      const pid = child.pid as number;
      return {
        address: ready[1] ?? ready[2] ?? '',
        pid,
        close: (name) => void child[name]?.destroy(),
        stdout: () => out.stdout,
        stderr: () => out.stderr,
        signal: (name, to = 'process') => void process.kill(to === 'group' ? -pid : pid, name),
        exited,
      };
    },
    async run(args, more = {}, output = {}) {
      const { child, out } = launch(args, more, output);
      const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
      return { code, ...out };
    },
    async [Symbol.asyncDispose]() {
      killAll();
      const server = postmaster();
      if (server) process.kill(server, 'SIGINT');
      await until(() => postmaster() === null, 120_000, 'the end of the database');
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of any answer.
// oxlint-disable-next-line typescript/no-explicit-any
export type Reply = { status: number; headers: Headers; body: any };

/** One request to a running process; its JSON, or {} where the answer has none. */
export async function ask(
  process: { address: string },
  method: string,
  path: string,
  options: { token?: string; body?: unknown; headers?: Record<string, string>; bytes?: string; withinMs?: number } = {},
): Promise<Reply> {
  const response = await fetch(new URL(path, process.address), {
    method,
    headers: {
      ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.bytes === undefined && options.body === undefined ? {} : { body: options.bytes ?? JSON.stringify(options.body) }),
    signal: AbortSignal.timeout(options.withinMs ?? 30_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) };
}

/** Issues a key with the command line; its token. */
export async function issueKey(machine: Machine, role: string, organization: string, more: string[] = []): Promise<string> {
  const who = `--organization=${organization}`;
  const why = ['--environment=development', '--requester=a test', '--use-case=a test'];
  const { code, stdout, stderr } = await machine.run(['keys', 'issue', who, `--role=${role}`, ...why, ...more]);
  if (code !== 0) throw new Error(`keys issue ended with ${code}: ${stderr}`);
  return stdout.trim();
}

/** Sends an Auto tape as a client does: initiate, PUT, complete. The id of its deal; the checks are queued. */
export async function sendTape(gateway: { address: string }, token: string, bytes: string, name = 'tape'): Promise<string> {
  const fileName = `${name}.csv`;
  const initiated = await ask(gateway, 'POST', `${LOANS}/initiate`, {
    token,
    body: { loanType: 'Auto', fileFormat: 'text/csv', fileName },
  });
  if (initiated.status !== 201) throw new Error(`initiate answered ${initiated.status}: ${JSON.stringify(initiated.body)}`);
  const { deal_id, upload_url, upload_headers } = initiated.body.data;
  const put = await ask(gateway, 'PUT', new URL(upload_url).pathname, { headers: upload_headers, bytes });
  if (put.status !== 200) throw new Error(`the upload answered ${put.status}: ${JSON.stringify(put.body)}`);
  const completed = await ask(gateway, 'POST', `${LOANS}/complete`, { token, body: { dealId: deal_id, fileName } });
  if (completed.status !== 202) throw new Error(`complete answered ${completed.status}: ${JSON.stringify(completed.body)}`);
  return deal_id;
}

/** A deal as its originator sees it. */
export async function readDeal(gateway: { address: string }, token: string, dealId: string): Promise<Reply['body']['data']> {
  return (await ask(gateway, 'GET', `${LOANS}/${dealId}`, { token })).body.data;
}

/** What a process needs of this one's environment; no setting of the gateway is inherited. */
function inherited(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
