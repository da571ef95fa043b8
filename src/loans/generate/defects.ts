import type { GeneratedCell, TapeProfile } from './profile.ts';

/** A finding that a check of the tape must report; `field` and `row_number` are null for findings about the tape. */
export interface PlantedFinding {
  row_number: number | null;
  /** Physical line of the CSV file, row of the sheet. */
  line: number | null;
  rule_id: string;
  severity: 'ERROR' | 'WARNING';
  field: string | null;
}

/** A row that receives a defect. */
export interface DraftRow {
  rowNumber: number;
  cells: (GeneratedCell | null)[];
  /** The row before it, which has no defect. */
  previous: readonly (GeneratedCell | null)[];
  /** More fields than the header; workbooks have no such rows. */
  surplus: string[];
}

type RowFinding = Omit<PlantedFinding, 'line' | 'row_number'> & { rowsBack?: number };

export interface Defect {
  /** Fields that the tape must have. */
  needs: readonly string[];
  csvOnly?: boolean;
  /** Plants the defect into the row and returns the expected finding. */
  plant(row: DraftRow, place: (field: string) => number): RowFinding[];
}

/** The fields with the same role in every loan type. */
export function amountField(profile: TapeProfile): string {
  return profile.type === 'Credit Card' ? 'credit_limit' : 'original_balance';
}

function idField(profile: TapeProfile): string {
  return profile.type === 'Credit Card' ? 'account_id' : 'loan_id';
}

/** The defects that a tape of this profile can have, each with its expected finding. */
export function defectsFor(profile: TapeProfile): Defect[] {
  const has = new Set(profile.columns.map((column) => column.field));
  return [...amountDefects(profile), ...rowDefects(profile), ...valueDefects(profile), ...crossDefects(profile)].filter(
    (defect) => defect.needs.every((field) => has.has(field)),
  );
}

function amountDefects(profile: TapeProfile): Defect[] {
  const amount = amountField(profile);
  const error = (rule_id: string): RowFinding[] => [{ rule_id, severity: 'ERROR', field: amount }];
  const withAmount = (rule_id: string, cell: GeneratedCell | null): Defect => ({
    needs: [amount],
    plant: (row, place) => {
      row.cells[place(amount)] = cell;
      return error(rule_id);
    },
  });
  return [
    {
      needs: [amount],
      plant: (row, place) => {
        row.cells[place(amount)] = null;
        if (amount === 'credit_limit' || place('current_balance') < 0) return error('AMOUNT_MISSING');
        // A current balance would serve as the amount.
        row.cells[place('current_balance')] = null;
        return [...error('AMOUNT_MISSING'), { rule_id: 'MISSING_VALUE', severity: 'WARNING', field: 'current_balance' }];
      },
    },
    withAmount('AMOUNT_UNREADABLE', text('see note 4')),
    {
      needs: [amount, 'current_balance'],
      plant: (row, place) => {
        row.cells[place(amount)] = { kind: 'money', value: 0 };
        row.cells[place('current_balance')] = { kind: 'money', value: 0 };
        // A guarantee without an amount would be a second finding.
        for (const field of ['guarantee_amount', 'vehicle_value']) if (place(field) >= 0) row.cells[place(field)] = null;
        return error('AMOUNT_NOT_POSITIVE');
      },
    },
  ];
}

function rowDefects(profile: TapeProfile): Defect[] {
  const id = idField(profile);
  return [
    {
      needs: [],
      plant: (row) => {
        row.cells = [...row.previous];
        return [{ rule_id: 'DUPLICATE_ROW', severity: 'ERROR', field: null }];
      },
    },
    {
      needs: [id],
      plant: (row, place) => {
        row.cells[place(id)] = row.previous[place(id)];
        const finding: RowFinding = { rule_id: 'DUPLICATE_LOAN_ID', severity: 'WARNING', field: id };
        return [{ ...finding, rowsBack: 1 }, finding];
      },
    },
    {
      needs: [],
      csvOnly: true,
      plant: (row) => {
        row.surplus = ['one field', 'too many'];
        return [{ rule_id: 'MALFORMED_ROW', severity: 'ERROR', field: null }];
      },
    },
    replaced(id, text('1.2E+10'), 'ID_IN_EXPONENT_FORM'),
  ];
}

