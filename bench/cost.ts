// Cost of an additional row as the tape grows from 10^3 to 10^6: a flat cost means that no part of the ingest grows faster than linearly.
// npm run bench -- cost [LARGEST]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEngine } from '../src/loans/engine/engine.ts';
import { ingestRawTable } from '../src/loans/ingest/ingest.ts';
import { readTape } from '../src/loans/reading/read-tape.ts';
import { writeMessyTape } from './gen-messy.ts';

const SMALLEST = 1_000;
const LIMIT = 1.5;
/** How often each size is ingested; the fastest run counts, because other work on the machine only adds time. */
const rounds = (rows: number): number => (rows >= 1_000_000 ? 2 : 5);

/** Wall time and processor time (all threads) of reading the file and of the whole ingest, from file to loans and issues. */
type Cost = { rows: number; seconds: number; cpuSeconds: number };

/**
 * The fixed cost is the intercept of the line through the two smallest tapes; the marginal cost is that of the rows by which a tape is
 * longer than the previous one. `ratio` is the highest marginal cost over the lowest one of a shorter tape.
 */
export async function run(args: string[]): Promise<void> {
  const largest = Number(args[0] ?? 1_000_000);
  await ingest(SMALLEST);
  const costs: Cost[] = [];
  for (let rows = SMALLEST; rows <= largest; rows *= 10) costs.push(await quickest(rows));
  const seconds = marginals(costs.map(({ rows, seconds: each }) => [rows, each]));
  const cpu = marginals(costs.map(({ rows, cpuSeconds }) => [rows, cpuSeconds]));
  process.stdout.write('rows\tseconds\tµs per row\tmarginal µs\tCPU seconds\tmarginal CPU µs\n');
  for (const [index, cost] of costs.entries()) {
    process.stdout.write(
      `${cost.rows}\t${cost.seconds.toFixed(2)}\t${((cost.seconds * 1e6) / cost.rows).toFixed(1)}\t${seconds[index - 1]?.toFixed(1) ?? '-'}\t${cost.cpuSeconds.toFixed(2)}\t${cpu[index - 1]?.toFixed(1) ?? '-'}\n`,
    );
  }
  process.stdout.write(
    `${JSON.stringify({
      bench: 'cost',
      ratio: Number(growth(seconds).toFixed(2)),
      limit: LIMIT,
      cpu_ratio: Number(growth(cpu).toFixed(2)),
      fixed_ms: Math.round(((costs[0]?.seconds ?? 0) - ((seconds[0] ?? 0) * SMALLEST) / 1e6) * 1000),
      marginal_us: seconds.map((each) => Number(each.toFixed(1))),
      rows: costs.map((cost) => cost.rows),
    })}\n`,
  );
}

/** Microseconds per additional row between each size and the next. */
function marginals(points: readonly (readonly [rows: number, seconds: number])[]): number[] {
  return points.slice(1).map(([rows, seconds], index) => {
    const [rowsBefore, secondsBefore] = points[index] ?? [0, 0];
    return ((seconds - secondsBefore) * 1e6) / (rows - rowsBefore);
  });
}

/** The largest factor by which a marginal cost exceeds one of a shorter tape. */
function growth(costs: readonly number[]): number {
  const pairs = costs.flatMap((cost, index) => costs.slice(0, index).map((before) => cost / before));
  return Math.max(0, ...pairs);
}

async function quickest(rows: number): Promise<Cost> {
  const taken: Cost[] = [];
  for (let round = 0; round < rounds(rows); round += 1) taken.push(await ingest(rows));
  return {
    rows,
    seconds: Math.min(...taken.map((each) => each.seconds)),
    cpuSeconds: Math.min(...taken.map((each) => each.cpuSeconds)),
  };
}

async function ingest(rows: number): Promise<Cost> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  try {
    const path = join(dir, 'messy.csv');
    await writeMessyTape(path, rows);
    const before = process.cpuUsage();
    const began = performance.now();
    const read = await readTape({ path, format: 'csv', workDir: dir });
    if (!read.ok) throw new Error(read.problem.message);
    await using engine = await openEngine({ workDir: dir, allowedDirectories: [dir], rows: read.table.rowCount });
    const result = await ingestRawTable({ engine, raw: read.table, loanType: 'Auto', outDir: dir, asOf: '2026-07-01' });
    const seconds = (performance.now() - began) / 1000;
    const { user, system } = process.cpuUsage(before);
    if (result.rows !== rows) throw new Error(`${rows} rows were written, ${result.rows} ingested`);
    return { rows, seconds, cpuSeconds: (user + system) / 1e6 };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
