import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CARMAX } from '../../../test/support/carmax.ts';
import { note, RESIDUAL, sequential } from '../../../test/support/structures.ts';
import { lintStructure } from './lint.ts';
import type { Step, Structure, Tranche } from './structure.ts';

const found = (structure: Structure, pool: Parameters<typeof lintStructure>[1] = {}): string[] =>
  lintStructure(structure, pool).map(({ code, path }) => `${code} ${path}`);

const A = note('A', 600, 5, 1);
const B = note('B', 300, 6, 2);
const RESIDUAL_STEP: Step = { pay: 'RESIDUAL', to: ['R'] };
const paid = (waterfall: Step[], changes: Partial<Structure> = {}): Structure => ({
  tranches: [A, B, RESIDUAL],
  waterfall: [...waterfall, RESIDUAL_STEP],
  ...changes,
});
const INTEREST: Step = { pay: 'INTEREST', to: ['A', 'B'] };
const PRINCIPAL: Step = { pay: 'PRINCIPAL', to: ['A', 'B'] };
const FEE = { fee: 'trustee', amount_per_year: 12_000 };
const TRIGGER = { trigger: 'cnl', metric: 'CUMULATIVE_NET_LOSS', op: 'gt', value: 2 } as const;

test('a published deal has no findings', () => {
  assert.deepEqual(lintStructure(CARMAX, { balance: 1_612_091_400.06 }), []);
  assert.deepEqual(found(paid([INTEREST, PRINCIPAL])), []);
});

test('a first payment up to the closing date is told', () => {
  const first = (first_payment_date: string): string[] =>
    found(paid([INTEREST, PRINCIPAL], { payment: { first_payment_date } }), { closing_date: '2027-02-28' });
  for (const date of ['2027-02-15', '2027-02-28'])
    assert.deepEqual(first(date), ['PAID_BEFORE_CLOSING payment.first_payment_date'], date);
  assert.deepEqual(first('2027-03-01'), []);
});

test('words that nothing reads for what stands beside them are told', () => {
  const steps: Step[] = [
    { pay: 'FEE', to: ['trustee'] },
    INTEREST,
    { ...PRINCIPAL, unless: 'cnl' },
    { pay: 'RESERVE', to: ['x', 'y'] },
  ];
  const deal = (changes: Partial<Structure> = {}): Structure =>
    paid(steps, {
      fees: [FEE],
      triggers: [TRIGGER],
      accounts: [
        { account: 'x', initial: 5, target: 5 },
        { account: 'y', initial: 5, target: 5 },
      ],
      ...changes,
    });
  const test = { metric: 'OC', op: 'lt', value: 1 } as const;
  const floater = { type: 'FLOATING', index: 'SOFR', margin_bp: 100 } as const;
  const cases: [Partial<Structure>, ...string[]][] = [
    [{}],
    [{ triggers: [{ ...TRIGGER, cure_periods: 2 }] }, 'triggers[0].cure_periods'],
    [{ triggers: [{ ...TRIGGER, curable: true, cure_periods: 2 }] }],
    [{ triggers: [{ ...TRIGGER, interpolate: 'LINEAR' }] }, 'triggers[0].interpolate'],
    [
      { triggers: [{ trigger: 'cnl', any_of: [test], op: 'lt', value: 2, of_tranches: ['A'] }] },
      'triggers[0].op',
      'triggers[0].value',
      'triggers[0].of_tranches',
    ],
    [{ triggers: [{ trigger: 'cnl', declared: true, op: 'gt', curable: true }] }, 'triggers[0].op', 'triggers[0].curable'],
    [{ fees: [{ ...FEE, of: 'NOTES' }] }, 'fees[0].of'],
    [{ fees: [{ ...FEE, billed: true }] }, 'fees[0].amount_per_year'],
    [{ losses: { mode: 'NONE', write_up: true } }, 'losses.write_up'],
    [{ pool: { adjustment: [{ from_period: 0, value: 5 }] } }, 'pool.adjustment'],
    [{ fixings: { SOFT: [{ date: '2026-12-01', rate: 4 }] } }, 'fixings.SOFT'],
    [{ tranches: [{ ...A, coupon: floater }, B, RESIDUAL], fixings: { SOFR: [{ date: '2026-12-01', rate: 4 }] } }],
    [
      {
        tranches: [{ ...A, coupon: { ...floater, reset: { every_months: 4 } } }, B, RESIDUAL],
        payment: { frequency: 'QUARTERLY' },
      },
      'tranches[0].coupon.reset.every_months',
    ],
    [{ tranches: [A, B, { ...RESIDUAL, coupon: { type: 'FIXED', rate: 9 } }] }, 'tranches[2].coupon'],
    [{ tranches: [A, B, { ...RESIDUAL, final_maturity: '2031-01-15' }] }, 'tranches[2].final_maturity'],
    [{ waterfall: [...steps.slice(0, 3), { ...steps[3], order: 'PRO_RATA' }, RESIDUAL_STEP] }, 'waterfall[3].order'],
    [{ waterfall: [...steps.slice(0, 3), { pay: 'RESERVE', to: ['x'] }, RESIDUAL_STEP] }, 'accounts[1].target'],
    [
      {
        accounts: [
          { account: 'x', initial: 5, target: 5, float_days: 9 },
          { account: 'y', initial: 5, target: 5 },
        ],
      },
      'accounts[0].float_days',
    ],
  ];
  const { coupon: _coupon, ...bare } = B;
  const zero: Tranche = { ...B, coupon: { type: 'FIXED', rate: 0 } };
  const off: Step = { ...PRINCIPAL, when: 'cnl', unless: 'cnl' };
  const writtenDown: Step = { pay: 'WRITTEN_DOWN', to: ['A'] };
  cases.push(
    [{ tranches: [A, bare, RESIDUAL] }, 'waterfall[1].to'],
    [{ tranches: [A, zero, RESIDUAL] }],
    [{ waterfall: [...steps, off, RESIDUAL_STEP] }, 'waterfall[4]'],
    [{ waterfall: [...steps, writtenDown, RESIDUAL_STEP] }, 'waterfall[4]'],
    [{ waterfall: [...steps, writtenDown, RESIDUAL_STEP], losses: { mode: 'REVERSE_SEQUENTIAL' } }],
    [
      { waterfall: [...steps, { ...PRINCIPAL, amount: { percent: 100, of: 'ACCRUED_TO_CAPITALISE' } }, RESIDUAL_STEP] },
      'waterfall[4].amount',
    ],
  );
  for (const [changes, ...paths] of cases)
    assert.deepEqual(
      found(deal(changes)),
      paths.map((path) => `NEVER_USED ${path}`),
      JSON.stringify(changes),
    );
});

