import type { Connection } from './connection.ts';
import { isRecord } from './output/record.ts';
import type { Record_ } from './output/cells.ts';

const PAGE = 100;
const KEPT_NAMES = 1_000;

/** What a look at a list found: the records that were not known, the oldest first, and the names that are known from now on. */
export type Look = { fresh: Record_[]; known: Set<string> };

/**
 * A look at a list that is given newest first and has no order in which it grows: it reads on until a whole page has nothing new. Nothing
 * is new at the first look, which has no `known`.
 */
export async function lookAtNewest(
  connection: Connection,
  path: string,
  known: ReadonlySet<string> | null,
  nameOf: (record: Record_) => string,
): Promise<Look> {
  const fresh: Record_[] = [];
  const read: string[] = [];
  let knownInARow = 0;
  for await (const each of connection.pages(path, {})) {
    if (!isRecord(each)) continue;
    const name = nameOf(each);
    read.push(name);
    const isNew = known !== null && !known.has(name);
    if (isNew) fresh.push(each);
    knownInARow = isNew ? 0 : knownInARow + 1;
    if (knownInARow === PAGE) break;
  }
  return {
    fresh: fresh.reverse(),
    known: new Set([...read, ...(known ?? [])].slice(0, Math.max(KEPT_NAMES, read.length))),
  };
}
