import { assuming } from '../../src/finance/test-support.ts';
import type { Amount } from '../../src/finance/structure/amount.ts';
import type { Account, Step, Structure, Tranche } from '../../src/finance/structure/structure.ts';
import type { Assumptions, Collateral, CollateralLoan } from '../../src/finance/types.ts';
import fc from './property.ts';
import { collateralOf, loan, note, RESIDUAL } from './structures.ts';

export const POOL_BALANCE = 1_000_000;
/** One to six loans of any rate, term and age. */
export const loans: fc.Arbitrary<CollateralLoan[]> = fc
  .array(
    fc.record({
      weight: fc.integer({ min: 1, max: 9 }),
      rate: fc.double({ min: 0, max: 25, noNaN: true }),
      months: fc.integer({ min: 1, max: 90 }),
      age: fc.integer({ min: 0, max: 40 }),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((terms) => {
    const weights = terms.reduce((total, { weight }) => total + weight, 0);
    return terms.map(({ weight, rate, months, age }) => loan((POOL_BALANCE * weight) / weights, rate, months, age));
  });

/** A percentage up to `max`. */
export const percentOf = (max: number) => fc.double({ min: 0, max, noNaN: true });

/** Speeds and losses by month. */
export const assumptions: fc.Arbitrary<Assumptions> = fc
  .record({
    cpr: fc.array(percentOf(60), { minLength: 1, maxLength: 4 }),
    cdr: fc.array(percentOf(40), { minLength: 1, maxLength: 4 }),
    severity: percentOf(100),
    lag: fc.integer({ min: 0, max: 14 }),
    advances: fc.boolean(),
  })
  .map(({ cpr, cdr, severity, lag, advances }) =>
    assuming({
      prepayment: { measure: 'cpr', values: cpr },
      default: { measure: 'cdr', values: cdr },
      severityPercent: severity,
      recoveryLagMonths: lag,
      servicerAdvances: advances,
      delinquencyPercent: cdr,
    }),
  );

const amount: fc.Arbitrary<Amount> = fc
  .record({
    kind: fc.constantFrom('PRINCIPAL_COLLECTIONS' as const, 'ALL' as const, 'OC' as const, 'NOTES' as const, 'SCHEDULE' as const),
    percent: percentOf(90),
    of: fc.constantFrom('POOL_CURRENT' as const, 'POOL_ORIGINAL' as const),
  })
  .map(({ kind, percent, of }): Amount => {
    if (kind === 'PRINCIPAL_COLLECTIONS' || kind === 'ALL') return kind;
    return kind === 'SCHEDULE' ? { schedule: PLANNED } : { target: kind, percent, of };
  });

const PLANNED = [
  { period: 1, balance: 600_000 },
  { period: 12, balance: 300_000 },
  { period: 30, balance: 0 },
];

const NAMES = ['A', 'B', 'C'];

/** Three notes, a reserve, a fee, a trigger and steps in any order, each with terms of the first edition of the language. */
export const structures: fc.Arbitrary<Structure> = fc
  .record({
    balances: fc.tuple(
      fc.integer({ min: 1, max: 600_000 }),
      fc.integer({ min: 0, max: 200_000 }),
      fc.integer({ min: 0, max: 200_000 }),
    ),
    coupons: fc.tuple(percentOf(12), percentOf(12), percentOf(12)),
    accretes: fc.boolean(),
    onShortfall: fc.boolean(),
    amounts: fc.tuple(amount, amount),
    orders: fc.tuple(
      fc.constantFrom('SEQUENTIAL' as const, 'PRO_RATA' as const),
      fc.constantFrom('SEQUENTIAL' as const, 'PRO_RATA' as const),
    ),
    reserve: fc.record({
      initial: fc.integer({ min: 0, max: 60_000 }),
      percent: percentOf(10),
      draws: fc.subarray(['FEE', 'INTEREST', 'PRINCIPAL'] as const),
    }),
    fee: percentOf(3),
    limit: fc.option(fc.integer({ min: 0, max: 50_000 }), { nil: undefined }),
    threshold: percentOf(20),
    curable: fc.boolean(),
    metric: fc.constantFrom(
      'CUMULATIVE_NET_LOSS',
      'OC',
      'EXCESS_SPREAD_AVG3',
      'DELINQUENT_60',
      'POOL_FACTOR',
      'RESERVE_RATIO',
      'PAYMENT_RATE',
    ),
    mode: fc.constantFrom('NONE' as const, 'REVERSE_SEQUENTIAL' as const),
    writeUp: fc.boolean(),
    call: fc.option(percentOf(30), { nil: undefined }),
    frequency: fc.constantFrom('MONTHLY' as const, 'QUARTERLY' as const),
    delay: fc.integer({ min: 0, max: 3 }),
    maturity: fc.option(fc.constantFrom('2028-01-15', '2030-06-15'), { nil: undefined }),
    shuffle: fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 6, maxLength: 6 }),
  })
  .map((parts) => {
    const notes = NAMES.map((name, place): Tranche => {
      const accretes = place === 2 && parts.accretes ? { interest: 'ACCRUE_UNTIL' as const, accrue_until: ['A', 'B'] } : {};
      return note(name, parts.balances[place], parts.coupons[place], place + 1, accretes);
    });
    if (parts.maturity) Object.assign(notes[1], { final_maturity: parts.maturity });
    const account: Account = {
      account: 'reserve',
      initial: parts.reserve.initial,
      target: { percent: parts.reserve.percent, of: 'POOL_CURRENT', floor: 1000 },
      draws: [...parts.reserve.draws],
    };
    const steps: Step[] = [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'INTEREST', to: NAMES, order: parts.orders[0], unless: 't' },
      {
        pay: 'PRINCIPAL',
        to: NAMES,
        order: parts.orders[1],
        amount: parts.amounts[0],
        ...(parts.limit === undefined ? {} : { limit: parts.limit }),
      },
      { pay: 'RESERVE', to: ['reserve'] },
      { pay: 'INTEREST', to: NAMES.toReversed(), when: 't' },
      { pay: 'PRINCIPAL', to: NAMES, amount: parts.amounts[1], when: 't' },
    ];
    const order = parts.shuffle.map((weight, place) => [weight, place] as const).toSorted(([a], [b]) => a - b);
    return {
      payment: { first_payment_date: '2027-01-15', frequency: parts.frequency, delay_months: parts.delay },
      tranches: [...notes, RESIDUAL],
      accounts: [account],
      fees: [{ fee: 'servicing', percent: parts.fee }],
      waterfall: [...order.map(([, place]) => steps[place]), { pay: 'RESIDUAL', to: ['R'] }],
      triggers: [{ trigger: 't', metric: parts.metric, op: 'gt', value: parts.threshold, curable: parts.curable }],
      losses: { mode: parts.mode, write_up: parts.writeUp },
      interest_on_shortfall: parts.onShortfall,
      ...(parts.call === undefined ? {} : { clean_up_call: { percent: parts.call } }),
    };
  });

