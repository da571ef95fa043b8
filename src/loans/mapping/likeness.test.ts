import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dictionary, findField } from '../dictionary/dictionary.ts';
import { defineFields, type Field } from '../dictionary/field.ts';
import { LOAN_TYPES, type LoanType } from '../types.ts';
import { contentAgreement, contentEvidence, sampleOf } from './content.ts';
import { likenessOf } from '../testing/likeness.ts';

const [FIELD] = defineFields([
  {
    field: 'original_balance',
    type: 'money',
    aliases: ['Orig Bal', 'Amount Financed', 'Face', 'Original Principal Balance of Loan'],
    description: 'amount',
  },
]);

const likeness = (header: string, field: Field = FIELD) => likenessOf(header, field);
const field = (loanType: LoanType, name: string): Field => {
  const found = findField(loanType, name);
  if (!found) throw new Error(`${loanType} has no ${name}`);
  return found;
};

test('the name of a field and its first alias are certain, each further alias a little less', () => {
  for (const header of ['original_balance', 'Original Balance', ' ORIGINAL-BALANCE ', 'Orig Bal', 'orig.bal'])
    assert.equal(likeness(header).score, 1, header);
  assert.deepEqual(likeness('Amount Financed'), { score: 0.999, alias: 'Amount Financed' });
  assert.deepEqual(likeness('face'), { score: 0.998, alias: 'Face' });
});

test('a header written together is nearly as certain as one in words', () => {
  assert.deepEqual(likeness('OriginalBalance'), { score: 0.98, alias: 'original_balance' });
  assert.deepEqual(likeness('origbal'), { score: 0.98, alias: 'Orig Bal' });
});

test('the same words in another order, abbreviated or with fillers, are likely', () => {
  for (const header of [
    'Balance, original',
    'Orig. Balance',
    'balanceOriginal',
    'Original USD Balance',
    'the Balance of original',
  ])
    assert.equal(likeness(header).score, 0.93, header);
});

test('words that say nothing more of the field may differ, one that could make it another thing may not', () => {
  assert.deepEqual(likeness('Mortgage Loan Original Balance'), { score: 0.86, alias: 'original_balance' });
  assert.equal(likeness('Original Balance Amount').score, 0.88);
  for (const header of ['Principal Balance Loan', 'Principal Loan', 'Balance', 'Balance Date', 'Original Term Months', '', '***'])
    assert.equal(likeness(header).score, 0, header);
});

test('a header with a word that changes the meaning is not the field', () => {
  const changed: [LoanType, string, string[]][] = [
    [
      'Auto',
      'current_balance',
      ['Prior Current Balance', 'Current Balance Date', 'Previous Principal Balance', 'Scheduled Current Balance'],
    ],
    [
      'Auto',
      'current_balance',
      ['Current Balance Change', 'Max Current Balance', 'Current Balance Adjustment', 'Current Balance Flag'],
    ],
    ['Auto', 'days_past_due', ['days_delinquent_old', 'Max Days Past Due', 'Days Past Due Count', 'Days Past Due Event']],
    [
      'Auto',
      'interest_rate',
      ['Interest Rate Type', 'Interest Rate Cap', 'Interest Rate Index', 'Next Interest Rate', 'Co-Borrower Interest Rate'],
    ],
    ['Mortgage', 'rate_reset_months', ['rateResetFrequencyCode']],
    ['Mortgage', 'maturity_date', ['Prior Maturity Date', 'Maturity Date Change', 'First Maturity Date']],
  ];
  for (const [type, name, headers] of changed)
    for (const header of headers) assert.equal(likeness(header, field(type, name)).score, 0, header);
});

test('the capitalization rate of a property is no cap of the rate of its loan', () => {
  for (const header of ['Cap Rate', 'cap_rate', 'Cap Rate (%)'])
    assert.equal(likeness(header, field('Mortgage', 'rate_cap')).score, 0);
  assert.equal(likeness('Rate Cap', field('Mortgage', 'rate_cap')).score, 1);
});

test('every field of the dictionary is found by its name and by each of its aliases', () => {
  for (const loanType of LOAN_TYPES)
    for (const each of dictionary(loanType)) {
      assert.equal(likenessOf(each.field, each).score, 1, `${loanType} ${each.field}`);
      for (const alias of each.aliases)
        assert.ok(
          likenessOf(alias, each).score >= (each.secondary.has(alias) ? 0.95 : 0.98),
          `${loanType} ${each.field}: ${alias}`,
        );
    }
});

const sample = (...texts: (string | null)[]) => sampleOf(texts);
const agrees = (text: string, of: Field) => contentAgreement(sample(text), of) === 1;

test('a sample has no blanks and no missing markers', () => {
  const { texts, distinct } = sample(' a ', null, '', 'N/A', 'b', 'a');
  assert.deepEqual([texts, distinct], [['a', 'b', 'a'], 2]);
  assert.equal(contentAgreement(sample(null, 'na'), FIELD), null);
  const three = sample('1', '2', 'x', '4');
  assert.equal(contentAgreement(three, FIELD), 0.75);
  assert.equal(contentAgreement(three, { ...FIELD, codes: { X: '1' } }), 1, 'each field is counted by itself');
  assert.equal(contentAgreement(three, FIELD), 0.75);
});

