import { roundHalfEven } from '../../finance/money.ts';
import { MONTHS_BETWEEN_PAYMENTS } from '../../finance/schedule.ts';
import type { ScenarioDetail } from '../../finance/structure/calculate.ts';
import type { Remittance } from '../../finance/structure/remittance.ts';
import type { RolledRemittance } from '../../finance/structure/roll-forward.ts';
import { isResidual, type Structure } from '../../finance/structure/structure.ts';

/** A tranche on one payment date. Money in currency units, `factor` a fraction, `credit_enhancement` and `oc` percent of the pool. */
export type TranchePerformance = {
  tranche: string;
  class: string;
  period: number;
  date: string;
  balance: number;
  factor: number;
  interest_paid: number;
  principal_paid: number;
  shortfall: number;
  /** Pool and reserve less the tranches that rank equal or before: what must be lost before this tranche loses. */
  credit_enhancement: number | null;
  /** Pool less notes. */
  oc: number | null;
};

/** A pool on one payment date: speeds, losses and delinquency in percent, `wam` in months; null for what is not told. */
export type PoolMetrics = {
  period: number;
  date: string;
  pool_balance: number;
  loan_count: number | null;
  wac: number | null;
  wam: number | null;
  cpr: number | null;
  cdr: number | null;
  cumulative_net_loss: number;
  delinquent_30: number | null;
  delinquent_60: number | null;
  delinquent_90: number | null;
  severity: number | null;
};

export type Performance = { tranches: TranchePerformance[]; pool: PoolMetrics };
export type Projection = { tranches: TranchePerformance[]; pool: PoolMetrics[] };

/** What one scenario projects, in the form in which investors read it. `poolOriginal` in currency units. */
export function projectedPerformance(structure: Structure, detail: ScenarioDetail, poolOriginal: number): Projection {
  const months = MONTHS_BETWEEN_PAYMENTS[structure.payment?.frequency ?? 'MONTHLY'];
  let lost = 0;
  const pool = detail.collateral.map((row): PoolMetrics => {
    lost += row.loss;
    return {
      period: row.period,
      date: row.date,
      pool_balance: row.closing,
      loan_count: null,
      wac: percent((12 / months) * row.interest, earning(row)),
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
        credit_enhancement: enhancement(
          structure,
          tranche,
          balanceOf,
          facts?.collateral_balance ?? 0,
          facts?.reserve_balance ?? 0,
        ),
        oc: facts?.oc ?? null,
      };
    }),
  );
  return { tranches, pool };
}

/** What a servicer's report says, in the same form. */
export function reportedPerformance(structure: Structure, report: Remittance, rolled: RolledRemittance): Performance {
  const { state } = rolled;
  const { collateral } = report;
  const balanceOf = (name: string) => state.tranches[name]?.balance ?? 0;
  const tranches = report.tranches.map((row): TranchePerformance => {
    const className = structure.tranches.find((each) => each.tranche === row.tranche)?.class;
    return {
      tranche: row.tranche,
      class: className ?? row.tranche,
      period: report.period,
      date: report.payment_date,
      balance: row.ending_balance,
      factor: rolled.factors[row.tranche] ?? 0,
      interest_paid: row.interest_paid,
      principal_paid: row.principal_paid,
      shortfall: row.interest_shortfall ?? 0,
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
      delinquent_30: collateral.delinquent_30 ?? null,
      delinquent_60: collateral.delinquent_60 ?? null,
      delinquent_90: collateral.delinquent_90 ?? null,
      severity: rolled.severity,
    },
  };
}

/** 100 × (pool + reserve − balances that rank equal or before) / pool; null without a pool. Residuals rank last and protect nobody. */
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
  const before = ranked.filter((each) => each.rank <= own).reduce((sum, each) => sum + balanceOf(each.tranche.tranche), 0);
  return percent(poolBalance + reserve - before, poolBalance);
}

/** Balance that earned the interest: what defaults in the period pays none, unless the servicer advances it. */
function earning(row: ScenarioDetail['collateral'][number]): number {
  return row.advanced_principal > 0 ? row.opening : row.opening - row.default;
}

/** Balance that could prepay: opening times the ratio of scheduled balances. */
function prepayable({ opening, default: defaulted, scheduled_principal }: ScenarioDetail['collateral'][number]): number {
  const performing = opening - defaulted;
  return performing > 0 ? opening * (1 - scheduled_principal / performing) : 0;
}

/** Annual percent of a rate a period, 1 − (1 − r)^(12/months), 4 places. */
function annualPercent(amount: number, base: number, months: number): number | null {
  if (base <= 0) return null;
  return roundHalfEven(100 * (1 - (1 - Math.min(1, amount / base)) ** (12 / months)), 4);
}

function percent(amount: number, base: number): number | null {
  return base > 0 ? roundHalfEven((100 * amount) / base, 6) : null;
}
