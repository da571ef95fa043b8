import type { LoanType } from '../types.ts';
import { csvLine, type DrawnLoan, drawLoans, PROFILES } from './generate-tape.ts';
import { addMonths, REPORTING_DATE } from './loan-terms.ts';
import { cellText, type GeneratedCell, type TapeProfile } from './profile.ts';
import { Random } from './random.ts';

/** How a loan has ended. */
type End = 'PAID' | 'PREPAID' | 'CHARGED_OFF';

/** A loan of a serviced pool; money in cents. */
type ServicedLoan = DrawnLoan & {
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
};

/** Chances in a month, by payments missed so far: of paying up, of paying one instalment, and else of missing another. */
const CURES = [1, 0.5, 0.3, 0.2, 0.1];
const STAYS = [0, 0.3, 0.2, 0.1, 0.1];
const MISSES = 0.013;
const PREPAYS = 0.011;
const CURTAILS = 0.01;
const CHARGED_OFF_FROM_DAYS = 120;
const RECOVERS = 0.15;

/** Columns of the end of a loan, behind those of the profile: by the fields of their loan type. */
const END_COLUMNS: Record<LoanType, readonly string[]> = {
  Auto: ['Zero Balance Code', 'Charge-Off Amount', 'Recovered Amount'],
  Mortgage: ['Zero Balance Code', 'Defaulted Amount', 'Recovered Amount'],
  Personal: ['Defaulted Amount', 'Recovered Amount'],
  Student: ['Defaulted Amount', 'Recovered Amount'],
  Business: ['Charge Off Amount', 'Recovered Amount'],
  'Credit Card': ['Charge Off Amount', 'Recovered Amount'],
};

/**
 * The loans of a generated tape after closing: they pay, prepay, fall behind, cure, are charged off and recover, month by month, and their
 * servicer's tape tells it. The same options give the same months.
 */
export class ServicedLoans {
  readonly #profile: TapeProfile;
  readonly #loans: ServicedLoan[];
  readonly #random: Random;
  #month = 0;

