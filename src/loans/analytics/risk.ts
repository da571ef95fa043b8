import { addDecimals, formatDecimal, parseDecimal } from '../../finance/decimal.ts';
import { dictionary } from '../dictionary/dictionary.ts';
import type { Engine } from '../engine/engine.ts';
import { parquet } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';
import { MISSING } from './bands.ts';
import { commonColumns } from './columns.ts';
import { joinSmall, OTHER } from './small-groups.ts';
import {
  type FigureRow,
  type Figures,
  figureColumns,
  figuresOf,
  quotient,
  readSums,
  sharesOf,
  weightedValues,
} from './figures.ts';

export type WeightedAverage = {
  field: string;
  value: number | null;
  unit: string | null;
  loans_missing: number;
  balance_missing: number;
};

export type Concentration = { name: string; loan_count: number; balance: number; share: number };

export type RiskProfile = {
  total: Figures;
  weighted_averages: WeightedAverage[];
  /** The ten largest, largest first; null when no loan has an obligor. */
  top_obligors: Concentration[] | null;
  top_states: Concentration[] | null;
  /** Herfindahl–Hirschman index: Σ share², 8 decimals, 1 is a single group; null without values. */
  hhi: { obligor: number | null; state: number | null };
  /** Days past due. */
  delinquency: (Concentration & { from_days: number | null; to_days: number | null })[];
};

const TOP = 10;

/** Averages, concentrations and delinquency of loans as of a date; exact sums, balance weights. */
export async function riskProfile(
  engine: Engine,
  loansPath: string,
  loanType: LoanType,
  asOf: string,
  least = 0,
): Promise<RiskProfile> {
  const source = parquet(loansPath);
  const columns = commonColumns(loanType, asOf);
  const fields = dictionary(loanType).filter(({ type }) => type === 'percent' || type === 'integer' || type === 'number');
  const own = Object.fromEntries(fields.map(({ field }) => [`field_${field}`, `"${field}"`]));
  const values = { ...weightedValues(loanType, columns), ...own };
  const counts = fields.map(({ field }) => `count("${field}") AS ${field}_known`);
  const row = (await engine.first<FigureRow>(
    `SELECT ${[figureColumns(columns.balance, values), ...counts].join(', ')} FROM ${source}`,
  )) as FigureRow;
  const sums = readSums(row, values);
  const figures = figuresOf(sums);
  const kept = Object.entries(figures.averages).filter(([name]) => !name.startsWith('field_'));
  const weighted_averages = fields.map(({ field, unit }): WeightedAverage => {
    const weight = sums.weighted[`field_${field}`]?.weight;
    return {
      field,
      unit,
      value: figures.averages[`field_${field}`] ?? null,
      loans_missing: sums.loan_count - Number(row[`${field}_known`]),
      balance_missing: Number((figures.balance - Number(weight ? quotient(weight, ONE, 2) : 0)).toFixed(2)),
    };
  });
  const [obligors, states, delinquency] = await Promise.all([
    concentration(engine, source, columns.balance, columns.obligor),
    concentration(engine, source, columns.balance, 'state', least),
    delinquencyOf(engine, source, columns.balance, least),
  ]);
  return {
    total: { ...figures, averages: Object.fromEntries(kept) },
    weighted_averages,
    top_obligors: least > 0 ? withoutNames(obligors.top) : obligors.top,
    top_states: states.top,
    hhi: { obligor: obligors.hhi, state: states.hhi },
    delinquency,
  };
}

/** Obligors by their rank: who they are is not shown. */
const withoutNames = (top: Concentration[] | null): Concentration[] | null =>
  top?.map((each, place) => ({ ...each, name: each.name === MISSING ? MISSING : `Obligor ${place + 1}` })) ?? null;

const ONE = { units: 1n, scale: 0 };

/** The largest groups of a column and its HHI in whole cents; loans without a value form one group; null when no loan has a value. */
async function concentration(
  engine: Engine,
  source: string,
  balance: string,
  column: string,
  least = 0,
): Promise<{ top: Concentration[] | null; hhi: number | null }> {
  const grouped = `(SELECT ${column} AS name, count(*) AS loan_count, sum(${balance}) AS balance FROM ${source} GROUP BY ALL)`;
  const whole = await engine.first<{ known: number; cents: string; squares: string }>(
    `SELECT count(name) AS known, CAST(sum(cents) AS VARCHAR) AS cents, CAST(sum(cents * cents) AS VARCHAR) AS squares
     FROM (SELECT name, CAST(balance * 100 AS HUGEINT) AS cents FROM ${grouped})`,
  );
  if (!whole || whole.known === 0) return { top: null, hhi: null };
  const total = parseDecimal(String(whole.cents));
  const all = await engine.rows<{ name: string | null; loan_count: number; balance: string }>(
    `SELECT * FROM ${grouped} ORDER BY balance DESC, name ${least > 0 ? '' : `LIMIT ${TOP}`}`,
  );
  const joined = joinSmall(all, { countOf: ({ loan_count }) => loan_count, ordered: false, least });
  const rows = joined.map((parts) => (parts.length === 1 ? parts[0] : together(parts))).slice(0, TOP);
  const hundredth = { units: total.units, scale: total.scale + 2 };
  const top = rows.map((row) => ({
    name: row.name ?? MISSING,
    loan_count: row.loan_count,
    balance: Number(row.balance),
    share: quotient(parseDecimal(row.balance), hundredth, 6) ?? 0,
  }));
  const square = { units: total.units * total.units, scale: 2 * total.scale };
  return { top, hhi: quotient(parseDecimal(String(whole.squares)), square, 8) };
}

