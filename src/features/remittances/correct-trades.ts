import { emit } from '../../events/emit.ts';
import type { Emission } from '../../events/events.ts';
import { afterDay, recordDate } from '../../finance/business-date.ts';
import { formatAmount, formatCents, parseCents } from '../../finance/money.ts';
import { type AuditEntry, auditAcross } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { reportedBalances, type TrancheBalance } from './derive.ts';
import { findRemittanceBefore, listFromPeriod, type StoredRemittance } from './queries.ts';
import type { ServicedPool } from './serviced-pool.ts';
import { type AmountsAfter, amountsAfter, isAtFactor, withCoupons } from './trade-amounts.ts';
import { insertCorrections, listSettledSince, type NewCorrection, type ReportedTrade } from './trade-queries.ts';

type Correction = { trade: ReportedTrade; after: AmountsAfter; booked: NewCorrection };

/**
 * Gives settled trades the amounts that the reports in force say, once one of them was applied or restated: a trade that settled after a record
 * date is without that payment, also where its report came later or had other figures then, and a coupon that varies is the one that they give.
 * The differences are booked between buyer and seller, and both are told. Returns the trades whose interest is not known yet; the next report
 * corrects them. In the platform's scope.
 */
export async function correctTrades(tx: Tx, pool: ServicedPool, report: StoredRemittance, actor: string): Promise<Id<'trd'>[]> {
  const previous = await findRemittanceBefore(tx, pool, report.period);
  const since = previous && afterDay(recordDate(previous.payment_date), tx.zone);
  const trades = await listSettledSince(tx, pool.deal_id, since);
  if (trades.length === 0) return [];
  const passed = (await listFromPeriod(tx, pool, previous?.period ?? report.period)).map(({ payment_date, report, state }) => ({
    from: afterDay(recordDate(payment_date), tx.zone),
    balances: reportedBalances(pool, report, state),
  }));
  const couponed = withCoupons(tx, pool);
  const corrections: Correction[] = [];
  const unknown: Id<'trd'>[] = [];
  for (const trade of trades) {
    const balances = passed.find(({ from }) => from <= trade.settled_at)?.balances;
    const terms = balances ? balances.find((each) => each.tranche === trade.tranche) : openingOf(trade);
    if (!terms || (!trade.varies && isOn(trade, terms))) continue;
    const after = await amountsAfter(couponed, trade, terms);
    if ('missing' in after) unknown.push(trade.trade_id);
    else if (!isOn(trade, terms) || after.net_amount !== netAmountOf(trade))
      corrections.push({ trade, after, booked: correctionOf(tx, trade, after) });
  }
  if (corrections.length === 0) return unknown;
  const { remittance_id, period } = report;
  await insertCorrections(
    tx,
    { remittance_id, period, seller_id: pool.organization_id },
    corrections.map(({ booked }) => booked),
  );
  auditAcross(tx, ...corrections.flatMap((each) => entriesOf(each, pool, report, actor)));
  await emit(
    tx,
    corrections.flatMap((each) => emissionsOf(each, pool, report, tx.now.toISOString())),
  );
  return unknown;
}

/** What a trade that settled before the first record date has bought, also where it was booked ex of a payment that has another date now. */
const openingOf = ({ tranche, original_balance, dated_date }: ReportedTrade): TrancheBalance => ({
  tranche,
  balance: Number(original_balance),
  accrued_from: dated_date,
});

const isOn = (trade: ReportedTrade, terms: TrancheBalance): boolean =>
  terms.accrued_from === trade.accrued_from && isAtFactor(trade, terms);

function correctionOf(tx: Tx, trade: ReportedTrade, after: AmountsAfter): NewCorrection {
  const difference = (name: 'principal_amount' | 'accrued_interest') =>
    formatCents(parseCents(after[name]) - parseCents(trade[name]));
  return {
    correction_id: tx.newId('cor'),
    journal_id: tx.newId('jrn'),
    trade_id: trade.trade_id,
    factor_before: trade.factor,
    factor_after: after.factor,
    accrued_from: after.accrued_from,
    principal_amount: difference('principal_amount'),
    accrued_interest: difference('accrued_interest'),
  };
}

type Amounts = Pick<ReportedTrade, 'principal_amount' | 'accrued_interest'>;
const netAmountOf = ({ principal_amount, accrued_interest }: Amounts): string =>
  formatCents(parseCents(principal_amount) + parseCents(accrued_interest));
const netOf = (amounts: Amounts): number => Number(netAmountOf(amounts));

const amountsOf = (of: Pick<ReportedTrade, 'factor' | 'principal_amount' | 'accrued_interest' | 'accrued_from'>) => ({
  factor: Number(of.factor),
  principal_amount: Number(of.principal_amount),
  accrued_interest: Number(of.accrued_interest),
  net_amount: netOf(of),
  accrued_from: of.accrued_from,
});

/** In the logs of both sides, neither of which names the other. */
function entriesOf(
  { trade, after }: Correction,
  pool: ServicedPool,
  { remittance_id, period }: StoredRemittance,
  actor: string,
): AuditEntry[] {
  return [trade.organization_id, pool.organization_id].map((organization_id) => ({
    organization_id,
    actor,
    action: 'trade.corrected',
    entity_type: 'trade',
    entity_id: trade.trade_id,
    before: amountsOf(trade),
    after: { ...amountsOf(after), remittance_id, period },
  }));
}

/** Both sides are told: the investor, and the originator without the buyer. */
function emissionsOf(
  { trade, after, booked }: Correction,
  pool: ServicedPool,
  { period, payment_date }: StoredRemittance,
  at: string,
): Emission[] {
  const { trade_id, deal_id, tranche_id, settlement_date } = trade;
  const [face, difference] = [Number(trade.face), netOf(booked)];
  if (difference === 0) return [];
  const paid = difference > 0 ? 'by the buyer to the seller' : 'by the seller to the buyer';
  const side = (organization_id: Id<'org'>, whose: string): Emission => ({
    organization_id,
    event: 'trade.corrected',
    data: {
      trade_id,
      deal_id,
      tranche_id,
      face,
      net_amount: Number(after.net_amount),
      settlement_date,
      corrected_at: at,
      period,
      factor: Number(after.factor),
      difference,
    },
    alert: {
      category: 'trade',
      priority: 'HIGH',
      title: `${whose} was corrected by the report of period ${period}`,
      message: `The figures of the payment of ${payment_date} came or changed since it settled. Face of ${formatAmount(face)} is now at a factor of ${Number(after.factor)} against ${formatAmount(Number(after.net_amount))}: ${formatAmount(Math.abs(difference))} is paid ${paid}.`,
      entity_type: 'trade',
      entity_id: trade_id,
    },
  });
  return [side(trade.organization_id, 'Your trade'), side(pool.organization_id, 'A trade in your deal')];
}
