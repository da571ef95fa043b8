// The peak memory of a process that reads a tape at the limits, as a share of the 2 GiB that a task may use; and that its exports end.
// npm run bench -- sizes [CASE ...]
import { fork } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { openEngine } from '../src/loans/engine/engine.ts';
import { writeIssuesFile } from '../src/loans/export/issues-file.ts';
import { writeWorkbook } from '../src/loans/export/workbook-writer.ts';
import type { IngestResult } from '../src/loans/ingest/ingest-types.ts';
import type { TapeFormat } from '../src/loans/reading/raw-table.ts';
import { runIngestTask } from '../src/loans/tasks/ingest-tape.ts';

const LIMIT_BYTES = 2 * 2 ** 30;

type Shape = { rows: number; columns: number; format: TapeFormat; gzip?: boolean; cell: (row: number, column: number) => string };

const CASES = {
  wide: { rows: 300, columns: 1_000, format: 'csv', cell: plain },
  widest: { rows: 20_000, columns: 2_000, format: 'csv', cell: plain },
  texts: { rows: 20_000, columns: 2_000, format: 'csv', cell: text },
  long: { rows: 5_000_000, columns: 30, format: 'csv', cell: plain },
  packed: { rows: 5_000_000, columns: 30, format: 'csv', gzip: true, cell: text },
  workbook: { rows: 1_000_000, columns: 30, format: 'xlsx', cell: flags },
  findings: { rows: 1_000_000, columns: 30, format: 'csv', cell: faulty },
} satisfies Record<string, Shape>;
type Case = keyof typeof CASES;
const NAMES = Object.keys(CASES) as Case[];

const HEADER = [
  'Loan Number',
  'Original Balance',
  'Current Balance',
  'Interest Rate',
  'Origination Date',
  'State',
  'FICO Score',
  'Term',
];

function plain(row: number, column: number): string {
  const known = [
    `L${row}`,
    String(10_000 + (row % 9_000)),
    String(5_000 + (row % 4_000)),
    `${3 + (row % 70) / 10}`,
    `${(row % 12) + 1}/1/2019`,
    ['NY', 'CA', 'TX'][row % 3],
    String(600 + (row % 200)),
    '72',
  ];
  return known[column] ?? String((row * 7 + column * 13) % 97);
}

/** Flags, half of them blank: a workbook may have 100 MiB, in which a million rows have no room for more. */
function flags(row: number, column: number): string {
  return column < HEADER.length ? plain(row, column) : column % 2 === 0 ? '' : '1';
}

/** A finding in every row, and cells that differ in all. */
function text(row: number, column: number): string {
  return column < HEADER.length ? faulty(row, column) : `${column}x${row * 31}`;
}

/** One value of every row is out of its range. */
function faulty(row: number, column: number): string {
  return column === 6 ? '1200' : plain(row, column);
}

export async function run(args: string[]): Promise<void> {
  const [mode, step, name, dir] = args;
  if (mode === '--one' && dir) return await one(step === 'read', caseOf(name), dir);
  const peaks: Record<string, number> = {};
  for (const each of args.length > 0 ? args.map(caseOf) : NAMES) peaks[each] = await inProcesses(each);
  const shares = Object.fromEntries(Object.entries(peaks).map(([each, peak]) => [each, Number((peak / LIMIT_BYTES).toFixed(2))]));
  process.stdout.write(`${JSON.stringify({ bench: 'sizes', ratio: Math.max(...Object.values(shares)), limit: 1, shares })}\n`);
}

function caseOf(name: string | undefined): Case {
  const found = NAMES.find((each) => each === name);
  if (!found) throw new Error(`${name} is none of ${NAMES.join(', ')}`);
  return found;
}

