import { sqlText } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';
import { type RowCheck, type RowCheckMaker, sentence, shown, shownDate, type TapeFacts } from './check.ts';

type CrossFieldCheck = RowCheck & { needs: readonly string[]; only?: readonly LoanType[] };

/** Checks of two or more fields; each applies only if all of its fields are present. */
export const crossChecks: RowCheckMaker = (facts) =>
  allCrossChecks(facts)
    .filter(({ needs, only }) => needs.every((field) => facts.present.has(field)) && (!only || only.includes(facts.loanType)))
    .map(({ needs: _needs, only: _only, ...check }) => check);

function allCrossChecks(facts: TapeFacts): CrossFieldCheck[] {
  return [
    ...dateOrders(),
    ...termChecks(facts),
    ...balanceChecks(facts),
    ...ratioChecks(facts),
    ...paymentChecks(),
    ...statusChecks(),
  ];
}

function dateOrders(): CrossFieldCheck[] {
  return [
    dateOrder('MATURITY_NOT_AFTER_ORIGINATION', 'maturity_date', '>', 'origination_date'),
    dateOrder('FIRST_PAYMENT_BEFORE_ORIGINATION', 'first_payment_date', '>=', 'origination_date'),
    dateOrder('MATURITY_BEFORE_FIRST_PAYMENT', 'maturity_date', '>=', 'first_payment_date'),
    dateOrder('DISBURSED_BEFORE_APPROVAL', 'disbursement_date', '>=', 'approval_date'),
    dateOrder('MATURITY_NOT_AFTER_APPROVAL', 'maturity_date', '>', 'approval_date'),
    dateOrder('LAST_DISBURSEMENT_BEFORE_FIRST', 'final_disbursement_date', '>=', 'origination_date'),
    dateOrder('REPORTED_BEFORE_ORIGINATION', 'reporting_date', '>=', 'origination_date'),
  ];
}

const ORDER_WORDS = { '>': 'after', '>=': 'on or after' } as const;

function dateOrder(rule_id: string, later: string, order: '>' | '>=', earlier: string): CrossFieldCheck {
  return {
    rule_id,
    severity: 'WARNING',
    field: later,
    needs: [later, earlier],
    when: `NOT (${later} ${order} ${earlier})`,
    message: sentence(
      sqlText(`${later} is `),
      shownDate(later),
      sqlText(`, not ${ORDER_WORDS[order]} ${earlier} `),
      shownDate(earlier),
    ),
    expected: sentence(sqlText(`${ORDER_WORDS[order]} `), shownDate(earlier)),
  };
}

/** Months that a loan may run beyond its original term: extensions are usual for vehicles. */
const TERM_GRACE: Readonly<Partial<Record<LoanType, number>>> = { Auto: 12, Personal: 0, Mortgage: 12, Business: 12 };

function termChecks(facts: TapeFacts): CrossFieldCheck[] {
  const grace = TERM_GRACE[facts.loanType] ?? null;
  const months = "date_diff('month', origination_date, maturity_date)";
  return [
    ...(grace === null ? [] : [remainingTerm(grace)]),
    {
      rule_id: 'TERM_DISAGREES_WITH_DATES',
      severity: 'WARNING',
      field: 'original_term_months',
      needs: ['original_term_months', 'origination_date', 'maturity_date'],
      when: `maturity_date > origination_date AND abs(${months} - original_term_months) > 12`,
      message: sentence(
        "'original_term_months is '",
        shown('original_term_months'),
        "', but origination and maturity are '",
        months,
        "' months apart'",
      ),
      expected: sentence("'within 12 months of '", months),
    },
    {
      rule_id: 'MODEL_YEAR_AFTER_ORIGINATION',
      severity: 'WARNING',
      field: 'vehicle_model_year',
      needs: ['vehicle_model_year', 'origination_date'],
      when: 'vehicle_model_year > year(origination_date) + 2',
      message: sentence(
        "'the model year '",
        shown('vehicle_model_year'),
        "' lies after origination in '",
        'year(origination_date)',
      ),
      expected: sentence("'at most '", 'year(origination_date) + 2'),
    },
  ];
}

