import { styleText } from 'node:util';
import { cellText, cutTo, padTo, type Record_, widthOf } from './cells.ts';

export type Table = {
  lines: string[] /** Columns for which there was no room. */;
  left: string[] /** Cells that were cut. */;
  cut: number;
};

const GAP = 2;
const LEAST = 10;
const MOST = 48;

/** Records as a table of at most `width` columns of the terminal; without an end, nothing is cut or left. */
export function tableOf(
  records: readonly Record_[],
  columns: readonly string[],
  money: ReadonlySet<string>,
  width: number,
): Table {
  const cells = records.map((record) => columns.map((name) => cellText(record[name], money.has(name))));
  const natural = columns.map((name, index) =>
    cells.reduce((most, row) => Math.max(most, widthOf(row[index] ?? '')), widthOf(name)),
  );
  const widths = widthsFor(natural, width);
  const right = columns.map((name) => records.some((record) => typeof record[name] === 'number'));
  const shown = columns.slice(0, widths.length);
  let cut = 0;
  const line = (row: readonly string[]): string =>
    widths
      .map((size, index) => {
        const text = row[index] ?? '';
        const short = cutTo(text, size);
        if (short !== text) cut += 1;
        return padTo(short, size, right[index] ?? false);
      })
      .join(' '.repeat(GAP))
      .trimEnd();
  const lines = [styleText('bold', line(shown), { stream: process.stdout }), ...cells.map(line)];
  return { lines, left: columns.slice(widths.length), cut };
}

/** Widths of the columns that fit: wide ones give way first, then the last columns stay away. */
function widthsFor(natural: readonly number[], width: number): number[] {
  if (!Number.isFinite(width)) return [...natural];
  const total = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size + GAP, -GAP);
  for (let limit = MOST; limit >= LEAST; limit -= 1) {
    // The first column identifies the record: it is not cut.
    const sizes = natural.map((size, index) => (index === 0 ? size : Math.min(size, limit)));
    if (total(sizes) <= width) return grown(sizes, natural, width - total(sizes));
    if (limit > 24) continue;
    const fitting = sizes.slice(0, Math.max(1, lastFitting(sizes, width)));
    if (fitting.length >= Math.min(4, natural.length) || limit === LEAST) return grown(fitting, natural, width - total(fitting));
  }
  return [...natural];
}

function lastFitting(sizes: readonly number[], width: number): number {
  let used = -GAP;
  for (const [index, size] of sizes.entries()) {
    used += size + GAP;
    if (used > width) return index;
  }
  return sizes.length;
}

/** What is left over goes to the columns that were narrowed. */
function grown(sizes: readonly number[], natural: readonly number[], spare: number): number[] {
  let rest = Math.max(0, spare);
  return sizes.map((size, index) => {
    const more = Math.min(rest, (natural[index] ?? size) - size);
    rest -= more;
    return size + more;
  });
}
