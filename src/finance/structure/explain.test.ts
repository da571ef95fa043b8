import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CARMAX } from '../../../test/support/carmax.ts';
import { METRICS, StructureSchema, type Step, type Structure, type Trigger } from './structure.ts';
import { explainStructure } from './explain.ts';

const step = (structure: Structure, name: string) => explainStructure(structure).steps.find((each) => each.step === name)?.text;

test('a published deal reads as its indenture says it', () => {
  assert.equal(
    step(CARMAX, 't1'),
    'Fourth ("t1"), to the holders of Class A-1, then pro rata by original balance to Class A-2a and Class A-2b, then Class A-3, then Class A-4, ' +
      'principal equal to the excess of the balance of the Class A notes over the pool balance, at most their balances; ' +
      'what is short is drawn from the account reserve.',
  );
  assert.equal(
    step(CARMAX, 't5'),
    'Twelfth ("t5"), to the holders of Class A-1, then pro rata by original balance to Class A-2a and Class A-2b, then Class A-3, then Class A-4, ' +
      'then Class B, then Class C, then Class D, principal equal to the excess of the balance of all notes over the pool balance less the ' +
      'overcollateralisation target (12,090,685.50), at most their balances.',
  );
  assert.equal(
    step(CARMAX, 'A interest'),
    'Third ("A interest"), pro rata by what is due to the holders of Class A-1, Class A-2a, Class A-2b, Class A-3 and Class A-4, the interest due, ' +
      'with what is unpaid from earlier dates; what is short is drawn from the account reserve.',
  );
  assert.equal(
    step(CARMAX, 'capped'),
    'Second ("capped"), the reviewer fee, with what is unpaid from earlier dates; but at most 175,000 in a calendar year; what is short is ' +
      'drawn from the account reserve.',
  );
  assert.equal(step(CARMAX, 'residual'), 'Fourteenth ("residual"), to the holder of the residual R, all that is left.');
});