function remainingTerm(grace: number): CrossFieldCheck {
  const limit = grace === 0 ? 'original_term_months' : `original_term_months + ${grace}`;
  return {
    rule_id: 'REMAINING_TERM_ABOVE_ORIGINAL',
    severity: 'WARNING',
    field: 'remaining_term_months',
    needs: ['remaining_term_months', 'original_term_months'],
    when: `remaining_term_months > ${limit}`,
    message: sentence(
      "'remaining_term_months is '",
      shown('remaining_term_months'),
      "', above the original term of '",
      shown('original_term_months'),
      sqlText(grace === 0 ? '' : ` and ${grace} months of extension`),
    ),
    expected: sentence("'at most '", shown(`(${limit})`)),
  };
}

/** How far a balance may grow beyond the amount lent; student loans capitalise interest without a bound of ours. */
const BALANCE_FACTOR: Readonly<Partial<Record<LoanType, string>>> = {
  Auto: '1.2',
  Personal: '1',
  Mortgage: '1.25',
  Business: '1.2',
};

// the product of two narrow decimals overflows where a tape has a huge amount
const WIDE_ORIGINAL = 'CAST(original_balance AS DECIMAL(38,6))';

function balanceChecks(facts: TapeFacts): CrossFieldCheck[] {
  const factor = BALANCE_FACTOR[facts.loanType];
  const balance: CrossFieldCheck[] = factor
    ? [atMost('BALANCE_ABOVE_ORIGINAL', 'current_balance', `${WIDE_ORIGINAL} * ${factor}`, 'original_balance', factor)]
    : [];
  return [
    ...balance,
    atMost('FUNDED_ABOVE_REQUESTED', 'original_balance', 'requested_amount', 'requested_amount', '1'),
    atMost('GUARANTEE_ABOVE_APPROVED', 'guarantee_amount', 'approved_amount', 'approved_amount', '1'),
    atMost('CHARGE_OFF_ABOVE_ORIGINAL', 'charged_off_amount', `${WIDE_ORIGINAL} * 1.2`, 'original_balance', '1.2'),
    atMost('CHARGE_OFF_ABOVE_ORIGINAL', 'charge_off_amount', `${WIDE_ORIGINAL} * 1.2`, 'original_balance', '1.2'),
    atMost('NET_RATE_ABOVE_RATE', 'net_rate', 'interest_rate', 'interest_rate', '1'),
  ];
}

function atMost(rule_id: string, field: string, limit: string, other: string, factor: string): CrossFieldCheck {
  const times = factor === '1' ? '' : `${factor} times `;
  return {
    rule_id,
    severity: 'WARNING',
    field,
    needs: [field, other],
    when: `${field} > ${limit}`,
    message: sentence(sqlText(`${field} is `), shown(field), sqlText(`, above ${times}${other} `), shown(other)),
    expected: sentence("'at most '", shown(`CAST(${limit} AS DECIMAL(38,6))`)),
  };
}

function ratioChecks(facts: TapeFacts): CrossFieldCheck[] {
  const ltv = 'original_balance / vehicle_value * 100';
  const used = 'current_balance / credit_limit * 100';
  const ratios: CrossFieldCheck[] = [
    ratio('LTV_DISAGREES', 'ltv', ltv, ['original_balance', 'vehicle_value'], 'vehicle_value > 0'),
    ratio('UTILIZATION_DISAGREES', 'utilization', used, ['current_balance', 'credit_limit'], 'credit_limit > 0'),
  ];
  return [
    // a derived ratio agrees with its parts by construction
    ...ratios.filter(({ field }) => facts.mapped.has(field)),
    {
      rule_id: 'CLTV_BELOW_LTV',
      severity: 'WARNING',
      field: 'cltv',
      needs: ['cltv', 'ltv'],
      when: 'cltv < ltv',
      message: sentence("'cltv is '", shown('cltv'), "', below ltv '", shown('ltv')),
      expected: sentence("'at least '", shown('ltv')),
    },
  ];
}

