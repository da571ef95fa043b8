import { findField } from '../dictionary/dictionary.ts';
import type { LoanType, Severity } from '../types.ts';

/** SQL of one kind of finding over the flows of a month. */
type Rule = {
  rule_id: string;
  severity: Severity;
  field: string | null;
  when: string;
  message: string;
  actual?: string;
  expected?: string;
};

const text = (sql: string): string => `CAST(${sql} AS VARCHAR)`;
const LIVE0 = 'live0';
const LIVE1 = 'live1';
const MATCHED = 'tape_row IS NOT NULL';
/** A loan whose terms were changed, or that is deferred, may do what others cannot. */
const USUAL = 'NOT coalesce(modified1, false)';
/** Months of interest that a deferred loan may capitalise at once. */
const CAPITALISED_MONTHS = 60;
/** Rate of a loan whose tape has none, percent a year. */
const UNKNOWN_RATE = 10;
/** How far a balance may be from a hundredth of its schedule and still be taken for one: a tenth, as a decimal logarithm. */
const UNIT_TOLERANCE = 0.04;
/** Days of the longest month. */
const MONTH_DAYS = 31;

function rules(loanType: LoanType, months: number): Rule[] {
  const isCard = loanType === 'Credit Card';
  const mayGrow = `CASE WHEN coalesce(deferred0, false) OR coalesce(deferred1, false) THEN balance0 * coalesce(rate0, ${UNKNOWN_RATE}) / 1200 * ${CAPITALISED_MONTHS} ELSE 0 END`;
  const due = 'greatest(balance0 - expected, 0)';
  const missed = `(floor(days0 / 30) - floor(coalesce(days1, 0) / 30) + ${months})`;
  const hasReason = ['zero_balance_code', 'loan_status', 'status'].some((name) => hasEnd(loanType, name));
  return [
    {
      rule_id: 'LOAN_VANISHED',
      severity: 'ERROR',
      field: 'loan_id',
      when: `${LIVE0} AND NOT (${MATCHED})`,
      message: `'owed ' || balance0 || ' before and is not among the loans that could be read from this tape: it counts as paid in full'`,
      expected: text('id0'),
    },
    {
      rule_id: 'LOAN_RETURNED',
      severity: 'ERROR',
      field: 'current_balance',
      when: `state0 IN ('PREPAID', 'PAID') AND ${LIVE1}`,
      message: `'had been paid in full and owes again: what it owes is an adjustment of the pool'`,
      actual: text('balance1'),
      expected: "'0'",
    },
    {
      rule_id: 'CHARGE_OFF_REVERSED',
      severity: 'ERROR',
      field: 'current_balance',
      when: `state0 = 'DEFAULTED' AND ${LIVE1}`,
      message: `'had been charged off and owes again: what it owes is an adjustment of the pool, and the charge-off stands'`,
      actual: text('balance1'),
      expected: "'0'",
    },
    {
      rule_id: 'BALANCE_GREW',
      severity: 'ERROR',
      field: 'current_balance',
      when: `${!isCard} AND ${LIVE0} AND ${LIVE1} AND ${USUAL} AND balance1 > greatest(balance0, coalesce(expected, 0)) + ${mayGrow} + 0.01`,
      message: `'owes more than before, and nothing on the tape lets it'`,
      actual: text('balance1'),
      expected: `'at most ' || greatest(balance0, coalesce(expected, 0))`,
    },
    {
      rule_id: 'BALANCE_IN_OTHER_UNIT',
      severity: 'ERROR',
      field: 'current_balance',
      when: `${!isCard} AND ${LIVE0} AND ${LIVE1} AND expected > 0 AND balance1 > 0 AND list_aggregate(list_transform([100, 1000], lambda unit: abs(log10(expected / balance1)) BETWEEN log10(unit) - ${UNIT_TOLERANCE} AND log10(unit) + ${UNIT_TOLERANCE}), 'bool_or')`,
      message: `'owes a hundred or a thousand times what its schedule says, or such a part of it, as if the tape had it in another unit'`,
      actual: text('balance1'),
      expected: text('expected'),
    },
    {
      rule_id: 'CURE_WITHOUT_PAYMENT',
      severity: 'ERROR',
      field: 'days_past_due',
      when: `${LIVE0} AND ${LIVE1} AND ${USUAL} AND NOT coalesce(deferred1, false) AND state0 IN ('60', '90', '120') AND days1 <= days0 - 30
        AND ${due} > 0 AND balance0 - balance1 < 0.5 * ${missed} * ${due}`,
      message: `'was ' || days0 || ' days past due and is ' || days1 || ', and its balance fell by less than half of the principal that was due'`,
      actual: text('balance1'),
      expected: `'at most ' || round(balance0 - 0.5 * ${missed} * ${due}, 2)`,
    },
    {
      rule_id: 'DELINQUENCY_JUMPED',
      severity: 'ERROR',
      field: 'days_past_due',
      when: `${LIVE0} AND ${LIVE1} AND days1 - days0 > ${MONTH_DAYS * months + 1}`,
      message: `'is ' || (days1 - days0) || ' days further past due than ${months === 1 ? 'a month' : `${months} months`} before'`,
      actual: text('days1'),
      expected: `'at most ' || (days0 + ${MONTH_DAYS * months + 1})`,
    },
    {
      rule_id: 'BALANCE_MISSING',
      severity: 'ERROR',
      field: 'current_balance',
      when: `${LIVE0} AND ${LIVE1} AND is_silent`,
      message: `'is on the tape without a balance that could be read: what it owed before counts'`,
      actual: text('balance1'),
      expected: "'a balance, 0 where it was paid'",
    },
    {
      rule_id: 'BALANCE_BELOW_ZERO',
      severity: 'ERROR',
      field: 'current_balance',
      when: `${!isCard} AND ${LIVE0} AND NOT ${LIVE1} AND ${MATCHED} AND month_state <> 'DEFAULTED' AND NOT ended AND tape_balance < 0`,
      message: `'has a balance below zero, and the tape does not say that it has ended: it counts as paid in full'`,
      actual: text('CAST(tape_balance AS DECIMAL(38,2))'),
      expected: "'what it owes, 0 where it was paid'",
    },
    {
      rule_id: 'BALANCE_UNCHANGED',
      severity: 'WARNING',
      field: 'current_balance',
      when: `${LIVE0} AND ${LIVE1} AND NOT coalesce(deferred1, false) AND days0 = 0 AND days1 = 0 AND balance1 = balance0 AND NOT is_silent AND ${due} > greatest(1, 0.0005 * balance0)`,
      message: `'is current, and its balance did not fall'`,
      actual: text('balance1'),
      expected: text('expected'),
    },
    {
      rule_id: 'LOAN_RENAMED',
      severity: 'WARNING',
      field: 'loan_id',
      when: `how = 'LIKENESS' AND ${MATCHED}`,
      message: `'has another id than before; amount, dates and collateral are those of the loan, and of no other'`,
      actual: text('id1'),
      expected: text('id0'),
    },
    {
      rule_id: 'REMAINING_TERM_GREW',
      severity: 'ERROR',
      field: 'remaining_term_months',
      when: `${LIVE0} AND ${LIVE1} AND ${USUAL} AND NOT coalesce(deferred0, false) AND term1 > term0`,
      message: `'has a longer remaining term than before without a modification'`,
      actual: text('term1'),
      expected: `'at most ' || term0`,
    },
    {
      rule_id: 'RATE_CHANGED',
      severity: 'WARNING',
      field: 'interest_rate',
      when: `${!isCard} AND ${LIVE0} AND ${LIVE1} AND ${USUAL} AND NOT coalesce(floating0, false) AND NOT coalesce(floating1, false) AND rate1 <> rate0`,
      message: `'has another rate than before, and neither a floating rate nor a modification'`,
      actual: text('rate1'),
      expected: text('rate0'),
    },
    {
      rule_id: 'MATURITY_MOVED',
      severity: 'WARNING',
      field: 'maturity_date',
      when: `${LIVE0} AND ${LIVE1} AND ${USUAL} AND maturity1 > maturity0`,
      message: `'matures later than before without a modification'`,
      actual: text('maturity1'),
      expected: text('maturity0'),
    },
    {
      rule_id: 'PAID_THROUGH_BACK',
      severity: 'WARNING',
      field: 'interest_paid_through_date',
      when: `${LIVE0} AND ${LIVE1} AND paid_through1 < paid_through0`,
      message: `'has interest paid through an earlier date than before'`,
      actual: text('paid_through1'),
      expected: `'not before ' || paid_through0`,
    },
    {
      rule_id: 'ENDED_WITH_BALANCE',
      severity: 'ERROR',
      field: 'current_balance',
      when: `${LIVE1} AND ended`,
      message: `'has ended as the tape says, and owes a balance, which counts'`,
      actual: text('balance1'),
      expected: "'0'",
    },
    {
      rule_id: 'ENDED_WITHOUT_REASON',
      severity: 'WARNING',
      field: 'current_balance',
      // A tape that gives no reasons at all gives none here.
      when: `${hasReason} AND ${LIVE0} AND ${MATCHED} AND state1 = 'ENDED' AND NOT ended AND tape_balance >= 0 AND expected > 0 AND (SELECT bool_or(ended) FROM flows)`,
      message: `'owes nothing any more, and the tape does not say why: it counts as paid in full'`,
      actual: "'0'",
      expected: text('expected'),
    },
    {
      rule_id: 'CHARGE_OFF_EXCEEDS_BALANCE',
      severity: 'ERROR',
      field: 'charged_off_amount',
      when: `${LIVE0} AND month_state = 'DEFAULTED' AND charged > balance0 + 0.01`,
      message: `'is charged off with more than it owed: what it owed counts'`,
      actual: text('charged'),
      expected: `'at most ' || balance0`,
    },
    {
      rule_id: 'CHARGED_OFF_IN_PART',
      severity: 'ERROR',
      field: 'charged_off_amount',
      when: `${LIVE0} AND month_state = 'DEFAULTED' AND charged > 0 AND lost > charged`,
      message: `'is charged off with less than is unpaid: the balance of ' || tape_balance || ' beside it counts as charged off too'`,
      actual: text('charged'),
      expected: text('lost'),
    },
    {
      rule_id: 'CHARGED_OFF_EARLY',
      severity: 'WARNING',
      field: 'charged_off_amount',
      when: `state0 IN ('CURRENT', '30') AND month_state = 'DEFAULTED'`,
      message: `'is charged off, and was ' || coalesce(days0, 0) || ' days past due before'`,
      actual: text('charged'),
    },
    {
      rule_id: 'CHARGE_OFF_CHANGED',
      severity: 'ERROR',
      field: 'charged_off_amount',
      when: `state0 = 'DEFAULTED' AND charged > 0 AND charged_total > 0 AND charged <> charged_total AND charged + tape_balance <> charged_total AND tape_balance <> charged_total`,
      message: `'had been charged off with another amount'`,
      actual: text('charged'),
      expected: text('charged_total'),
    },
    {
      rule_id: 'RECOVERY_EXCEEDS_CHARGE_OFF',
      severity: 'WARNING',
      field: 'recovered_amount',
      when: `month_state = 'DEFAULTED' AND recovered > 0 AND charged_after > 0 AND recovered_after > charged_after + 0.01`,
      message: `'has had more recovered than was charged off'`,
      actual: text('recovered_after'),
      expected: `'at most ' || charged_after`,
    },
    {
      rule_id: 'RECOVERY_WITHOUT_CHARGE_OFF',
      severity: 'ERROR',
      field: 'recovered_amount',
      when: `recovered > 0 AND month_state <> 'DEFAULTED'`,
      message: `'has a recovery, and was not charged off: it is left out of the recoveries'`,
      actual: text('recovered'),
      expected: "'0'",
    },
    {
      rule_id: 'DELINQUENCY_MISSING',
      severity: 'WARNING',
      field: 'days_past_due',
      when: `${LIVE1} AND ${MATCHED} AND days1 IS NULL`,
      message: `'owes, and the tape does not say how many days it is past due: it counts as current'`,
    },
  ];
}

