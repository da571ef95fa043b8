import { mkdtemp, rm } from 'node:fs/promises';
import { mixedMagnitudes } from '../checks/magnitudes.ts';
import { differingTotals, type SummedColumn } from '../checks/stated-totals.ts';
import { chargeOffColumns, currencyColumns, signColumns } from '../checks/telling-columns.ts';
import {
  emptyColumns,
  floatIds,
  endedAtOriginal,
  interestFreeSchedule,
  formsOfIds,
  reportingDates,
  sharedIds,
  tapeFinding,
} from '../checks/tape-checks.ts';
import type { Field } from '../dictionary/field.ts';
import { together } from '../engine/together.ts';
import { compareBefore } from './compare-before.ts';
import { writeDuplicates, writeSharedIds } from './duplicates.ts';
import type { IngestProgress, IngestResult, RunIngestInput } from './ingest-types.ts';
import { countHits, type PlainIssue, writeIssues } from './issues.ts';
import { type LoanFigures, loanFigures, writeLoansFile } from './loans-file.ts';
import type { RawManifest } from '../reading/raw-file.ts';
import { fieldStatistics } from './field-statistics.ts';
import { setMalformed } from './malformed-rows.ts';
import { writeTypedFile } from './typed-file.ts';
import type { FieldStatistics, RuleCount, Severity, TapeFinding } from '../types.ts';
import { matchAgainstTape, type TapePlan, planTape } from './plan-tape.ts';

/** More than this share of rejected rows fails the tape (contract, section 2). */
const REJECTED_SHARE_MAX = 0.1;

