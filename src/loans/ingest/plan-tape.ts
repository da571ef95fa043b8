import type { RowCheck, TapeFacts } from '../checks/check.ts';
import { checksOf } from '../checks/checks.ts';
import { missingRequired, protectedColumns, suspectedSentinels, tapeFinding } from '../checks/tape-checks.ts';
import { type DerivedField, derivedFields } from './derive.ts';
import { dictionary, type Roles, roles } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';
import type { RunIngestInput } from './ingest-types.ts';
import { type ColumnSample, sampleOf } from '../mapping/content.ts';
import { type Inapplicable, matchColumns } from '../mapping/match-columns.ts';
import { transformInputs } from '../mapping/transform-inputs.ts';
import { makeTexts } from './made-texts.ts';
import { type ColumnChoice, settleContests } from './column-choice.ts';
import { sourceName } from '../reading/source-name.ts';
import { withSamples } from './sample-values.ts';
import { columnSlices, parquet } from '../engine/sql.ts';
import type { BalanceBasis, Mapping, TapeFinding } from '../types.ts';
import { type ColumnReading, decideReadings } from './column-readings.ts';

/** Number of rows sampled to match a column by content. */
const SAMPLE_ROWS = 2_000;

/** All decisions about a tape that are made before its rows are read. */
export type TapePlan = {
  input: RunIngestInput;
  fields: readonly Field[];
  role: Roles;
  /** The relation of the texts that are read: raw.parquet, with the texts that the mapping makes. */
  from: string;
  readings: ColumnReading[];
  derived: DerivedField[];
  facts: TapeFacts;
  checks: RowCheck[];
  mapping: Mapping;
  basis: BalanceBasis;
  decisions: string[];
  findings: TapeFinding[];
};

/** The matched columns, and the relation of the texts that are read. */
export type Matched = ColumnChoice & { samples: ColumnSample[]; from: string };

/** Matches columns to fields by header, by a sample of the values and by the requested mapping. */
export async function matchAgainstTape(input: RunIngestInput): Promise<Matched> {
  const { columns } = input.manifest;
  const samples = await sampleColumns(input);
  const byIndex: ColumnSample[] = [];
  columns.forEach((column, position) => {
    byIndex[column.index] = samples[position];
  });
  const outcome = matchColumns({ loanType: input.loanType, columns, samples: byIndex, requests: input.requests });
  const { engine, rawPath } = input;
  const made = await makeTexts({ engine, rawPath, columns, matches: outcome.matches });
  const choice = await settleContests(engine, made.from, input.loanType, outcome);
  return {
    ...choice,
    samples,
    from: made.from,
    decisions: [...made.decisions, ...choice.decisions],
    findings: [...outcome.inapplicable.map(notApplied), ...made.findings, ...choice.findings],
  };
}

/** A mapping that was remembered from a tape with more columns. */
function notApplied({ request, absent }: Inapplicable): TapeFinding {
  const names = absent.map((name) => `"${name}"`).join(' and ');
  const message = `the mapping of "${request.source}" to ${request.target} reads ${names}, which the tape does not have; it was not applied and "${request.source}" has no field. Add the column, or map it anew`;
  return tapeFinding('MAPPING_NOT_APPLIED', message, {
    field: request.target,
    column: request.source,
    actual: `no column ${names}`,
    expected: `the columns ${transformInputs(request.transform)
      .map((name) => `"${name}"`)
      .join(', ')}`,
  });
}

/** A sample of each column, in the order of the columns. */
async function sampleColumns({ engine, rawPath, manifest, signal }: RunIngestInput): Promise<ColumnSample[]> {
  const names = manifest.columns.map(({ index }) => `c${index}`);
  const samples: ColumnSample[] = [];
  for (const some of columnSlices(names)) {
    // The texts of a column cross as one text: as values of their own they take ten times as long.
    const texts = some.map((name) => `CAST(to_json(list(${name} ORDER BY row_number)) AS VARCHAR) AS ${name}`);
    const query = `SELECT ${texts.join(', ')} FROM ${parquet(rawPath)} WHERE row_number <= ${SAMPLE_ROWS}`;
    const row = await engine.first<Record<string, string>>(query, [], signal);
    samples.push(...some.map((name) => sampleOf(JSON.parse(row?.[name] ?? '[]') as (string | null)[])));
  }
  return samples;
}

