import { openEngine } from '../engine/engine.ts';
import { ingestRawTable } from '../ingest/ingest.ts';
import type { IngestResult } from '../ingest/ingest-types.ts';
import { type ReadProblem, type TapeFormat } from '../reading/raw-table.ts';
import { readTape } from '../reading/read-tape.ts';
import { parquet } from '../engine/sql.ts';
import type { IssueRow, LoanType, MappingRequest } from '../types.ts';

const MOST_ISSUES = 1_000;

export type TapeOnDisk = {
  path: string;
  format: TapeFormat;
  loanType: LoanType;
  workDir: string;
  asOf: string;
  remembered?: MappingRequest[];
};

export type CheckReport = IngestResult & { loan_type: LoanType; issues: IssueRow[] };

/** Checks a local file: returns figures, mapping and the first 1,000 issues, or the reason why the file cannot be read as a tape. */
export async function checkTape(
  tape: TapeOnDisk,
): Promise<{ ok: true; report: CheckReport } | { ok: false; problem: ReadProblem }> {
  const { path, format, loanType, workDir, asOf, remembered = [] } = tape;
  const read = await readTape({ path, format, workDir });
  if (!read.ok) return read;
  const { table } = read;
  const sizes = { columns: table.columns.length, rows: table.rowCount };
  await using engine = await openEngine({ workDir, allowedDirectories: [workDir], ...sizes });
  const report = await ingestRawTable({ engine, raw: table, loanType, outDir: workDir, asOf, remembered });
  const issues = await engine.rows<IssueRow>(
    `select row_number, line, column_name as "column", field, rule_id, severity, message, actual, expected
     from ${parquet(report.files.issues)} order by row_number nulls first, rule_id limit ${MOST_ISSUES}`,
  );
  return { ok: true, report: { loan_type: loanType, ...report, issues } };
}
