import { addDecimals, formatDecimal, parseDecimal } from '../../finance/decimal.ts';
import { columnsOf } from '../engine/columns-of.ts';
import type { Engine } from '../engine/engine.ts';
import { parquet } from '../engine/sql.ts';
import { contentText } from '../identity/identity.ts';
import type { LoanType } from '../types.ts';
import { dateKey, MISSING } from './bands.ts';
import { commonColumns } from './columns.ts';
import { loanSigns } from './loan-state.ts';
import { joinSmall } from './small-groups.ts';
import { type FigureRow, type Figures, figureColumns, figuresOf, quotient, readSums, weightedValues } from './figures.ts';

export type Vintage = Figures & {
  vintage: string;
  original_balance: number;
  /** Balance over original balance, 6 decimals, of the loans that have an original balance. */
  factor: number | null;
  /** 30–59, 60–89 and 90 or more days past due, percent of the balance of the loans that say how many days. */
  delinquent_30: number | null;
  delinquent_60: number | null;
  delinquent_90: number | null;
  /** Charged off, currency units, and percent of the original balance of the loans that have one; null when the tape has no charge-offs. */
  charged_off: number | null;
  loss_rate: number | null;
};

/** Loans by the month or quarter of their origination, oldest first, loans without a date last. */
export async function vintages(
  engine: Engine,
  loansPath: string,
  loanType: LoanType,
  asOf: string,
  unit: 'month' | 'quarter',
  least = 0,
): Promise<Vintage[]> {
  const columns = commonColumns(loanType, asOf);
  const values = weightedValues(loanType, columns);
  const original = columns.original_balance;
  const late = (from: number, below: number | null) =>
    `coalesce(sum(${columns.balance}) FILTER (WHERE days_past_due >= ${from}${below === null ? '' : ` AND days_past_due < ${below}`}), 0)`;
  const rows = await engine.rows<FigureRow>(
    `SELECT ${dateKey(columns.originated, unit)} AS vintage, ${figureColumns(columns.balance, values)},
       coalesce(sum(${original}), 0) AS original_balance, sum(${columns.charged_off}) AS charged_off,
       sum(${columns.balance}) FILTER (WHERE ${original} IS NOT NULL) AS balance_of_original,
       sum(${columns.charged_off}) FILTER (WHERE ${original} IS NOT NULL) AS charged_of_original,
       ${late(30, 60)} AS late_30, ${late(60, 90)} AS late_60, ${late(90, null)} AS late_90,
       sum(${columns.balance}) FILTER (WHERE days_past_due IS NOT NULL) AS balance_of_days
     FROM ${parquet(loansPath)} GROUP BY ALL ORDER BY vintage NULLS LAST`,
  );
  const joined = joinSmall(rows, { countOf: (row) => Number(row.loan_count), ordered: true, least });
  return joined.map((parts) => toVintage(parts.length === 1 ? parts[0] : addRows(parts), values));
}

/** Rows of neighbouring vintages as one: all their columns are sums. */
function addRows(rows: readonly FigureRow[]): FigureRow {
  const names = Object.keys(rows[0] ?? {}).filter((name) => name !== 'vintage');
  const sums = names.map((name) => {
    const values = rows.flatMap((row) => (row[name] === null || row[name] === undefined ? [] : [String(row[name])]));
    const sum = values.map((value) => parseDecimal(value)).reduce(addDecimals, { units: 0n, scale: 0 });
    return [name, values.length === 0 ? null : formatDecimal(sum)];
  });
  const months = rows.map(({ vintage }) => (vintage === null ? MISSING : String(vintage)));
  const known = months.filter((month) => month !== MISSING);
  const range = known.length > 1 ? `${known[0]} to ${known.at(-1)}` : (known[0] ?? MISSING);
  return { ...Object.fromEntries(sums), vintage: known.length < months.length ? `${range}, and ${MISSING}` : range };
}

