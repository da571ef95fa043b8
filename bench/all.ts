// The benchmarks with a target, one after the other, each in a process of its own: one table of figures with their targets, and a line of JSON.
// npm run bench -- all [NAME ...]: those alone, by default all. A quiet machine takes about half an hour.
import { spawn } from 'node:child_process';
import { cpus, totalmem } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** A figure of a benchmark's line of JSON. `most`: it is at most the target; otherwise at least. */
type Figure = { field: string; says: string; target: number; most?: boolean };
type Bench = { name: string; args?: string[]; figures: Figure[] };

const most = (field: string, says: string, target: number): Figure => ({ field, says, target, most: true });
const least = (field: string, says: string, target: number): Figure => ({ field, says, target });

const BENCHES: readonly Bench[] = [
  {
    name: 'ingest',
    args: ['1000000'],
    figures: [
      most('ratio', 'wall time of the bare engine, 1,000,000 × 30', 2),
      most('ratio_cpu', 'its processor time', 1.8),
      most('peak_rss_mib', 'peak memory, MiB', 1_229),
    ],
  },
  {
    name: 'cost',
    figures: [most('ratio', 'a row of 1,000,000 to one of 100,000', 1.5), most('fixed_ms', 'a small tape, ms', 150)],
  },
  { name: 'xlsx', figures: [most('ratio', 'time of hucre, 200,000 × 30', 0.25)] },
  {
    name: 'criteria',
    args: ['1000000', '--without-postgres'],
    figures: [
      most('ratio_to_counting', 'time of counting SQL', 1.8),
      most('exceptions_seconds', 'exception file of 300,000 loans, s', 3),
      most('first_page_p95_ms', 'first page of outcomes, p95 ms', 25),
      most('largest_pool_seconds', 'largest pool of 1,000,000 loans, s', 5),
      most('cure_seconds', 'cure, s', 3),
    ],
  },
  {
    name: 'lists',
    args: ['1000000'],
    figures: [most('ratio', 'first page at 10^6 to 10^3, worst list', 1.5), most('deep_ratio', 'page 5,000 to the first', 5)],
  },
  {
    name: 'http',
    figures: [
      least('ratio', 'rate of the same SQL behind a bare server', 0.85),
      least('unlogged_ratio', 'the same without the request log', 0.9),
      least('log_ratio', 'rate with the request log to that without', 0.95),
    ],
  },
  { name: 'overload', figures: [most('livez_p99_ms', '/livez beside 2,000 clients, p99 ms', 100)] },
  { name: 'beside', figures: [most('ratio', 'a read beside 5,000,000 rows and 1,000 paths to an idle one, p99', 3)] },
  {
    name: 'webhooks',
    figures: [
      least('ratio', 'deliveries of a bare loop', 0.75),
      most('burst_other_p99_ms', 'another’s event beside 50,000, p99 ms', 60),
      least('healthy_share_beside_hanging', 'healthy receivers beside hanging ones', 0.9),
    ],
  },
  {
    name: 'subscribe',
    figures: [
      least('ratio', 'rate of bare inserts, one tranche', 0.3),
      most('summary_p95_ms', 'summary of 10,000 positions, p95 ms', 100),
    ],
  },
  { name: 'pools', figures: [most('ratio', 'time of selection and COPY, 1,000,000 loans', 1.5)] },
  { name: 'servicing', figures: [most('ratio', 'a month to the month before', 1.2)] },
  { name: 'calculation', figures: [most('ratio', 'processor time of the limit', 1)] },
  { name: 'requests', figures: [most('ratio', 'request by id of 1,000,000, of the limit', 1)] },
  { name: 'console-grid', figures: [least('drag_fps', 'grid of 1,000,000 rows, frames a second', 55)] },
  {
    name: 'console',
    figures: [
      least('door_office', 'Lighthouse of the door at a fourfold slower processor, network of an office', 95),
      least('door_mobile', 'the door over the slow mobile network', 95),
      least('deal_office', 'Lighthouse of a deal of the market, network of an office', 95),
      least('deal_mobile', 'the deal over the slow mobile network', 95),
    ],
  },
  {
    name: 'start',
    figures: [most('help_ms', 'help of a command, ms', 300), most('ready_ms', 'serve on existing files, ms', 1_200)],
  },
  { name: 'size', figures: [most('mebibytes', 'installation, MiB', 420)] },
];

type Row = { bench: string; figure: string; value: number | null; target: string; ratio: number | null; ok: boolean };

export async function run(args: string[]): Promise<void> {
  const chosen = BENCHES.filter(({ name }) => args.length === 0 || args.includes(name));
  const rows: Row[] = [];
  for (const bench of chosen) {
    const json = await measure(bench);
    rows.push(...bench.figures.map((figure) => rowOf(bench, figure, json)));
  }
  console.table(Object.fromEntries(rows.map(({ bench, figure, ...row }) => [`${bench}: ${figure}`, row])));
  const machine = {
    processors: cpus().length,
    model: cpus()[0]?.model,
    memory_gib: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
  };
  process.stdout.write(`${JSON.stringify({ bench: 'all', at: new Date().toISOString(), machine, rows })}\n`);
}

/** The last line of JSON of a benchmark; null where it ended without one, which is told. */
async function measure({ name, args = [] }: Bench): Promise<Record<string, unknown> | null> {
  process.stderr.write(`${name} …\n`);
  const child = spawn(process.execPath, [fileURLToPath(new URL('run.ts', import.meta.url)), name, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  let last: Record<string, unknown> | null = null;
  for await (const line of createInterface({ input: child.stdout })) {
    process.stderr.write(`  ${line}\n`);
    if (line.startsWith('{')) last = JSON.parse(line) as Record<string, unknown>;
  }
  const code = await ended;
  if (code !== 0) process.stderr.write(`${name} ended with ${code}\n`);
  return code === 0 ? last : null;
}

function rowOf(
  { name }: Bench,
  { field, says, target, most: isMost = false }: Figure,
  json: Record<string, unknown> | null,
): Row {
  const found = json?.[field];
  const value = typeof found === 'number' ? Math.round(found * 1_000) / 1_000 : null;
  const ok = value !== null && (isMost ? value <= target : value >= target);
  const ratio = value === null ? null : Math.round((value / target) * 100) / 100;
  return { bench: name, figure: says, value, target: `${isMost ? '≤' : '≥'} ${target}`, ratio, ok };
}
