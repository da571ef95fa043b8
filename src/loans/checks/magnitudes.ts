import { findField, roles } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';
import type { Engine } from '../engine/engine.ts';
import { parquet } from '../engine/sql.ts';
import type { LoanType, TapeFinding } from '../types.ts';
import type { TapeFacts } from './check.ts';
import { DAYS, monthsPastDue, SCHEDULE_FIELDS, scheduleUnits } from './schedule-units.ts';
import { tapeFinding } from './tape-checks.ts';

/** Rows from which the usual size of a field is taken, spread over the tape. */
const SAMPLE_ROWS = 10_000;
/** Fewer values have no usual size. */
const VALUES_MIN = 10;
/** A few rates or ratios have: percents of loans are alike, and a hundredth of them is the same number as a fraction. */
const PERCENTS_MIN = 3;
/** Rows that a finding names. */
const NAMED_ROWS = 5;
/** A value so many times the median of its column is not of its kind. */
const OUTLIER = 1_000;

/** A column, or its share of the amount of the same loan: `value` is SQL, `positive` the positive ones of a sample in their order. */
type Column = { field: Field; source: string; value: string; isShare: boolean; positive: Float64Array };

/** `isForeign`: amounts are told to be in other currencies than the dollar, and may be as large as those make them. */
type MeasuredTape = { typedPath: string; rowCount: number; isForeign?: boolean };

/**
 * Values of one column in two units (percents and fractions, whole amounts and thousands), and single values thousands of times the
 * others. The values are kept; a finding says how many they are, in which rows, and what would mend them.
 */
export async function mixedMagnitudes(
  engine: Engine,
  { typedPath, rowCount, isForeign = false }: MeasuredTape,
  facts: TapeFacts,
  sourceOf: (field: Field) => string | null,
): Promise<TapeFinding[]> {
  const mapped = facts.fields.filter(({ field }) => facts.mapped.has(field));
  const amounts = mapped.filter(({ type }) => type === 'money' || type === 'percent');
  const ofTerms = facts.loanType === 'Auto' ? mapped.filter(({ field }) => field === 'original_term_months') : [];
  if (amounts.length + ofTerms.length === 0) return [];
  const names = new Set([...amounts, ...ofTerms].map(({ field }) => field));
  if (facts.amount !== null) names.add(facts.amount);
  const isScheduled = SCHEDULE_FIELDS.every((field) => facts.mapped.has(field));
  for (const field of [...(isScheduled ? SCHEDULE_FIELDS : []), DAYS]) if (facts.mapped.has(field)) names.add(field);
  const step = Math.max(1, Math.floor(rowCount / SAMPLE_ROWS));
  const sample = await sampleOf(engine, typedPath, [...names], step);
  const columnOf = (field: Field): Column => ({
    field,
    source: sourceOf(field) ?? field.field,
    value: `CAST(${field.field} AS DOUBLE)`,
    isShare: false,
    positive: positiveOf(sample.get(field.field) ?? []),
  });
  const [columns, terms] = [amounts.map(columnOf), ofTerms.map(columnOf)];
  const shares = columns
    .filter(({ field }) => facts.amount !== null && field.type === 'money' && field.field !== facts.amount)
    .map((column) => ({
      ...column,
      value: `(${column.value} / nullif(CAST(${facts.amount} AS DOUBLE), 0))`,
      isShare: true,
      positive: positiveOf(sharesOf(sample.get(column.field.field) ?? [], sample.get(facts.amount ?? '') ?? [])),
    }));
  const medians = mediansOf([...columns, ...shares, ...terms]);
  const usual = medians.filter(({ column }) => !terms.includes(column));
  const { current } = roles(facts.loanType);
  // What is used of a card's limit is anything, so only loans have a usual share of their amount left.
  const isComparable = ({ field: { field }, isShare }: Column) =>
    isShare ? field === current && facts.loanType !== 'Credit Card' : field === current || !SHRINKING.test(field);
  const splits = splitsOf(usual.filter(({ column }) => isComparable(column)));
  const far = step === 1 ? usual.filter(hasFarValues) : await farValues(engine, typedPath, usual);
  const findings: TapeFinding[] = [];
  for (const { column, median } of usual) {
    if (findings.some(({ field }) => field === column.field.field)) continue;
    const split = splits.find((each) => each.column === column);
    if (split) findings.push(await mixedFinding(engine, typedPath, split));
    else if (far.some((each) => each.column === column)) findings.push(await outlierFinding(engine, typedPath, column, median));
    findings.push(...implausible(column, median, facts, isForeign));
  }
  const short = medians.filter(({ column }) => terms.includes(column)).flatMap(({ column, median }) => shortTerm(column, median));
  const told = new Set([...findings, ...short].map(({ field }) => field));
  const nameOf = (name: string) => {
    const field = findField(facts.loanType, name);
    return (field && sourceOf(field)) ?? name;
  };
  const units = [
    ...(isScheduled ? scheduleUnits(sample, nameOf) : []),
    ...monthsPastDue(sample.get(DAYS) ?? [], nameOf(DAYS)),
  ].filter(({ field }) => !told.has(field));
  return [...findings, ...short, ...units, ...(await almostRepaid(engine, typedPath, facts))];
}