  constructor({ type, rows, seed }: { type: LoanType; rows: number; seed: number }) {
    this.#profile = PROFILES[type];
    this.#random = new Random(seed + 1);
    const place = (field: string) => this.#profile.columns.findIndex((column) => column.field === field);
    const [balance, status] = [place('current_balance'), place('status')];
    this.#loans = [...drawLoans(this.#profile, rows, seed)].map((drawn) => ({
      ...drawn,
      deferred: type === 'Student' && String(drawn.cells[status]?.value) !== 'In Repayment',
      balance: Number(drawn.cells[balance]?.value),
      remainingMonths: drawn.terms.remainingMonths,
      daysPastDue: drawn.terms.daysPastDue,
      end: null,
      endedIn: 0,
      chargedOff: 0,
      recovered: 0,
    }));
  }

  get month(): number {
    return this.#month;
  }

  /** Day of which the tape is, YYYY-MM-DD. */
  get reportingDate(): string {
    return addMonths(REPORTING_DATE, this.#month);
  }

  /** Lets a month pass. */
  advance(): ServicedMonth {
    this.#month += 1;
    const sums = { month: this.#month, interest: 0, scheduled: 0, prepaid: 0, chargedOff: 0, recovered: 0, grown: 0 };
    const opening = this.#owed();
    for (const loan of this.#loans) this.#serve(loan, sums);
    const live = this.#loans.filter(({ end }) => end === null);
    return { ...sums, opening, closing: this.#owed(), count: live.length };
  }

  /** The servicer's tape of the month, its header first. A loan that ended earlier is on it only while money is recovered. */
  table(): string[][] {
    const end = this.#month > 0 ? END_COLUMNS[this.#profile.type] : [];
    const rows = this.#loans
      .filter((loan) => loan.end === null || loan.endedIn === this.#month || loan.recovered > 0)
      .map((loan) => [...this.#cells(loan).map((cell) => cellText(cell, this.#profile)), ...this.#endCells(loan, end)]);
    return [[...this.#profile.columns.map(({ header }) => header), ...end], ...rows];
  }

  csv(): string {
    return this.table().map(csvLine).join('');
  }

  #owed(): number {
    return this.#loans.reduce((sum, { balance }) => sum + balance, 0);
  }

  #serve(loan: ServicedLoan, sums: Omit<ServicedMonth, 'opening' | 'closing' | 'count'>): void {
    loan.recovered = 0;
    if (loan.end !== null) {
      if (loan.end !== 'CHARGED_OFF' || !this.#random.chance(RECOVERS)) return;
      loan.recovered = Math.round(loan.chargedOff * 0.05);
      sums.recovered += loan.recovered;
      return;
    }
    const isCard = this.#profile.type === 'Credit Card';
    const interest = Math.round((loan.balance * loan.terms.ratePercent) / 1200);
    loan.remainingMonths = Math.max(1, loan.remainingMonths - 1);
    if (loan.deferred) {
      loan.balance += interest;
      sums.grown += interest;
      return;
    }
    const missed = Math.floor(loan.daysPastDue / 30);
    const draw = this.#random.next();
    const isMissing = missed === 0 ? draw < MISSES : draw >= (CURES[missed] ?? 0.05) + (STAYS[missed] ?? 0.05);
    if (isMissing) return this.#miss(loan, sums);
    sums.interest += interest;
    if (isCard) return this.#revolve(loan, sums);
    if (missed === 0 && draw > 1 - PREPAYS) return this.#prepay(loan, sums);
    const payments = missed === 0 || draw >= (CURES[missed] ?? 0.05) ? 1 : missed + 1;
    if (payments > 1 || missed === 0) loan.daysPastDue = 0;
    this.#pay(loan, payments, sums);
    if (missed === 0 && loan.end === null && this.#random.chance(CURTAILS)) {
      const extra = Math.round(loan.balance * 0.1);
      loan.balance -= extra;
      sums.prepaid += extra;
    }
  }

  #miss(loan: ServicedLoan, sums: { chargedOff: number }): void {
    if (loan.daysPastDue < CHARGED_OFF_FROM_DAYS) {
      loan.daysPastDue += 30;
      return;
    }
    loan.chargedOff = loan.balance;
    sums.chargedOff += loan.balance;
    this.#close(loan, 'CHARGED_OFF');
  }

  #pay(loan: ServicedLoan, payments: number, sums: { scheduled: number }): void {
    for (let paid = 0; paid < payments && loan.end === null; paid += 1) {
      const interest = Math.round((loan.balance * loan.terms.ratePercent) / 1200);
      const isLast = loan.terms.remainingMonths <= this.#month;
      const principal = isLast ? loan.balance : Math.min(loan.balance, Math.max(0, loan.terms.paymentCents - interest));
      loan.balance -= principal;
      sums.scheduled += principal;
      if (loan.balance === 0) this.#close(loan, 'PAID');
    }
  }

  #prepay(loan: ServicedLoan, sums: { prepaid: number }): void {
    sums.prepaid += loan.balance;
    this.#close(loan, 'PREPAID');
  }

  #revolve(loan: ServicedLoan, sums: { scheduled: number; grown: number }): void {
    loan.daysPastDue = 0;
    const next = Math.min(loan.terms.originalCents, Math.round(loan.balance * (0.9 + 0.21 * this.#random.next())));
    if (next < loan.balance) sums.scheduled += loan.balance - next;
    else sums.grown += next - loan.balance;
    loan.balance = next;
  }

  #close(loan: ServicedLoan, end: End): void {
    loan.end = end;
    loan.endedIn = this.#month;
    loan.balance = 0;
  }

  #cells({ terms, cells, ...loan }: ServicedLoan): (GeneratedCell | null)[] {
    const ended = loan.end !== null;
    return this.#profile.columns.map(({ field, kind }, index) => {
      const value = (now: string | number): GeneratedCell => ({ kind, value: now });
      switch (field) {
        case 'reporting_date':
          return value(this.reportingDate);
        case 'current_balance':
          return value(loan.balance);
        case 'remaining_term_months':
          return value(ended ? 0 : loan.remainingMonths);
        case 'loan_age_months':
          return value(terms.ageMonths + this.#month);
        case 'days_past_due':
          return ended ? null : value(loan.daysPastDue);
        case 'previous_balance':
        case 'min_payment_due':
          return value(Math.round(loan.balance * (field === 'min_payment_due' ? 0.03 : 1)));
        case 'months_in_status':
          return value(Number(cells[index]?.value) + this.#month);
        case 'loan_status':
        case 'status':
        case 'account_status':
          return statusOf(this.#profile.type, loan.end, loan.daysPastDue, cells[index]);
        default:
          return cells[index];
      }
    });
  }

  #endCells({ end, endedIn, chargedOff, recovered }: ServicedLoan, headers: readonly string[]): string[] {
    return headers.map((header) => {
      if (header === 'Zero Balance Code') return end === null ? '' : zeroBalanceCode(this.#profile.type, end);
      if (header === 'Recovered Amount') return recovered > 0 ? (recovered / 100).toFixed(2) : '';
      return end === 'CHARGED_OFF' && endedIn > 0 ? (chargedOff / 100).toFixed(2) : '';
    });
  }
}

const zeroBalanceCode = (type: LoanType, end: End): string => {
  if (type === 'Auto') return end === 'CHARGED_OFF' ? '4' : '1';
  return end === 'CHARGED_OFF' ? '09' : '01';
};

function statusOf(type: LoanType, end: End | null, daysPastDue: number, cell: GeneratedCell | null): GeneratedCell | null {
  const word = (value: string): GeneratedCell => ({ kind: 'text', value });
  if (type === 'Student') return cell;
  if (type === 'Credit Card') return end === 'CHARGED_OFF' ? word('Charged Off') : cell;
  if (type === 'Business') {
    if (end !== null) return word(end === 'CHARGED_OFF' ? 'CHGOFF' : 'P I F');
    return word(daysPastDue > 0 ? 'Delinquent' : 'Current');
  }
  if (end !== null) return word(end === 'CHARGED_OFF' ? 'Charged Off' : 'Fully Paid');
  if (daysPastDue === 0) return word('Current');
  if (daysPastDue <= 15) return word('In Grace Period');
  if (daysPastDue <= 30) return word('Late (16-30 days)');
  return word(daysPastDue <= 120 ? 'Late (31-120 days)' : 'Default');
}
