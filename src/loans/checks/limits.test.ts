import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openBench } from '../testing/evaluate.ts';
import { type Finding, findingsOf as findingsIn, type Loan, ruleAndField } from '../testing/findings.ts';
import type { LoanType } from '../types.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

type Request = Parameters<typeof findingsIn> extends [unknown, ...infer Rest] ? Rest : never;
const findingsOf = (...request: Request) => findingsIn(bench.engine, ...request);
const keys = (findings: readonly Finding[]) => findings.map(ruleAndField);

type Limit = [loanType: LoanType, within: Loan[], beyond: Loan[], finding: string];

const originated = (date: string, more: Loan) => ({ origination_date: date, ...more });

/** For each rule the values on its limit, which are no finding, and those just beyond it. */
const LIMITS: Limit[] = [
  [
    'Auto',
    [originated('2020-01-01', { maturity_date: '2020-01-02' })],
    [originated('2020-01-01', { maturity_date: '2020-01-01' }), originated('2020-01-01', { maturity_date: '2019-12-31' })],
    'MATURITY_NOT_AFTER_ORIGINATION maturity_date',
  ],
  [
    'Auto',
    [originated('2020-01-01', { first_payment_date: '2020-01-01' })],
    [originated('2020-01-01', { first_payment_date: '2019-12-31' })],
    'FIRST_PAYMENT_BEFORE_ORIGINATION first_payment_date',
  ],
  [
    'Auto',
    [{ maturity_date: '2020-01-01', first_payment_date: '2020-01-01' }],
    [{ maturity_date: '2020-01-01', first_payment_date: '2020-01-02' }],
    'MATURITY_BEFORE_FIRST_PAYMENT maturity_date',
  ],
  [
    'Auto',
    [originated('2020-01-01', { reporting_date: '2020-01-01' })],
    [originated('2020-01-02', { reporting_date: '2020-01-01' })],
    'REPORTED_BEFORE_ORIGINATION reporting_date',
  ],
  [
    'Business',
    [{ disbursement_date: '2020-01-01', approval_date: '2020-01-01' }],
    [{ disbursement_date: '2020-01-01', approval_date: '2020-01-02' }],
    'DISBURSED_BEFORE_APPROVAL disbursement_date',
  ],
  [
    'Student',
    [originated('2020-01-01', { final_disbursement_date: '2020-01-01' })],
    [originated('2020-01-02', { final_disbursement_date: '2020-01-01' })],
    'LAST_DISBURSEMENT_BEFORE_FIRST final_disbursement_date',
  ],
  ...(
    [
      ['Auto', 72],
      ['Mortgage', 72],
      ['Business', 72],
      ['Personal', 60],
    ] as const
  ).map(
    ([loanType, most]): Limit => [
      loanType,
      [{ original_term_months: 60, remaining_term_months: most }],
      [{ original_term_months: 60, remaining_term_months: most + 1 }],
      'REMAINING_TERM_ABOVE_ORIGINAL remaining_term_months',
    ],
  ),
  [
    'Auto',
    [
      originated('2020-01-15', { maturity_date: '2026-01-15', original_term_months: 60 }),
      originated('2020-01-15', { maturity_date: '2024-01-15', original_term_months: 60 }),
    ],
    [
      originated('2020-01-15', { maturity_date: '2026-02-15', original_term_months: 60 }),
      originated('2020-01-15', { maturity_date: '2023-12-15', original_term_months: 60 }),
    ],
    'TERM_DISAGREES_WITH_DATES original_term_months',
  ],
  [
    'Auto',
    [originated('2020-12-31', { vehicle_model_year: 2022 })],
    [originated('2020-12-31', { vehicle_model_year: 2023 })],
    'MODEL_YEAR_AFTER_ORIGINATION vehicle_model_year',
  ],
  ...(
    [
      ['Auto', '12000'],
      ['Personal', '10000'],
      ['Mortgage', '12500'],
      ['Business', '12000'],
    ] as const
  ).map(
    ([loanType, most]): Limit => [
      loanType,
      [{ original_balance: 10_000, current_balance: most }],
      [{ original_balance: 10_000, current_balance: `${most}.000001` }],
      'BALANCE_ABOVE_ORIGINAL current_balance',
    ],
  ),
  [
    'Personal',
    [{ original_balance: 100, requested_amount: 100 }],
    [{ original_balance: '100.01', requested_amount: 100 }],
    'FUNDED_ABOVE_REQUESTED original_balance',
  ],
  [
    'Business',
    [{ guarantee_amount: 100, approved_amount: 100 }],
    [{ guarantee_amount: '100.01', approved_amount: 100 }],
    'GUARANTEE_ABOVE_APPROVED guarantee_amount',
  ],
  [
    'Auto',
    [{ original_balance: 100, charged_off_amount: 120 }],
    [{ original_balance: 100, charged_off_amount: '120.01' }],
    'CHARGE_OFF_ABOVE_ORIGINAL charged_off_amount',
  ],
  [
    'Business',
    [{ original_balance: 100, charge_off_amount: 120 }],
    [{ original_balance: 100, charge_off_amount: '120.01' }],
    'CHARGE_OFF_ABOVE_ORIGINAL charge_off_amount',
  ],
  ['Mortgage', [{ net_rate: 6, interest_rate: 6 }], [{ net_rate: '6.000001', interest_rate: 6 }], 'NET_RATE_ABOVE_RATE net_rate'],
  ['Mortgage', [{ cltv: 80, ltv: 80 }], [{ cltv: '79.999999', ltv: 80 }], 'CLTV_BELOW_LTV cltv'],
  [
    'Auto',
    [
      { ltv: 82, original_balance: 8_000, vehicle_value: 10_000 },
      { ltv: 78, original_balance: 8_000, vehicle_value: 10_000 },
      { ltv: 5, original_balance: 8_000, vehicle_value: 0 },
    ],
    [
      { ltv: '82.01', original_balance: 8_000, vehicle_value: 10_000 },
      { ltv: '77.99', original_balance: 8_000, vehicle_value: 10_000 },
    ],
    'LTV_DISAGREES ltv',
  ],
  [
    'Credit Card',
    [{ utilization: 52, current_balance: 500, credit_limit: 1_000 }],
    [
      { utilization: '52.01', current_balance: 500, credit_limit: 1_000 },
      { utilization: '47.99', current_balance: 500, credit_limit: 1_000 },
    ],
    'UTILIZATION_DISAGREES utilization',
  ],
  [
    'Auto',
    // without interest the level payment of 6,000 over 60 months is exactly 100
    ['25', '400'].map((scheduled_payment) => ({
      scheduled_payment,
      original_balance: 6_000,
      interest_rate: 0,
      original_term_months: 60,
    })),
    ['24.99', '400.01'].map((scheduled_payment) => ({
      scheduled_payment,
      original_balance: 6_000,
      interest_rate: 0,
      original_term_months: 60,
    })),
    'PAYMENT_IMPLAUSIBLE scheduled_payment',
  ],
  [
    'Personal',
    [
      { loan_status: 'CURRENT', days_past_due: 30 },
      { loan_status: 'LATE_31_120', days_past_due: 31 },
    ],
    [{ loan_status: 'CURRENT', days_past_due: 31 }],
    'STATUS_DISAGREES_WITH_DELINQUENCY loan_status',
  ],
  [
    'Personal',
    [
      { loan_status: 'PAID', current_balance: 0 },
      { loan_status: 'CURRENT', current_balance: 5 },
    ],
    [{ loan_status: 'PAID', current_balance: '0.01' }],
    'PAID_WITH_BALANCE loan_status',
  ],
  [
    'Business',
    [{ status: 'CURRENT', days_past_due: 30 }],
    [{ status: 'CURRENT', days_past_due: 31 }],
    'STATUS_DISAGREES_WITH_DELINQUENCY status',
  ],
  [
    'Business',
    [{ status: 'PAID', current_balance: 0 }],
    [{ status: 'PAID', current_balance: '0.01' }],
    'PAID_WITH_BALANCE status',
  ],
  [
    'Auto',
    [
      { zero_balance_code: '4', current_balance: 0 },
      { zero_balance_code: null, current_balance: 5 },
    ],
    [{ zero_balance_code: '4', current_balance: '0.01' }],
    'ZERO_BALANCE_CODE_WITH_BALANCE zero_balance_code',
  ],
  ['Auto', [{ original_term_months: 60 }], [{ original_term_months: '60.5' }], 'NOT_WHOLE original_term_months'],
  ['Auto', [{ state: 'DC' }, { state: 'PR' }, { state: 'AE' }], [{ state: 'ZZ' }, { state: 'ny' }], 'STATE_CODE_UNKNOWN state'],
  ['Auto', [{ origination_date: '2026-11-20' }], [{ origination_date: '2026-11-21' }], 'DATE_IN_FUTURE origination_date'],
  ['Auto', [{ origination_date: '1990-01-01' }], [{ origination_date: '1989-12-31' }], 'OUT_OF_RANGE origination_date'],
  ['Auto', [{ loan_id: 'é'.repeat(64) }], [{ loan_id: 'L'.repeat(65) }], 'OUT_OF_RANGE loan_id'],
  ['Auto', [{ vehicle_model_year: 2027 }], [{ vehicle_model_year: 2028 }], 'OUT_OF_RANGE vehicle_model_year'],
];

for (const [loanType, within, beyond, finding] of LIMITS) {
  test(`${loanType}: ${finding} begins just beyond its limit, and needs both values`, async () => {
    for (const loan of within)
      assert.deepEqual(
        keys(await findingsOf(loanType, loan)).filter((key) => key === finding),
        [],
        JSON.stringify(loan),
      );
    for (const loan of beyond) {
      const found = (await findingsOf(loanType, loan)).filter((each) => `${each.rule_id} ${each.field}` === finding);
      assert.equal(found.length, 1, JSON.stringify(loan));
      assert.equal(found[0].severity, 'WARNING');
      for (const name of Object.keys(loan)) {
        const without = await findingsOf(loanType, { ...loan, [name]: null });
        assert.ok(!keys(without).includes(finding), `without ${name}`);
      }
    }
  });
}

test('a rule applies to a tape only with all the fields that it needs', async () => {
  assert.deepEqual(keys(await findingsOf('Auto', { maturity_date: '2019-01-01' })), []);
  assert.deepEqual(keys(await findingsOf('Student', { original_balance: 100, current_balance: 500 })), []);
  assert.deepEqual(keys(await findingsOf('Student', { original_term_months: 60, remaining_term_months: 90 })), []);
});
