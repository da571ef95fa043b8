import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { localDate } from '../finance/business-date.ts';
import { formatOfName } from '../loans/reading/file-kind.ts';
import { checkTape } from '../loans/tasks/check-tape.ts';
import type { GenerateOptions } from '../loans/generate/generate-tape.ts';
import type { LoanType } from '../loans/types.ts';

type Output = { print(line: string): void; notice(line: string): void };

/** Checks a local file, as of today in the zone: the report on standard output, a summary on standard error; exit code 1 when the file would not become a deal. */
export async function tapeCheck(
  file: string,
  { loanType, zone }: { loanType: LoanType; zone: string },
  { print, notice }: Output,
): Promise<number> {
  const workDir = await mkdtemp(join(tmpdir(), 'sluice-check-'));
  try {
    const format = formatOfName(file);
    const checked = await checkTape({ path: file, format, loanType, workDir, asOf: localDate(new Date(), zone) });
    if (!checked.ok) {
      notice(`${checked.problem.code}: ${checked.problem.message}`);
      return 1;
    }
    const { files: _files, ...report } = checked.report;
    print(JSON.stringify({ ...report, total_balance: Number(report.total_balance) }, null, 2));
    notice(`${report.rows} rows: ${report.accepted} accepted, ${report.rejected} rejected, balance ${report.total_balance}`);
    notice(`${report.issue_counts.error} errors, ${report.issue_counts.warning} warnings`);
    if (report.needs_mapping) notice('no column was recognised as the amount: name it in the mapping');
    return report.qc_failed || report.needs_mapping ? 1 : 0;
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** Writes a generated tape to standard output, or that of the servicer of its loans some months later. */
export async function tapeGenerate(
  options: GenerateOptions & { month?: number },
  { notice }: Pick<Output, 'notice'>,
): Promise<void> {
  if (options.month) {
    const { ServicedLoans } = await import('../loans/generate/serviced-loans.ts');
    const loans = new ServicedLoans(options);
    for (let month = 1; month <= options.month; month += 1) loans.advance();
    await pipeline([loans.csv()], process.stdout);
    return;
  }
  const { generateTape } = await import('../loans/generate/generate-tape.ts');
  const tape = generateTape(options);
  await pipeline(tape.csv(), process.stdout);
  if (options.defects) notice(`${tape.findings().length} findings are planted`);
}