function toVintage(row: FigureRow, values: Record<string, string>): Vintage {
  const sums = readSums(row, values);
  const decimal = (name: string) => parseDecimal(String(row[name] ?? 0));
  const original = decimal('original_balance');
  const percent = (name: string) => ofHundred(quotient(decimal(name), decimal('balance_of_days'), 8));
  const hasCharges = row.charged_off !== null;
  return {
    vintage: (row.vintage as string | null) ?? MISSING,
    ...figuresOf(sums),
    original_balance: Number(row.original_balance),
    factor: quotient(decimal('balance_of_original'), original, 6),
    delinquent_30: percent('late_30'),
    delinquent_60: percent('late_60'),
    delinquent_90: percent('late_90'),
    charged_off: hasCharges ? Number(row.charged_off) : null,
    loss_rate: hasCharges ? ofHundred(quotient(decimal('charged_of_original'), original, 8)) : null,
  };
}

/** A fraction of 8 decimals as percent of 6. */
const ofHundred = (fraction: number | null): number | null => (fraction === null ? null : Number((fraction * 100).toFixed(6)));

export type Roll = {
  from: string;
  to: string;
  loan_count: number;
  /** Balance on the older tape. */
  balance: number;
  /** Of the balance that was in `from`, percent. */
  rate: number | null;
};

const BUCKET = `CASE WHEN days_past_due IS NULL THEN '(missing)' WHEN days_past_due < 1 THEN 'CURRENT' WHEN days_past_due < 30 THEN '1-29'
  WHEN days_past_due < 60 THEN '30-59' WHEN days_past_due < 90 THEN '60-89' WHEN days_past_due < 120 THEN '90-119' ELSE '120+' END`;
const ORDER = ['CURRENT', '1-29', '30-59', '60-89', '90-119', '120+', '(missing)', 'CHARGED_OFF', 'PAID_OFF', 'REMOVED'];

/**
 * Delinquency buckets of the loans of one tape version on the next, matched by loan id, or by what both say of their origination: the ids of
 * a version that has none are row numbers. A loan that a tape has charged off is in no bucket, and nobody has paid it off.
 */
export async function rollRates(
  engine: Engine,
  {
    loanType,
    olderPath,
    newerPath,
    matchContent,
  }: { loanType: LoanType; olderPath: string; newerPath: string; matchContent: boolean },
): Promise<Roll[]> {
  const loans = matchContent ? await byContent(engine, olderPath, newerPath, loanType) : parquet;
  const side = async (path: string) => {
    const { defaulted } = loanSigns(loanType, await columnsOf(engine, path));
    return `(SELECT loan_id, CASE WHEN bool_or(${defaulted}) THEN 'CHARGED_OFF' ELSE max_by(${BUCKET}, coalesce(days_past_due, -1)) END AS bucket,
      sum(coalesce(current_balance, 0)) AS balance FROM ${loans(path)} GROUP BY loan_id)`;
  };
  const rows = await engine.rows<{ from: string; to: string; loan_count: number; balance: string; whole: string }>(
    `SELECT *, sum(balance) OVER (PARTITION BY "from") AS whole FROM (
       SELECT o.bucket AS "from", CASE WHEN n.loan_id IS NULL THEN 'REMOVED'
           WHEN n.balance <= 0 AND n.bucket <> 'CHARGED_OFF' THEN 'PAID_OFF' ELSE n.bucket END AS "to",
         count(*) AS loan_count, sum(o.balance) AS balance
       FROM ${await side(olderPath)} o LEFT JOIN ${await side(newerPath)} n USING (loan_id) GROUP BY ALL)`,
  );
  const rank = (bucket: string) => ORDER.indexOf(bucket);
  return rows
    .map((row) => ({
      from: row.from,
      to: row.to,
      loan_count: row.loan_count,
      balance: Number(row.balance),
      rate: ofHundred(quotient(parseDecimal(row.balance), parseDecimal(String(row.whole)), 8)),
    }))
    .sort((a, b) => rank(a.from) - rank(b.from) || rank(a.to) - rank(b.to));
}

/** Loan tables with a text of their content as `loan_id`; loans of the same content are told apart by their order. */
async function byContent(
  engine: Engine,
  olderPath: string,
  newerPath: string,
  loanType: LoanType,
): Promise<(path: string) => string> {
  const columns = (await columnsOf(engine, olderPath)).intersection(await columnsOf(engine, newerPath));
  const content = contentText({ loanType, columns, syntheticIds: true });
  const nth = 'row_number() OVER (PARTITION BY content ORDER BY row_number)';
  return (path) =>
    `(SELECT * REPLACE (content || chr(31) || ${nth} AS loan_id) FROM (SELECT *, ${content} AS content FROM ${parquet(path)}))`;
}
