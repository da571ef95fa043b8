import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { dictionary, roles } from '../dictionary/dictionary.ts';
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

const originated = (date: string, more: Loan) => ({ origination_date: date, ...more });

test('a ratio that was derived is not compared with its parts', async () => {
  const loan = { ltv: 95, original_balance: 8_000, vehicle_value: 10_000 };
  const mapped = new Set(['original_balance', 'vehicle_value']);
  assert.deepEqual(keys(await findingsOf('Auto', loan, { mapped, present: new Set(Object.keys(loan)) })), []);
});

test('every bound of a range is inside it, the next value beyond it is not, for every numeric field of every loan type', async () => {
  const tests: [LoanType, string, number, boolean][] = [];
  for (const loanType of ['Auto', 'Personal', 'Mortgage', 'Student', 'Business', 'Credit Card'] as const)
    for (const { field, type, range } of dictionary(loanType)) {
      if (!range || type === 'date' || type === 'string') continue;
      const { min, max, min_exclusive } = range;
      const isAmount = field === roles(loanType).original;
      if (typeof min === 'number' && !isAmount) {
        tests.push([loanType, field, min, !min_exclusive]);
        tests.push([loanType, field, min - 1, false]);
        tests.push([loanType, field, min + 1, true]);
      }
      if (typeof max === 'number') tests.push([loanType, field, max, true], [loanType, field, max + 1, false]);
    }
  assert.ok(tests.length > 150, String(tests.length));
  for (const [loanType, field, value, inside] of tests) {
    const found = keys(await findingsOf(loanType, { [field]: value })).includes(`OUT_OF_RANGE ${field}`);
    assert.equal(found, !inside, `${loanType} ${field} ${value}`);
  }
});

test('a finding says the value, its limit and what would be right', async () => {
  const said = async (loanType: LoanType, loan: Loan, rule: string) => {
    const { message, expected } = (await findingsOf(loanType, loan)).find(({ rule_id }) => rule_id === rule) ?? {};
    return `${message} | ${expected}`;
  };
  assert.equal(
    await said('Auto', { original_balance: '10000.50', current_balance: '12500.10' }, 'BALANCE_ABOVE_ORIGINAL'),
    'current_balance is 12500.1, above 1.2 times original_balance 10000.5 | at most 12000.6',
  );
  assert.equal(
    await said('Auto', originated('2020-01-01', { maturity_date: '2019-01-01' }), 'MATURITY_NOT_AFTER_ORIGINATION'),
    'maturity_date is 2019-01-01, not after origination_date 2020-01-01 | after 2020-01-01',
  );
  assert.equal(
    await said('Auto', { original_term_months: 60, remaining_term_months: 80 }, 'REMAINING_TERM_ABOVE_ORIGINAL'),
    'remaining_term_months is 80, above the original term of 60 and 12 months of extension | at most 72',
  );
  assert.equal(
    await said('Auto', { ltv: 90, original_balance: 8_000, vehicle_value: 10_000 }, 'LTV_DISAGREES'),
    'ltv is 90, but original_balance over vehicle_value gives 80.00 % | within 2 points of 80.00',
  );
  // 10,000 at 6 % over 60 months: 193.33
  const payment = { scheduled_payment: 1_200, original_balance: 10_000, interest_rate: 6, original_term_months: 60 };
  assert.match(await said('Auto', payment, 'PAYMENT_IMPLAUSIBLE'), /scheduled_payment is 1200, .* about 193\.33 \|/);
  assert.match(
    await said('Auto', { credit_score: 1_200 }, 'OUT_OF_RANGE'),
    /credit_score is 1200, .* \| at least 300 and at most 900/,
  );
});

test('terms and rates beyond any loan have no level payment to compare with', async () => {
  const loan = { scheduled_payment: 1, original_balance: 6_000, interest_rate: 5, original_term_months: 60 };
  const isFound = async (more: Loan) =>
    keys(await findingsOf('Auto', { ...loan, ...more })).includes('PAYMENT_IMPLAUSIBLE scheduled_payment');
  assert.equal(await isFound({}), true);
  assert.equal(await isFound({ original_term_months: 600 }), true);
  assert.equal(await isFound({ original_term_months: 1 }), true);
  assert.equal(await isFound({ interest_rate: 100 }), true);
  const none: Loan[] = [
    { original_term_months: 601 },
    { original_term_months: 0 },
    { interest_rate: '100.01' },
    { interest_rate: '-0.01' },
    { scheduled_payment: 0 },
    { original_balance: 0 },
  ];
  for (const more of none) assert.equal(await isFound(more), false, JSON.stringify(more));
});

