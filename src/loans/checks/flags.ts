import type { Check } from './check.ts';

/** Checks of one flag column: a sum of so many powers of two stays exact in a BIGINT. */
const BITS = 60;

/** SQL of the flag columns `mask_0, mask_1 …`: a bit for each check whose finding the row has. */
export function maskColumns(checks: readonly Check[]): string[] {
  const masks: string[] = [];
  for (let start = 0; start < checks.length; start += BITS) {
    const bits = checks
      .slice(start, start + BITS)
      .map((check, bit) => `CASE WHEN ${check.when} THEN ${2n ** BigInt(bit)} ELSE 0 END`);
    masks.push(`CAST(${bits.join(' + ')} AS BIGINT) AS mask_${start / BITS}`);
  }
  return masks;
}

export function maskNames(checks: readonly Check[]): string[] {
  return Array.from({ length: Math.ceil(checks.length / BITS) }, (_, index) => `mask_${index}`);
}

/** SQL that is true where the row has the finding of the check at that position. */
export function hasFinding(index: number): string {
  return `(mask_${Math.floor(index / BITS)} & ${2n ** BigInt(index % BITS)}) <> 0`;
}

/** Name of the column that keeps the source text of a field where it is worth showing. */
export function seenColumn(field: string): string {
  return `seen_${field}`;
}