/** Terms of vehicle loans that are too short in half of the rows to be months. */
function shortTerm(column: Column, median: number): TapeFinding[] {
  if (median > YEARS_MAX) return [];
  const message = `"${column.source}": half of its values are at most ${median}, which is no usual term of vehicle loans in months; they are kept as they are. Set {"scale": 12} in the mapping if they are years`;
  return [scaleSuspected(column, message, String(median), 'terms in months')];
}

/** The longest term of a vehicle loan in years; in months, hardly a loan is shorter. */
const YEARS_MAX = 8;

/** A median amount that no loan has: most likely the whole column is in another unit. */
function implausible(column: Column, median: number, facts: TapeFacts, isForeign: boolean): TapeFinding[] {
  const { field, source, isShare } = column;
  if (isShare) return implausibleShare(column, median, facts);
  if (field.type === 'percent') return implausiblePercent(column, median);
  const isAmount = field.field === facts.amount || field.field === roles(facts.loanType).current;
  const most = LARGEST_AMOUNT[facts.loanType];
  if (isAmount && !isForeign && median > most) {
    const message = `"${source}": half of its amounts are above ${median}, which is no usual ${field.field} of ${facts.loanType} loans; they are kept as they are. Set {"scale": 0.01} in the mapping if they are cents`;
    return [scaleSuspected(column, message, String(median), `a median of at most ${most}`)];
  }
  const least = field.field === facts.amount ? LEAST_AMOUNT[facts.loanType] : field.field === 'annual_income' ? LEAST_INCOME : 1;
  if (field.type !== 'money' || median >= least) return [];
  const message = `"${source}": half of its amounts are below ${median}, which is no usual ${field.field} of ${facts.loanType} loans; they are kept as they are. Set {"scale": 1000} in the mapping if they are thousands`;
  return [scaleSuspected(column, message, String(median), `a median of at least ${least}`)];
}

/** Percents that are so small in half of the rows are fractions, such as those beside a single value with a percent sign. */
function implausiblePercent(column: Column, median: number): TapeFinding[] {
  const { field, source } = column;
  const least = LEAST_PERCENT[field.field] ?? 0;
  if (median >= least) return [];
  const message = `"${source}": half of its values are below ${median} %, which is no usual ${field.field}; they are kept as they are. Set {"unit": "fraction"} in the mapping if they are fractions`;
  return [scaleSuspected(column, message, String(median), `a median of at least ${least} %`)];
}

/** A median rate, or loan to value, below this is in another unit. */
const LEAST_PERCENT: Readonly<Record<string, number>> = { interest_rate: 0.25, apr: 0.25, ltv: 2, cltv: 2 };

/** A balance that is hardly any part of the loan, or many times of it, in half of the rows. */
function implausibleShare(column: Column, median: number, facts: TapeFacts): TapeFinding[] {
  const { field } = column.field;
  const isBalance = field === roles(facts.loanType).current && facts.loanType !== 'Credit Card';
  if (median > SHARE_MAX && (isBalance || COMPARED.test(field))) {
    const times = Math.floor(median);
    const message = `"${column.source}": in half of the rows it is more than ${times} times the loan amount; it is kept as it is. Set {"scale": 0.01} in the mapping if it is in cents`;
    return [scaleSuspected(column, message, `${times} times`, `at most ${SHARE_MAX} times the amount in most rows`)];
  }
  if (!COMPARED.test(field) || median >= 0.005) return [];
  const share = median.toPrecision(2);
  const message = `"${column.source}": in half of the rows it is less than ${share} of the loan amount; it is kept as it is. Set {"scale": 1000} in the mapping if it is in thousands`;
  return [scaleSuspected(column, message, share, 'at least 0.005 of the amount in most rows')];
}

function scaleSuspected({ field, source }: Column, message: string, actual: string, expected: string): TapeFinding {
  return tapeFinding('SCALE_SUSPECTED', message, { field: field.field, column: source, actual, expected });
}

/** No balance of half of the loans is so many times their amount. */
const SHARE_MAX = 20;
const COMPARED = /^(?:previous_balance|approved_amount|requested_amount|guarantee_amount)$/;