test('the amount of a row decides whether it is a loan: missing, unreadable, nothing or less are errors', async () => {
  const errors = async (loan: Loan, unreadable: string[] = [], loanType: LoanType = 'Auto') =>
    (await findingsOf(loanType, loan, {}, unreadable))
      .filter(({ severity }) => severity === 'ERROR')
      .map(({ rule_id, field }) => `${rule_id} ${field}`);
  assert.deepEqual(await errors({ original_balance: '0.000001' }), []);
  assert.deepEqual(await errors({ original_balance: 0 }), ['AMOUNT_NOT_POSITIVE original_balance']);
  assert.deepEqual(await errors({ original_balance: '-0.000001' }), ['AMOUNT_NOT_POSITIVE original_balance']);
  assert.deepEqual(await errors({ original_balance: null }), ['AMOUNT_MISSING original_balance']);
  assert.deepEqual(await errors({ original_balance: null }, ['original_balance']), ['AMOUNT_UNREADABLE original_balance']);
  assert.deepEqual(await errors({ original_balance: null, current_balance: '0.000001' }), []);
  assert.deepEqual(await errors({ original_balance: null, current_balance: 0 }), ['AMOUNT_NOT_POSITIVE current_balance']);
  assert.deepEqual(await errors({ original_balance: null, current_balance: null }), ['AMOUNT_MISSING original_balance']);
  assert.deepEqual(await errors({ original_balance: null, current_balance: 5 }, ['original_balance']), [
    'AMOUNT_UNREADABLE original_balance',
  ]);
  assert.deepEqual(await errors({ original_balance: 5, current_balance: -5 }), []);
  assert.deepEqual(await errors({ credit_limit: null, current_balance: 5 }, [], 'Credit Card'), ['AMOUNT_MISSING credit_limit']);
});

test('a required field that is missing in a row is a warning, an unreadable one says so in its place', async () => {
  const found = async (loan: Loan, unreadable: string[] = []) => keys(await findingsOf('Auto', loan, {}, unreadable));
  assert.deepEqual(await found({ state: null }), ['MISSING_VALUE state']);
  assert.deepEqual(await found({ vehicle_make: null }), []);
  assert.deepEqual(await found({ interest_rate: null }, ['interest_rate']), ['UNREADABLE_VALUE interest_rate']);
  assert.deepEqual(await found({ vehicle_value: null }, ['vehicle_value']), ['UNREADABLE_VALUE vehicle_value']);
  assert.deepEqual(await found({ original_balance: null, current_balance: 5 }), ['MISSING_VALUE original_balance']);
  assert.deepEqual(await found({ original_balance: null }), ['AMOUNT_MISSING original_balance']);
});

test('an unreadable value is told what its field reads', async () => {
  const expectedOf = async (name: string) => {
    const [finding] = await findingsOf('Auto', { [name]: null }, {}, [name]);
    return `${finding.rule_id}: ${finding.expected} | ${finding.message}`;
  };
  assert.match(await expectedOf('maturity_date'), /^UNREADABLE_VALUE: a real date such as 2020-01-31 \| .*name its pattern/);
  assert.match(await expectedOf('new_used'), /^UNREADABLE_VALUE: NEW, USED \| .*give its meaning/);
  assert.match(await expectedOf('co_obligor'), /^UNREADABLE_VALUE: Y or N \| .*leave it blank/);
  assert.match(await expectedOf('interest_rate'), /^UNREADABLE_VALUE: a percentage, .* \| .*leave it blank/);
  assert.match(await expectedOf('original_term_months'), /^UNREADABLE_VALUE: a whole number, /);
});

test('an id in exponent form is reported, any other id is not', async () => {
  const found = async (loan_id: string) => keys(await findingsOf('Auto', { loan_id }));
  for (const id of ['1.2E+10', '1,2e+10', '5E+5']) assert.deepEqual(await found(id), ['ID_IN_EXPONENT_FORM loan_id'], id);
  for (const id of ['1.2E10', 'A1E+10', '12E+10', '1.2E+', 'LOANE+1', '123', '1.E+5']) assert.deepEqual(await found(id), [], id);
});

test('an id that a spreadsheet has made a date of is reported, any other id is not', async () => {
  const found = async (loan_id: string) => keys(await findingsOf('Auto', { loan_id }));
  for (const id of ['2026-01-03', '3-Jan', '12-Dec', 'Mar-26', '1/3/2026'])
    assert.deepEqual(await found(id), ['ID_IS_A_DATE loan_id'], id);
  for (const id of ['2026-0103', '2026-01-03-7', 'A-Jan', 'Mar-262', '3-JANE', '1/3/26', '20260103', '10-2026'])
    assert.deepEqual(await found(id), [], id);
});

test('an account id of 13 to 19 digits with a right check digit may be a card number', async () => {
  // test numbers of the card networks; 0000000000000 and its like have a check digit of 0
  const cards = ['4222222222222', '378282246310005', '4111111111111111', '6304000000000000000'];
  const others = ['4222222222223', '422222222222', '00000000000000000000', '4111 1111 1111 1111', '411111111111111A'];
  const found = async (account_id: string) =>
    keys(await findingsOf('Credit Card', { account_id })).includes('CARD_NUMBER_AS_ID account_id');
  for (const id of cards) assert.equal(await found(id), true, id);
  for (const id of others) assert.equal(await found(id), false, id);
  assert.deepEqual(keys(await findingsOf('Auto', { loan_id: '4111111111111111' })), []);
});
