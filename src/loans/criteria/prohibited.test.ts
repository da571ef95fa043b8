import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dictionary } from '../dictionary/dictionary.ts';
import { LOAN_TYPES } from '../types.ts';
import { isProhibitedField } from './prohibited.ts';
import { TEMPLATES } from './templates.ts';
import { judge, judgeRule, judgeTest, RULE } from './testing/judge.ts';

/** Names by the attribute of 15 U.S.C. 1691(a) and 42 U.S.C. 3605 that they tell. */
const PROHIBITED: Record<string, readonly string[]> = {
  race: [
    'race',
    'Borrower Race',
    'applicant_race_1',
    'derived_race',
    'RACIAL_GROUP',
    'black',
    'white',
    'Asian',
    'is_hispanic',
    'Latino',
  ],
  color: ['color', 'colour', 'Skin Color'],
  religion: ['religion', 'Religious Affiliation', 'creed'],
  'national origin': [
    'national_origin',
    'nationality',
    'Country of Birth',
    'birthplace',
    'ancestry',
    'origin_national',
    'Ethnicity',
  ],
  sex: [
    'sex',
    'Applicant Sex',
    'gender',
    'borrowerGender',
    'male',
    'FEMALE_FLAG',
    'pregnant',
    'sexual_orientation',
    'transgender',
  ],
  'marital or familial status': [
    'married',
    'unmarried',
    'Marital Status',
    'marital',
    'divorced',
    'Spouse',
    'familial_status',
    'family status',
  ],
  age: [
    'age',
    'AGE',
    'ages',
    'Age Band',
    'borrower_age',
    'borrowerAge',
    'age_of_borrower',
    'age_at_origination',
    'applicant age years',
    'Aged 62 and over',
    'cardholderAgeGroup',
    'co_borrower_age',
  ],
  'date of birth': ['dob', 'DOB', 'date_of_birth', 'Birth Date', 'birthyear', 'YearOfBirth', 'birthday'],
  disability: ['disability', 'Disabled', 'handicap'],
  'public assistance': [
    'public_assistance',
    'Receives Public Assistance',
    'assistance_public',
    'welfare',
    'public assistance income',
  ],
};

/** Names that hold such a word as a part of another, or speak of the age of something that is no person. */
const HARMLESS = [
  'loan_age',
  'loan_age_months',
  'account age',
  'vehicle_age_years',
  'age_of_loan',
  'months_of_age_of_account',
  'property age',
  'age_of_vehicle',
  'mortgage_type',
  'average_balance',
  'mileage',
  'percentage',
  'storage',
  'page',
  'stage',
  'agent',
  'agency',
  'manager',
  'vehicle_color',
  'color_code_exterior',
  'whitehouse',
  'asiana',
  'blackbook_value',
  'sextant',
  'trace',
  'brace',
  'terrace',
  'grace_period',
  'interest_rate_sexies',
  'origin_state',
  'originator_name',
  'national_bank',
  'international_origination',
  'public_record',
  'assistance_program',
  'gendered',
  'birth_rate_index_of_area',
  'family_units',
  'status',
  'disablement_fee',
  'creedmoor',
  'racecar',
];

test('every name of a protected attribute is known, however it is written', () => {
  for (const [attribute, names] of Object.entries(PROHIBITED))
    for (const name of names) assert.equal(isProhibitedField(name), true, `${attribute}: ${name}`);
});

test('a name is recognised in any case, with any separator and at any place of the name', () => {
  const written = (words: string[]) => [
    words.join('_'),
    words.join(' '),
    words.join('-'),
    words.join('.').toUpperCase(),
    words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join(''),
    ` ${words.join('__')} `,
  ];
  for (const words of [
    ['borrower', 'race'],
    ['marital', 'status'],
    ['co', 'applicant', 'sex'],
    ['applicant', 'age', 'band'],
    ['date', 'of', 'birth'],
  ])
    for (const name of written(words)) assert.equal(isProhibitedField(name), true, name);
});

test('full-width letters are read as letters', () => {
  assert.equal(isProhibitedField('ｒａｃｅ'), true);
  assert.equal(isProhibitedField('Ｓｅｘ'), true);
  assert.equal(isProhibitedField('ＢｏｒｒｏｗｅｒＡｇｅ'), true);
});

test('names that only contain such a word are not taken for one', () => {
  for (const name of HARMLESS) assert.equal(isProhibitedField(name), false, name);
});

test('of the fields that the dictionaries have only the age of a card holder is prohibited', () => {
  const prohibited = LOAN_TYPES.flatMap((type) =>
    dictionary(type)
      .map(({ field }) => `${type} ${field}`)
      .filter((name) => isProhibitedField(name.slice(type.length + 1))),
  );
  assert.deepEqual(prohibited, ['Credit Card age_years']);
});

test('no template selects on a protected attribute', () => {
  for (const { id, loan_rules, pool_tests, custom_fields } of TEMPLATES) {
    const text = JSON.stringify([loan_rules, pool_tests]);
    const fields = [...text.matchAll(/"(?:field|value_field|num|den|weight)":"([^"]+)"/g)].map(([, field]) => field ?? '');
    const groups = pool_tests.flatMap(({ group_by = [] }) => group_by);
    for (const field of [...fields, ...groups, ...Object.keys(custom_fields ?? {})])
      assert.equal(isProhibitedField(field), false, `${id} ${field}`);
  }
});

test('a protected attribute is refused at every place where a set names a field', () => {
  const rule = (leaf: object) => judgeRule(leaf).map((issue) => issue.replace(RULE, ''));
  assert.deepEqual(rule({ field: 'gender', op: 'eq', value: 'F' }), ['PROHIBITED_FIELD .field']);
  assert.deepEqual(rule({ field: 'ltv', op: 'lte', value_field: 'borrower_age' }), ['PROHIBITED_FIELD .value_field']);
  assert.deepEqual(rule({ expr: { num: 'age', den: 'dob' }, op: 'lte', value: 1 }), [
    'PROHIBITED_FIELD .expr.num',
    'PROHIBITED_FIELD .expr.den',
  ]);
  assert.deepEqual(rule({ not: { any: [{ field: 'sex', op: 'is_null' }] } }), ['PROHIBITED_FIELD .not.any[0].field']);
  const pool = (more: object) => judgeTest(more).map((issue) => issue.replace('pool_tests[0]', ''));
  assert.deepEqual(pool({ type: 'sum', field: 'age' }), ['PROHIBITED_FIELD .field']);
  assert.deepEqual(pool({ type: 'hhi', group_by: ['state', 'race'] }), ['PROHIBITED_FIELD .group_by[1]']);
  assert.deepEqual(pool({ type: 'hhi', group_by: ['state'], weight: 'age' }), ['PROHIBITED_FIELD .weight']);
  assert.deepEqual(judge({ weight_field: 'age' }), ['PROHIBITED_FIELD weight_field']);
});

test('a declared column is judged by its own name and under every spelling', () => {
  for (const name of ['Borrower Age', 'married', 'RACE'])
    assert.deepEqual(
      judge({ custom_fields: { [name]: 'string' }, loan_rules: [{ id: 'R', rule: { field: name, op: 'not_null' } }] }),
      [`PROHIBITED_FIELD custom_fields.${name}`, `PROHIBITED_FIELD ${RULE}.field`],
    );
});
