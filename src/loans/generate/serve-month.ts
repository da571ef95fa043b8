import type { LoanType } from '../types.ts';
import type { Random } from './random.ts';

/** How a loan has ended. */
export type End = 'PAID' | 'PREPAID' | 'CHARGED_OFF';

/** A loan that is serviced; money in cents. */
export type ServicedState = {
  ratePercent: number;
  paymentCents: number;
  /** Most that a card may owe. */
  limitCents: number;
  /** Not in repayment: its interest is added to its balance. */
  deferred: boolean;
  balance: number;
  remainingMonths: number;
  daysPastDue: number;
  end: End | null;
  /** Month in which it ended. */
  endedIn: number;
  chargedOff: number;
  /** Recovered in the month. */
  recovered: number;
};

/** What the loans of a pool did in a month, in cents. */
export type ServicedMonth = {
  month: number;
  interest: number;
  scheduled: number;
  prepaid: number;
  chargedOff: number;
  recovered: number;
  /** Interest that was added to balances, and draws on cards. */
  grown: number;
  opening: number;
  closing: number;
  count: number;
  /** Rate of the loans in percent a year, weighted by what they owed before the month; 0 where they owed nothing. */
  wac: number;
  /** Owed after the month by loans that are 30 to 59, 60 to 89, and 90 or more days past due. */
  delinquent: [number, number, number];
};

/** Chances in a month, by payments missed so far: of paying up, of paying one instalment, and else of missing another. */
const CURES = [1, 0.5, 0.3, 0.2, 0.1];
const STAYS = [0, 0.3, 0.2, 0.1, 0.1];
const LATER_CHANCE = 0.05;
const MISSES = 0.013;
const PREPAYS = 0.011;
const CURTAILS = 0.01;
const CHARGED_OFF_FROM_DAYS = 120;
const RECOVERS = 0.15;
const RECOVERED_SHARE = 0.05;

type Sums = Omit<ServicedMonth, 'opening' | 'closing' | 'count' | 'wac' | 'delinquent'>;
type Month = { type: LoanType; month: number; random: Random; sums: Sums };

/** Lets a month pass over loans: they pay, prepay, fall behind, cure, are charged off and recover. */
export function serveMonth(loans: readonly ServicedState[], { type, month, random }: Omit<Month, 'sums'>): ServicedMonth {
  const sums = { month, interest: 0, scheduled: 0, prepaid: 0, chargedOff: 0, recovered: 0, grown: 0 };
  const owed = () => loans.reduce((sum, { balance }) => sum + balance, 0);
  const opening = owed();
  const wac = opening === 0 ? 0 : loans.reduce((sum, { balance, ratePercent }) => sum + balance * ratePercent, 0) / opening;
  for (const loan of loans) serve(loan, { type, month, random, sums });
  const live = loans.filter(({ end }) => end === null);
  return { ...sums, opening, closing: owed(), count: live.length, wac, delinquent: delinquentOf(live) };
}

function delinquentOf(loans: readonly ServicedState[]): ServicedMonth['delinquent'] {
  const between = (from: number, to: number): number =>
    loans.reduce((sum, { balance, daysPastDue }) => (daysPastDue >= from && daysPastDue < to ? sum + balance : sum), 0);
  return [between(30, 60), between(60, 90), between(90, Number.POSITIVE_INFINITY)];
}

function serve(loan: ServicedState, month: Month): void {
  const { type, random, sums } = month;
  loan.recovered = 0;
  if (loan.end !== null) return recover(loan, month);
  const interest = interestOf(loan);
  const isLast = loan.remainingMonths <= 1;
  loan.remainingMonths = Math.max(1, loan.remainingMonths - 1);
  if (loan.deferred) {
    loan.balance += interest;
    sums.grown += interest;
    return;
  }
  const missed = Math.floor(loan.daysPastDue / 30);
  const [cures, stays] = [CURES[missed] ?? LATER_CHANCE, STAYS[missed] ?? LATER_CHANCE];
  const draw = random.next();
  if (missed === 0 ? draw < MISSES : draw >= cures + stays) return miss(loan, month);
  sums.interest += interest;
  if (type === 'Credit Card') return revolve(loan, month);
  if (missed === 0 && draw > 1 - PREPAYS) {
    sums.prepaid += loan.balance;
    return close(loan, 'PREPAID', month);
  }
  const payments = missed === 0 || draw >= cures ? 1 : missed + 1;
  if (payments > 1 || missed === 0) loan.daysPastDue = 0;
  pay(loan, { payments, isLast }, month);
  if (missed === 0 && loan.end === null && random.chance(CURTAILS)) {
    const extra = Math.round(loan.balance * 0.1);
    loan.balance -= extra;
    sums.prepaid += extra;
  }
}

const interestOf = ({ balance, ratePercent }: ServicedState): number => Math.round((balance * ratePercent) / 1200);

function recover(loan: ServicedState, { random, sums }: Month): void {
  if (loan.end !== 'CHARGED_OFF' || !random.chance(RECOVERS)) return;
  loan.recovered = Math.round(loan.chargedOff * RECOVERED_SHARE);
  sums.recovered += loan.recovered;
}

function miss(loan: ServicedState, month: Month): void {
  if (loan.daysPastDue < CHARGED_OFF_FROM_DAYS) {
    loan.daysPastDue += 30;
    return;
  }
  loan.chargedOff = loan.balance;
  month.sums.chargedOff += loan.balance;
  close(loan, 'CHARGED_OFF', month);
}

function pay(loan: ServicedState, { payments, isLast }: { payments: number; isLast: boolean }, month: Month): void {
  for (let paid = 0; paid < payments && loan.end === null; paid += 1) {
    const due = Math.max(0, loan.paymentCents - interestOf(loan));
    const principal = isLast ? loan.balance : Math.min(loan.balance, due);
    loan.balance -= principal;
    month.sums.scheduled += principal;
    if (loan.balance === 0) close(loan, 'PAID', month);
  }
}

function revolve(loan: ServicedState, { random, sums }: Month): void {
  loan.daysPastDue = 0;
  const next = Math.min(loan.limitCents, Math.round(loan.balance * (0.9 + 0.21 * random.next())));
  if (next < loan.balance) sums.scheduled += loan.balance - next;
  else sums.grown += next - loan.balance;
  loan.balance = next;
}

function close(loan: ServicedState, end: End, { month }: Month): void {
  loan.end = end;
  loan.endedIn = month;
  loan.balance = 0;
}