/** Whole cents up to `max`, in currency units. */
export const cents = (max: number) => fc.integer({ min: 0, max }).map((amount) => amount / 100);

/** Collateral of 2 to 8 months in which any part may be missing, so that steps are short: the parts of the balance, in permille, and interest. */
export const shortMonths: fc.Arbitrary<Collateral> = fc
  .array(
    fc.record({
      scheduled: fc.integer({ min: 0, max: 200 }),
      prepaid: fc.integer({ min: 0, max: 100 }),
      defaulted: fc.integer({ min: 0, max: 60 }),
      recovered: fc.integer({ min: 0, max: 100 }),
      interest: fc.oneof(fc.constant(0), cents(2_000_000)),
    }),
    { minLength: 2, maxLength: 8 },
  )
  .map((parts) => {
    let balance = POOL_BALANCE * 100;
    const months = parts.map(({ interest, ...permille }) => {
      const scheduled = Math.floor((balance * permille.scheduled) / 1000);
      const prepaid = Math.floor((balance * permille.prepaid) / 1000);
      const defaulted = Math.floor((balance * permille.defaulted) / 1000);
      const recovered = Math.floor((defaulted * permille.recovered) / 100);
      balance -= scheduled + prepaid + defaulted;
      const inCents = { scheduled, prepaid, defaulted, recovered, lost: defaulted - recovered };
      return { ...Object.fromEntries(Object.entries(inCents).map(([name, amount]) => [name, amount / 100])), interest };
    });
    const collateral = collateralOf(POOL_BALANCE, months);
    return { ...collateral, weightedRate: collateral.opening.map((opening) => opening * 6) };
  });

const CARRY_OVER_STEP: Step = { pay: 'CARRY_OVER', to: ['C'] };
const A_NOTES = ['A-1', ['A-2a', 'A-2b']];
const ALL_NOTES = [...A_NOTES, 'B', 'C'];

const target: fc.Arbitrary<Amount> = fc.record({ percent: percentOf(110), amount: cents(90_000_000), form: fc.nat(7) }).map(
  ({ percent, amount, form }): Amount =>
    (
      [
        'ALL',
        'PRINCIPAL_COLLECTIONS',
        { target: 'NOTES', of_tranches: ['A-*', 'B'], percent, of: 'POOL_CURRENT' },
        { target: 'OC', amount, of_tranches: ['*'] },
        {
          min_of: [
            { percent, of: 'COLLECTIONS' },
            {
              sum_of: [
                { percent: 100, of: 'SCHEDULED' },
                { percent, of: 'LOSS' },
              ],
            },
          ],
        },
        { if: 't', then: 'ALL', else: { minus: [{ percent: 100, of: 'NOTES', of_tranches: ['*'] }, amount] } },
        {
          percent: {
            share_of: ['A-*'],
            shift: [
              { from_period: 1, value: percent / 2 },
              { from_period: 4, value: 0 },
            ],
          },
          of: 'PREPAID',
        },
        [
          { from_period: 1, value: amount / 100 },
          { from_date: '2027-04-15', value: amount / 10 },
        ],
      ] satisfies Amount[]
    )[form],
);

