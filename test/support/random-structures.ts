import { assuming } from '../../src/finance/test-support.ts';
import type { Amount } from '../../src/finance/structure/amount.ts';
import type { Account, Step, Structure, Tranche } from '../../src/finance/structure/structure.ts';
import type { Assumptions, CollateralLoan } from '../../src/finance/types.ts';
import fc from './property.ts';
import { loan, note, RESIDUAL } from './structures.ts';

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
