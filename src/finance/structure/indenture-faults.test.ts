import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, sequential } from '../../../test/support/structures.ts';
import type { Amount } from './amount.ts';
import type { Coupon, Step, Structure, Test, Tranche } from './structure.ts';
import { findLeftOut, validateStructure } from './validate.ts';

/* What the second edition of the language refuses, with the path at which it stands. */

const POOL = { balance: 1000, cut_off_date: '2026-11-30', closing_date: '2026-12-15' };

const IO: Tranche = { tranche: 'IO', notional: { percent: 100, of: 'NOTES' }, coupon: { type: 'FIXED', rate: 1 } };

function deal(): Structure {
  return sequential([note('A', 600, 5, 1), note('B', 300, 6, 2)], {
    tranches: [note('A', 600, 5, 1), note('B', 300, 6, 2), structuredClone(IO), { tranche: 'R', class: 'RESIDUAL', balance: 0 }],
    accounts: [{ account: 'reserve', target: 10, draws: ['step:interest'], release_to: 'RESIDUAL' }],
    fees: [{ fee: 'servicing', percent: 1 }],
    triggers: [{ trigger: 'late', metric: 'DATE', op: 'gte', value: '2030-01-15' }],
    calls: [{ call: 'optional', any_of: [{ metric: 'POOL_FACTOR', op: 'lte', value: 10 }] }],
    waterfall: [
      { pay: 'FEE', to: ['servicing'], limit: { amount: 5, per: 'YEAR' } },
      { step: 'interest', pay: 'INTEREST', to: ['A', 'B', 'IO'] },
      { pay: 'PRINCIPAL', to: [['A', 'B']], weights: 'ORIGINAL', amount: { target: 'NOTES', percent: 100, of: 'POOL_CURRENT' } },
      { pay: 'RESERVE', to: ['reserve'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  });
}

const issuesOf = (structure: Structure) => validateStructure(structure, POOL).issues;

test('a structure in the words of the second edition has no issues', () => assert.deepEqual(issuesOf(deal()), []));

type Damage = (structure: Structure) => unknown;
const step = (structure: Structure, index: number): Step => structure.waterfall[index];
const amountIs =
  (amount: Amount): Damage =>
  (s) =>
    (step(s, 2).amount = amount);
const couponIs =
  (coupon: Coupon): Damage =>
  (s) =>
    (s.tranches[1].coupon = coupon);
const testIs =
  (test: Partial<Test>): Damage =>
  (s) =>
    (s.triggers = [{ trigger: 'late', ...test }]);
/** Lists in each other, so many. */
const nest = (depth: number): Amount => (depth === 0 ? 1 : { max_of: [nest(depth - 1)] });
const loose = (amount: unknown) => amount as Amount;

const FAULTS: [name: string, path: string, message: RegExp, damage: Damage][] = [
  [
    'draws for an unknown step',
    'accounts[0].draws[0]',
    /unknown step "step:x"; expected one of step:1, step:interest/,
    (s) => (s.accounts![0].draws = ['step:x']),
  ],
  [
    'has a pattern that matches nothing',
    'waterfall[2].amount.of_tranches[0]',
    /"C\*" stands for no tranche/,
    amountIs({ target: 'NOTES', amount: 1, of_tranches: ['C*'] }),
  ],
  [
    'has a pattern that matches a notional tranche alone',
    'waterfall[2].amount.of_tranches[0]',
    /"I\*" stands for no tranche/,
    amountIs({ target: 'NOTES', amount: 1, of_tranches: ['I*'] }),
  ],
  [
    'has weights without a group',
    'waterfall[2].weights',
    /only the groups of a PRINCIPAL step have weights/,
    (s) => (step(s, 2).to = ['A', 'B']),
  ],
  [
    'pays a tranche twice in a step',
    'waterfall[1].to',
    /"A" is in the list twice/,
    (s) => (step(s, 1).to = ['A', ['B', 'IO', 'A']]),
  ],
  [
    'has a tranche in two groups',
    'waterfall[3].to',
    /"A" is in two groups/,
    (s) => s.waterfall.splice(3, 0, { pay: 'PRINCIPAL', to: [['A', 'B']] }),
  ],
  [
    'carries over without a cap',
    'tranches[1].coupon.carry_over',
    /has no cap/,
    couponIs({ type: 'FIXED', rate: 6, carry_over: true }),
  ],
  [
    'carries over without a step',
    'tranches[1].coupon.carry_over',
    /no CARRY_OVER step pays tranche "B"/,
    couponIs({ type: 'FIXED', rate: 6, cap: 5, carry_over: true }),
  ],
  [
    'has a fee that no step pays',
    'fees[1]',
    /no FEE step pays fee "setup"/,
    (s) => s.fees!.push({ fee: 'setup', one_off: { period: 1, amount: 5 } }),
  ],
  [
    'limits principal by the year',
    'waterfall[2].limit.per',
    /only a FEE step has a limit of a year/,
    (s) => (step(s, 2).limit = { amount: 5, per: 'YEAR' }),
  ],
  [
    'reads an adjusted pool that it does not have',
    'waterfall[2].amount.of',
    /POOL_ADJUSTED needs pool.adjustment/,
    amountIs({ percent: 1, of: 'POOL_ADJUSTED' }),
  ],
  [
    'compares a date with a number',
    'triggers[0].value',
    /is no date, expected a date/,
    testIs({ metric: 'DATE', op: 'gte', value: 5 }),
  ],
  [
    'compares a number with a date',
    'triggers[0].value',
    /is a date, expected a number/,
    testIs({ metric: 'PERIOD', op: 'gte', value: '2030-01-15' }),
  ],
  ['has an empty list', 'waterfall[2].amount.min_of', /expected one amount or more/, amountIs({ min_of: [] })],
  [
    'nests lists above 4',
    'waterfall[2].amount.max_of[0].max_of[0].max_of[0].max_of[0].max_of[0]',
    /at most 4 deep/,
    amountIs(nest(5)),
  ],
  [
    'releases to a tranche that is not there',
    'accounts[0].release_to',
    /unknown receiver "X"/,
    (s) => (s.accounts![0].release_to = 'X'),
  ],
  [
    'releases without a RESERVE step',
    'accounts[0].release_to',
    /no RESERVE step has account "reserve"/,
    (s) => s.waterfall.splice(3, 1),
  ],
  ['has a wrong operator', 'triggers[0].op', /the word is gte/, testIs({ metric: 'PERIOD', op: 'ge' as 'gte', value: 1 })],
  [
    'has a wrong metric',
    'triggers[0].metric',
    /OC with of_tranches/,
    testIs({ metric: 'CREDIT_ENHANCEMENT' as 'OC', op: 'lt', value: 1 }),
  ],
  ['has both kinds of calls', 'clean_up_call', /either clean_up_call or calls/, (s) => (s.clean_up_call = { percent: 10 })],
  [
    'has two sizes of a target',
    'waterfall[2].amount',
    /either amount, or percent and of/,
    amountIs({ target: 'OC', amount: 5, percent: 1, of: 'POOL_CURRENT' }),
  ],
  [
    'has a floor beside the amount of a target',
    'waterfall[2].amount.floor',
    /say \{max_of: \[amount, floor\]\}/,
    amountIs({ target: 'OC', amount: 5, floor: 3 }),
  ],
  [
    'has an unknown trigger in an amount',
    'waterfall[2].amount.if',
    /unknown trigger "x"; expected one of late/,
    amountIs({ if: 'x', then: 1, else: 2 }),
  ],
  [
    'tests what a trigger decides',
    'triggers[0].value.if',
    /may not depend on a trigger/,
    testIs({ metric: 'OC', op: 'lt', value: { if: 'late', then: 1, else: 2 } }),
  ],
  [
    'names a step twice',
    'waterfall[3]',
    /"interest" is already the name of waterfall\[1\]/,
    (s) => (step(s, 3).step = 'interest'),
  ],
  [
    'has a name that is the number of another step',
    'waterfall[3]',
    /"1" is already the name of waterfall\[0\]/,
    (s) => (step(s, 3).step = '1'),
  ],
  [
    'has a notional tranche of a notional tranche',
    'tranches[2].notional',
    /is of the notional tranche IO -> IO/,
    (s) => (s.tranches[2].notional = { percent: 1, of: 'NOTES', of_tranches: ['IO'] }),
  ],
  ['has a notional tranche with a balance', 'tranches[2].balance', /has no balance/, (s) => (s.tranches[2].balance = 5)],
  [
    'pays principal to a notional tranche',
    'tranches[2]',
    /PRINCIPAL step pays tranche "IO", which is notional/,
    (s) => (step(s, 2).to = [['A', 'B'], 'IO']),
  ],
  // Schedules.
  [
    'has no value in the first period',
    'waterfall[2].amount[0].from_period',
    /expected 1: there is no value before it/,
    amountIs([{ from_period: 2, value: 1 }]),
  ],
  [
    'has no value on the first payment date',
    'waterfall[2].amount[0].from_date',
    /is 2027-01-16, expected at most 2027-01-15, the first payment date/,
    amountIs([{ from_date: '2027-01-16', value: 1 }]),
  ],
  [
    'has no rate in the first accrual',
    'tranches[1].coupon.rate[0].from_date',
    /is 2027-01-15, expected at most 2026-12-15, the day from which interest accrues/,
    couponIs({ type: 'FIXED', rate: [{ from_date: '2027-01-15', value: 5 }] }),
  ],
  [
    'limits a year by less than nothing',
    'waterfall[0].limit.amount',
    /is -5, expected at least 0/,
    (s) => (step(s, 0).limit = { amount: -5, per: 'YEAR' }),
  ],
  [
    'pays a negative coupon while a trigger is on',
    'tranches[1].coupon.rate.then',
    /is -3, expected at least 0/,
    couponIs({ type: 'FIXED', rate: { if: 'late', then: -3, else: 5 } }),
  ],
  [
    'steps a coupon up beyond all',
    'tranches[1].coupon.rate[1].value',
    /is 510, expected at most 100/,
    couponIs({
      type: 'FIXED',
      rate: [
        { from_period: 1, value: 5.1 },
        { from_period: 2, value: 510 },
      ],
    }),
  ],
  [
    'sizes a target by a negative share',
    'waterfall[2].amount.percent',
    /is -100, expected at least 0/,
    amountIs({ target: 'NOTES', percent: -100, of: 'POOL_CURRENT' }),
  ],
  [
    'has a floor below nothing',
    'accounts[0].target.floor',
    /is -250, expected at least 0/,
    (s) => (s.accounts![0].target = { percent: 1, of: 'POOL_ORIGINAL', floor: -250 }),
  ],
  [
    'deducts what has no value yet',
    'waterfall[2].limit.minus[1][0].from_period',
    /expected 1/,
    (s) => (step(s, 2).limit = { minus: [100, [{ from_period: 3, value: 5 }]] }),
  ],
  [
    'has no adjustment in the first period',
    'pool.adjustment[0].from_period',
    /is 2, expected 1/,
    (s) => (s.pool = { adjustment: [{ from_period: 2, value: 5 }] }),
  ],
  [
    'has no adjustment at closing, which an amount reads',
    'pool.adjustment[0].from_period',
    /is 1, expected 0/,
    (s) => {
      s.pool = { adjustment: [{ from_period: 1, value: 5 }] };
      step(s, 2).amount = { percent: 1, of: 'POOL_ADJUSTED_ORIGINAL' };
    },
  ],
  // Money where a percentage or a rate stands.
  [
    'has a percentage that is money',
    'waterfall[2].amount.percent.sum_of[1].percent',
    /a percentage or a rate stands here/,
    amountIs({ percent: { sum_of: [1, { percent: 5, of: 'NOTES' }] }, of: 'NOTES' }),
  ],
  [
    'has a coupon that is money',
    'tranches[1].coupon.rate.percent',
    /a percentage or a rate stands here/,
    couponIs({ type: 'FIXED', rate: { percent: 5, of: 'NOTES' } }),
  ],
  [
    'tests a percentage against money',
    'triggers[0].value.percent',
    /a percentage or a rate stands here/,
    testIs({ metric: 'OC', op: 'lt', value: { percent: 5, of: 'POOL_ORIGINAL' } }),
  ],
  // Amounts in amounts, whose shape the schema of the field does not know.
  [
    'has an unknown field in a point',
    'waterfall[2].amount.max_of[0][0].until',
    /no field "until"/,
    amountIs({ max_of: [loose([{ from_period: 1, value: 1, until: 3 }])] }),
  ],
  [
    'has a period that is none',
    'waterfall[2].amount.max_of[0][0].from_period',
    /integer/,
    amountIs({ max_of: [[{ from_period: 1.5, value: 1 }]] }),
  ],
  [
    'has a date that is none',
    'waterfall[2].amount.max_of[0][0].from_date',
    /date/,
    amountIs({ max_of: [[{ from_date: 'soon', value: 1 }]] }),
  ],
  [
    'has a name in place of names',
    'waterfall[2].amount.max_of[0].of_tranches',
    /array/,
    amountIs({ max_of: [loose({ percent: 1, of: 'NOTES', of_tranches: 'A' })] }),
  ],
  [
    'has a base that is no text',
    'waterfall[2].amount.max_of[0].of',
    /string/,
    amountIs({ max_of: [loose({ percent: 1, of: 5 })] }),
  ],
  [
    'has an unknown target',
    'waterfall[2].amount.max_of[0].target',
    /allowed values/,
    amountIs({ max_of: [loose({ target: 'PARITY', amount: 5 })] }),
  ],
  [
    'has a plan without balances',
    'waterfall[2].amount.max_of[0].schedule',
    /array/,
    amountIs({ max_of: [loose({ schedule: 5 })] }),
  ],
  [
    'has nothing for an amount',
    'waterfall[2].amount.max_of[0]',
    /is null, expected an amount/,
    amountIs({ max_of: [loose(null)] }),
  ],
  [
    'has nothing for a notional',
    'tranches[2].notional.sum_of[0]',
    /is null, expected an amount/,
    (s) => (s.tranches[2].notional = { sum_of: [loose(null)] }),
  ],
  [
    'has an unknown field in a form',
    'waterfall[2].amount.max_of[0].plus',
    /no field "plus" beside percent/,
    amountIs({ max_of: [loose({ percent: 1, of: 'NOTES', plus: 1 })] }),
  ],
  // Calls.
  [
    'calls by a mean',
    'calls[0].any_of[0].metric',
    /tested on its payment date alone/,
    (s) => (s.calls![0].any_of = [{ metric: 'OC_AVG3', op: 'lt', value: 1 }]),
  ],
  [
    'calls by periods in a row',
    'calls[0].any_of[0].consecutive',
    /tested on its payment date alone/,
    (s) => (s.calls![0].any_of[0].consecutive = 2),
  ],
  // Names that another reading would mix up.
  [
    'has two names that only a blank tells apart',
    'triggers[1]',
    /already the name of triggers\[0\]/,
    (s) => {
      const test = { metric: 'OC', op: 'lt', value: 1 } as const;
      s.triggers = [
        { trigger: 'thin', ...test },
        { trigger: 'thin ', ...test },
      ];
    },
  ],
  ['has a tranche whose name is a pattern', 'tranches[0].tranche', /ends in \*/, (s) => (s.tranches[0].tranche = 'A*')],
  // Amounts that wait for each other.
  ['has a fee of all fees', 'fees[0]', /fee servicing -> fee servicing/, (s) => (s.fees![0].of = 'FEES_DUE')],
  [
    'has a fee of interest whose cap the fee decides',
    'fees[0]',
    /fee servicing -> interest of B -> NET_WAC -> fee servicing/,
    (s) => {
      s.tranches[1].coupon = { type: 'FIXED', rate: 6, cap: 'NET_WAC' };
      s.fees![0].of = 'INTEREST_DUE';
    },
  ],
  [
    'has a limit of fees by interest whose cap the fees decide',
    'waterfall[0].limit',
    /limit of step 1 -> interest of B -> NET_WAC -> limit of step 1/,
    (s) => {
      s.tranches[1].coupon = { type: 'FIXED', rate: 6, cap: 'NET_WAC' };
      step(s, 0).limit = { percent: 5, of: 'INTEREST_DUE', of_tranches: ['B'] };
    },
  ],
  [
    'has a notional of its own interest',
    'tranches[2]',
    /interest of IO -> interest of IO/,
    (s) => (s.tranches[2].notional = { percent: 100, of: 'INTEREST_DUE' }),
  ],
  [
    'has tranches that wait for each other',
    'tranches[0].accrue_until',
    /A -> B -> A/,
    (s) => {
      for (const [place, other] of ['B', 'A'].entries())
        Object.assign(s.tranches[place], { interest: 'ACCRUE_UNTIL', accrue_until: [other] });
    },
  ],
];

for (const [name, path, message, damage] of FAULTS) {
  test(`a structure that ${name} is refused, with the path`, () => {
    const structure = deal();
    damage(structure);
    const issues = issuesOf(structure);
    const found = issues.find((issue) => issue.path === path);
    assert.ok(found, JSON.stringify(issues));
    assert.match(found.message, message);
  });
}

test('a metric of tranches may be a mean of periods', () => {
  const structure = deal();
  structure.triggers = [{ trigger: 'thin', metric: 'OC_AVG3', op: 'lt', value: 5, of_tranches: ['A'] }];
  assert.deepEqual(issuesOf(structure), []);
});

test('money is tested against money, and a fee may be a senior share', () => {
  const structure = deal();
  structure.triggers = [{ trigger: 'late', metric: 'NOTE_BALANCE_AVG3', op: 'lt', value: { percent: 5, of: 'POOL_ORIGINAL' } }];
  structure.fees = [{ fee: 'servicing', percent: { share_of: ['A'], shift: 0 } }];
  assert.deepEqual(issuesOf(structure), []);
});

test('an amount of endless depth is refused and breaks nothing', () => {
  let amount: Amount = 1;
  for (let depth = 0; depth < 50_000; depth++) amount = { percent: amount, of: 'NOTES' };
  const structure = deal();
  step(structure, 2).amount = amount;
  structure.tranches[2].notional = amount;
  const [issue] = issuesOf(structure);
  assert.match(issue.message, /at most 12 deep/);
});

test('what the language leaves out is refused with a sentence', () => {
  for (const field of ['revolving_period', 'prefunding', 'swaps', 'prepayment_penalties', 'collateral_groups']) {
    const [issue] = findLeftOut({ ...deal(), [field]: {} });
    assert.equal(issue.path, field);
    assert.match(issue.message, /the language has no words for/);
  }
});
