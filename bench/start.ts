// How long the command takes to print help, and to serve from the files of an earlier start; beside the time in which Node runs nothing.
// npm run bench -- start [runs]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { quantile } from '../test/support/quantile.ts';

const SLUICE = fileURLToPath(new URL('../bin/sluice', import.meta.url));
const LIMITS = { help: 300, serve: 1_200 };
const COMMANDS = ['', 'serve', 'work', 'dev', 'keys', 'members', 'tape check', 'tapes', 'deals', 'api', 'login', 'mcp', 'doctor'];

export async function run([runs = '5']: string[]): Promise<void> {
  const times = Number(runs);
  const bare = await median(times, async () => timed(() => spawnSync(process.execPath, ['-e', '0'])));
  process.stdout.write(`node -e 0\t${bare.toFixed(0)} ms\n`);
  let help = 0;
  for (const command of COMMANDS) {
    const args = [...command.split(' ').filter(Boolean), '--help'];
    const took = await median(times, async () => timed(() => spawnSync(SLUICE, args)));
    help = Math.max(help, took);
    process.stdout.write(`sluice ${args.join(' ')}\t${took.toFixed(0)} ms\n`);
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    await serve(dataDir);
    const ready = await median(times, () => serve(dataDir));
    process.stdout.write(`sluice serve, ready\t${ready.toFixed(0)} ms\n`);
    const ratio = Math.max(help / LIMITS.help, ready / LIMITS.serve);
    process.stdout.write(
      `${JSON.stringify({ bench: 'start', ratio, limit: 1, help_ms: help, ready_ms: ready, bare_ms: bare })}\n`,
    );
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function timed(work: () => unknown): number {
  const before = performance.now();
  work();
  return performance.now() - before;
}

async function median(runs: number, measure: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let each = 0; each < runs; each += 1) times.push(await measure());
  return quantile(times, 0.5);
}

/** Milliseconds until it says where it serves; it is stopped in an orderly way. */
async function serve(dataDir: string): Promise<number> {
  const before = performance.now();
  const child = spawn(SLUICE, ['serve'], {
    env: { ...process.env, SLUICE_DATA_DIR: dataDir, PORT: '0', SLUICE_METRICS_LISTEN: 'off' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let said = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    said += String(chunk);
    if (said.includes('sluice serves ')) break;
  }
  const took = performance.now() - before;
  if (!said.includes('sluice serves ')) throw new Error(`it ended and said: ${said}`);
  child.kill('SIGTERM');
  await exited;
  return took;
}
