import type { IngestResult } from '../../loans/ingest/ingest-types.ts';

/** What the row of a tape has of its reading, whoever's tape it is. */
export const readingFigures = (result: IngestResult) => ({
  rows: result.rows,
  accepted: result.accepted,
  rejected: result.rejected,
  errors: result.issue_counts.error,
  warnings: result.issue_counts.warning,
  by_rule: result.issues_by_rule,
  as_of_date: result.as_of_date,
});

/** Why a tape failed its checks; null when it did not. */
export function checksFailure({ qc_failed, rejected, rows }: IngestResult): string | null {
  if (!qc_failed) return null;
  const share = ((100 * rejected) / Math.max(1, rows)).toFixed(1);
  return `${rejected} of ${rows} rows (${share} %) cannot serve as loans; at most 10 % may be rejected.`;
}
