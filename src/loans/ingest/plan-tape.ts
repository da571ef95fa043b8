import type { RowCheck, TapeFacts } from '../checks/check.ts';
import { checksOf } from '../checks/checks.ts';
import { missingRequired, protectedColumns, suspectedSentinels, tapeFinding } from '../checks/tape-checks.ts';
import { type DerivedField, derivedFields } from './derive.ts';
import { dictionary, type Roles, roles } from '../dictionary/dictionary.ts';
import { type Field, isNumeric } from '../dictionary/field.ts';
import type { RunIngestInput } from './ingest-types.ts';
import type { ColumnSample } from '../mapping/content.ts';
import { type Inapplicable, type Match, matchColumns, type MatchOutcome } from '../mapping/match-columns.ts';
import { isPersonalValue, PERSONAL_SHARE } from '../mapping/personal-data.ts';
import { transformInputs } from '../mapping/transform-inputs.ts';
import { makeTexts } from './made-texts.ts';
import { type ColumnChoice, settleContests } from './column-choice.ts';
import { sourceName } from '../reading/source-name.ts';
import { withSamples } from './sample-values.ts';
import { parquet } from '../engine/sql.ts';
import { repeatingColumns } from '../reading/raw-file.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import { byIndex, OBLIGOR_FIELDS, SAMPLE_ROWS, sampleColumns } from './seal-columns.ts';
import type { BalanceBasis, Mapping, TapeFinding } from '../types.ts';
import { type ColumnReading, decideReadings } from './column-readings.ts';

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
  const { engine, rawPath, sealing } = input;
  const samples = sealing?.samples ?? (await sampleColumns(engine, parquet(rawPath), columns, input.signal));
  const found = matchColumns({ loanType: input.loanType, columns, samples: byIndex(columns, samples), requests: input.requests });
  const outcome = withTokens(found);
  const made = await makeTexts({ engine, from: parquet(rawPath), columns, matches: outcome.matches });
  const choice = await settleContests(engine, made.from, input.loanType, outcome);
  return {
    ...choice,
    // From here on a sample may be shown.
    samples: samples.map((sample, position) => (columns[position]?.sealed ? { texts: [], distinct: 0 } : sample)),
    from: made.from,
    decisions: [...(sealing?.decisions ?? []), ...made.decisions, ...choice.decisions],
    findings: [
      ...outcome.inapplicable.map(notApplied),
      ...(sealing?.findings ?? []),
      ...made.findings,
      ...choice.findings,
      ...personalValues(choice.matches, columns, samples),
    ],
  };
}

/** The texts of a sealed column were read when its tokens were made: they are not split, joined or replaced again. */
function withTokens(outcome: MatchOutcome): MatchOutcome {
  const asTokens = (match: Match): Match => {
    if (!match.column.sealed || !OBLIGOR_FIELDS.has(match.target)) return match;
    const { transform, ...plain } = match;
    return { ...plain, tokens: true, ...(transform && { shown: transform }) };
  };
  return {
    ...outcome,
    matches: outcome.matches.map(asTokens),
    contests: outcome.contests.map(({ match, rivals }) => ({ match: asTokens(match), rivals: rivals.map(asTokens) })),
  };
}

/** Numbers with zeros before them or decimals behind them, as programs pad amounts and rates. */
const PADDED = /^[-+]?(?:0\d*|\d+)\.\d+$|^[-+]?0\d+$/;

/** Columns that fill a field which is shown, and whose values look like those of persons: they cannot be sealed and serve at once. */
function personalValues(
  matches: readonly Match[],
  columns: readonly RawColumn[],
  samples: readonly ColumnSample[],
): TapeFinding[] {
  return matches.flatMap(({ column, field, source, target }) => {
    const sample = samples[columns.findIndex(({ index }) => index === column.index)] ?? { texts: [], distinct: 0 };
    // `+00000020001.00` has the form of a telephone number and is an amount.
    const texts = isNumeric(field) ? sample.texts.filter((text) => !PADDED.test(text)) : sample.texts;
    const isPersonal = texts.length > 0 && texts.filter(isPersonalValue).length >= PERSONAL_SHARE * sample.texts.length;
    if (column.sealed || !isPersonal) return [];
    const message = `the values of "${source}" look like e-mail addresses, telephone or tax numbers, and fill ${target}, which is shown; they are not sealed. Send other values for ${target}, or unmap the column with PUT …/mapping ("target": null, "sealed": true)`;
    return [tapeFinding('PERSONAL_DATA_IN_FIELD', message, { field: target, column: source, expected: 'no data of persons' })];
  });
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

/** Decides how the columns are read, which fields are derived and which checks apply, and explains the decisions. */
export async function planTape(input: RunIngestInput, outcome: Matched): Promise<TapePlan> {
  const fields = dictionary(input.loanType);
  const role = roles(input.loanType);
  const mapped = new Set(outcome.matches.map((match) => match.target));
  const idFields = new Set([role.id, 'obligor_id']);
  const readings = await decideReadings(outcome.matches, {
    engine: input.engine,
    from: outcome.from,
    repeating: await repeatingColumns(input.engine, input.rawPath, input.manifest.rowCount),
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
      ...suspectedSentinels(input.manifest.columns, outcome.samples, withRange(outcome.matches)),
    ],
  };
}

/** The columns of fields whose values that stand for nothing are read as missing or out of range: of days past due, 999 is neither. */
function withRange(matches: readonly Match[]): ReadonlySet<number> {
  return new Set(matches.flatMap(({ target, column }) => (target === 'days_past_due' ? [] : [column.index])));
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
      ...((match.shown ?? transform) && { transform: match.shown ?? transform }),
      confidence: match.confidence,
      ...(match.column.sealed && { sealed: true as const }),
    })),
    unmapped: columns.filter(({ index }) => !used.has(index)).map((column) => sourceName(column, columns)),
    missing_required: facts.fields
      .filter((field) => field.required && !facts.present.has(field.field))
      .map((field) => field.field),
    suggestions: outcome.suggestions,
    sealed: columns.flatMap((column) =>
      column.sealed
        ? [
            {
              source: sourceName(column, columns),
              target: outcome.matches.find((match) => match.column.index === column.index)?.target ?? null,
              sealed: true as const,
              reason: column.sealed,
            },
          ]
        : [],
    ),
  };
}