test('a first payment long after interest begins, and a maturity not after it, are told', () => {
  const deal = (payment: Structure['payment'], final_maturity?: string): string[] =>
    found(
      paid([INTEREST, PRINCIPAL], { payment, tranches: [{ ...A, ...(final_maturity ? { final_maturity } : {}) }, B, RESIDUAL] }),
      {
        closing_date: '2026-12-15',
      },
    );
  assert.deepEqual(deal({ first_payment_date: '2027-01-25', dated_date: '2026-12-01' }), []);
  assert.deepEqual(deal({ first_payment_date: '2027-02-15' }), ['FIRST_ACCRUAL payment.first_accrual']);
  assert.deepEqual(deal({ first_payment_date: '2027-02-15', first_accrual: 'ACTUAL' }), []);
  assert.deepEqual(deal({ first_payment_date: '2027-02-15', frequency: 'QUARTERLY' }), ['FIRST_ACCRUAL payment.first_accrual']);
  assert.deepEqual(deal({ first_payment_date: '2027-03-01', frequency: 'QUARTERLY' }), []);
  assert.deepEqual(deal({ first_payment_date: '2027-01-15' }, '2027-01-15'), ['MATURES_AT_ONCE tranches[0].final_maturity']);
  assert.deepEqual(deal({ first_payment_date: '2027-01-15' }, '2027-02-15'), []);
});

test('notes that only limited steps pay are told', () => {
  const limited: Step = { pay: 'PRINCIPAL', to: ['A', 'B'], limit: 500 };
  assert.deepEqual(found(paid([INTEREST, limited])), ['LIMITED tranches[0]', 'LIMITED tranches[1]']);
  assert.deepEqual(found(paid([INTEREST, limited, { pay: 'PRINCIPAL', to: ['B'] }])), ['LIMITED tranches[0]']);
});

test('percentages that look like fractions are told', () => {
  const structure = paid([INTEREST, PRINCIPAL], {
    tranches: [note('A', 600, 0.051, 1), note('B', 300, 0.12, 2), RESIDUAL],
    calls: [{ call: 'optional', any_of: [{ metric: 'POOL_FACTOR', op: 'lte', value: 0.1 }] }],
  });
  assert.deepEqual(found(structure), ['LIKE_FRACTION tranches[0].coupon.rate', 'LIKE_FRACTION calls[0].any_of[0].value']);
  assert.deepEqual(found(paid([INTEREST, PRINCIPAL], { clean_up_call: { percent: 0.1 } })), [
    'LIKE_FRACTION clean_up_call.percent',
  ]);
  assert.deepEqual(found(paid([INTEREST, PRINCIPAL], { clean_up_call: { percent: 10 } })), []);
});

