import { notice } from '../notice.ts';
import type { Operation } from './catalogue/operation.ts';
import type { Call, Connection } from './connection.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { openCsv, print, printList, type Shown } from './output/print.ts';
import { isRecord } from './output/record.ts';
import { safeJson } from './output/safe-text.ts';

export type Place = { limit?: string; page?: string; all?: boolean };
type Page = { data: unknown[]; pagination?: Counts; meta?: Counts; next_after?: string | null };
type Counts = { page?: number | null; limit?: number; total?: number | null; hasNextPage?: boolean };

const LARGEST_PAGE = 100;

/** A page of a list, its first records, or all of it; what is not shown is told. */
export async function showList(
  connection: Connection,
  operation: Operation,
  call: Call,
  place: Place,
  shown: Shown,
): Promise<void> {
  const limit = countOf('--limit', place.limit);
  const number = countOf('--page', place.page);
  if (place.all && number !== null) throw new CommandFailure('--page or --all, not both', EXIT.usage);
  if (place.all || (limit !== null && limit > LARGEST_PAGE && number === null))
    return await showMany(connection, operation, call, place.all ? Number.POSITIVE_INFINITY : (limit ?? 0), shown);
  const query = {
    ...call.query,
    ...(limit === null ? {} : { limit }),
    ...(number === null ? {} : { page: number }),
  };
  const page = (await connection.call('get', operation.path, { ...call, query })) as Page | unknown[];
  if (Array.isArray(page)) return printList(page, shown);
  printList(page.data, shown);
  tellRest(page);
}

function countOf(option: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const count = Number(text);
  if (!(Number.isInteger(count) && count > 0)) throw new CommandFailure(`${option}: expected a whole number above 0`, EXIT.usage);
  return count;
}

async function showMany(connection: Connection, operation: Operation, call: Call, most: number, shown: Shown): Promise<void> {
  const records: unknown[] = [];
  // All of a list may be more than fits into memory; a table alone needs all of it to be as wide as it has to be.
  const asRead = Number.isFinite(most) ? null : shown.format;
  const csv = asRead === 'csv' ? openCsv(shown) : null;
  let count = 0;
  for await (const record of connection.pages(operation.path, call)) {
    count += 1;
    if (count > most) {
      notice(`the first ${most}; --all gives the rest`);
      break;
    }
    if (asRead === 'json') print(safeJson(record));
    else if (!csv) records.push(record);
    else if (isRecord(record)) csv.add(record);
  }
  csv?.end();
  if (asRead !== 'json' && !csv) printList(records, shown);
}

function tellRest({ data, pagination, meta, next_after }: Page): void {
  const counts = pagination ?? meta;
  if (!counts) {
    if (next_after && data.length > 0) notice(`${data.length} shown; go on with --after ${next_after}, or --all`);
    return;
  }
  const { total = null, page = null } = counts;
  if (total !== null && data.length < total)
    notice(`${data.length} of ${total}; ${counts.hasNextPage && page ? `--page ${page + 1} for the next, ` : ''}--all for all`);
  else if (total === null && counts.hasNextPage) notice(`${data.length} shown; more follow: --all`);
}
