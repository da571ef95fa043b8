import { generateTape } from '../../generate/generate-tape.ts';
import type { LoanType } from '../../types.ts';
import type { openRoom } from '../take-tape.ts';
import { read, type Reading } from './judge.ts';
import type { Table } from './table.ts';

/** An undamaged tape and how it reads. */
export type TruthfulTable = { table: Table; truth: Extract<Reading, { ok: true }> };

const ROWS = 60;

/** A generated tape of one loan type, taken apart into texts, and its reading. */
export async function generatedTable(
  room: Awaited<ReturnType<typeof openRoom>>,
  loanType: LoanType,
  seed: number,
): Promise<TruthfulTable> {
  let text = '';
  for await (const piece of generateTape({ type: loanType, rows: ROWS, seed }).csv()) text += piece;
  const truth = await read(room, loanType, Buffer.from(text));
  if (!truth.ok) throw new Error(truth.message);
  const [header = [], ...rows] = text.trimEnd().split('\n').map(cellsOf);
  const fieldOf = new Map(truth.result.mapping.mappings.map(({ source, target }) => [source, target]));
  return { table: { loanType, header, rows, fields: header.map((name) => fieldOf.get(name) ?? null) }, truth };
}

function cellsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '',
  );
}