const hasEnd = (loanType: LoanType, name: string): boolean => {
  const field = findField(loanType, name);
  return field !== undefined && (name === 'zero_balance_code' || field.enum?.includes('PAID') === true);
};

/** What a finding says, with the loan first. */
const about = (id: string, message: string) => `'loan ' || ${id} || ' ' || ${message}`;

const SELECTED = 'row_number, line, column_name, field, rule_id, severity, message, actual, expected';

/**
 * SQL of the findings about the loans of a month, in the columns of issues.parquet, over tables `flows` (what became of each loan) and
 * `strangers` (rows of the tape that are no loan of the pool).
 */
export function monthFindings(loanType: LoanType, months: number, strangers: string): string {
  const of = ({ rule_id, severity, field, when, message, actual = 'NULL', expected = 'NULL' }: Rule) =>
    `SELECT CAST(tape_row AS INTEGER) AS row_number, CAST(line AS INTEGER) AS line, CAST(NULL AS VARCHAR) AS column_name, ${field ? `'${field}'` : 'NULL'} AS field,
      '${rule_id}' AS rule_id, '${severity}' AS severity, ${about('coalesce(id1, id0)', message)} AS message,
      CAST(${actual} AS VARCHAR) AS actual, CAST(${expected} AS VARCHAR) AS expected FROM flows WHERE ${when}`;
  const changed = `SELECT CAST(tape_row AS INTEGER), CAST(line AS INTEGER), CAST(NULL AS VARCHAR), fact.field, 'IDENTITY_CHANGED', 'ERROR',
      ${about('id1', "'has another ' || fact.field || ' than at origination'")}, fact.is, fact.was
    FROM (SELECT tape_row, line, id1, unnest(changed) AS fact FROM flows WHERE ${MATCHED} AND len(changed) > 0)`;
  const unknown = `SELECT CAST(tape_row AS INTEGER), CAST(line AS INTEGER), CAST(NULL AS VARCHAR), 'loan_id', CASE WHEN repeated THEN 'LOAN_REPEATED' ELSE 'UNKNOWN_LOAN' END, 'ERROR',
      ${about('id', `CASE WHEN repeated THEN 'is on the tape more often than in the pool: this row is left out' ELSE 'is no loan of the pool: this row is left out' END`)},
      CAST(balance AS VARCHAR), NULL FROM ${strangers}`;
  const parts = [...rules(loanType, months).map(of), changed, unknown];
  return `SELECT ${SELECTED} FROM (${parts.join(' UNION ALL ')}) AS found(${SELECTED})`;
}