const principal = (amount: Step['amount']): string => {
  const [{ text = '' } = {}] = explainStructure({
    tranches: [
      { tranche: 'A-1', balance: 60 },
      { tranche: 'B', balance: 20 },
      { tranche: 'R', class: 'RESIDUAL', balance: 0 },
    ],
    waterfall: [
      { pay: 'PRINCIPAL', to: ['A-1'], amount },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  }).steps;
  return text.replace(/^First, .*?, principal (equal to )?/, '').replace(/, at most their balances\.$/, '');
};

test('amounts within amounts are read with marks for each level', () => {
  assert.equal(
    principal({
      max_of: [
        {
          minus: [
            { percent: 14.75, of: 'POOL_CURRENT' },
            { percent: 100, of: 'ACCOUNT:reserve' },
          ],
        },
        { min_of: [{ percent: 0.5, of: 'POOL_ORIGINAL' }, 2_000_000] },
      ],
    }),
    'the greater of (i) the excess of 14.75 % of the pool balance over the balance of the account reserve and (ii) the lesser of ' +
      '(a) 0.5 % of the pool balance at the cut-off date and (b) 2,000,000',
  );
  assert.equal(
    principal({
      percent: {
        share_of: ['A-1'],
        shift: [
          { from_period: 1, value: 100 },
          { from_period: 60, value: 70 },
        ],
      },
      of: 'PREPAID',
    }),
    'a percentage (the share of the Class A-1 notes in the pool balance at the beginning of the period plus a part of the remaining share ' +
      '(100 % from period 1 and 70 % from period 60)) of the prepaid principal of the period',
  );
  assert.equal(
    principal({ if: 'step-down', then: { sum_of: [1, 2, 3] }, else: { minus: [9, 4, 5] } }),
    'the sum of (i) 1, (ii) 2 and (iii) 3 while "step-down" is on, and otherwise the excess of 9 over the sum of (i) 4 and (ii) 5',
  );
  assert.equal(
    principal({ target: 'OC', percent: 12.5, of: 'POOL_CURRENT', floor: { percent: 1, of: 'POOL_ORIGINAL' } }),
    'the excess of the balance of all notes over the pool balance less the overcollateralisation target (12.5 % of the pool balance, but at ' +
      'least 1 % of the pool balance at the cut-off date)',
  );
  assert.equal(
    principal({
      schedule: [
        { period: 1, balance: 50.5 },
        { period: 2, balance: 40 },
      ],
    }),
    'in the amount that brings their balance to its plan: 50.50 in period 1 and 40 in period 2.',
  );
});

/** Structures that have every field of the language, with values that no other field has. */
const everyTest: Partial<Trigger> = { interpolate: 'LINEAR', consecutive: 811, of_tranches: ['A-1'] };
const triggers: Trigger[] = [
  { trigger: 'oc', metric: 'OC', op: 'lt', value: 812.5, ...everyTest, curable: true, cure_periods: 813, clause: 'Clause t' },
  {
    trigger: 'losses',
    metric: 'CUMULATIVE_NET_LOSS',
    op: 'gt',
    schedule: [{ from_period: 814, value: 81.5 }],
    curable: false,
    cure_periods: 815,
  },
  { trigger: 'ratio', ratio: [816, 817], op: 'gte', value: 818, average: 819, after_payment: true },
  {
    trigger: 'any',
    any_of: [
      { metric: 'DATE', op: 'gt', value: '2031-01-02' },
      { metric: 'DELINQUENT_60_AVG3', op: 'lte', value: 82.25 },
    ],
  },
  {
    trigger: 'all',
    all_of: [
      { metric: 'NOTE_BALANCE', op: 'lt', value: 821, of_tranches: ['B'] },
      { ratio: [1, 822], op: 'lte', value: 823 },
    ],
  },
  { trigger: 'default', declared: true },
];
const EVERYTHING: Structure = {
  payment: {
    first_payment_date: '2031-02-03',
    payment_day: 29,
    frequency: 'QUARTERLY',
    business_day: 'MODIFIED_FOLLOWING',
    calendar: 'TARGET',
    dated_date: '2031-01-04',
    first_accrual: 'ACTUAL',
    delay_months: 17,
    first_collection_months: 18,
    rounding: 'CENT',
  },
  pool: { adjustment: { kind: 'PRESENT_VALUE', rate: 6.31, applies: 'BELOW' } },
  interest_on_shortfall: true,
  losses: { mode: 'REVERSE_SEQUENTIAL', write_up: true },
  fixings: { SOFR30A: [{ date: '2031-01-05', rate: 5.31234 }] },
  clean_up_call: { percent: 10.5, exercised: true },
  tranches: [
    {
      tranche: 'A-1',
      class: 'senior',
      balance: 60_000_001,
      coupon: {
        type: 'FLOATING',
        index: 'SOFR30A',
        margin_bp: 58.5,
        multiplier: -2.5,
        reset: { lag_days: 21, every_months: 22 },
        cap: 'NET_WAC',
        floor: 0.125,
        carry_over: true,
      },
      day_count: 'ACT/ACT',
      seniority: 31,
      interest: 'PAY',
      interest_on_shortfall: false,
      denomination: 1_001,
      increment: 1_002,
      rating: 'AA+',
      final_maturity: '2041-01-06',
      erisa_eligible: true,
      offered_yield: 7.125,
      clause: 'Clause a',
    },
    {
      tranche: 'B',
      balance: 9_000_000,
      coupon: {
        type: 'FIXED',
        rate: [
          { from_period: 41, value: 4.75 },
          { from_date: '2032-01-07', value: 5.75 },
        ],
        cap: 8.875,
        floor: 'NET_WAC',
      },
      interest: 'ACCRUE_UNTIL',
      accrue_until: ['A-1'],
    },
    { tranche: 'X', notional: { percent: 87.5, of: 'NOTES', of_tranches: ['A-1'], floor: 43 }, coupon: { type: 'EXCESS' } },
    { tranche: 'R', class: 'RESIDUAL', balance: 0 },
  ],
  accounts: [
    {
      account: 'spread',
      kind: 'COLLECTION',
      initial: 51_000,
      target: { max_of: [52_000, { percent: 1.53, of: 'ACCOUNT:spread' }] },
      non_declining: true,
      draws: ['FEE', 'step:turbo'],
      earns: { rate: 2.54, margin_bp: 55.5 },
      float_days: 56,
      income_to: 'POT',
      release_to: 'B',
      clause: 'Clause b',
    },
    { account: 'second', earns: { index: 'PRIME' }, draws: [], release_to: 'RESIDUAL' },
  ],
  fees: [
    {
      fee: 'servicing',
      percent: 1.61,
      of: 'POOL_ORIGINAL',
      amount_per_year: 62_000,
      one_off: { period: 63, amount: 64_000 },
      billed: true,
      clause: 'Clause c',
    },
  ],
  waterfall: [
    {
      step: 'fees',
      pay: 'FEE',
      to: ['servicing'],
      limit: { amount: 71_000, per: 'YEAR' },
      when: { any_of: ['oc', 'losses'] },
      clause: 'Clause d',
    },
    { pay: 'INTEREST', to: ['A-1', 'B', 'X'], order: 'PRO_RATA', unless: { all_of: ['ratio', 'any'] } },
    {
      step: 'turbo',
      pay: 'PRINCIPAL',
      to: [['A-1', 'B']],
      weights: 'ORIGINAL',
      amount: {
        if: 'all',
        then: {
          sum_of: [
            { target: 'NOTES', amount: 72 },
            { minus: [73, 74] },
            { min_of: [75, { schedule: [{ period: 76, balance: 77 }] }] },
          ],
        },
        else: {
          target: 'OC',
          percent: { share_of: ['A-1'], shift: [{ from_period: 78, value: 79.5 }] },
          of: 'POOL_ADJUSTED',
          floor: 80.25,
          of_tranches: ['A-1'],
        },
      },
      when: 'default',
    },
    { pay: 'CARRY_OVER', to: ['A-1'] },
    { pay: 'WRITTEN_DOWN', to: ['A-1', 'B'] },
    { pay: 'RESERVE', to: ['spread'] },
    { pay: 'RESIDUAL', to: ['R'] },
  ],
  triggers,
};
const { clean_up_call: _none, ...others } = EVERYTHING;
/** What excludes something in the first. */
const OTHER: Structure = {
  ...others,
  pool: {
    adjustment: [
      { from_period: 0, value: 91_000 },
      { from_period: 92, value: 93_000 },
    ],
  },
  calls: [
    {
      call: 'optional',
      any_of: [{ metric: 'PERIOD', op: 'gte', value: 94 }],
      price: { percent: 95.5, of: 'POOL_CURRENT' },
      exercised: false,
      clause: 'Clause e',
    },
  ],
};

/** The words that stand in the place of a value, each with another of its kind. */
const OTHER_WORDS: Record<string, string> = {
  'target OC': 'NOTES',
  'target NOTES': 'OC',
  QUARTERLY: 'ANNUAL',
  MODIFIED_FOLLOWING: 'FOLLOWING',
  TARGET: 'US_FED',
  ACTUAL: 'FULL',
  CENT: 'NONE',
  BELOW: 'ALL',
  REVERSE_SEQUENTIAL: 'NONE',
  'ACT/ACT': 'ACT/360',
  NET_WAC: 'ALL',
  COLLECTION: 'RESERVE',
  POT: 'ACCOUNT',
  PRO_RATA: 'SEQUENTIAL',
  ORIGINAL: 'CURRENT',
  LINEAR: 'NONE',
  OC: 'EXCESS_SPREAD',
  NOTES: 'NOTES_ORIGINAL',
  gt: 'lt',
  lt: 'gt',
  gte: 'lte',
  lte: 'gte',
};

type Leaf = { path: (string | number)[]; value: unknown };
function leavesOf(value: unknown, path: (string | number)[] = []): Leaf[] {
  if (Array.isArray(value)) return value.flatMap((each, place) => leavesOf(each, [...path, place]));
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, each]) => leavesOf(each, [...path, key]));
  return [{ path, value }];
}
function changed(structure: Structure, { path, value }: Leaf): Structure | null {
  const other =
    typeof value === 'number'
      ? value + 1
      : typeof value === 'boolean'
        ? !value
        : /^\d{4}-/.test(String(value))
          ? '2051-11-12'
          : (OTHER_WORDS[`${path[path.length - 1]} ${String(value)}`] ?? OTHER_WORDS[String(value)]);
  if (other === undefined) return null;
  const copy: unknown = structuredClone(structure);
  let at = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  at[path[path.length - 1] as string] = other;
  return copy as Structure;
}
const textOf = (structure: Structure): string => JSON.stringify(explainStructure(structure));

