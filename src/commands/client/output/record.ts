import { styleText } from 'node:util';
import { cellText, padTo, type Record_, widthOf } from './cells.ts';
import { safeText } from './safe-text.ts';
import { tableOf } from './table.ts';

const MOST_ROWS = 20;

/** A record as lines of name and value, what is inside it indented. */
export function recordLines(record: Record_, money: ReadonlySet<string>, width: number, indent = ''): string[] {
  const names = Object.keys(record);
  const longest = Math.max(0, ...names.map(widthOf));
  return names.flatMap((name) => {
    const value = record[name];
    const label = styleText('bold', padTo(safeText(name), longest, false), { stream: process.stdout });
    if (isRecords(value)) return [`${indent}${label}`, ...listLines(value, money, width, `${indent}  `)];
    if (isRecord(value) && Object.keys(value).length > 0)
      return [`${indent}${label}`, ...recordLines(value, money, width, `${indent}  `)];
    return [`${indent}${label}  ${cellText(value, money.has(name))}`];
  });
}

function listLines(records: readonly Record_[], money: ReadonlySet<string>, width: number, indent: string): string[] {
  const columns = [...new Set(records.flatMap((each) => Object.keys(each)))];
  const { lines, left, cut } = tableOf(records.slice(0, MOST_ROWS), columns, money, width - indent.length);
  const told = [
    ...(records.length > MOST_ROWS ? [`${MOST_ROWS} of ${records.length} rows`] : []),
    ...(left.length > 0 ? [`without ${left.join(', ')}`] : []),
    ...(cut > 0 ? ['… marks cut text'] : []),
  ];
  return [...lines, ...(told.length > 0 ? [`(${told.join('; ')}: --json has everything)`] : [])].map((line) => indent + line);
}

export const isRecord = (value: unknown): value is Record_ =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isRecords = (value: unknown): value is Record_[] => Array.isArray(value) && value.length > 0 && value.every(isRecord);