/** Decides how the columns are read, which fields are derived and which checks apply, and explains the decisions. */
export async function planTape(input: RunIngestInput, outcome: Matched): Promise<TapePlan> {
  const fields = dictionary(input.loanType);
  const role = roles(input.loanType);
  const mapped = new Set(outcome.matches.map((match) => match.target));
  const idFields = new Set([role.id, 'obligor_id']);
  const readings = await decideReadings(outcome.matches, {
    engine: input.engine,
    from: outcome.from,
    rowCount: input.manifest.rowCount,
    canonical: input.canonical,
    idFields,
  });
  const derived = derivedFields(fields, outcome.matches);
  const facts: TapeFacts = {
    loanType: input.loanType,
    asOf: input.asOf,
    fields,
    mapped,
    present: new Set([...mapped, ...derived.map(({ field }) => field)]),
    amount: amountField(input.loanType, role, mapped),
    fallback: fallbackField(input.loanType, role, mapped),
    id: role.id,
  };
  const basis = balanceBasis(input.loanType, role, mapped);
  const suggestions = await withSamples(
    { ...input, columns: input.manifest.columns, samples: outcome.samples, idFields, rows: SAMPLE_ROWS },
    outcome.suggestions,
  );
  const mapping = mappingOf(input, { ...outcome, suggestions }, readings, facts);
  const readingDecisions = readings.flatMap((reading) => reading.decisions);
  return {
    input,
    fields,
    role,
    from: outcome.from,
    readings,
    derived,
    facts,
    checks: checksOf(facts),
    mapping,
    basis,
    decisions: [
      ...outcome.decisions,
      ...readingDecisions,
      ...derived.map(({ decision }) => decision),
      ...basisDecision(basis, facts),
      ...idDecision(facts),
    ],
    findings: [
      ...outcome.findings,
      ...missingRequired(facts, mapping.missing_required),
      ...readings.flatMap((reading) => reading.findings),
      ...protectedColumns(input.manifest.columns),
      ...suspectedSentinels(input.manifest.columns, outcome.samples, new Set(outcome.matches.map((match) => match.column.index))),
    ],
  };
}

function amountField(loanType: TapeFacts['loanType'], role: Roles, mapped: ReadonlySet<string>): string | null {
  if (mapped.has(role.original)) return role.original;
  return loanType !== 'Credit Card' && mapped.has(role.current) ? role.current : null;
}

function fallbackField(loanType: TapeFacts['loanType'], role: Roles, mapped: ReadonlySet<string>): string | null {
  return loanType !== 'Credit Card' && mapped.has(role.original) && mapped.has(role.current) ? role.current : null;
}

function balanceBasis(loanType: TapeFacts['loanType'], role: Roles, mapped: ReadonlySet<string>): BalanceBasis {
  if (mapped.has(role.current)) return 'CURRENT';
  return loanType === 'Credit Card' ? 'LIMIT' : 'ORIGINAL';
}

function basisDecision(basis: BalanceBasis, facts: TapeFacts): string[] {
  if (basis === 'CURRENT' || facts.amount === null) return [];
  return [`current_balance: no column gives it, so ${facts.amount} serves, for weights too (balance_basis ${basis})`];
}

function idDecision(facts: TapeFacts): string[] {
  return facts.mapped.has(facts.id) ? [] : [`${facts.id}: no column gives it, so row numbers serve (synthetic)`];
}

function mappingOf(input: RunIngestInput, outcome: ColumnChoice, readings: readonly ColumnReading[], facts: TapeFacts): Mapping {
  const { columns } = input.manifest;
  const used = new Set(outcome.matches.map((match) => match.column.index));
  return {
    mappings: readings.map(({ match, transform }) => ({
      source: match.source,
      target: match.target,
      ...(transform && { transform }),
      confidence: match.confidence,
    })),
    unmapped: columns.filter(({ index }) => !used.has(index)).map((column) => sourceName(column, columns)),
    missing_required: facts.fields
      .filter((field) => field.required && !facts.present.has(field.field))
      .map((field) => field.field),
    suggestions: outcome.suggestions,
  };
}