/** Derives loans.parquet and issues.parquet from raw.parquet: matches the columns, decides how to read them, reads, checks, writes. */
export async function runIngest(input: RunIngestInput): Promise<IngestResult> {
  const workDir = await mkdtemp(`${input.outDir}/work-`);
  try {
    const { columns } = input.manifest;
    input.report?.({ stage: 'MATCHING', done: 0, total: columns.length });
    const plan = await planTape(input, await matchAgainstTape(input));
    return plan.facts.amount === null ? await withoutAmount(plan, workDir) : await withAmount(plan, workDir);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function withAmount(plan: TapePlan, workDir: string): Promise<IngestResult> {
  const { rawPath, outDir, signal, manifest } = plan.input;
  const files = {
    typedPath: `${workDir}/typed.parquet`,
    issues: `${outDir}/issues.parquet`,
    loans: `${outDir}/loans.parquet`,
  };
  const total = manifest.rowCount;
  const report = (stage: IngestProgress['stage'], done = 0) => plan.input.report?.({ stage, done, total });
  report('CHECKING');
  const [, [duplicatesPath, ofColumns]] = await together(
    writeTyped(plan, files.typedPath),
    beside(plan, async (other) => [
      await writeDuplicates(other.input.engine, rawPath, manifest.columns, `${workDir}/duplicates.parquet`, signal),
      [...(await floatFindings(other)), ...(await tellingColumns(other))],
    ]),
  );
  const [listed, written] = await together(
    listIssues(plan, workDir, { ...files, duplicatesPath }, ofColumns, report),
    beside(plan, (other) => writeLoans(other, workDir, { ...files, duplicatesPath })),
  );
  const { figures, statistics } = written;
  const rejected = total - figures.accepted;
  return {
    ...emptyResult(plan),
    accepted: figures.accepted,
    rejected,
    total_balance: figures.total_balance,
    ...countsOf(listed.byRule),
    statistics,
    tape_findings: listed.findings,
    as_of_date: figures.reporting_date ?? plan.input.asOf,
    qc_failed: rejected > REJECTED_SHARE_MAX * total,
    files: { raw: rawPath, sealed: null, loans: files.loans, issues: files.issues },
  };
}

/** Work on the tape with a connection of its own. */
function beside<Result>(plan: TapePlan, work: (plan: TapePlan) => Promise<Result>): Promise<Result> {
  return plan.input.engine.beside((engine) => work({ ...plan, input: { ...plan.input, engine } }));
}

type Files = { typedPath: string; duplicatesPath: string | null; issues: string; loans: string };

async function writeTyped({ input, from, fields, readings, derived, checks }: TapePlan, path: string): Promise<void> {
  const { engine, manifest, signal } = input;
  const skipMalformed = manifest.columns.some((column) => column.sealed) && manifest.malformedRows.length > 0;
  if (skipMalformed) await setMalformed(engine, manifest);
  await writeTypedFile({ engine, from, path, fields, readings, derived, checks, skipMalformed, signal });
}

async function listIssues(
  plan: TapePlan,
  workDir: string,
  { typedPath, duplicatesPath, issues }: Files,
  ofColumns: readonly TapeFinding[],
  report: (stage: IngestProgress['stage'], done?: number) => void,
): Promise<{ findings: TapeFinding[]; byRule: RuleCount[] }> {
  const { engine, rawPath, manifest, signal } = plan.input;
  const [{ shared, ofIds, hits }, ofAmounts] = await together(
    idFindings(plan, { typedPath, duplicatesPath }, workDir),
    beside(plan, async (other) => [
      ...(await amountFindings(other, typedPath, [...plan.findings, ...ofColumns].some(isOfCurrency))),
      ...(await replacedFindings(other, workDir, { typedPath, duplicatesPath })),
    ]),
  );
  const findings = [...plan.findings, ...ofColumns, ...ofIds, ...ofAmounts];
  const byRule = await writeIssues(
    engine,
    {
      rawPath,
      rowCount: manifest.rowCount,
      onRows: (done) => report('LISTING', done),
      typedPath,
      duplicatesPath,
      sharedIds: shared.rows > 0 ? { path: `${workDir}/shared-ids.parquet`, field: plan.role.id } : null,
      readings: plan.readings,
      checks: plan.checks,
      hits,
      plain: [...findings.map(tapeIssue), ...readerIssues(manifest)],
      workDir,
    },
    issues,
    signal,
  );
  report('WRITING');
  return { findings, byRule };
}

async function writeLoans(
  plan: TapePlan,
  workDir: string,
  { typedPath, duplicatesPath, loans }: Files,
): Promise<{ figures: LoanFigures; statistics: Record<string, FieldStatistics> }> {
  const { fields, role, facts, checks } = plan;
  const { engine, manifest, signal } = plan.input;
  await writeLoansFile({
    engine,
    typedPath,
    rowCount: manifest.rowCount,
    duplicatesPath,
    malformed: malformedNumbers(manifest),
    fields,
    role,
    present: facts.present,
    amount: facts.amount ?? role.original,
    checks,
    workDir,
    path: loans,
    signal,
  });
  const figures = await loanFigures(engine, loans, facts.present);
  return { figures, statistics: await fieldStatistics(engine, typedPath, presentFields(plan), weightField(plan)) };
}

function presentFields({ fields, facts }: TapePlan): Field[] {
  return fields.filter((field) => facts.present.has(field.field));
}

function weightField({ facts, role }: TapePlan): string {
  return facts.mapped.has(role.current) ? role.current : (facts.amount ?? role.original);
}

type SharedIds = { rows: number; ids: number };

async function sharedIdsOf(
  plan: TapePlan,
  typedPath: string,
  duplicatesPath: string | null,
  workDir: string,
): Promise<SharedIds> {
  if (!plan.facts.mapped.has(plan.role.id)) return { rows: 0, ids: 0 };
  const path = `${workDir}/shared-ids.parquet`;
  return await writeSharedIds(plan.input.engine, typedPath, plan.role.id, duplicatesPath, path, plan.input.signal);
}

async function tellingColumns({ readings, from, input, facts }: TapePlan): Promise<TapeFinding[]> {
  const { engine, manifest } = input;
  const used = new Set(readings.map(({ match }) => match.column.index));
  const unused = manifest.columns.filter(({ index }) => !used.has(index));
  return [
    ...(await currencyColumns(engine, from, manifest.columns)),
    ...(await signColumns(engine, from, unused)),
    ...(await chargeOffColumns(engine, from, unused, facts)),
  ];
}

async function floatFindings({ readings, role, from, input }: TapePlan): Promise<TapeFinding[]> {
  const ids = readings.filter(({ match }) => (match.target === role.id || match.target === 'obligor_id') && !match.tokens);
  const columns = ids.map(({ match }) => ({ field: match.target, column: match.column }));
  return await floatIds(input.engine, from, columns);
}

async function idFindings(
  plan: TapePlan,
  { typedPath, duplicatesPath }: Pick<Files, 'typedPath' | 'duplicatesPath'>,
  workDir: string,
): Promise<{ shared: SharedIds; ofIds: TapeFinding[]; hits: number[] }> {
  const { facts, input } = plan;
  const shared = await sharedIdsOf(plan, typedPath, duplicatesPath, workDir);
  return {
    shared,
    ofIds: [
      ...(await sharedIds(input.engine, typedPath, facts, shared)),
      ...(await formsOfIds(input.engine, typedPath, facts, shared)),
      ...(await emptyColumns(input.engine, typedPath, facts, sourcesOf(plan))),
      ...(await reportingDates(input.engine, typedPath, facts, sourcesOf(plan))),
    ],
    hits: await countHits(input.engine, typedPath, plan.checks),
  };
}

const isOfCurrency = ({ rule_id }: TapeFinding): boolean => rule_id === 'CURRENCY_NOT_USD' || rule_id === 'MIXED_CURRENCIES';

async function amountFindings(plan: TapePlan, typedPath: string, isForeign: boolean): Promise<TapeFinding[]> {
  const { facts, input } = plan;
  return [
    ...(await differingTotals(input.engine, typedPath, input.manifest.statedTotals ?? [], balancesOf(plan))),
    ...(await interestFreeSchedule(input.engine, typedPath, facts)),
    ...(await endedAtOriginal(input.engine, typedPath, facts)),
    ...(await mixedMagnitudes(input.engine, { typedPath, rowCount: input.manifest.rowCount, isForeign }, facts, sourcesOf(plan))),
  ];
}

/** The columns of amounts whose numbers are those of the file. */
const balancesOf = ({ readings, role }: TapePlan): SummedColumn[] =>
  readings.flatMap(({ match, transform }) => {
    const { target, source, column } = match;
    const isBalance = target === role.original || target === role.current;
    return isBalance && transform === undefined ? [{ field: target, source, index: column.index }] : [];
  });

/** What is unlike the version that this one replaces. */
async function replacedFindings(
  plan: TapePlan,
  workDir: string,
  { typedPath, duplicatesPath }: Pick<Files, 'typedPath' | 'duplicatesPath'>,
): Promise<TapeFinding[]> {
  const { engine, replaces, manifest } = plan.input;
  if (!replaces) return [];
  const rows = { engine, typedPath, checks: plan.checks, duplicatesPath, malformed: malformedNumbers(manifest) };
  return await compareBefore(plan, replaces, rows, workDir);
}

const malformedNumbers = ({ malformedRows }: RawManifest): number[] => malformedRows.map(({ row_number }) => row_number);

/** The name of the source column of a field. */
const sourcesOf =
  ({ readings }: TapePlan) =>
  (field: Field): string | null =>
    readings.find(({ match }) => match.target === field.field)?.match.source ?? null;

function tapeIssue(finding: TapeFinding): PlainIssue {
  const { column, ...rest } = finding;
  return { ...rest, row_number: null, column_name: column };
}

/** Findings of the reader: its notices, and rows malformed beyond repair as errors. */
function readerIssues(manifest: RawManifest): PlainIssue[] {
  const notices = manifest.notices.map((notice) => ({
    row_number: notice.row_number ?? null,
    line: notice.line ?? null,
    column_name: notice.column ?? null,
    field: null,
    rule_id: notice.code,
    severity: notice.severity,
    message: notice.message,
    actual: notice.actual ?? null,
    expected: notice.expected ?? null,
  }));
  const malformed = manifest.malformedRows.map((row) => ({
    row_number: row.row_number,
    line: row.line,
    column_name: null,
    field: null,
    rule_id: 'MALFORMED_ROW',
    severity: 'ERROR' as const,
    message: `${row.reason}; the row cannot serve as a loan and is rejected`,
    actual: row.actual,
    expected: row.expected,
  }));
  return [...notices, ...malformed];
}

/** Without an amount column only the mapping and the findings are reported; the loans wait for a mapping. */
async function withoutAmount(plan: TapePlan, workDir: string): Promise<IngestResult> {
  const { engine, outDir, rawPath, signal, loanType } = plan.input;
  const wanted = loanType === 'Credit Card' ? plan.role.original : `${plan.role.original} or ${plan.role.current}`;
  const message = `no column gives an amount: map one to ${wanted} (PUT …/mapping of the deal) and the checks run again`;
  const findings = [
    ...plan.findings,
    tapeFinding('AMOUNT_COLUMN_MISSING', message, {
      severity: 'ERROR',
      field: plan.role.original,
      expected: `a column of amounts that is ${wanted}`,
    }),
  ];
  const byRule = await writeIssues(
    engine,
    {
      rawPath,
      rowCount: plan.input.manifest.rowCount,
      typedPath: null,
      duplicatesPath: null,
      sharedIds: null,
      readings: [],
      checks: [],
      hits: [],
      plain: [...findings.map(tapeIssue), ...readerIssues(plan.input.manifest)],
      workDir,
    },
    `${outDir}/issues.parquet`,
    signal,
  );
  return { ...emptyResult(plan), needs_mapping: true, ...countsOf(byRule), tape_findings: findings };
}

function countsOf(issues_by_rule: RuleCount[]): Pick<IngestResult, 'issue_counts' | 'issues_by_rule'> {
  const sum = (severity: Severity) =>
    issues_by_rule.filter((each) => each.severity === severity).reduce((total, each) => total + each.count, 0);
  return { issue_counts: { error: sum('ERROR'), warning: sum('WARNING') }, issues_by_rule };
}

function emptyResult(plan: TapePlan): IngestResult {
  const { rawPath, outDir, manifest, asOf } = plan.input;
  return {
    mapping: plan.mapping,
    needs_mapping: false,
    rows: manifest.rowCount,
    accepted: 0,
    rejected: 0,
    total_balance: '0.00',
    balance_basis: plan.basis,
    ...countsOf([]),
    statistics: {},
    decisions: plan.decisions,
    tape_findings: plan.findings,
    as_of_date: asOf,
    synthetic_ids: !plan.facts.mapped.has(plan.facts.id),
    qc_failed: false,
    files: { raw: rawPath, sealed: null, loans: null, issues: `${outDir}/issues.parquet` },
  };
}