function ratio(rule_id: string, field: string, parts: string, needs: readonly string[], guard: string): CrossFieldCheck {
  const computed = `CAST(round(${parts}, 2) AS DECIMAL(18,2))`;
  return {
    rule_id,
    severity: 'WARNING',
    field,
    needs: [field, ...needs],
    when: `${guard} AND abs(${field} - ${parts}) > 2`,
    message: sentence(sqlText(`${field} is `), shown(field), sqlText(`, but ${needs.join(' over ')} gives `), computed, "' %'"),
    expected: sentence("'within 2 points of '", computed),
  };
}

/** Level payment of an annuity: B · r / (1 − (1 + r)^−n), r the monthly rate, n the months. */
function paymentChecks(): CrossFieldCheck[] {
  const rate = 'CAST(interest_rate AS DOUBLE) / 1200';
  const annuity = `CASE WHEN interest_rate > 0 THEN original_balance * (${rate}) / (1 - pow(1 + ${rate}, -original_term_months)) ELSE original_balance / original_term_months END`;
  const guard =
    'scheduled_payment > 0 AND original_balance > 0 AND interest_rate BETWEEN 0 AND 100 AND original_term_months BETWEEN 1 AND 600';
  return [
    {
      rule_id: 'PAYMENT_IMPLAUSIBLE',
      severity: 'WARNING',
      field: 'scheduled_payment',
      needs: ['scheduled_payment', 'original_balance', 'interest_rate', 'original_term_months'],
      when: `CASE WHEN ${guard} THEN scheduled_payment / (${annuity}) NOT BETWEEN 0.25 AND 4 END`,
      message: sentence(
        "'scheduled_payment is '",
        shown('scheduled_payment'),
        "', while balance, rate and term give a level payment of about '",
        `CAST(round(${annuity}, 2) AS DECIMAL(18,2))`,
      ),
      expected: "'between a quarter of the level payment and four times it'",
    },
  ];
}

function statusChecks(): CrossFieldCheck[] {
  return [
    statusWith(
      'STATUS_DISAGREES_WITH_DELINQUENCY',
      'loan_status',
      ['CURRENT'],
      'days_past_due',
      '> 30',
      'at most 30 days past due',
    ),
    statusWith('STATUS_DISAGREES_WITH_DELINQUENCY', 'status', ['CURRENT'], 'days_past_due', '> 30', 'at most 30 days past due'),
    statusWith('PAID_WITH_BALANCE', 'loan_status', ['PAID'], 'current_balance', '> 0', 'no balance'),
    statusWith('PAID_WITH_BALANCE', 'status', ['PAID'], 'current_balance', '> 0', 'no balance'),
    {
      rule_id: 'ZERO_BALANCE_CODE_WITH_BALANCE',
      severity: 'WARNING',
      field: 'zero_balance_code',
      needs: ['zero_balance_code', 'current_balance'],
      when: 'zero_balance_code IS NOT NULL AND current_balance > 0',
      message: sentence("'zero_balance_code is '", 'zero_balance_code', "', but current_balance is '", shown('current_balance')),
      expected: "'no balance, or no code'",
    },
  ];
}

function statusWith(
  rule_id: string,
  status: string,
  words: readonly string[],
  field: string,
  condition: string,
  expected: string,
): CrossFieldCheck {
  return {
    rule_id,
    severity: 'WARNING',
    field: status,
    needs: [status, field],
    when: `(${words.map((word) => `${status} = ${sqlText(word)}`).join(' OR ')}) AND ${field} ${condition}`,
    message: sentence(sqlText(`${status} is `), status, sqlText(`, but ${field} is `), shown(field)),
    expected: sqlText(expected),
  };
}