/** Writes the tape here, reads it in one process and writes its exports in another; gives the greater peak. */
async function inProcesses(name: Case): Promise<number> {
  const dir = await mkdtemp(join(tmpdir(), 'sluice-sizes-'));
  try {
    await writeTape(name, dir);
    return Math.max(await peakOf('read', name, dir), await peakOf('export', name, dir));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function peakOf(step: 'read' | 'export', name: Case, dir: string): Promise<number> {
  const self = fileURLToPath(new URL('./run.ts', import.meta.url));
  const child = fork(self, ['sizes', '--one', step, name, dir], {
    execArgv: [...process.execArgv, '--max-old-space-size=1536'],
  });
  return new Promise((resolve, reject) => {
    let peak: number | undefined;
    child.on('message', (message) => {
      peak = Number(message);
    });
    child.on('exit', (code) => (peak === undefined ? reject(new Error(`${step} ${name}: exit ${code}`)) : resolve(peak)));
  });
}

async function one(reads: boolean, name: Case, dir: string): Promise<void> {
  const began = performance.now();
  const seen = reads ? await read(name, dir) : await exportIssues(dir);
  const peak = process.resourceUsage().maxRSS * 1024;
  process.stdout.write(
    `${name}\t${reads ? 'read' : 'export'}\t${((performance.now() - began) / 1000).toFixed(1)} s\t${Math.round(peak / 2 ** 20)} MiB\t${seen}\n`,
  );
  process.send?.(peak);
  process.disconnect?.();
}

async function read(name: Case, dir: string): Promise<string> {
  const { format } = CASES[name];
  const outDir = join(dir, 'out');
  await mkdir(outDir);
  const stages: string[] = [];
  const began = performance.now();
  const result = await runIngestTask(
    {
      path: join(dir, 'tape'),
      format,
      mode: 'REPLACE',
      loanType: 'Auto',
      rawPath: null,
      bases: [],
      asOf: '2026-07-01',
      overrides: [],
      remembered: [],
      outDir,
    },
    ({ stage }) => {
      if (stages.at(-1)?.startsWith(stage) !== true)
        stages.push(
          `${stage} ${((performance.now() - began) / 1000).toFixed(0)}s/${Math.round(process.resourceUsage().maxRSS / 1024)}`,
        );
    },
  );
  if ('problem' in result) return `refused: ${result.problem}`;
  const { rows, accepted, issue_counts }: IngestResult = result.ingested;
  return `${rows} rows, ${accepted} accepted, ${issue_counts.error + issue_counts.warning} findings; ${stages.join(' ')}`;
}

async function exportIssues(dir: string): Promise<string> {
  const outDir = join(dir, 'out');
  await using engine = await openEngine({ workDir: dir, allowedDirectories: [outDir] });
  const sizes: string[] = [];
  for (const format of ['csv', 'xlsx'] as const) {
    const path = join(dir, `issues.${format}`);
    const files = { rawPath: join(outDir, 'raw.parquet'), issuesPath: join(outDir, 'issues.parquet') };
    await pipeline(writeIssuesFile({ engine, ...files, format }), createWriteStream(path));
    sizes.push(`${format} ${Math.round((await stat(path)).size / 2 ** 20)} MiB`);
  }
  return sizes.join(', ');
}

async function writeTape(name: Case, dir: string): Promise<void> {
  const { rows, columns, format, gzip, cell }: Shape = CASES[name];
  const header = Array.from({ length: columns }, (_, column) => HEADER[column] ?? `Attribute ${column}`);
  const path = join(dir, 'tape');
  if (format === 'xlsx') {
    const cells = async function* () {
      for (let row = 1; row <= rows; row += 1) yield header.map((_, column) => numberOr(cell(row, column)) || null);
    };
    await pipeline(Readable.from(writeWorkbook({ sheetName: 'Loans', header, rows: cells() })), createWriteStream(path));
  } else {
    const lines = Readable.from(csvPieces(header, rows, cell), { objectMode: false });
    if (gzip) await pipeline(lines, createGzip({ level: 1 }), createWriteStream(path));
    else await pipeline(lines, createWriteStream(path));
  }
  process.stdout.write(`${name}\t${rows} × ${columns}, ${Math.round((await stat(path)).size / 2 ** 20)} MiB\n`);
}

/** As spreadsheets write them: numbers as numbers. */
function numberOr(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text;
}

function* csvPieces(header: readonly string[], rows: number, cell: Shape['cell']): Generator<string> {
  let piece = `${header.join(',')}\n`;
  for (let row = 1; row <= rows; row += 1) {
    piece += `${header.map((_, column) => cell(row, column)).join(',')}\n`;
    if (piece.length < 2 ** 20) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
