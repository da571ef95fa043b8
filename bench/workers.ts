// Tapes that wait in the queue, checked by one worker pinned to a processor and then by two pinned to one each: how much of the time is left.
// npm run bench -- workers [TAPES] [ROWS]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, createMachine, issueKey, type Machine, type Running, sendTape } from '../test/faults/processes.ts';
import { until } from '../test/support/until.ts';
import { writeMessyTape } from './gen-messy.ts';

const TAPES = 24;
const ROWS = 1_000_000;
const LIMIT = 0.56;
const MOST_MS = 3_600_000;

export async function run(args: string[]): Promise<void> {
  const [tapes, rows] = [Number(args[0] ?? TAPES), Number(args[1] ?? ROWS)];
  const folder = mkdtempSync(join(tmpdir(), 'sluice-workers-'));
  const path = join(folder, 'tape.csv');
  try {
    await writeMessyTape(path, rows);
    const bytes = readFileSync(path, 'latin1');
    const one = await seconds(tapes, bytes, ['0']);
    const two = await seconds(tapes, bytes, ['0', '1']);
    console.table({ 'one worker': { seconds: one, tapes, rows }, 'two workers': { seconds: two, tapes, rows } });
    process.stdout.write(
      `${JSON.stringify({ bench: 'workers', ratio: Math.round((two / one) * 1_000) / 1_000, limit: LIMIT, tapes, rows, one, two })}\n`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Seconds from the start of the workers, one on each of these processors, to the last tape that is checked. */
async function seconds(tapes: number, bytes: string, processors: readonly string[]): Promise<number> {
  await using machine = createMachine({ LOG_LEVEL: 'error' });
  const gateway = await machine.start(['serve', '--no-worker']);
  const token = await issueKey(machine, 'originator', 'Harbor');
  for (let sent = 0; sent < tapes; sent += 1) await sendTape(gateway, token, bytes);
  const began = performance.now();
  await Promise.all(processors.map((processor) => startPinned(machine, processor)));
  await until(async () => (await checked(gateway, token)) === tapes, MOST_MS, 'the checks of all tapes', 200);
  return Math.round((performance.now() - began) / 100) / 10;
}

async function startPinned(machine: Machine, processor: string): Promise<void> {
  const worker = await machine.start(['work']);
  // The processes of its tasks inherit the processor of the thread that starts them.
  const { status, stderr } = spawnSync('taskset', ['-a', '-c', '-p', processor, String(worker.pid)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`taskset: ${stderr}`);
}

async function checked(gateway: Running, token: string): Promise<number> {
  const { body } = await ask(gateway, 'GET', '/v1/api/originator/loans?status=QC_COMPLETED&limit=1', { token });
  return body.pagination.total;
}
