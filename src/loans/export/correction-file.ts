import type { Engine } from '../engine/engine.ts';
import { jsonList, parquet, sourceCell } from '../engine/sql.ts';
import { CORRECTION_COLUMNS } from '../reading/correction.ts';
import { readRawManifest } from '../reading/raw-file.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import { DESTROYED_TEXT, SEALED_TEXT } from '../types.ts';
import { csvLine } from './spreadsheet-text.ts';

/** A cell of a tape with the text that it should have; an empty text empties it. */
export type CellChange = { row_number: number; column: string; value: string };

/** Why a cell cannot be changed, by its position in the request. */
export type CellProblem = { index: number; part: keyof CellChange; code: string; message: string };

export type CorrectedTape = { engine: Engine; rawPath: string; isDestroyed: boolean };

/** Cells that are read at once: the memory of a correction is that of one part, however wide the tape. */
const PART_VALUES = 200_000;

/**
 * The rows of some cells with their new texts, as a corrected file of findings that is merged by `_row`; or what is wrong with the cells.
 * `_rule` is blank, so the file belongs to the version in force.
 */
export async function writeCorrection(
  { engine, rawPath, isDestroyed }: CorrectedTape,
  changes: readonly CellChange[],
): Promise<{ text: string; rows: number } | { problems: CellProblem[] }> {
  const { columns, rowCount } = await readRawManifest(engine, rawPath);
  const names = namesOf(columns);
  const places = new Map(names.map((name, place) => [name, place]));
  const problems = [...unknown(changes, places, rowCount), ...repeated(changes), ...marks(changes)];
  if (problems.length > 0) return { problems };
  const byRow = Map.groupBy(
    changes.map((change, index) => ({ ...change, index, place: places.get(change.column) ?? 0 })),
    ({ row_number }) => row_number,
  );
  const lines = [csvLine([...names, ...CORRECTION_COLUMNS.slice(0, 3)])];
  const numbers = [...byRow.keys()].sort((a, b) => a - b);
  const partRows = Math.max(1, Math.floor(PART_VALUES / columns.length));
  for (let from = 0; from < numbers.length; from += partRows) {
    const part = numbers.slice(from, from + partRows);
    for (const { row_number, cells } of await readRows(engine, { rawPath, isDestroyed, columns, part })) {
      const values: (string | null)[] = JSON.parse(cells);
      for (const { index, place, value, column } of byRow.get(row_number) ?? []) {
        if ((values[place] ?? '') === value) problems.push(unchanged(index, row_number, column));
        values[place] = value;
      }
      lines.push(csvLine([...values, String(row_number), null, null]));
    }
  }
  return problems.length > 0 ? { problems } : { text: lines.join(''), rows: numbers.length };
}

/** The names of the columns as findings and mappings have them: each is another one, whatever the header repeats or leaves empty. */
function namesOf(columns: readonly RawColumn[]): string[] {
  const headers = new Set<string>();
  return columns.map(({ name, normalized }) => {
    const isNamed = name !== '' && !headers.has(name);
    headers.add(name);
    return isNamed ? name : normalized;
  });
}

type Part = Omit<CorrectedTape, 'engine'> & { columns: readonly RawColumn[]; part: readonly number[] };

function readRows(
  engine: Engine,
  { rawPath, isDestroyed, columns, part }: Part,
): Promise<{ row_number: number; cells: string }[]> {
  const cells = jsonList(columns.map(({ index }) => sourceCell(`c${index}`, isDestroyed)));
  return engine.rows(
    `SELECT CAST(row_number AS INTEGER) AS row_number, ${cells} AS cells FROM ${parquet(rawPath)} ` +
      `WHERE row_number IN (${part.join(', ')}) ORDER BY row_number`,
  );
}

const unchanged = (index: number, row: number, column: string): CellProblem => ({
  index,
  part: 'value',
  code: 'UNCHANGED',
  message: `row ${row} has this text under "${column}" already`,
});

function unknown(changes: readonly CellChange[], names: ReadonlyMap<string, number>, rows: number): CellProblem[] {
  return changes.flatMap(({ row_number, column }, index): CellProblem[] => [
    ...(row_number > rows
      ? [
          {
            index,
            part: 'row_number' as const,
            code: 'UNKNOWN_ROW',
            message: `the tape has no row ${row_number}: it has ${rows}`,
          },
        ]
      : []),
    ...(names.has(column)
      ? []
      : [{ index, part: 'column' as const, code: 'UNKNOWN_COLUMN', message: `the tape has no column "${column}"` }]),
  ]);
}

function repeated(changes: readonly CellChange[]): CellProblem[] {
  const seen = new Set<string>();
  return changes.flatMap(({ row_number, column }, index): CellProblem[] => {
    const cell = `${row_number} ${column}`;
    if (!seen.has(cell)) {
      seen.add(cell);
      return [];
    }
    return [{ index, part: 'column', code: 'REPEATED', message: `row ${row_number} is there twice under "${column}"` }];
  });
}

/** A merge takes these texts for values that the file does not show, and would leave the cells as they are without a word. */
function marks(changes: readonly CellChange[]): CellProblem[] {
  return changes.flatMap(({ value }, index): CellProblem[] =>
    [SEALED_TEXT, DESTROYED_TEXT].includes(value.trim())
      ? [
          {
            index,
            part: 'value',
            code: 'MARK',
            message: `"${value.trim()}" stands for a value that is not shown: send the value itself`,
          },
        ]
      : [],
  );
}