/** Groups that are too small to be shown, as one. */
function together(parts: readonly { loan_count: number; balance: string }[]) {
  const balance = parts.map((part) => parseDecimal(part.balance)).reduce(addDecimals, { units: 0n, scale: 0 });
  return { name: OTHER, loan_count: parts.reduce((sum, part) => sum + part.loan_count, 0), balance: formatDecimal(balance) };
}

const BUCKETS: readonly [name: string, from: number, to: number | null][] = [
  ['CURRENT', 0, 0],
  ['1-29', 1, 29],
  ['30-59', 30, 59],
  ['60-89', 60, 89],
  ['90-119', 90, 119],
  ['120+', 120, null],
];

async function delinquencyOf(
  engine: Engine,
  source: string,
  balance: string,
  least: number,
): Promise<RiskProfile['delinquency']> {
  const cases = BUCKETS.toReversed().map(([, from], index) => `WHEN days_past_due >= ${from} THEN ${BUCKETS.length - 1 - index}`);
  const rows = await engine.rows<{ bucket: number | null; loan_count: number; balance: string }>(
    `SELECT CASE WHEN days_past_due IS NULL THEN NULL ${cases.join(' ')} ELSE 0 END AS bucket, count(*) AS loan_count, coalesce(sum(${balance}), 0) AS balance
     FROM ${source} GROUP BY ALL`,
  );
  const missing = rows.find((row) => row.bucket === null);
  const found = [
    ...BUCKETS.map(([name, from_days, to_days], index) => {
      const { loan_count = 0, balance: sum = '0' } = rows.find((row) => row.bucket === index) ?? {};
      return { name, from_days, to_days, loan_count, sum };
    }),
    ...(missing ? [{ name: MISSING, from_days: null, to_days: null, loan_count: missing.loan_count, sum: missing.balance }] : []),
  ];
  const buckets = joinBuckets(found, least);
  const shares = sharesOf(buckets.map(({ sum }) => parseDecimal(sum)));
  return buckets.map(({ sum, ...bucket }, index) => ({ ...bucket, balance: Number(sum), share: shares[index] }));
}

type Bucket = { name: string; from_days: number | null; to_days: number | null; loan_count: number; sum: string };

/** Buckets of a few loans joined with the less delinquent one; those without loans tell nothing and stay. */
function joinBuckets(buckets: readonly Bucket[], least: number): Bucket[] {
  const empty = buckets.filter(({ loan_count }) => loan_count === 0);
  const held = buckets.filter(({ loan_count }) => loan_count > 0);
  const joined = joinSmall(held, { countOf: ({ loan_count }) => loan_count, ordered: true, least }).map(joinedBucket);
  const inside = (bucket: Bucket): boolean =>
    joined.some(
      ({ from_days, to_days }) =>
        within(bucket.from_days, from_days, to_days) && joined.every(({ name }) => name !== bucket.name),
    );
  const rank = ({ from_days }: Bucket): number => from_days ?? Number.POSITIVE_INFINITY;
  return [...joined, ...empty.filter((bucket) => !inside(bucket))].sort((a, b) => rank(a) - rank(b));
}

const within = (days: number | null, from: number | null, to: number | null): boolean =>
  days !== null && from !== null && days >= from && (to === null || days <= to);

function joinedBucket(parts: readonly Bucket[]): Bucket {
  const known = parts.filter(({ name }) => name !== MISSING);
  const [first, last] = [known[0] ?? parts[0], known.at(-1) ?? parts[0]];
  if (parts.length === 1) return parts[0];
  const to_days = last.from_days === null ? null : last.to_days;
  const days = to_days === null ? `${first.from_days}+` : `${first.from_days}-${to_days}`;
  const name = first === last ? first.name : days;
  const sum = together(parts.map((part) => ({ loan_count: part.loan_count, balance: part.sum })));
  return {
    name: known.length < parts.length ? `${name}, and ${MISSING}` : name,
    from_days: first.from_days,
    to_days,
    loan_count: sum.loan_count,
    sum: sum.balance,
  };
}