/** A median loan, or card limit, below this is in another unit. */
const LEAST_AMOUNT: Readonly<Record<LoanType, number>> = {
  Auto: 500,
  Personal: 100,
  Mortgage: 1_000,
  Student: 100,
  Business: 2_000,
  'Credit Card': 50,
};

/** A median income of a year below this is in thousands. */
const LEAST_INCOME = 1_000;

/** A median loan, or card limit, above this is in another unit: cents, most likely. Large loans to businesses are sold one by one. */
const LARGEST_AMOUNT: Readonly<Record<LoanType, number>> = {
  Auto: 300_000,
  Personal: 500_000,
  Mortgage: 5_000_000,
  Student: 400_000,
  Business: 50_000_000,
  'Credit Card': 200_000,
};

/** Values of fields in rows spread over the tape. Their figures are made here: the engine plans those of twenty columns for longer than it reads them. */
async function sampleOf(
  engine: Engine,
  typedPath: string,
  names: readonly string[],
  step: number,
): Promise<ReadonlyMap<string, readonly (number | null)[]>> {
  const values = names.map((name) => `CAST(${name} AS DOUBLE)`);
  const columns = await engine.numbers(`SELECT ${values.join(', ')} FROM ${parquet(typedPath)} WHERE row_number % ${step} = 0`);
  return new Map(names.map((name, index) => [name, columns[index] ?? []]));
}

function positiveOf(values: readonly (number | null)[]): Float64Array {
  return Float64Array.from(values.filter((value): value is number => value !== null && value > 0)).sort();
}

function sharesOf(values: readonly (number | null)[], amounts: readonly (number | null)[]): (number | null)[] {
  return values.map((value, row) => {
    const amount = amounts[row] ?? null;
    return value === null || amount === null || amount === 0 ? null : value / amount;
  });
}

/** The least of sorted values that so large a share of them does not exceed. */
function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1];
}

/** The median of the positive values of each column that has enough of them, the least and the largest. */
function mediansOf(columns: readonly Column[]): Usual[] {
  return columns.flatMap((column) => {
    const { positive } = column;
    if (positive.length < fewestOf(column)) return [];
    return [{ column, low: positive[0], median: quantile(positive, 0.5), high: positive[positive.length - 1] }];
  });
}

/** What is used of a card's limit is anything, so a few of them say nothing. */
const fewestOf = ({ field: { type, field } }: Column): number =>
  type === 'percent' && field !== 'utilization' ? PERCENTS_MIN : VALUES_MIN;

type Usual = { column: Column; low: number; median: number; high: number };
type Group = { n: number; low: number; middle: number; high: number };
type Split = { column: Column; bound: number; factor: number; small: Group; large: Group };

/** The columns whose values fall into two groups, one of them the other divided by the factor of a unit. */
function splitsOf(usual: readonly Usual[]): Split[] {
  return usual.flatMap(({ column, low, median, high }) =>
    factorsOf(column).flatMap((factor) =>
      [median / Math.sqrt(factor), median * Math.sqrt(factor)].flatMap((bound) => {
        // Where all values lie on one side of the bound there are no two groups.
        if (bound <= low || bound > high) return [];
        const from = column.positive.findIndex((value) => value >= bound);
        const [small, large] = [groupOf(column.positive.subarray(0, from)), groupOf(column.positive.subarray(from))];
        return isShifted(small, large, factor) ? [{ column, bound, factor, small, large }] : [];
      }),
    ),
  );
}

/** Cents beside whole amounts are told only where amounts are alike: balances of cards and of old loans spread over a hundredfold. */
function factorsOf({ field, isShare }: Column): number[] {
  if (field.type === 'percent') return [100];
  return !isShare && SHRINKING.test(field.field) ? [1_000] : [1_000, 100];
}

const groupOf = (sorted: Float64Array): Group => ({
  n: sorted.length,
  low: quantile(sorted, 0.1),
  middle: quantile(sorted, 0.5),
  high: quantile(sorted, 0.9),
});

/** Whether the smaller values times the factor look like the larger ones. */
function isShifted(small: Group, large: Group, factor: number): boolean {
  const ratio = large.middle / small.middle;
  const alike = ratio > factor / 3 && ratio < factor * 3;
  return alike && small.low * factor > large.low / 4 && small.high * factor < large.high * 4;
}

