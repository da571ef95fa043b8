/** A statement has a time limit of its own, whatever the number of records that are written together. */
const MOST_AT_ONCE = 1_000;

/** Records in parts, each of which one statement writes. */
export function* inParts<Row>(rows: readonly Row[]): Generator<readonly Row[]> {
  for (let at = 0; at < rows.length; at += MOST_AT_ONCE) yield rows.slice(at, at + MOST_AT_ONCE);
}
