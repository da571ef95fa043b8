import Type, { type Static } from 'typebox';
import { roundHalfEven } from '../../finance/money.ts';
import type { ScenarioDetail } from '../../finance/structure/calculate.ts';
import type { DealState } from '../../finance/structure/deal-state.ts';
import type { Remittance } from '../../finance/structure/remittance.ts';
import type { RolledRemittance } from '../../finance/structure/roll-forward.ts';
import { monthsReported } from '../../finance/structure/periods.ts';
import { isResidual, type Structure } from '../../finance/structure/structure.ts';
import { date, money, nullable } from '../../platform/http/schemas.ts';
import { named } from '../../platform/http/named.ts';

export const TranchePerformanceSchema = named('TranchePerformance', {
  tranche: Type.String(),
  class: Type.String(),
  period: Type.Integer(),
  date: date('Payment date.'),
  balance: money('After the payment; of a notional class its notional, 0 where that is of what the next period collects.'),
  factor: Type.Number({
    description: 'Balance over original balance, 8 decimals; of a notional class over its notional at the closing date.',
  }),
  interest_paid: money('Interest paid.'),
  principal_paid: money('Principal paid.'),
  shortfall: money('Interest due and not paid.'),
  credit_enhancement: nullable(
    Type.Number({ description: 'Pool and reserve less the tranches that rank equal or before, in percent of the pool.' }),
  ),
  oc: nullable(Type.Number({ description: 'Pool less notes, in percent of the pool.' })),
});
export type TranchePerformance = Static<typeof TranchePerformanceSchema>;

export const PoolMetricsSchema = Type.Object(
  {
    period: Type.Integer(),
    date: date('Payment date.'),
    pool_balance: money('Pool after the period.'),
    loan_count: nullable(Type.Integer()),
    wac: nullable(
      Type.Number({
        description: 'Percent a year: as reported, or the interest that is projected on the balances that earn it.',
      }),
    ),
    wam: nullable(Type.Number({ description: 'Months.' })),
    cpr: nullable(Type.Number({ description: 'Percent a year.' })),
    cdr: nullable(Type.Number({ description: 'Percent a year.' })),
    cumulative_net_loss: Type.Number({ description: 'Percent of the original pool.' }),
    delinquent_30: nullable(Type.Number({ description: '30 to 59 days delinquent, percent of the pool after the period.' })),
    delinquent_60: nullable(Type.Number({ description: '60 to 89 days delinquent, percent of the pool after the period.' })),
    delinquent_90: nullable(Type.Number({ description: '90 days and more delinquent, percent of the pool after the period.' })),
    severity: nullable(Type.Number({ description: 'Loss in percent of the balance charged off.' })),
  },
  {
    title: 'PoolPerformance',
    description: 'A pool on one payment date; null for figures that are not reported or not projected.',
  },
);
export type PoolMetrics = Static<typeof PoolMetricsSchema>;

export type PeriodPerformance = { tranches: TranchePerformance[]; pool: PoolMetrics };
export type ProjectedPerformance = {
  tranches: TranchePerformance[];
  pool: PoolMetrics[];
  /** What the deal had lost, percent of the original pool, after the payment from which the projection starts; absent for the closing date. */
  opening?: Pick<PoolMetrics, 'period' | 'cumulative_net_loss'>;
};

/**
 * The performance that one scenario projects, from the closing date or a state after a payment. `poolOriginal` in currency units; `advances`:
 * whether the servicer pays the interest of defaulted loans.
 */
export function projectedPerformance(
  structure: Structure,
  detail: ScenarioDetail,
  { poolOriginal, advances, state }: { poolOriginal: number; advances: boolean; state?: DealState },
): ProjectedPerformance {
  let lost = state?.cumulative_net_loss_amount ?? 0;
  let pending = 0;
  const opening = state && { period: state.period, cumulative_net_loss: percent(lost, poolOriginal) ?? 0 };
  const pool = detail.collateral.map((row): PoolMetrics => {
    lost += row.loss;
    const months = monthsReported(structure.payment, row.period);
    const before = pending;
    pending += row.default - row.recovery - row.loss - row.advanced_principal;
    const earning = advances
      ? meanBalance(row.opening + before, row.closing + pending, months)
      : meanBalance(row.opening, row.closing, months) - row.default / months;
    return {
      period: row.period,
      date: row.date,
      pool_balance: row.closing,
      loan_count: null,
      wac: percent((12 / months) * row.interest, earning),
      wam: null,
      cpr: annualPercent(row.prepayment, prepayable(row), months),
      cdr: annualPercent(row.default, row.opening, months),
      cumulative_net_loss: percent(lost, poolOriginal) ?? 0,
      delinquent_30: null,
      delinquent_60: null,
      delinquent_90: null,
      severity: percent(row.loss, row.loss + row.recovery),
    };
  });
  const tranches = structure.tranches.flatMap(({ tranche, class: className }) =>
    (detail.tranches[tranche] ?? []).map((row, index): TranchePerformance => {
      const facts = detail.asset_liability.rows[index];
      const balanceOf = (name: string) => detail.tranches[name]?.[index]?.closing ?? 0;
      return {
        tranche,
        class: className ?? tranche,
        period: row.period,
        date: row.date,
        balance: row.closing,
        factor: row.factor,
        interest_paid: row.interest_paid,
        principal_paid: row.principal,
        shortfall: row.interest_shortfall,
        credit_enhancement: facts
          ? enhancement(structure, tranche, balanceOf, facts.collateral_balance, facts.reserve_balance)
          : null,
        oc: facts?.oc ?? null,
      };
    }),
  );
  return { tranches, pool, ...(opening ? { opening } : {}) };
}

