import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const READY_MS = 120_000;
const END_MS = 30_000;

export type Server = {
  address: string;
  process: ChildProcess;
  issueKey(organization: string, role: string, more?: string[]): Promise<string>;
  /** Ends the process and waits for its end. */
  end(signal?: NodeJS.Signals): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A folder that goes when the scope ends; declared before the processes that use it, it outlives them. */
export function temporaryFolder(): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'sluice-process-'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A real gateway process on a free port with its own data folder (or the database that `env` names). */
export async function startServer(
  dataDir: string,
  options: { command?: string[]; env?: Record<string, string>; root?: string } = {},
): Promise<Server> {
  const cli = join(options.root ?? ROOT, 'src/cli.ts');
  const env = {
    PATH: process.env.PATH ?? '',
    SLUICE_DATA_DIR: dataDir,
    PORT: '0',
    LOG_LEVEL: 'error',
    SLUICE_METRICS_LISTEN: 'off',
    SLUICE_RATE_LIMIT: '1000000',
    ...options.env,
  };
  const child = spawn(process.execPath, [cli, ...(options.command ?? ['serve'])], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await firstLine(child);
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(timer);
  };
  return {
    address: /https?:\/\/\S+/.exec(line)?.[0] ?? '',
    process: child,
    async issueKey(organization, role, more = []) {
      const args = [
        'keys',
        'issue',
        '--organization',
        organization,
        '--role',
        role,
        '--environment',
        'development',
        '--requester',
        'a test',
        '--use-case',
        'a test',
        ...more,
      ];
      const issued = spawnSync(process.execPath, [cli, ...args], { env, encoding: 'utf8' });
      if (issued.status !== 0) throw new Error(issued.stderr);
      return issued.stdout.trim();
    },
    end,
    [Symbol.asyncDispose]: () => end(),
  };
}

/** The line that a process prints when it is ready. */
function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the process was not ready in time')), READY_MS);
    child.once('exit', (code) => reject(new Error(`the process ended with ${code} before it was ready`)));
    if (!child.stdout) return reject(new Error('no output'));
    createInterface({ input: child.stdout }).once('line', (line) => {
      clearTimeout(timer);
      resolve(line);
    });
  });
}