/** A percentage of 100 is not said, kinds of step and forms are other sentences, `interest: PAY` is the default. */
const UNSAID = new Set(['pay', 'kind', 'type', 'per']);

test('whatever value of a structure is changed, some sentence changes', () => {
  for (const structure of [EVERYTHING, OTHER]) {
    const said = textOf(structure);
    for (const leaf of leavesOf(structure)) {
      const other = changed(structure, leaf);
      if (other) assert.notEqual(textOf(other), said, `no sentence says ${leaf.path.join('.')}`);
    }
  }
});

test('every number, date and name of a structure stands in the text', () => {
  for (const structure of [EVERYTHING, OTHER, CARMAX]) {
    const text = textOf(structure).replaceAll('\\"', '"');
    const numbers = new Set([...text.matchAll(/-?\d[\d,]*(\.\d+)?/g)].map(([each]) => Number(each.replaceAll(',', ''))));
    for (const { path, value } of leavesOf(structure)) {
      const field = String(path.findLast((key) => typeof key === 'string'));
      if (typeof value === 'number') {
        if (
          !(field === 'percent' && value === 100) &&
          !(field === 'balance' && value === 0) &&
          !(field === 'from_period' && value === 0)
        )
          assert.ok(numbers.has(value), `${path.join('.')}: ${value}`);
      } else if (typeof value === 'string' && !UNSAID.has(field) && !/^[A-Z0-9_:/]{3,}$/.test(value)) {
        const name = value.replace(/^(step|ACCOUNT):/, '').replace(/-?\*$/, '');
        if (!['lt', 'gt', 'lte', 'gte', 'OC'].includes(value)) assert.ok(text.includes(name), `${path.join('.')}: ${value}`);
      }
    }
  }
});

