import Type, { type Static } from 'typebox';
import { roundHalfEven } from '../../finance/money.ts';
import { addCents } from '../../finance/structure/remittance.ts';
import { principalCollected, recoveriesOf } from '../../finance/structure/tie-remittance.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { date, id, money, nullable } from '../../platform/http/schemas.ts';
import { RollState } from './roll-state.ts';
import type { PoolMetrics } from '../remittances/performance.ts';
import type { ClosingProjection } from '../remittances/projection-queries.ts';
import type { AppliedReport } from '../remittances/queries.ts';

const number = (description: string) => nullable(Type.Number({ description }));

const ProjectedPeriodSchema = Type.Object(
  {
    calculation_id: id('calc', 'The calculation that projects it.'),
    factor: number('Pool after the period over the original pool, 8 decimals.'),
    cpr: number('Percent a year.'),
    cnl: Type.Number({ description: 'Percent of the original pool.' }),
  },
  {
    title: 'ProjectedPeriod',
    description:
      'The period as it was projected from the cut-off date: by the calculation whose marks were published first, else by the first made for marks, else by the first. Null without one, and beyond its last period.',
  },
);

/** The loans of a pool in one period: what happened to them, and what was projected. */
export const PerformancePeriodSchema = named('PerformancePeriod', {
  period: Type.Integer({ description: 'Payment period, 1 is the first.' }),
  basis: namedOneOf(
    'PerformanceSource',
    ['TAPE', 'CERTIFICATE'],
    'Where the figures come from: a monthly tape, or the servicer report of the period.',
  ),
  payment_date: nullable(date('Payment date; null for a period beyond the calendar of the deal.')),
  opening: money('Pool before the period.'),
  scheduled: nullable(money('Scheduled principal; null where it is reported together with prepaid principal.')),
  prepaid: nullable(money('Prepaid principal; null where it is reported together with scheduled principal.')),
  principal_collected: money('Scheduled and prepaid principal together.'),
  repurchased: money('Principal of loans bought back.'),
  defaulted: money('Balance charged off.'),
  recovered: nullable(
    money('Recoveries on loans charged off. TAPE: of the report where the tape has none; null where neither has them.'),
  ),
  adjustment: money(
    'TAPE: increases of balances, as of capitalised interest and draws, and balances of loans that had ended. CERTIFICATE: what the other figures leave open.',
  ),
  closing: money('Pool after the period: opening less principal collected, repurchased and defaulted, with the adjustment.'),
  factor: number('Closing over the original pool, 8 decimals.'),
  cpr: number('Prepayments, percent a year; null where scheduled and prepaid principal are one figure.'),
  abs: number(
    'Prepayments of a month in percent of the original number of loans. CERTIFICATE: null, because a number of loans does not say which were prepaid and which paid off, charged off or bought back.',
  ),
  cdr: number('Charge-offs, percent a year.'),
  cnl: Type.Number({ description: 'Net losses so far in percent of the original pool.' }),
  severity: number('Net loss in percent of the balance charged off; null without a charge-off.'),
  delinquent_30: number('30 to 59 days delinquent, percent of closing; null where it is not reported.'),
  delinquent_60: number('60 to 89 days delinquent, percent of closing; null where it is not reported.'),
  delinquent_90: number(
    'Delinquent, percent of closing; null where it is not reported. TAPE: 90 to 119 days. CERTIFICATE: 90 days and more.',
  ),
  delinquent_120: number(
    '120 days and more delinquent, percent of closing. CERTIFICATE: null, because reports have them in `delinquent_90`.',
  ),
  roll: Type.Array(
    named('PeriodRoll', {
      from: RollState,
      to: RollState,
      percent: Type.Number({ description: 'Percent of the balance that was in `from` before the period.' }),
      count: Type.Integer({ description: 'Loans that moved so.' }),
    }),
    { description: 'Moves of loans between states. CERTIFICATE: empty, because a report does not follow single loans.' },
  ),
  count: nullable(Type.Integer({ description: 'Loans after the period; null where it is not reported.' })),
  projected: nullable(ProjectedPeriodSchema),
  ties: Type.Array(
    named('PerformanceTie', {
      figure: Type.String({ description: 'Name of the figure.' }),
      tape: number('As the tape has it.'),
      certificate: number('As the servicer report has it.'),
      difference: number('Tape less certificate.'),
    }),
    { description: 'Figures of the tape beside those of the servicer report. CERTIFICATE: empty, because there is no tape.' },
  ),
  notes: Type.Array(Type.String({ description: 'What a figure leaves out, or takes from elsewhere.' })),
});
export type PerformancePeriod = Static<typeof PerformancePeriodSchema>;

/** The periods beside what a calculation projects for them. `original` is the pool at the cut-off date, in currency units. */
export function besideProjection(
  periods: readonly Omit<PerformancePeriod, 'projected'>[],
  original: number,
  projection: ClosingProjection | null,
): PerformancePeriod[] {
  const projected = new Map(projection?.pool.map((row) => [row.period, row]));
  return periods.map((period) => {
    const row = projected.get(period.period);
    return { ...period, projected: projection && row ? projectedFigures(projection, row, original) : null };
  });
}

/** A period of a pool as its servicer reported it. `original` is its balance at the cut-off date, in currency units. */
export function reportedFigures(
  { report, performance: { pool } }: AppliedReport,
  original: number,
): Omit<PerformancePeriod, 'projected'> {
  const { collateral } = report;
  const { scheduled_principal, prepayments, repurchases = 0, gross_losses = 0, loan_count } = collateral;
  const closing = pool.pool_balance;
  const delinquent = (percent: number | null, balance: number | undefined) =>
    percent ?? (balance === undefined || closing <= 0 ? null : roundHalfEven((100 * balance) / closing, 6));
  const principal_collected = principalCollected(collateral);
  const before = addCents(closing, principal_collected, repurchases, gross_losses);
  const opening = collateral.beginning_pool_balance ?? collateral.beginning_balance ?? before;
  return {
    period: report.period,
    basis: 'CERTIFICATE',
    payment_date: report.payment_date,
    opening,
    adjustment: addCents(before, -opening),
    scheduled: scheduled_principal ?? null,
    prepaid: prepayments ?? (scheduled_principal === undefined ? null : 0),
    principal_collected,
    repurchased: repurchases,
    defaulted: gross_losses,
    recovered: recoveriesOf(report),
    closing,
    factor: factorOf(closing, original),
    cpr: pool.cpr,
    abs: null,
    cdr: pool.cdr,
    cnl: pool.cumulative_net_loss,
    severity: pool.severity,
    delinquent_30: delinquent(pool.delinquent_30, collateral.delinquent_30_amount),
    delinquent_60: delinquent(pool.delinquent_60, collateral.delinquent_60_amount),
    delinquent_90: delinquent(pool.delinquent_90, collateral.delinquent_90_amount),
    delinquent_120: null,
    roll: [],
    count: loan_count ?? null,
    ties: [],
    notes: [],
  };
}

function projectedFigures(
  { calculation_id }: ClosingProjection,
  row: PoolMetrics,
  original: number,
): PerformancePeriod['projected'] {
  const { pool_balance, cpr, cumulative_net_loss } = row;
  return { calculation_id, factor: factorOf(pool_balance, original), cpr, cnl: cumulative_net_loss };
}

const factorOf = (balance: number, original: number): number | null =>
  original > 0 ? roundHalfEven(balance / original, 8) : null;