test('steps and tranches behind one that takes all cash are told, unless a trigger stands between', () => {
  const fees = { fees: [FEE] };
  const turbo: Step = { pay: 'PRINCIPAL', to: ['A'], amount: 'ALL' };
  const late: Step[] = [
    { pay: 'FEE', to: ['trustee'] },
    { pay: 'INTEREST', to: ['B'] },
    { pay: 'PRINCIPAL', to: ['B'] },
  ];
  const first: Step = { pay: 'INTEREST', to: ['A'] };
  assert.deepEqual(found(paid([first, turbo, ...late], fees)), [
    'NEVER_PAID waterfall[2]',
    'NEVER_PAID waterfall[3]',
    'NEVER_PAID tranches[1]',
  ]);
  const gated = paid([first, { ...turbo, when: 'cnl' }, ...late], { ...fees, triggers: [TRIGGER] });
  assert.deepEqual(found(gated), []);
  assert.deepEqual(found(paid([first, { ...turbo, limit: 5 }, ...late], fees)), ['LIMITED tranches[0]']);
  assert.deepEqual(found(paid([INTEREST, PRINCIPAL, RESIDUAL_STEP, { pay: 'FEE', to: ['trustee'] }], fees)), [
    'NEVER_PAID waterfall[3]',
    'NEVER_PAID waterfall[4]',
  ]);
});

test('what is paid twice is told where the first step has no limit and is on whenever the second is', () => {
  const capped = (limit: Partial<Step>): string[] =>
    found(
      paid([{ pay: 'FEE', to: ['trustee'], ...limit }, INTEREST, PRINCIPAL, { pay: 'FEE', to: ['trustee'] }], {
        fees: [{ fee: 'trustee', billed: true }],
        triggers: [TRIGGER],
      }),
    ).filter((each) => !each.startsWith('NEVER_USED'));
  assert.deepEqual(capped({}), ['PAID_TWICE waterfall[3].to']);
  assert.deepEqual(capped({ limit: { amount: 5_000, per: 'YEAR' } }), []);
  assert.deepEqual(capped({ unless: 'cnl' }), []);
  const interest = (first: Partial<Step>, second: Partial<Step>) =>
    found(
      paid([{ ...INTEREST, ...first }, PRINCIPAL, { pay: 'INTEREST', to: ['B'], ...second }], { triggers: [TRIGGER] }),
    ).filter((each) => each.startsWith('PAID_TWICE'));
  assert.deepEqual(interest({}, {}), ['PAID_TWICE waterfall[2].to']);
  assert.deepEqual(interest({}, { when: 'cnl' }), ['PAID_TWICE waterfall[2].to']);
  assert.deepEqual(interest({ unless: 'cnl' }, { when: 'cnl' }), []);
  const reserve: Step = { pay: 'RESERVE', to: ['reserve'] };
  const accounts = [{ account: 'reserve', initial: 10, target: 10 }];
  assert.deepEqual(found(paid([INTEREST, reserve, PRINCIPAL, reserve], { accounts })), ['PAID_TWICE waterfall[3].to']);
});

test('a target that leaves out a tranche which an earlier step pays is told', () => {
  const target = (of_tranches: string[]): Step => ({
    ...PRINCIPAL,
    amount: { target: 'NOTES', percent: 90, of: 'POOL_CURRENT', of_tranches },
  });
  assert.deepEqual(found(paid([INTEREST, PRINCIPAL, target(['A'])])), ['LEFT_OUT waterfall[2].amount']);
  assert.deepEqual(found(paid([INTEREST, PRINCIPAL, target(['*'])])), []);
  assert.deepEqual(found(paid([INTEREST, { ...PRINCIPAL, to: ['A'] }, target(['A'])])), []);
  const opposite = paid([INTEREST, { ...PRINCIPAL, when: 'cnl' }, { ...target(['A']), unless: 'cnl' }], { triggers: [TRIGGER] });
  assert.deepEqual(found(opposite), []);
});

test('interest paid against the seniority is told; one shared step is not', () => {
  const ranked = (a: number, b: number, steps: Step[]) =>
    found(paid([...steps, PRINCIPAL], { tranches: [{ ...A, seniority: a }, { ...B, seniority: b }, RESIDUAL] }));
  const one = (name: string): Step => ({ pay: 'INTEREST', to: [name] });
  assert.deepEqual(ranked(1, 2, [one('A'), one('B')]), []);
  assert.deepEqual(ranked(1, 2, [one('B'), one('A')]), ['RANK_ORDER tranches[0].seniority']);
  assert.deepEqual(ranked(1, 1, [one('A'), one('B')]), ['RANK_ORDER tranches[1].seniority']);
  assert.deepEqual(ranked(1, 1, [INTEREST]), ['RANK_ORDER tranches[1].seniority']);
  assert.deepEqual(ranked(1, 1, [{ ...INTEREST, order: 'PRO_RATA' }]), []);
  assert.deepEqual(ranked(1, 1, [{ pay: 'INTEREST', to: [['A', 'B']] }]), []);
});