const FITS: Record<string, { field: Field; yes: string[]; no: string[] }> = {
  'an amount': {
    field: field('Auto', 'original_balance'),
    yes: [
      '1',
      '1,234.50',
      '$5',
      '-5',
      '(5)',
      '$ -5',
      '.5',
      '1e3',
      'USD 5',
      '5 EUR',
      '1.234,56',
      '1 234',
      '5-',
      '12.5%',
      "1'234.50",
      '1\u202f234',
      '="123"',
      "'123",
      '１２３',
      '12,34,567',
    ],
    no: ['x', '5 x', '2020-01-31', '12/31/2020', '1e', '$', 'Five', '3 months', '735-739', 'A1'],
  },
  'a count': {
    field: field('Auto', 'original_term_months'),
    yes: ['36', '36 months', '5 years', '< 1 year', '10+ years', '36 mos.', '735-739', '30 to 59', '30–59'],
    no: ['x', '3 weeks', '12345-12349', 'months', '2020-01-31'],
  },
  'a date': {
    field: field('Auto', 'origination_date'),
    yes: [
      '2020-01-31',
      '2020/1/3',
      '2020-01-31T10:30',
      '01/31/2020',
      '1/3/20',
      '1.3.2020',
      '01/31/2020 10:30',
      '01/2020',
      '202001',
      '20200131',
      'Jan-2020',
      'JAN20',
      '31JAN2020',
      'January 31, 2020',
      '2020-01',
    ],
    no: ['x', '5', '45000', '2020', '1/2', '12.5', 'January', 'Q1 2020', '1234567'],
  },
  'a state': {
    field: field('Auto', 'state'),
    yes: ['NY', 'ny', 'New York', 'PR', 'DISTRICT OF COLUMBIA'],
    no: ['ZZ', 'N', '36', 'York', 'USA'],
  },
  'yes or no': {
    field: field('Auto', 'co_obligor'),
    yes: ['Y', 'no', 'TRUE', 'f', '0', '1', '1.0', '2'],
    no: ['3', 'maybe', '10', 'yess'],
  },
  text: { field: field('Auto', 'loan_id'), yes: ['A1', '5', 'anything at all'], no: [] },
};

for (const [name, { field: of, yes, no }] of Object.entries(FITS)) {
  test(`a value fits a column of ${name} by its form`, () => {
    for (const text of yes) assert.equal(agrees(text, of), true, text);
    for (const text of no) assert.equal(agrees(text, of), false, text);
  });
}

test('a word may be any of at most eighty characters, but no number with decimals', () => {
  const [grade] = defineFields([{ field: 'grade', type: 'enum', enum: ['A'], aliases: ['Grade'], description: 'grade' }]);
  for (const text of ['A', 'who knows', '7', '7.0', '-1', 'x'.repeat(80)]) assert.equal(agrees(text, grade), true, text);
  for (const text of ['0.5', '-1.25', '7.01', 'x'.repeat(81)]) assert.equal(agrees(text, grade), false, text);
});

test('words with a number in the dictionary fit a numeric column', () => {
  const insured = field('Mortgage', 'mi_percent');
  assert.deepEqual([agrees('No MI', insured), agrees('NO MI', insured), agrees('some MI', insured)], [true, true, false]);
});

const repeated = (texts: readonly string[], length: number) =>
  sampleOf(Array.from({ length }, (_, index) => texts[index % texts.length]));

test('twenty codes of five states tell the state without a header, fewer of either do not', () => {
  const state = field('Auto', 'state');
  const five = ['NC', 'SC', 'TX', 'AL', 'VA'];
  assert.equal(contentEvidence(repeated(five, 20), state), 0.72);
  assert.equal(contentEvidence(repeated(five, 19), state), 0);
  assert.equal(contentEvidence(repeated(five.slice(0, 4), 20), state), 0);
  const spoiled = (bad: number) =>
    sampleOf([...Array.from({ length: 100 - bad }, (_, index) => five[index % 5]), ...Array<string>(bad).fill('??')]);
  assert.deepEqual([contentEvidence(spoiled(2), state), contentEvidence(spoiled(3), state)], [0.72, 0]);
  assert.equal(contentEvidence(repeated(five, 20), field('Auto', 'vehicle_make')), 0);
});

test('ranges of scores tell the score without a header, ranges of other numbers do not', () => {
  const score = field('Personal', 'credit_score');
  assert.equal(contentEvidence(repeated(['735-739', '670-674', '700-704'], 20), score), 0.72);
  assert.equal(contentEvidence(repeated(['735-739', '670-674'], 20), score), 0);
  assert.equal(contentEvidence(repeated(['300-304', '846-850', '850-854'], 20), score), 0.72);
  assert.equal(contentEvidence(repeated(['299-303', '670-674', '700-704'], 20), score), 0);
  assert.equal(contentEvidence(repeated(['851-855', '670-674', '700-704'], 20), score), 0);
  assert.equal(contentEvidence(repeated(['735', '670', '700'], 20), score), 0);
});