function valueDefects(profile: TapeProfile): Defect[] {
  const firstDate = profile.columns.find((column) => ['origination_date', 'approval_date', 'open_date'].includes(column.field));
  const score = profile.type === 'Business' ? 'owner_credit_score' : 'credit_score';
  const rate = profile.type === 'Credit Card' ? 'apr' : 'interest_rate';
  return [
    replaced(firstDate?.field ?? '', text(firstDate?.kind === 'date' ? impossibleDate(profile) : 'pending'), 'UNREADABLE_VALUE'),
    replaced('state', null, 'MISSING_VALUE'),
    replaced('state', text('ZZ'), 'STATE_CODE_UNKNOWN'),
    replaced(score, { kind: 'integer', value: 1_200 }, 'OUT_OF_RANGE'),
    replaced('days_past_due', { kind: 'number', value: 12.5 }, 'NOT_WHOLE'),
    {
      // Only a business may pay such a rate.
      needs: profile.type === 'Business' ? ['never'] : [rate],
      plant: (row, place) => {
        row.cells[place(rate)] = { kind: 'percent', value: 45 };
        // The payment of the true rate would be a second finding.
        if (place('scheduled_payment') >= 0) row.cells[place('scheduled_payment')] = null;
        return [{ rule_id: 'OUT_OF_RANGE', severity: 'WARNING', field: rate }];
      },
    },
  ];
}

function impossibleDate(profile: TapeProfile): string {
  return profile.dateStyle === 'ISO' ? '2024-02-30' : '02/30/2024';
}

/** Months by which the remaining term may pass the original one without a finding. */
const GRACE: Partial<Record<TapeProfile['type'], number>> = { Auto: 12, Personal: 0, Mortgage: 12, Business: 12 };

function crossDefects(profile: TapeProfile): Defect[] {
  const grace = GRACE[profile.type];
  const bounded = grace === undefined ? 'never' : 'current_balance';
  return [
    {
      needs: [bounded, 'original_balance'],
      plant: (row, place) => {
        const original = Number(row.cells[place('original_balance')]?.value);
        row.cells[place('current_balance')] = { kind: 'money', value: Math.round(original * 1.5) };
        return [{ rule_id: 'BALANCE_ABOVE_ORIGINAL', severity: 'WARNING', field: 'current_balance' }];
      },
    },
    {
      needs: [bounded, 'remaining_term_months', 'original_term_months'],
      plant: (row, place) => {
        const term = Number.parseInt(String(row.cells[place('original_term_months')]?.value), 10);
        row.cells[place('remaining_term_months')] = { kind: 'integer', value: term + (grace ?? 0) + 1 };
        return [{ rule_id: 'REMAINING_TERM_ABOVE_ORIGINAL', severity: 'WARNING', field: 'remaining_term_months' }];
      },
    },
    {
      needs: ['maturity_date', 'origination_date'],
      plant: (row, place) => {
        const origination = row.cells[place('origination_date')] as GeneratedCell;
        row.cells[place('maturity_date')] = { kind: origination.kind, value: yearBefore(String(origination.value)) };
        const later: RowFinding = { rule_id: 'MATURITY_BEFORE_FIRST_PAYMENT', severity: 'WARNING', field: 'maturity_date' };
        const first: RowFinding = { ...later, rule_id: 'MATURITY_NOT_AFTER_ORIGINATION' };
        return place('first_payment_date') >= 0 ? [later, first] : [first];
      },
    },
  ];
}

function replaced(field: string, cell: GeneratedCell | null, rule_id: string): Defect {
  return {
    needs: [field],
    plant: (row, place) => {
      row.cells[place(field)] = cell;
      return [{ rule_id, severity: 'WARNING', field }];
    },
  };
}

function text(value: string): GeneratedCell {
  return { kind: 'text', value };
}

function yearBefore(date: string): string {
  return `${Number(date.slice(0, 4)) - 1}${date.slice(4, 8)}01`;
}
