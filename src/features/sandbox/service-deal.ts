import { addDays } from '../../finance/dates.ts';
import { roundToCent } from '../../finance/money.ts';
import { calendarDates, datesOf } from '../../finance/structure/periods.ts';
import { balanceOf, type Structure } from '../../finance/structure/structure.ts';
import type { ServicedLoans } from '../../loans/generate/serviced-loans.ts';
import type { Id } from '../../platform/ids.ts';
import type { SandboxMember } from './client.ts';
import { draftReport, type PeriodReport, type ReportedCash, sendPoolTape } from './servicer.ts';

const TAPE_DAYS_BEFORE = 7;
const RESTATED_DAYS_AFTER = 7;

/** The share by which the prepayments of a period are first reported too low or too high, before the report is restated. */
const RESTATED: Record<number, number> = { 5: -0.5, 12: 0.25 };
/** A period whose report pays the last class less interest than its structure says, which the operator accepts. */
const SHORT = { period: 9, amount: 25, reason: 'The trustee confirmed the shortfall; it is made good with the next payment.' };

type ServicedPool = { pool_id: Id<'pool'>; cut_off_date: string; closing_date: string; wac: number; structure: Structure };
type Month = Record<'opening' | 'closing' | 'defaulted' | 'count', number> &
  Record<'scheduled' | 'prepaid' | 'recovered', number | null>;
type Servicing = {
  servicer: SandboxMember;
  operator: SandboxMember;
  poolId: Id<'pool'>;
  loans: ServicedLoans;
  months: number;
  reach(day: string): void;
};

/** Services an issued deal for some payment periods of the past: a tape and a report of each, of which two are restated and one differs. */
export async function serviceDeal({ servicer, operator, poolId, loans, months, reach }: Servicing): Promise<void> {
  const path = `/v1/api/originator/pools/${poolId}`;
  const pool = await servicer.call<ServicedPool>('GET', path);
  let balances = new Map(pool.structure.tranches.map((each) => [each.tranche, balanceOf(each)]));
  for (const [index, date] of calendarDates(pool.structure, datesOf(pool), months).entries()) {
    const period = index + 1;
    loans.advance();
    reach(addDays(date, -TAPE_DAYS_BEFORE));
    await sendPoolTape(servicer, poolId, period, loans.csv());
    const month = (await servicer.call<Month[]>('GET', `${path}/performance`)).at(-1);
    if (!month) throw new Error(`the tape of period ${period} is not in force`);
    const cash = cashOf(month, { period, payment_date: date, wac: pool.wac });
    reach(date);
    const share = RESTATED[period];
    const before = { openings: balances, wac: pool.wac };
    const report = await draftReport(servicer, pool, cash, before);
    const first = share ? await draftReport(servicer, pool, withPrepaid(cash, share), before) : report;
    const isShort = period === SHORT.period;
    const sent = isShort ? shortened(first) : first;
    const { remittance_id } = await servicer.call<{ remittance_id: Id<'rem'> }>('POST', `${path}/remittances`, sent);
    if (isShort) {
      reach(addDays(date, 1));
      await operator.call('POST', `/v1/operator/remittances/${remittance_id}/accept`, { reason: SHORT.reason });
    }
    if (share) {
      reach(addDays(date, RESTATED_DAYS_AFTER));
      await servicer.call('POST', `${path}/remittances/${remittance_id}/restate`, report);
    }
    balances = new Map(report.tranches.map(({ tranche, closing }) => [tranche, closing]));
  }
}

/** What the loans of a month brought, with a month of interest at the pool's average rate. */
function cashOf(
  month: Month,
  { period, payment_date, wac }: { period: number; payment_date: string; wac: number },
): ReportedCash {
  const { opening, closing, defaulted, count } = month;
  const [scheduled, prepaid, recovered] = [month.scheduled ?? 0, month.prepaid ?? 0, month.recovered ?? 0];
  const interest = roundToCent((opening * wac) / 1200);
  return {
    period,
    payment_date,
    collateral: {
      opening,
      scheduled_principal: scheduled,
      prepayment: prepaid,
      default: defaulted,
      recovery: recovered,
      closing,
      interest,
      loan_count: count,
    },
    available: { interest, principal: roundToCent(scheduled + prepaid), recoveries: recovered },
  };
}

/** The same cash with more or less prepayments, which the loans then owe less or more. */
function withPrepaid({ collateral, available, ...period }: ReportedCash, share: number): ReportedCash {
  const more = roundToCent(collateral.prepayment * share);
  return {
    ...period,
    collateral: {
      ...collateral,
      prepayment: roundToCent(collateral.prepayment + more),
      closing: roundToCent(collateral.closing - more),
    },
    available: { ...available, principal: roundToCent(available.principal + more) },
  };
}

/** The same report with less interest paid on its last class. */
function shortened(report: PeriodReport): PeriodReport {
  const last = report.tranches.length - 1;
  const pay = (interest: number): number => roundToCent(Math.max(0, interest - SHORT.amount));
  return {
    ...report,
    tranches: report.tranches.map((each, index) => (index === last ? { ...each, interest_paid: pay(each.interest_paid) } : each)),
  };
}
