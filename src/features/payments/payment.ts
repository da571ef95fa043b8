import { emit } from '../../events/emit.ts';
import type { Emission } from '../../events/events.ts';
import { afterDay, businessDate, recordDate } from '../../finance/business-date.ts';
import { formatAmount, formatCents, parseCents } from '../../finance/money.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Id } from '../../platform/ids.ts';
import { add, allot, isNothing, NOTHING, type PaidAmounts, type RecordHolder, subtract, withRetained } from './allot.ts';
import {
  type BookedTotal,
  insertPayments,
  listBookedTotals,
  listPaidTranches,
  listPaymentsById,
  listSettledFace,
  type NewPayment,
  type PaidTranche,
  type PaymentRow,
  type PaymentSource,
} from './queries.ts';

/** The report that a deal pays by: a version of it, and what it pays on each tranche. */
export type PaidReport = Omit<PaymentSource, 'payment_date' | 'record_date'> & {
  deal_name: string;
  /** The payment date of the period. */
  payment_date: string;
  /** By the name of the tranche; a tranche that it does not name is paid nothing. */
  amounts: ReadonlyMap<string, PaidAmounts>;
};

/** The factors of a deal's tranches, as decimal text by tranche. */
export type Factors = ReadonlyMap<Id<'trn'>, string>;

export async function loadFactors(tx: Tx, dealId: Id<'deal'>): Promise<Factors> {
  return new Map((await listPaidTranches(tx, dealId)).map(({ tranche_id, factor }) => [tranche_id, factor]));
}

/**
 * Books what an applied report pays: to the holders of record, who are those of the positions that had settled by the end of the record date, and
 * for the rest of the face to the deal's owner. `before` are the factors before the report was applied. The caller holds the lock of the deal,
 * and runs this in the platform's scope: the holders are other organizations.
 */
export async function bookPayments(tx: Tx, report: PaidReport, before: Factors): Promise<void> {
  const record_date = recordDate(report.payment_date);
  const tranches = await listPaidTranches(tx, report.deal_id);
  const holders = await loadHolders(tx, report, tranches, record_date);
  const payments = tranches.flatMap((tranche) => {
    const own = holders.get(tranche.tranche_id) ?? [];
    const shares = allot(report.amounts.get(tranche.tranche) ?? NOTHING, own);
    const factors = { factor_before: factorOf(before, tranche), factor_after: tranche.factor };
    return own.map((holder, index) => newPayment(tx, tranche, holder, shares[index] ?? NOTHING, { ...factors, restates: null }));
  });
  await insertPayments(tx, { ...report, record_date }, payments);
  await tellPayments(tx, report, payments);
}

/**
 * Books the differences that a restated report makes to what was booked before, to the holders of record of its period, dated the business
 * date. `replaced` are the amounts of the version before: a period that was applied before payments were booked has nothing else to
 * compare with, as the corrections of it are booked without what they correct. Returns the organizations that hold it.
 */
export async function bookRestatement(
  tx: Tx,
  report: PaidReport,
  before: Factors,
  replaced: PaidReport['amounts'],
): Promise<Set<Id<'org'>>> {
  const booked = (await listBookedTotals(tx, report.remittance_id)).filter((each) => each.payment_id !== null);
  const record_date = booked[0]?.record_date ?? recordDate(report.payment_date);
  const tranches = await listPaidTranches(tx, report.deal_id);
  const holders = booked.length > 0 ? holdersOf(booked, report, tranches) : await loadHolders(tx, report, tranches, record_date);
  const totals = new Map(booked.map((each) => [keyOf(each.tranche_id, each), each]));
  const payments = tranches.flatMap((tranche) => {
    const own = holders.get(tranche.tranche_id) ?? [];
    const shares = allot(report.amounts.get(tranche.tranche) ?? NOTHING, own);
    const former = booked.length > 0 ? null : allot(replaced.get(tranche.tranche) ?? NOTHING, own);
    const factors = { factor_before: factorOf(before, tranche), factor_after: tranche.factor };
    return own.flatMap((holder, index) => {
      const total = totals.get(keyOf(tranche.tranche_id, holder));
      const already = former?.[index] ?? (total ? amountsOf(total) : NOTHING);
      const difference = subtract(shares[index] ?? NOTHING, already);
      if (isNothing(difference)) return [];
      return [newPayment(tx, tranche, holder, difference, { ...factors, restates: total?.payment_id ?? null })];
    });
  });
  const source = { ...report, payment_date: businessDate(tx.now, tx.zone), record_date };
  await insertPayments(tx, source, payments);
  await tellPayments(tx, source, payments);
  const all = [...holders.values()].flat().filter((each) => each.holder === 'OF_RECORD');
  return new Set(all.map((each) => each.organization_id));
}

/** A payment keeps the factor for ever: one that is not known is a defect, and no factor of 0. */
function factorOf(before: Factors, { tranche_id }: PaidTranche): string {
  const factor = before.get(tranche_id);
  if (factor === undefined) throw new Error(`no factor of ${tranche_id} before the report`);
  return factor;
}

type Holders = ReadonlyMap<Id<'trn'>, RecordHolder<Id<'org'>>[]>;

