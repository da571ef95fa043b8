// A workbook of 200,000 loans with 30 columns: this reader beside hucre, each in a separate process.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createWriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { drawTerms } from '../src/loans/generate/loan-terms.ts';
import { AUTO } from '../src/loans/generate/profiles-consumer.ts';
import { Random } from '../src/loans/generate/random.ts';
import { readTape } from '../src/loans/reading/read-tape.ts';
import { type Cell, writeWorkbook } from '../src/loans/export/workbook-writer.ts';

const COLUMNS = 30;
const ROUNDS = 3;

interface Measured {
  ms: number;
  rows: number;
  peakMb: number;
}

/** `args[0]` rows (200,000). `ratio` is our time from file to canonical table over hucre's time from file to cells. */
export async function run(args: string[]): Promise<void> {
  const rows = Number(args[0] ?? 200_000);
  const directory = mkdtempSync(join(tmpdir(), 'sluice-bench-'));
  try {
    const path = join(directory, 'tape.xlsx');
    const cells = writeWorkbook({ sheetName: 'Tape', header: header(), rows: loans(rows) });
    await pipeline(cells, createWriteStream(path));
    const rounds = Array.from({ length: ROUNDS }, () => ({
      ours: measured('ours', path, directory),
      hucre: measured('hucre', path, directory),
    }));
    report(rows, best(rounds.map((round) => round.ours)), best(rounds.map((round) => round.hucre)));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function report(rows: number, ours: Measured, hucre: Measured): void {
  if (ours.rows !== rows || hucre.rows !== rows + 1)
    throw new Error(`${rows} loans were written, ${ours.rows} and ${hucre.rows - 1} read`);
  process.stdout.write(`ours\t${ours.ms} ms\t${ours.peakMb} MB\nhucre\t${hucre.ms} ms\t${hucre.peakMb} MB\n`);
  const ratio = Number((ours.ms / hucre.ms).toFixed(3));
  process.stdout.write(
    `${JSON.stringify({ bench: 'xlsx', rows, columns: COLUMNS, ours_ms: ours.ms, hucre_ms: hucre.ms, ratio, peak_mb: ours.peakMb, hucre_peak_mb: hucre.peakMb })}\n`,
  );
}

function best(measurements: Measured[]): Measured {
  return measurements.reduce((a, b) => (b.ms < a.ms ? b : a));
}

function measured(reader: string, path: string, directory: string): Measured {
  const output = execFileSync(process.execPath, [fileURLToPath(import.meta.url), reader, path, directory], { encoding: 'utf8' });
  return JSON.parse(output) as Measured;
}

function header(): string[] {
  return Array.from({ length: COLUMNS }, (_, index) => AUTO.columns[index]?.header ?? `Servicer Note ${index}`);
}

function* loans(rows: number): Generator<Cell[]> {
  const random = new Random(5);
  for (let number = 1; number <= rows; number += 1) {
    const loan = drawTerms(random, number, AUTO.terms);
    yield Array.from({ length: COLUMNS }, (_, index) => {
      const column = AUTO.columns[index];
      if (!column) return random.chance(0.5) ? null : `note ${random.integer(1, 9_999)}`;
      const value = column.value(loan, random);
      if (column.kind === 'money') return { number: String(Number(value) / 100), format: 'amount' };
      if (column.kind === 'percent') return { number: String(Number(value) / 100), format: 'percent' };
      if (column.kind === 'date') return { number: String(Date.parse(String(value)) / 86_400_000 + 25_569), format: 'date' };
      return value;
    });
  }
}

async function measure(reader: string, path: string, directory: string): Promise<void> {
  const started = performance.now();
  const rows = reader === 'ours' ? await readOurs(path, directory) : await readHucre(path);
  const measurement: Measured = {
    ms: Math.round(performance.now() - started),
    rows,
    peakMb: Math.round(process.resourceUsage().maxRSS / 1024),
  };
  process.stdout.write(JSON.stringify(measurement));
}

async function readOurs(path: string, workDir: string): Promise<number> {
  const outcome = await readTape({ path, format: 'xlsx', workDir });
  if (!outcome.ok) throw new Error(outcome.problem.message);
  return outcome.table.rowCount;
}

async function readHucre(path: string): Promise<number> {
  const { readXlsx } = await import('hucre/xlsx');
  const [sheet] = (await readXlsx(readFileSync(path))).sheets;
  return sheet?.rows.length ?? 0;
}

if (import.meta.main) {
  const [reader = '', path = '', directory = ''] = process.argv.slice(2);
  await measure(reader, path, directory);
}