async function mixedFinding(engine: Engine, typedPath: string, split: Split): Promise<TapeFinding> {
  const { bound, factor, small, large } = split;
  const { field, source, value } = split.column;
  const smaller = small.n <= large.n;
  const condition = smaller ? `${value} > 0 AND ${value} < ${bound}` : `${value} >= ${bound}`;
  const { count, rows } = await rowsWhere(engine, typedPath, condition);
  const unit = field.type === 'percent' ? 'fractions and percents' : 'thousands and whole amounts';
  const message =
    `"${source}": ${count} values are about ${factor.toLocaleString('en-US')} times ${smaller ? 'smaller' : 'larger'} than the others ` +
    `(${rows}), as if the column mixed ${unit}; they are kept as they are. Correct these rows, or send the column in one unit`;
  return tapeFinding('MIXED_UNITS', message, {
    field: field.field,
    column: source,
    actual: `${count} values`,
    expected: `${field.field} in one unit${field.unit === null ? '' : ` (${field.unit})`}`,
  });
}

/** The columns with single values far from all others, where not all rows were sampled. One pass over the tape. */
async function farValues(engine: Engine, typedPath: string, usual: readonly Usual[]): Promise<Usual[]> {
  if (usual.length === 0) return [];
  const counts = usual.map(({ column, median }, index) => `count(CASE WHEN ${isFar(column, median)} THEN 1 END) AS f${index}`);
  const row = (await engine.first<Record<string, number>>(`SELECT ${counts.join(', ')} FROM ${parquet(typedPath)}`)) ?? {};
  return usual.filter((_, index) => (row[`f${index}`] ?? 0) > 0);
}

/** The same, where all rows were. */
function hasFarValues({ column, low, median, high }: Usual): boolean {
  return high > OUTLIER * median || (mayBeTiny(column) && low < median / OUTLIER);
}

function isFar(column: Column, median: number): string {
  const { value } = column;
  return `${value} > ${OUTLIER * median}${mayBeTiny(column) ? ` OR (${value} > 0 AND ${value} < ${median / OUTLIER})` : ''}`;
}

/** Whether a column has values that are too small: a balance may be as small as a loan that is nearly repaid. */
const mayBeTiny = ({ field, isShare }: Column): boolean => field.type === 'money' && !isShare && !SHRINKING.test(field.field);

async function outlierFinding(engine: Engine, typedPath: string, column: Column, median: number): Promise<TapeFinding> {
  const { field, source, isShare } = column;
  const { count, rows } = await rowsWhere(engine, typedPath, isFar(column, median));
  const usual = isShare ? 'its usual share of the loan amount' : `the median ${median}`;
  const message = `"${source}": ${count} values are more than ${OUTLIER.toLocaleString('en-US')} times off ${usual} (${rows}); they are kept as they are. Compare them with the source system`;
  return tapeFinding('OUTLIER', message, {
    field: field.field,
    column: source,
    actual: `${count} values`,
    expected: `values around ${usual}`,
  });
}

/** Amounts that fall to zero over the life of a loan. */
const SHRINKING = /current|accrued|past_due|charged|recover|last|previous|fee/;

/** Current balances that sum to less than a hundredth of the original ones: most likely another unit. */
async function almostRepaid(engine: Engine, typedPath: string, facts: TapeFacts): Promise<TapeFinding[]> {
  const { original, current } = roles(facts.loanType);
  if (facts.loanType === 'Credit Card' || !facts.mapped.has(original) || !facts.mapped.has(current)) return [];
  const row = await engine.first<{ original: string | null; current: string | null }>(
    `SELECT CAST(sum(${original}) AS VARCHAR) AS original, CAST(sum(${current}) AS VARCHAR) AS current FROM ${parquet(typedPath)} ` +
      `WHERE ${original} IS NOT NULL AND ${current} IS NOT NULL`,
  );
  const [whole, left] = [Number(row?.original ?? 0), Number(row?.current ?? 0)];
  if (whole <= 0 || left >= 0.01 * whole) return [];
  const message = `the current balances sum to ${row?.current ?? '0'}, less than 1 % of the original balances (${row?.original ?? '0'}): most likely they are in another unit, such as thousands, or another column is the balance`;
  return [
    tapeFinding('BALANCE_FAR_BELOW_ORIGINAL', message, {
      field: current,
      actual: row?.current ?? null,
      expected: 'the balances of the loans',
    }),
  ];
}

async function rowsWhere(engine: Engine, typedPath: string, condition: string): Promise<{ count: number; rows: string }> {
  const found = await engine.first<{ count: number; first: string | null }>(
    `SELECT count(*) AS count, array_to_string(min(row_number, ${NAMED_ROWS}), ', ') AS first FROM ${parquet(typedPath)} WHERE ${condition}`,
  );
  const count = found?.count ?? 0;
  const more = count > NAMED_ROWS ? ', …' : '';
  return { count, rows: `${count === 1 ? 'row' : 'rows'} ${found?.first ?? ''}${more}` };
}