/** Tiers of grouped notes, an interest-only tranche, accounts, fees, caps and triggers in words of the second edition. */
export const indentures: fc.Arbitrary<Structure> = fc
  .record({
    balances: fc.tuple(cents(30_000_000), cents(20_000_000), cents(20_000_000), cents(15_000_000), cents(10_000_000)),
    rates: fc.tuple(percentOf(12), percentOf(12), percentOf(12), percentOf(12), percentOf(12)),
    days: fc.constantFrom('30/360' as const, 'ACT/360' as const),
    targets: fc.tuple(target, target, target),
    weights: fc.constantFrom('CURRENT' as const, 'ORIGINAL' as const),
    order: fc.constantFrom('SEQUENTIAL' as const, 'PRO_RATA' as const),
    account: fc.record({
      initial: cents(5_000_000),
      target: fc.oneof(
        cents(5_000_000),
        percentOf(8).map((percent): Amount => ({ percent, of: 'POOL_CURRENT', floor: 1000 })),
      ),
      non_declining: fc.boolean(),
      draws: fc.subarray(['FEE', 'INTEREST', 'PRINCIPAL', 'step:t1', 'step:C interest'] as const),
      release_to: fc.constantFrom('POT', 'RESIDUAL', 'R'),
      income_to: fc.constantFrom('ACCOUNT' as const, 'POT' as const),
      earns: percentOf(9),
    }),
    fee: percentOf(3),
    yearly: cents(300_000),
    carryOver: fc.boolean(),
    mode: fc.constantFrom('NONE' as const, 'REVERSE_SEQUENTIAL' as const),
    trigger: fc.record({
      value: percentOf(6),
      average: fc.integer({ min: 1, max: 3 }),
      after_payment: fc.boolean(),
      curable: fc.boolean(),
    }),
    call: fc.option(percentOf(60), { nil: undefined }),
  })
  .map((parts): Structure => {
    const names = ['A-1', 'A-2a', 'A-2b', 'B', 'C'];
    const notes = names.map(
      (name, place): Tranche => ({
        ...note(name, parts.balances[place], parts.rates[place], Math.max(1, place - 1)),
        day_count: parts.days,
      }),
    );
    notes[4] = {
      ...notes[4],
      coupon: { type: 'FIXED', rate: parts.rates[4], cap: { min_of: ['NET_WAC', 7] }, carry_over: parts.carryOver },
    };
    const io: Tranche = {
      tranche: 'IO',
      notional: { percent: 100, of: 'NOTES', of_tranches: ['A-*'] },
      coupon: { type: 'EXCESS' },
    };
    const tier = (step: string, place: number, to: Step['to']): Step => ({
      step,
      pay: 'PRINCIPAL',
      to,
      weights: parts.weights,
      amount: parts.targets[place],
    });
    const { earns, ...account } = parts.account;
    return {
      payment: { first_payment_date: '2026-12-15', business_day: 'NONE', rounding: 'CENT' },
      tranches: [...notes, io, RESIDUAL],
      accounts: [{ account: 'reserve', ...account, draws: [...account.draws], earns: { rate: earns } }],
      fees: [
        { fee: 'servicing', percent: parts.fee },
        { fee: 'trustee', amount_per_year: { max_of: [1200, { percent: 0.5, of: 'POOL_CURRENT' }] } },
      ],
      waterfall: [
        { pay: 'FEE', to: ['servicing', 'trustee'], limit: { amount: parts.yearly, per: 'YEAR' } },
        { step: 'A interest', pay: 'INTEREST', to: [['A-1', 'A-2a', 'A-2b']] },
        tier('t1', 0, A_NOTES),
        { pay: 'INTEREST', to: ['B', 'IO'], order: parts.order },
        tier('t2', 1, [...A_NOTES, 'B']),
        { step: 'C interest', pay: 'INTEREST', to: ['C'], unless: 't' },
        { pay: 'RESERVE', to: ['reserve'] },
        tier('t3', 2, ALL_NOTES),
        { pay: 'INTEREST', to: ['C'], when: { any_of: ['t'] } },
        ...(parts.carryOver ? [CARRY_OVER_STEP] : []),
        { pay: 'WRITTEN_DOWN', to: ['B', 'C'] },
        { pay: 'FEE', to: ['servicing', 'trustee'] },
        { pay: 'RESIDUAL', to: ['R'] },
      ],
      triggers: [
        {
          trigger: 't',
          ratio: [
            { percent: 100, of: 'LOSS' },
            { percent: 100, of: 'POOL_BEGINNING' },
          ],
          op: 'gt',
          ...parts.trigger,
        },
      ],
      losses: { mode: parts.mode },
      ...(parts.call === undefined
        ? {}
        : { calls: [{ call: 'optional', any_of: [{ metric: 'POOL_FACTOR', op: 'lte', value: parts.call }] }] }),
    };
  });