/** What a notional class was of at closing, and is of after a payment; null where it is not known. */
export type Notional = { closing: number | null; after: number | null };

/** The performance that a servicer reports; `notionals` by tranche, since reports do not have them. */
export function reportedPerformance(
  structure: Structure,
  report: Remittance,
  rolled: RolledRemittance,
  notionals: ReadonlyMap<string, Notional> = new Map(),
): PeriodPerformance {
  const { state } = rolled;
  const { collateral } = report;
  const balanceOf = (name: string) => state.tranches[name]?.balance ?? 0;
  const ofPool = (balance: number | undefined) => (balance === undefined ? null : percent(balance, state.pool_balance));
  const tranches = report.tranches.map((row): TranchePerformance => {
    const className = structure.tranches.find((each) => each.tranche === row.tranche)?.class;
    const notional = notionals.get(row.tranche);
    return {
      tranche: row.tranche,
      class: className ?? row.tranche,
      period: report.period,
      date: report.payment_date,
      balance: notional ? (notional.after ?? 0) : row.ending_balance,
      factor: notional ? factorOf(notional) : (rolled.factors[row.tranche] ?? 0),
      interest_paid: row.interest_paid,
      principal_paid: row.principal_paid,
      shortfall: state.tranches[row.tranche]?.shortfall ?? 0,
      credit_enhancement: enhancement(structure, row.tranche, balanceOf, state.pool_balance, state.reserve_balance),
      oc: rolled.oc,
    };
  });
  return {
    tranches,
    pool: {
      period: report.period,
      date: report.payment_date,
      pool_balance: state.pool_balance,
      loan_count: collateral.loan_count ?? null,
      wac: collateral.wac ?? null,
      wam: collateral.wam ?? null,
      cpr: rolled.cpr,
      cdr: rolled.cdr,
      cumulative_net_loss: rolled.cumulative_net_loss,
      delinquent_30: collateral.delinquent_30 ?? ofPool(collateral.delinquent_30_amount),
      delinquent_60: collateral.delinquent_60 ?? ofPool(collateral.delinquent_60_amount),
      delinquent_90: collateral.delinquent_90 ?? ofPool(collateral.delinquent_90_amount),
      severity: rolled.severity,
    },
  };
}

const factorOf = ({ closing, after }: Notional): number => (closing && after !== null ? roundHalfEven(after / closing, 8) : 0);

/**
 * 100 × (pool + reserve − balances that rank equal or before) / pool; null without a pool. Residuals rank last and protect no tranche; a notional
 * is a claim on interest alone, whatever its rank.
 */
function enhancement(
  structure: Structure,
  name: string,
  balanceOf: (tranche: string) => number,
  poolBalance: number,
  reserve: number,
): number | null {
  const ranked = structure.tranches.map((tranche, place) => ({
    tranche,
    rank: isResidual(structure, tranche) ? Number.POSITIVE_INFINITY : (tranche.seniority ?? place + 1),
  }));
  const own = ranked.find((each) => each.tranche.tranche === name)?.rank ?? 0;
  const before = ranked
    .filter(({ tranche, rank }) => rank <= own && tranche.notional === undefined)
    .reduce((sum, { tranche }) => sum + balanceOf(tranche.tranche), 0);
  return percent(poolBalance + reserve - before, poolBalance);
}

/**
 * Mean of the balances with which the months of a period open, where a balance falls by the same amount each month. (Loans that default in a
 * month pay no interest in it; advances pay that of all that is not liquidated yet.)
 */
function meanBalance(opening: number, closing: number, months: number): number {
  return opening - ((opening - closing) * (months - 1)) / (2 * months);
}

/** Balance that could prepay: opening times the ratio of scheduled balances. */
function prepayable({ opening, default: defaulted, scheduled_principal }: ScenarioDetail['collateral'][number]): number {
  const performing = opening - defaulted;
  return performing > 0 ? opening * (1 - scheduled_principal / performing) : 0;
}

/** Annual percent of a rate a period, 1 − (1 − r)^(12/months), 4 places. */
export function annualPercent(amount: number, base: number, months: number): number | null {
  if (base <= 0) return null;
  return roundHalfEven(100 * (1 - (1 - Math.min(1, amount / base)) ** (12 / months)), 4);
}

/** Percent of a base, 6 places; null without one. */
export function percent(amount: number, base: number): number | null {
  return base > 0 ? roundHalfEven((100 * amount) / base, 6) : null;
}