async function loadHolders(tx: Tx, report: PaidReport, tranches: readonly PaidTranche[], recordDate: string): Promise<Holders> {
  const settled = await listSettledFace(tx, report.deal_id, afterDay(recordDate, tx.zone));
  return byTranche(settled, report, tranches);
}

/** The holders as they were booked: whoever had settled by the record date does not change afterwards. */
function holdersOf(booked: readonly BookedTotal[], report: PaidReport, tranches: readonly PaidTranche[]): Holders {
  const ofRecord = booked.filter((each) => each.holder === 'OF_RECORD');
  return byTranche(ofRecord, report, tranches);
}

type HeldFace = Pick<BookedTotal, 'organization_id' | 'tranche_id' | 'face'>;

/** The holders of each tranche, and its owner with the rest. */
function byTranche(held: readonly HeldFace[], report: PaidReport, tranches: readonly PaidTranche[]): Holders {
  const own = Map.groupBy(held, (each) => each.tranche_id);
  return new Map(
    tranches.map(({ tranche_id, original_balance }) => {
      const ofRecord = (own.get(tranche_id) ?? []).map(({ organization_id, face }) => ({
        organization_id,
        face: parseCents(face),
      }));
      return [tranche_id, withRetained(ofRecord, report.owner, parseCents(original_balance))];
    }),
  );
}

const keyOf = (trancheId: Id<'trn'>, { organization_id, holder }: Pick<BookedTotal, 'organization_id' | 'holder'>): string =>
  `${trancheId} ${holder} ${organization_id}`;

type AmountTexts = Pick<BookedTotal, keyof PaidAmounts>;

const amountsOf = ({ interest, principal, writedown, accreted }: AmountTexts): PaidAmounts => ({
  interest: parseCents(interest),
  principal: parseCents(principal),
  writedown: parseCents(writedown),
  accreted: parseCents(accreted),
});

const centsOf = ({ interest, principal, writedown, accreted }: Pick<PaymentRow, keyof PaidAmounts>): PaidAmounts => ({
  interest: parseCents(interest.toFixed(2)),
  principal: parseCents(principal.toFixed(2)),
  writedown: parseCents(writedown.toFixed(2)),
  accreted: parseCents(accreted.toFixed(2)),
});

function newPayment(
  tx: Tx,
  { tranche_id }: PaidTranche,
  { organization_id, holder, face }: RecordHolder<Id<'org'>>,
  { interest, principal, writedown, accreted }: PaidAmounts,
  more: Pick<NewPayment, 'factor_before' | 'factor_after' | 'restates'>,
): NewPayment {
  return {
    payment_id: tx.newId('pay'),
    journal_id: tx.newId('jrn'),
    organization_id,
    holder,
    tranche_id,
    face: formatCents(face),
    interest: formatCents(interest),
    principal: formatCents(principal),
    writedown: formatCents(writedown),
    accreted: formatCents(accreted),
    ...more,
  };
}

/** Tells each holder once of all that a deal paid it for a period; who was paid nothing is told nothing. */
async function tellPayments(tx: Tx, report: PaidReport, booked: readonly NewPayment[]): Promise<void> {
  const rows = await listPaymentsById(
    tx,
    booked.filter((each) => !isNothing(amountsOf(each))).map((each) => each.payment_id),
  );
  const byHolder = Map.groupBy(rows, (row) => row.organization_id);
  await emit(
    tx,
    [...byHolder].map(([holder, own]) => paymentMade(holder, report, own)),
  );
}

function paymentMade(holder: Id<'org'>, report: PaidReport, rows: readonly PaymentRow[]): Emission {
  const { deal_id, deal_name, period, payment_date } = report;
  const total = rows.reduce((sum, row) => add(sum, centsOf(row)), NOTHING);
  const interest = Number(formatCents(total.interest));
  const principal = Number(formatCents(total.principal));
  const writedown = Number(formatCents(total.writedown));
  const accreted = Number(formatCents(total.accreted));
  const isRestated = rows.some((row) => row.version > 1);
  const added = accreted === 0 ? '' : ` ${formatAmount(accreted)} of interest was added to the balance.`;
  const written =
    writedown === 0
      ? ''
      : ` ${formatAmount(Math.abs(writedown))} of balance ${writedown > 0 ? 'was written off' : 'was reinstated'}.`;
  return {
    organization_id: holder,
    event: 'payment.made',
    data: {
      deal_id,
      period,
      payment_date,
      interest,
      principal,
      writedown,
      accreted,
      payments: rows.map((row) => ({
        payment_id: row.payment_id,
        tranche_id: row.tranche_id,
        tranche: row.tranche,
        face: row.face,
        interest: row.interest,
        principal: row.principal,
        writedown: row.writedown,
        accreted: row.accreted,
        factor_before: row.factor_before,
        factor_after: row.factor_after,
        restates: row.restates,
      })),
    },
    alert: {
      category: 'trade',
      priority: 'MEDIUM',
      title: isRestated
        ? `${deal_name}: the payment of period ${period} was corrected`
        : `${deal_name}: payment of period ${period}`,
      message: `${formatAmount(interest)} of interest and ${formatAmount(principal)} of principal, dated ${payment_date}.${added}${written}`,
      entity_type: 'deal',
      entity_id: deal_id,
    },
  };
}
