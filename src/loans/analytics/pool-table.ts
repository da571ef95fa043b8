import { createHash } from 'node:crypto';
import { divideDecimals, formatDecimal, parseDecimal } from '../../finance/decimal.ts';
import { formatAmount } from '../../finance/money.ts';
import type { Engine } from '../engine/engine.ts';
import { copyToParquet, parquet, sqlText } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';
import { commonColumns } from './columns.ts';

/** A tape version from which a pool takes loans. */
export type PoolSource = {
  deal_id: string;
  deal_number: number;
  tape_version: number;
  loansPath: string;
  /** Outcomes of runs that a loan must have passed, all of them. */
  outcomesPaths: readonly string[];
};

export type PoolTableInput = {
  engine: Engine;
  loanType: LoanType;
  /** YYYY-MM-DD. */
  cutOff: string;
  sources: readonly PoolSource[];
  /** SQL condition over the loan table, or null for all loans. */
  condition: string | null;
  path: string;
};

/** Figures of a pool; exact decimals as text, `wac` percent, `wam` months (6 places half-even), null without any value. */
export type PoolTable = {
  loan_count: number;
  balance: string;
  wac: string | null;
  wam: string | null;
  /** sha-256 that identifies loans and tape versions. */
  loan_set: string;
  warnings: string[];
};

const ROWS_PER_DEAL = 2 ** 23;

/**
 * Writes the pool's loan table: `deal_id, tape_version, deal_number`, then the columns of the tapes, in the order of the deals and their
 * rows. Balances weigh; a loan without a rate or a term is excluded from the numerator and the denominator of that average.
 */
export async function writePoolTable(input: PoolTableInput): Promise<PoolTable> {
  const { engine, path } = input;
  await engine.run(
    copyToParquet(input.sources.map((source) => selectLoans(source, input.condition)).join(' UNION ALL BY NAME '), path),
  );
  const figures = await measure(input);
  const rows = await listRows(engine, path);
  const versions = input.sources.map(({ deal_id, tape_version }) => [deal_id, tape_version]);
  return {
    ...figures,
    loan_set: createHash('sha256')
      .update(JSON.stringify([versions, rows]))
      .digest('hex'),
  };
}

function selectLoans(source: PoolSource, condition: string | null): string {
  const passed = source.outcomesPaths.map(
    (path) => `row_number IN (SELECT row_number FROM ${parquet(path)} WHERE outcome IN ('PASSED', 'WAIVED'))`,
  );
  const where = [...passed, ...(condition ? [`(${condition})`] : [])].join(' AND ') || 'true';
  const names = `${sqlText(source.deal_id)} AS deal_id, ${source.tape_version}::INTEGER AS tape_version, ${source.deal_number}::BIGINT AS deal_number`;
  return `(SELECT ${names}, * FROM ${parquet(source.loansPath)} WHERE ${where} ORDER BY row_number)`;
}

type PoolSums = {
  loan_count: number;
  balance: string;
  rate: string | null;
  rate_weight: string;
  term: string | null;
  term_weight: string;
  without_rate: number;
  without_term: number;
  without_balance: number;
  credit: number;
};

async function measure({ engine, loanType, cutOff, path }: PoolTableInput): Promise<Omit<PoolTable, 'loan_set'>> {
  const { balance, rate, remaining } = commonColumns(loanType, cutOff);
  const weighted = (value: string, name: string) =>
    `sum(${balance} * ${value}) AS ${name}, coalesce(sum(${balance}) FILTER (WHERE ${value} IS NOT NULL), 0) AS ${name}_weight`;
  const sums = (await engine.first<PoolSums>(
    `SELECT count(*) AS loan_count, CAST(CAST(coalesce(sum(${balance}), 0) AS DECIMAL(38,2)) AS VARCHAR) AS balance,
       ${weighted(rate, 'rate')}, ${weighted(remaining, 'term')},
       count(*) FILTER (WHERE ${rate} IS NULL) AS without_rate, count(*) FILTER (WHERE ${remaining} IS NULL) AS without_term,
       count(*) FILTER (WHERE ${balance} <= 0) AS without_balance,
       CAST(coalesce(sum(${balance}) FILTER (${balance} < 0), 0) AS DOUBLE) AS credit FROM ${parquet(path)}`,
  )) as PoolSums;
  const warn = (count: number, what: string) => (count === 0 ? [] : [`${count} of ${sums.loan_count} loans have ${what}`]);
  const wac = ratio(sums.rate, sums.rate_weight);
  const wam = ratio(sums.term, sums.term_weight);
  const leftOut = (name: string) => `they are left out of ${name}, and projections use the average`;
  return {
    loan_count: sums.loan_count,
    balance: sums.balance,
    wac,
    wam,
    warnings: [
      ...warn(sums.without_rate, `no rate: ${wac === null ? 'there is no average, and projections take 0 %' : leftOut('wac')}`),
      ...(loanType === 'Credit Card'
        ? []
        : warn(
            sums.without_term,
            `neither remaining term nor maturity date: ${wam === null ? 'there is no average, and projections take 1 month' : leftOut('wam')}`,
          )),
      ...warn(
        sums.without_balance,
        `no balance above zero${sums.credit < 0 ? ` (${formatAmount(sums.credit)} in all)` : ''}: projections leave them out`,
      ),
    ],
  };
}

/** Exact quotient of two decimal texts, 6 places half-even; null without a weight. */
export function ratio(sum: string | number | null, weight: string | number | null): string | null {
  if (sum === null || weight === null) return null;
  const divisor = parseDecimal(String(weight));
  if (divisor.units === 0n) return null;
  return formatDecimal(divideDecimals(parseDecimal(String(sum)), divisor, 6));
}

/** The loans as ranges of `deal_number × 2^23 + row_number`. */
async function listRows(engine: Engine, path: string): Promise<string> {
  const row = await engine.first<{ rows: string | null }>(
    `SELECT string_agg('[' || low || ',' || high || ')', ',' ORDER BY low) AS rows FROM (
       SELECT deal_number * ${ROWS_PER_DEAL} + min(row_number) AS low, deal_number * ${ROWS_PER_DEAL} + max(row_number) + 1 AS high FROM (
         SELECT deal_number, row_number, row_number - row_number() OVER (PARTITION BY deal_number ORDER BY row_number) AS island FROM ${parquet(path)})
       GROUP BY deal_number, island)`,
  );
  return row?.rows ?? '';
}
