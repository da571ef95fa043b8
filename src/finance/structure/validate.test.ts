import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Value } from 'typebox/value';
import { note, RESIDUAL, sequential } from '../../../test/support/structures.ts';
import { type Structure, StructureSchema } from './structure.ts';
import { validateStructure } from './validate.ts';

const POOL = { balance: 1000, cut_off_date: '2026-11-30', closing_date: '2026-12-15' };

function deal(): Structure {
  return sequential([note('A', 600, 5, 1), note('B', 300, 6, 2)], {
    accounts: [{ account: 'reserve', target: { percent: 1, of: 'POOL_ORIGINAL' } }],
    fees: [{ fee: 'servicing', percent: 1 }],
    triggers: [{ trigger: 'cnl', metric: 'CUMULATIVE_NET_LOSS', op: 'gt', value: 2 }],
    waterfall: [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'INTEREST', to: ['A', 'B'], unless: 'cnl' },
      { pay: 'PRINCIPAL', to: ['A', 'B'] },
      { pay: 'RESERVE', to: ['reserve'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  });
}

test('a sound structure has the shape of the schema and no issues', () => {
  assert.deepEqual([...Value.Errors(StructureSchema, deal())], []);
  assert.deepEqual(validateStructure(deal(), POOL), { ok: true, issues: [] });
});

type Damage = (structure: Structure) => void;
const step = (structure: Structure, index: number) => structure.waterfall[index];
const tranche = (structure: Structure, index: number) => structure.tranches[index];

const FAULTS: [name: string, path: string, message: RegExp, damage: Damage][] = [
  [
    'names an unknown tranche',
    'waterfall[2].to[1]',
    /unknown tranche "X"; expected one of A, B, R/,
    (s) => (step(s, 2).to = ['A', 'X', 'B']),
  ],
  ['names an unknown fee', 'waterfall[0].to[1]', /unknown fee "trustee"/, (s) => (step(s, 0).to = [...step(s, 0).to, 'trustee'])],
  ['has a fee that no step pays', 'fees[0]', /no FEE step pays fee "servicing"/, (s) => void s.waterfall.shift()],
  ['names an unknown account', 'waterfall[3].to[0]', /unknown account "spread"/, (s) => (step(s, 3).to = ['spread'])],
  ['names an unknown trigger', 'waterfall[1].unless', /unknown trigger "dq"/, (s) => (step(s, 1).unless = 'dq')],
  [
    'does not end with RESIDUAL',
    'waterfall[3]',
    /last step pays RESERVE, expected RESIDUAL/,
    (s) => {
      s.waterfall.pop();
      s.tranches.pop();
    },
  ],
  ['lets a trigger stop the last step', 'waterfall[4].when', /must take all remaining cash/, (s) => (step(s, 4).when = 'cnl')],
  [
    'has no steps',
    'waterfall',
    /no steps/,
    (s) => {
      s.waterfall = [];
      s.tranches = [];
    },
  ],
  ['never pays principal to a note', 'tranches[1]', /no PRINCIPAL step pays tranche "B"/, (s) => (step(s, 2).to = ['A'])],
  ['never pays interest to a note', 'tranches[0]', /no INTEREST step pays tranche "A"/, (s) => (step(s, 1).to = ['B'])],
  ['never pays the residual', 'tranches[2]', /no step pays tranche "R"/, (s) => (step(s, 4).to = ['A'])],
  [
    'has two tranches of one name',
    'tranches[1]',
    /"A" is already the name of tranches\[0\]/,
    (s) => {
      tranche(s, 1).tranche = 'A';
      step(s, 1).to = ['A'];
      step(s, 2).to = ['A'];
    },
  ],
  [
    'accretes without an end',
    'tranches[1].accrue_until',
    /names no tranche to wait for/,
    (s) => (tranche(s, 1).interest = 'ACCRUE_UNTIL'),
  ],
  [
    'gives an amount to an interest step',
    'waterfall[1].amount',
    /only a PRINCIPAL step has an amount/,
    (s) => (step(s, 1).amount = 'ALL'),
  ],
  [
    'has a fee without a size',
    'fees[0]',
    /none of percent, amount_per_year, one_off, billed/,
    (s) => (s.fees = [{ fee: 'servicing' }]),
  ],
];

for (const [name, path, message, damage] of FAULTS) {
  test(`a structure is refused as WATERFALL_INVALID when it ${name}`, () => {
    const structure = deal();
    damage(structure);
    const { ok, issues } = validateStructure(structure, POOL);
    assert.equal(ok, false);
    assert.deepEqual(
      issues.map((issue) => [issue.code, issue.path]),
      [['WATERFALL_INVALID', path]],
      JSON.stringify(issues),
    );
    assert.match(issues[0].message, message);
  });
}

test('tranches that wait for each other are a cycle, reported with its names', () => {
  const structure = deal();
  Object.assign(tranche(structure, 0), { interest: 'ACCRUE_UNTIL', accrue_until: ['B'] });
  Object.assign(tranche(structure, 1), { interest: 'ACCRUE_UNTIL', accrue_until: ['A'] });
  const { issues } = validateStructure(structure, POOL);
  assert.deepEqual(
    issues.map(({ code, message }) => [code, message]),
    [
      ['WATERFALL_INVALID', 'tranches wait for each other: A -> B -> A'],
      ['WATERFALL_INVALID', 'tranches wait for each other: B -> A -> B'],
    ],
  );
});

test('a note without coupon, or one that accretes, needs no interest step', () => {
  const zero = sequential([note('A', 600, 0, 1), note('Z', 300, 6, 2, { interest: 'ACCRUE_UNTIL', accrue_until: ['A'] })], {
    waterfall: [
      { pay: 'PRINCIPAL', to: ['A', 'Z'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  });
  assert.deepEqual(validateStructure(zero, POOL).issues, []);
});

test('tranches may equal the pool to the cent and not exceed it by one', () => {
  const sized = (balance: number) => sequential([note('A', balance, 5, 1)]);
  assert.equal(validateStructure(sized(1000), POOL).ok, true);
  const { issues } = validateStructure(sized(1000.01), POOL);
  assert.deepEqual(issues, [
    { code: 'TRANCHES_EXCEED_POOL', path: 'tranches', message: 'the tranches add up to $1,000.01, but the pool has $1,000' },
  ]);
});

test('a trigger has exactly one form, a threshold and ascending periods', () => {
  const paths = (trigger: object) => {
    const structure = { ...deal(), triggers: [{ trigger: 'cnl', ...trigger } as NonNullable<Structure['triggers']>[number]] };
    return validateStructure(structure, POOL).issues.map(({ code, path }) => `${code} ${path}`);
  };
  const sound = { metric: 'OC', op: 'lt', value: 1 };
  assert.deepEqual(paths(sound), []);
  assert.deepEqual(paths({}), ['TRIGGER_INVALID triggers[0]']);
  assert.deepEqual(paths({ ...sound, any_of: [sound] }), ['TRIGGER_INVALID triggers[0]']);
  assert.deepEqual(paths({ any_of: [sound, { metric: 'OC', op: 'lt' }] }), ['TRIGGER_INVALID triggers[0].any_of[1]']);
  assert.deepEqual(paths({ metric: 'OC', value: 1 }), ['TRIGGER_INVALID triggers[0].op']);
  const schedule = [
    { from_period: 13, value: 1 },
    { from_period: 1, value: 2 },
  ];
  assert.deepEqual(paths({ metric: 'OC', op: 'lt', schedule }), ['TRIGGER_INVALID triggers[0].schedule[1].from_period']);
});

test('a day that the calendar does not have is refused', () => {
  const structure = sequential([note('A', 600, 5, 1, { final_maturity: '2031-02-30' })]);
  assert.deepEqual(
    validateStructure(structure, POOL).issues.map(({ code, path }) => `${code} ${path}`),
    ['DATE_INVALID tranches[0].final_maturity'],
  );
});

test('payments that begin too late for the calendar are refused', () => {
  const paths = (first_payment_date: string) =>
    validateStructure({ ...deal(), payment: { first_payment_date } }, POOL).issues.map(({ code, path }) => `${code} ${path}`);
  assert.deepEqual(paths('8999-12-31'), []);
  assert.deepEqual(paths('9000-01-01'), ['DATE_INVALID payment.first_payment_date']);
});

test('the schema refuses what is out of bounds or of another type', () => {
  const wrong: object[] = [
    { ...deal(), tranches: [] },
    { ...deal(), tranches: [{ ...RESIDUAL, balance: -1 }] },
    { ...deal(), tranches: [{ ...RESIDUAL, balance: '100' }] },
    { ...deal(), waterfall: [{ pay: 'TIP', to: ['A'] }] },
    { ...deal(), waterfall: [{ pay: 'FEE', to: [] }] },
    { ...deal(), clean_up_call: { percent: 101 } },
    { ...deal(), payment: { payment_day: 32 } },
  ];
  for (const structure of wrong) assert.equal(Value.Check(StructureSchema, structure), false, JSON.stringify(structure));
});

test('fields that the structure does not know are ignored', () => {
  assert.equal(Value.Check(StructureSchema, { ...deal(), note: 'anything' }), true);
});