test('the structures of these tests have every field of the language', () => {
  const seen = new Set([...leavesOf(EVERYTHING), ...leavesOf(OTHER)].flatMap(({ path }) => path.map(String)));
  const fields = new Set<string>();
  const collect = (schema: unknown): void => {
    if (Array.isArray(schema)) for (const each of schema) collect(each);
    else if (typeof schema === 'object' && schema !== null) {
      for (const [key, each] of Object.entries(schema)) {
        if (key === 'properties') for (const field of Object.keys(each as object)) fields.add(field);
        collect(each);
      }
    }
  };
  collect(StructureSchema);
  assert.deepEqual(
    [...fields].filter((field) => !seen.has(field)),
    [],
  );
});

test('every metric has words, and an average of three periods says so', () => {
  for (const metric of METRICS) {
    const trigger: Trigger = { trigger: 'x', metric, op: 'gt', value: metric === 'DATE' ? '2031-01-01' : 3 };
    const [said] = explainStructure({ ...EVERYTHING, triggers: [trigger] }).triggers;
    assert.doesNotMatch(said.text, /undefined|[A-Z]{3}_/, metric);
  }
  const [mean] = explainStructure({
    ...EVERYTHING,
    triggers: [{ trigger: 'x', metric: 'OC_AVG3', op: 'lt', value: 2 }],
  }).triggers;
  assert.match(mean.text, /as a mean of at most the last 3 periods, is below 2 %/);
});