test('a trigger on which nothing depends is told, declared or not', () => {
  const declared = { trigger: 'event', declared: true };
  assert.deepEqual(found(paid([INTEREST, PRINCIPAL], { triggers: [TRIGGER, declared] })), [
    'NEVER_USED triggers[0]',
    'NEVER_USED triggers[1]',
  ]);
  const used = paid(
    [
      { ...INTEREST, limit: { if: 'cnl', then: 1, else: 2 } },
      { ...PRINCIPAL, when: { any_of: ['event'] } },
    ],
    {
      triggers: [TRIGGER, declared],
    },
  );
  assert.deepEqual(found(used), []);
});

test('an account that nothing draws, nothing fills or that has no target is told', () => {
  const reserve: Step = { pay: 'RESERVE', to: ['reserve'] };
  const withAccount = (account: object, steps = [INTEREST, PRINCIPAL, reserve]) =>
    found(paid(steps, { accounts: [{ account: 'reserve', ...account }] }));
  assert.deepEqual(withAccount({ initial: 10, target: 10, draws: ['INTEREST'] }), []);
  assert.deepEqual(withAccount({ initial: 10 }), ['TARGET_ZERO accounts[0].target']);
  assert.deepEqual(withAccount({ initial: 10, target: 10, draws: ['FEE'] }), ['NO_DRAW accounts[0].draws']);
  assert.deepEqual(withAccount({ initial: 10, target: 10, draws: ['INTEREST', 'step:3'] }), ['NO_DRAW accounts[0].draws[1]']);
  assert.deepEqual(withAccount({ target: 10, draws: ['INTEREST'] }, [INTEREST, PRINCIPAL]), ['NO_DRAW accounts[0]']);
});

test('caps, floors and limits that can never bind are told', () => {
  const coupon = (more: object) => found(sequential([{ ...A, coupon: { type: 'FIXED', rate: 5, ...more } }]));
  assert.deepEqual(coupon({ cap: 6, floor: 1 }), ['NEVER_BINDS tranches[0].coupon.cap', 'NEVER_BINDS tranches[0].coupon.floor']);
  const stepUp = [
    { from_period: 1, value: 5 },
    { from_period: 13, value: 7 },
  ];
  assert.deepEqual(coupon({ rate: stepUp, cap: 6, floor: 5.5 }), []);
  assert.deepEqual(coupon({ cap: 'NET_WAC' }), []);
  assert.deepEqual(found(paid([INTEREST, { ...PRINCIPAL, limit: 900 }])), ['NEVER_BINDS waterfall[1].limit']);
  assert.deepEqual(found(paid([INTEREST, { ...PRINCIPAL, limit: 899 }])), ['LIMITED tranches[0]', 'LIMITED tranches[1]']);
  const feeLimit = (amount: number) =>
    found(paid([{ pay: 'FEE', to: ['trustee'], limit: { amount, per: 'YEAR' } }, INTEREST, PRINCIPAL], { fees: [FEE] }));
  assert.deepEqual(feeLimit(12_000), ['NEVER_BINDS waterfall[0].limit']);
  assert.deepEqual(feeLimit(11_999), []);
});

test('a floor that a share never reaches, and a share that is below its floor from the start, are told', () => {
  const reserve = (target: object, pool: { balance?: number } = {}) =>
    found(
      paid([INTEREST, PRINCIPAL, { pay: 'RESERVE', to: ['reserve'] }], {
        accounts: [{ account: 'reserve', initial: 10, target, draws: ['INTEREST'] }] as Structure['accounts'],
      }),
      pool,
    );
  const floor = { percent: 0.5, of: 'POOL_ORIGINAL' };
  assert.deepEqual(reserve({ percent: 1, of: 'POOL_ORIGINAL', floor }), ['NEVER_BINDS accounts[0].target.floor']);
  assert.deepEqual(reserve({ percent: 1, of: 'POOL_CURRENT', floor }), []);
  assert.deepEqual(reserve({ percent: 0.5, of: 'POOL_CURRENT', floor }), ['NEVER_BINDS accounts[0].target.percent']);
  assert.deepEqual(reserve({ percent: 1, of: 'POOL_ORIGINAL', floor: 9 }), [], 'the pool is not known');
  assert.deepEqual(reserve({ percent: 1, of: 'POOL_ORIGINAL', floor: 9 }, { balance: 1_000 }), [
    'NEVER_BINDS accounts[0].target.floor',
  ]);
  assert.deepEqual(reserve({ max_of: [5, { percent: 2, of: 'NOTES', floor: 18 }] }), [
    'NEVER_BINDS accounts[0].target.max_of[1].percent',
  ]);
  assert.deepEqual(reserve({ percent: 2, of: 'NOTES', floor: 17 }), []);
});
