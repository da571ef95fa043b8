import type { LoanType } from '../types.ts';
import { csvLine, type DrawnLoan, drawLoans, type GenerateOptions, PROFILES } from './generate-tape.ts';
import { addMonths, REPORTING_DATE } from './loan-terms.ts';
import { cellText, type GeneratedCell, type TapeProfile } from './profile.ts';
import { Random } from './random.ts';
import { zeroBalanceCode } from './serve-pool.ts';
import { type End, serveMonth, type ServicedMonth, type ServicedState } from './serve-month.ts';

type ServicedLoan = DrawnLoan & ServicedState;

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
 * The loans of a generated tape after closing, month by month, and the tapes of their servicer. The same options give the same months.
 */
export class ServicedLoans {
  readonly #profile: TapeProfile;
  readonly #loans: ServicedLoan[];
  readonly #random: Random;
  readonly #cutOff: string;
  #month = 0;

  constructor({ type, rows, seed, reportingDate = REPORTING_DATE }: Omit<GenerateOptions, 'defects'>) {
    this.#profile = PROFILES[type];
    this.#cutOff = reportingDate;
    this.#random = new Random(seed + 1);
    const place = (field: string) => this.#profile.columns.findIndex((column) => column.field === field);
    const [balance, status] = [place('current_balance'), place('status')];
    this.#loans = [...drawLoans({ profile: this.#profile, rows, seed, reportingDate })].map((drawn) => ({
      ...drawn,
      deferred: type === 'Student' && String(drawn.cells[status]?.value) !== 'In Repayment',
      balance: Number(drawn.cells[balance]?.value),
      ratePercent: drawn.terms.ratePercent,
      paymentCents: drawn.terms.paymentCents,
      limitCents: drawn.terms.originalCents,
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
    return addMonths(this.#cutOff, this.#month);
  }

  /** Lets a month pass. */
  advance(): ServicedMonth {
    this.#month += 1;
    return serveMonth(this.#loans, { type: this.#profile.type, month: this.#month, random: this.#random });
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
