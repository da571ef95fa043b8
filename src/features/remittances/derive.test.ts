import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, sequential } from '../../../test/support/structures.ts';
import type { Remittance } from '../../finance/structure/remittance.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import { type VerifiedTerms, derive, type Derived, openingOf } from './derive.ts';

/** A deal whose first fee gets at most 30 a year and whose second is short. */
const STRUCTURE: Structure = {
  ...sequential([note('A', 100_000, 6, 1)]),
  payment: { first_payment_date: '2027-01-15', business_day: 'NONE', rounding: 'CENT' },
  fees: [
    { fee: 'reviewer', amount_per_year: 240 },
    { fee: 'servicing', amount_per_year: 1200 },
  ],
  triggers: [{ trigger: 'losses', metric: 'NET_LOSS_12M', op: 'gte', value: 0.25 }],
  waterfall: [
    { step: 'capped', pay: 'FEE', to: ['reviewer'], limit: { amount: 30, per: 'YEAR' } },
    { step: 'interest', pay: 'INTEREST', to: ['A'] },
    { step: 'fee', pay: 'FEE', to: ['servicing'] },
    { step: 'principal', pay: 'PRINCIPAL', to: ['A'] },
    { step: 'uncapped', pay: 'FEE', to: ['reviewer'] },
    { step: 'residual', pay: 'RESIDUAL', to: ['R'] },
  ],
};
const TERMS: VerifiedTerms = {
  structure: STRUCTURE,
  balance: '110000.00',
  cut_off_date: '2026-11-30',
  closing_date: '2026-12-15',
  fixings: {},
};

/** A month that loses 100, with 530 of interest: 500 goes to the note. `cash` false: the report does not say what was available. */
function report(period: number, { cash = true } = {}): Remittance {
  const pool = 110_000 - 100 * (period - 1);
  return {
    period,
    payment_date: `2027-0${period}-15`,
    collateral: {
      beginning_pool_balance: pool,
      scheduled_principal: 0,
      gross_losses: 100,
      recoveries: 0,
      ending_pool_balance: pool - 100,
      interest: 530,
    },
    tranches: [{ tranche: 'A', beginning_balance: 100_000, interest_paid: 500, principal_paid: 0, ending_balance: 100_000 }],
    ...(cash ? { available: { interest: 530, principal: 0 } } : {}),
  };
}

/** What follows from reports that tie, one after the other. */
function follow(...reports: Remittance[]): Derived[] {
  const done: Derived[] = [];
  for (const each of reports) {
    const { findings, derived } = derive(TERMS, done.at(-1) ?? openingOf(TERMS), each);
    assert.ok(derived, JSON.stringify(findings));
    done.push(derived);
  }
  return done;
}

test('what a payment leaves unpaid, and what a limit of the year has paid, is what the next one begins with', () => {
  const states = follow(report(1), report(2), report(3)).map(({ state }) => state);
  // 20 of the 30 go to the reviewer at first, then the rest of its 30; the servicer is 90, 180 and 270 behind.
  assert.deepEqual(
    states.map(({ fees, limits }) => [fees?.servicing, fees?.reviewer, limits?.paid.capped]),
    [
      [90, 0, 20],
      [170, 10, 30],
      [240, 30, 30],
    ],
  );
  assert.deepEqual(
    states.map(({ recent_losses }) => recent_losses),
    [[100], [100, 100], [100, 100, 100]],
  );
});

test('losses of the last year are tested whether a report says the cash that was available or not', () => {
  for (const cash of [true, false]) {
    const triggers = follow(report(1, { cash }), report(2, { cash }), report(3, { cash })).map((each) => each.triggers[0]);
    assert.deepEqual(
      triggers.map((trigger) => trigger?.on),
      [false, false, true],
      `cash ${cash}`,
    );
  }
});

test('a fee on a balance that the report does not give is named as missing, and computed where it does', () => {
  const structure: Structure = {
    ...STRUCTURE,
    fees: [
      { fee: 'reviewer', amount_per_year: 240 },
      { fee: 'servicing', percent: 12, of: 'DELINQUENT_60' },
    ],
  };
  const verified = (more: Partial<Remittance['collateral']>) => {
    const plain = report(1);
    const fees = [{ fee: 'servicing', due: 20, paid: 10 }];
    const { derived } = derive({ ...TERMS, structure }, openingOf({ ...TERMS, structure }), {
      ...plain,
      collateral: { ...plain.collateral, ...more },
      fees,
    });
    return derived?.verification;
  };
  assert.deepEqual(verified({})?.missing, ['collateral.delinquent_60_amount']);
  const line = verified({ delinquent_60_amount: 2000, delinquent_90_amount: 0 })?.lines.find(({ what }) => what === 'FEE_DUE');
  // 12 % a year of 2,000 for a month.
  assert.deepEqual([line?.reported, line?.expected], [20, 20]);
});

test('investors see the interest that was short, whether the report says so or it follows from what was due', () => {
  const [note] = report(1).tranches;
  assert.ok(note);
  const short = { ...note, interest_due: 500, interest_paid: 450 };
  const shown = (sent: Remittance) => {
    const [derived] = follow(sent);
    return [derived?.state.tranches.A?.shortfall, derived?.performance.tranches[0]?.shortfall];
  };
  assert.deepEqual(shown({ ...report(1, { cash: false }), tranches: [short] }), [50, 50]);
  assert.deepEqual(shown({ ...report(1), tranches: [short] }), [50, 50]);
  // Of 450 that are available the reviewer gets 20 first; the note is owed 500.
  const { collateral, ...first } = report(1);
  const poor = { ...first, collateral: { ...collateral, interest: 450 }, available: { interest: 450, principal: 0 } };
  assert.deepEqual(shown({ ...poor, tranches: [{ ...note, interest_paid: 430 }] }), [70, 70]);
});
