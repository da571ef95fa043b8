import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, sequential } from '../../../test/support/structures.ts';
import type { Remittance } from '../../finance/structure/remittance.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import { derive, type Derived, openingOf, type VerifiedTerms } from './derive.ts';

const termsOf = (structure: Structure): VerifiedTerms => ({
  structure,
  balance: '110000.00',
  cut_off_date: '2026-11-30',
  closing_date: '2026-12-15',
  fixings: {},
});
function follow(structure: Structure, ...reports: Remittance[]): Derived[] {
  const terms = termsOf(structure);
  const done: Derived[] = [];
  for (const each of reports) {
    const { findings, derived } = derive(terms, done.at(-1) ?? openingOf(terms), each);
    assert.ok(derived, JSON.stringify(findings));
    done.push(derived);
  }
  return done;
}
const BASE: Structure = sequential([note('A', 100_000, 6, 1)], {
  payment: { first_payment_date: '2027-01-15', business_day: 'NONE', rounding: 'CENT' },
});
const report = (period: number, more: Partial<Remittance> = {}): Remittance => ({
  period,
  payment_date: `2027-0${period}-15`,
  collateral: { beginning_pool_balance: 110_000, scheduled_principal: 0, ending_pool_balance: 110_000, interest: 530 },
  tranches: [{ tranche: 'A', beginning_balance: 100_000, interest_paid: 500, principal_paid: 0, ending_balance: 100_000 }],
  ...more,
});
const CASH = { available: { interest: 530, principal: 0 } };

test('what was written down is still known after a report that does not say the cash', () => {
  const structure: Structure = { ...BASE, losses: { mode: 'REVERSE_SEQUENTIAL', write_up: true } };
  const pool = (a: number, b: number) => ({
    beginning_pool_balance: a,
    scheduled_principal: 0,
    gross_losses: a - b,
    recoveries: 0,
    ending_pool_balance: b,
    interest: 530,
  });
  const first = report(1, { collateral: pool(110_000, 99_400), available: { interest: 530, principal: 0 } });
  // 530 of interest: 500 to the note, 30 to the residual: 100,000 over 99,400 is written down by 600.
  first.tranches = [
    { tranche: 'A', beginning_balance: 100_000, interest_paid: 500, principal_paid: 0, write_down: 600, ending_balance: 99_400 },
  ];
  const second = report(2, {
    collateral: { beginning_pool_balance: 99_400, scheduled_principal: 0, ending_pool_balance: 99_400, interest: 530 },
    tranches: [{ tranche: 'A', beginning_balance: 99_400, interest_paid: 497, principal_paid: 0, ending_balance: 99_400 }],
  });
  const [one, two] = follow(structure, first, second);
  assert.equal(one?.state.tranches.A?.written_down, 600);
  assert.equal(two?.state.tranches.A?.written_down, 600);
});

test('what a report without the cash writes down is known', () => {
  const structure: Structure = { ...BASE, losses: { mode: 'REVERSE_SEQUENTIAL', write_up: true } };
  const [one] = follow(
    structure,
    report(1, {
      collateral: {
        beginning_pool_balance: 110_000,
        scheduled_principal: 0,
        gross_losses: 10_600,
        recoveries: 0,
        ending_pool_balance: 99_400,
        interest: 530,
      },
      tranches: [
        {
          tranche: 'A',
          beginning_balance: 100_000,
          interest_paid: 500,
          principal_paid: 0,
          write_down: 600,
          ending_balance: 99_400,
        },
      ],
    }),
  );
  assert.equal(one?.state.tranches.A?.written_down, 600);
});

test('an event that a report declares is on, whether it says the cash or not', () => {
  const structure: Structure = {
    ...BASE,
    triggers: [{ trigger: 'default', declared: true }],
    waterfall: [
      { pay: 'INTEREST', to: ['A'] },
      { pay: 'PRINCIPAL', to: ['A'], amount: 'ALL', when: 'default' },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  };
  const on = { events: [{ trigger: 'default', on: true }] };
  const tranches = [{ tranche: 'A', beginning_balance: 100_000, interest_paid: 500, principal_paid: 30, ending_balance: 99_970 }];
  for (const more of [
    { ...CASH, ...on, tranches },
    { ...on, tranches },
  ]) {
    const [one] = follow(structure, report(1, more));
    assert.deepEqual(one?.state.triggers.on, [1], JSON.stringify(more));
  }
});

test('a trigger that a report says is on is on in its state, whether it says the cash or not', () => {
  const structure: Structure = {
    ...BASE,
    triggers: [
      {
        trigger: 'ratio',
        ratio: [
          { percent: 100, of: 'POOL_CURRENT' },
          { percent: 100, of: 'NOTES' },
        ],
        op: 'gt',
        value: 1,
      },
    ],
    waterfall: [
      { pay: 'INTEREST', to: ['A'] },
      { pay: 'PRINCIPAL', to: ['A'], amount: 'ALL', when: 'ratio' },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  };
  for (const more of [CASH, {}]) {
    const [one] = follow(structure, report(1, { ...more, triggers: [{ trigger: 'ratio', on: true }] }));
    assert.deepEqual(one?.state.triggers.on, [1], JSON.stringify(more));
  }
});

const FEES: Structure = {
  ...BASE,
  fees: [
    { fee: 'servicing', amount_per_year: 240 },
    { fee: 'legal', billed: true },
  ],
  waterfall: [
    { step: 'cap', pay: 'FEE', to: ['servicing', 'legal'], limit: { amount: 100, per: 'YEAR' } },
    { pay: 'INTEREST', to: ['A'] },
    { pay: 'RESIDUAL', to: ['R'] },
  ],
};

test('a fee that a report says was paid in part is unpaid in part', () => {
  const fees = [
    { fee: 'servicing', due: 20, paid: 5 },
    { fee: 'legal', due: 40, paid: 0 },
  ];
  for (const more of [CASH, {}]) {
    const [one] = follow(FEES, report(1, { ...more, fees }));
    assert.deepEqual(one?.state.fees, { servicing: 15, legal: 40 }, JSON.stringify(more));
  }
});
