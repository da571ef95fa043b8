import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collateralOf, type HandMonth, note, runOver, sequential } from '../../../test/support/structures.ts';
import type { Amount } from './amount.ts';
import type { Step, Structure, Tranche } from './structure.ts';

/* Rounding, groups and targets of the second edition of the language, each by a case that a person can compute. */

const CENT = { first_payment_date: '2027-01-15', business_day: 'NONE', rounding: 'CENT' } as const;
const RESIDUAL_STEP: Step = { pay: 'RESIDUAL', to: ['R'] };

const deal = (notes: Tranche[], waterfall: Step[], more: Partial<Structure> = {}): Structure =>
  sequential(notes, { payment: CENT, waterfall: [...waterfall, RESIDUAL_STEP], ...more });

/** A note without coupon. */
const plain = (name: string, balance: number) => note(name, balance, 0, 1);

/** Principal paid by tranche in a period, 1 is the first. */
function principalIn(structure: Structure, opening: number, months: HandMonth[], period = months.length - 1): number[] {
  const { flows } = runOver(structure, collateralOf(opening, months));
  return flows.tranches.slice(0, -1).map(({ principal }) => principal[period - 1]);
}

/** A month after the one that counts, so that nothing matures in it. */
const AFTER: HandMonth = {};

test('interest is rounded to the cent once, half up, also where the double is a little below the half', () => {
  // 303.60 × 5 % / 12 = 1.265 and 301.20 × 5 % / 12 = 1.255.
  const notes = [note('A', 303.6, 5, 1), note('B', 301.2, 5, 2)];
  const { flows } = runOver(deal(notes, [{ pay: 'INTEREST', to: ['A', 'B'] }]), collateralOf(1000, [{ interest: 50 }, AFTER]));
  assert.deepEqual([flows.tranches[0].interestDue[0], flows.tranches[1].interestDue[0]], [1.27, 1.26]);
  assert.equal(flows.tranches[2].interestPaid[0], 50 - 1.27 - 1.26);
});

test('a fee, a target and a limit are rounded to the cent when they become due', () => {
  // 1 % of 1,000.20 / 12 = 0.8335; 0.5 % of 1,000.20 = 5.001; a limit of 0.205 % of 1,000.20 = 2.05041.
  const structure = deal(
    [plain('A', 900)],
    [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'PRINCIPAL', to: ['A'], amount: 100, limit: { percent: 0.205, of: 'POOL_ORIGINAL' } },
      { pay: 'RESERVE', to: ['reserve'] },
    ],
    {
      fees: [{ fee: 'servicing', percent: 1, of: 'POOL_BEGINNING' }],
      accounts: [{ account: 'reserve', target: { percent: 0.5, of: 'POOL_ORIGINAL' } }],
    },
  );
  const { flows, trace } = runOver(structure, collateralOf(1000.2, [{ interest: 50 }, AFTER]));
  assert.deepEqual([flows.feesPaid[0], trace[0].steps[1].due, flows.accounts[0]], [0.83, 2.05, 5]);
});

test('balances, accounts and one-off fees of odd cents are whole cents from the start', () => {
  // 8.29, 1.15 and 0.57 times 100 are not whole as doubles.
  const structure = deal(
    [plain('A', 8.29)],
    [
      { pay: 'FEE', to: ['setup'] },
      { pay: 'PRINCIPAL', to: ['A'], amount: 'ALL' },
    ],
    {
      fees: [{ fee: 'setup', one_off: { period: 1, amount: 1.15 } }],
      accounts: [{ account: 'reserve', initial: 0.57, target: 0, draws: [] }],
    },
  );
  const { flows } = runOver(structure, collateralOf(100, [{ interest: 1.43 }, AFTER]));
  assert.deepEqual([flows.feesPaid[0], flows.tranches[0].principal[0], flows.tranches[0].closing[0]], [1.15, 0.28, 8.01]);
  assert.equal(flows.accounts[0], 0.57);
});

test('shares of a short payment round half up, the last member takes the rest, none gets above its due', () => {
  const three = ['A', 'B', 'C'].map((name) => note(name, 240, 5, 1));
  const paid = (cash: number) => {
    const structure = deal(three, [{ pay: 'INTEREST', to: [['A', 'B', 'C']] }]);
    const { flows } = runOver(structure, collateralOf(1000, [{ interest: cash }, AFTER]));
    return flows.tranches.map(({ interestPaid }) => interestPaid[0]);
  };
  // 1.00 is due to each.
  assert.deepEqual(paid(1), [0.33, 0.33, 0.34, 0]);
  assert.deepEqual(paid(0.02), [0.01, 0.01, 0, 0]);
  assert.deepEqual(paid(3.5), [1, 1, 1, 0.5]);
  const two = deal([note('A', 240, 5, 1), note('B', 240, 5, 2)], [{ pay: 'INTEREST', to: ['A', 'B'], order: 'PRO_RATA' }]);
  const { flows } = runOver(two, collateralOf(1000, [{ interest: 0.05 }, AFTER]));
  assert.deepEqual([flows.tranches[0].interestPaid[0], flows.tranches[1].interestPaid[0]], [0.03, 0.02]);
});

test('interest of a group is shared by what is due, not by balance', () => {
  // 2.00 and 1.00 due; 1.50 is there.
  const structure = deal([note('A', 240, 10, 1), note('B', 240, 5, 1)], [{ pay: 'INTEREST', to: [['A', 'B']] }]);
  const { flows } = runOver(structure, collateralOf(1000, [{ interest: 1.5 }, AFTER]));
  assert.deepEqual([flows.tranches[0].interestPaid[0], flows.tranches[1].interestPaid[0]], [1, 0.5]);
});

test('a tie of a large payment rounds half up, where doubles would lose it', () => {
  // 986,765,530.20 × 1,107,419,574.23 / 3,815,493,383.44 is 286,401,614.025, and as a double a little less.
  const structure = deal([plain('A', 1_107_419_574.23), plain('B', 2_708_073_809.21)], [{ pay: 'PRINCIPAL', to: [['A', 'B']] }]);
  assert.deepEqual(principalIn(structure, 4e9, [{ scheduled: 986_765_530.2 }, AFTER]), [286_401_614.03, 700_363_916.17]);
});

/** C is paid 150 alone in the first period, then the group gets what is collected. */
const groupAfterC = (weights?: 'CURRENT' | 'ORIGINAL') =>
  deal(
    [plain('B', 600), plain('C', 300)],
    [
      {
        pay: 'PRINCIPAL',
        to: ['C'],
        limit: [
          { from_period: 1, value: 150 },
          { from_period: 2, value: 0 },
        ],
      },
      { pay: 'PRINCIPAL', to: [['B', 'C']], ...(weights ? { weights } : {}) },
    ],
  );

test('principal of a group is shared by balances at the opening of the period, or by those at closing', () => {
  const months = [{ scheduled: 150 }, { scheduled: 100 }, AFTER];
  assert.deepEqual(principalIn(groupAfterC(), 1000, months), [80, 20]);
  assert.deepEqual(principalIn(groupAfterC('CURRENT'), 1000, months), [80, 20]);
  assert.deepEqual(principalIn(groupAfterC('ORIGINAL'), 1000, months), [66.67, 33.33]);
});

test('a member without balance has no weight', () => {
  const structure = deal(
    [plain('B', 600), plain('C', 300), plain('D', 300)],
    [
      {
        pay: 'PRINCIPAL',
        to: ['C'],
        limit: [
          { from_period: 1, value: 300 },
          { from_period: 2, value: 0 },
        ],
      },
      { pay: 'PRINCIPAL', to: [['B', 'C', 'D']], weights: 'ORIGINAL' },
    ],
  );
  assert.deepEqual(principalIn(structure, 1200, [{ scheduled: 300 }, { scheduled: 90 }, AFTER]), [60, 0, 30]);
});

test('what a member cannot take goes to the others by the same weights', () => {
  const structure = deal(
    [plain('B', 100), plain('C', 200), plain('D', 100)],
    [
      {
        pay: 'PRINCIPAL',
        to: ['B'],
        limit: [
          { from_period: 1, value: 90 },
          { from_period: 2, value: 0 },
        ],
      },
      { pay: 'PRINCIPAL', to: [['B', 'C', 'D']], weights: 'ORIGINAL' },
    ],
  );
  // 25, 50 and 25 of 100; B takes 10, and 90 go 2 to 1.
  assert.deepEqual(principalIn(structure, 400, [{ scheduled: 90 }, { scheduled: 100 }, AFTER]), [10, 60, 30]);
});

test('a group is settled once, on what all steps paid it', () => {
  const twice: Step = { pay: 'PRINCIPAL', to: [['B', 'C']], amount: 0.01 };
  const structure = deal([plain('B', 100), plain('C', 100)], [twice, { pay: 'FEE', to: ['f'] }, twice], {
    fees: [{ fee: 'f', percent: 0 }],
  });
  // A cent a step would go to B both times.
  assert.deepEqual(principalIn(structure, 400, [{ scheduled: 5 }, AFTER]), [0.01, 0.01]);
});

test('a later target counts what earlier steps paid a group, before it is settled', () => {
  const toTarget = (amount: Amount): Step => ({ pay: 'PRINCIPAL', to: [['B', 'C']], amount });
  const structure = deal(
    [plain('B', 100), plain('C', 100)],
    [toTarget({ target: 'NOTES', amount: 150 }), toTarget({ target: 'NOTES', amount: 120 })],
  );
  const { flows, trace } = runOver(structure, collateralOf(300, [{ scheduled: 100 }, AFTER]));
  assert.deepEqual(
    trace[0].steps.slice(0, 2).map(({ due, paid }) => [due, paid]),
    [
      [50, 50],
      [30, 30],
    ],
  );
  assert.deepEqual([flows.tranches[0].closing[0], flows.tranches[1].closing[0]], [60, 60]);
});

test('a list in a group is paid one after the other, three levels deep', () => {
  const notes = [plain('A', 50), plain('B', 600), plain('C', 100), plain('D', 200)];
  const structure = deal(notes, [{ pay: 'PRINCIPAL', to: ['A', ['B', ['C', 'D']]] }]);
  // 50 to A; B and the list of C and D share by 600 and 300, C before D.
  assert.deepEqual(principalIn(structure, 1000, [{ scheduled: 140 }, AFTER]), [50, 60, 30, 0]);
  assert.deepEqual(principalIn(structure, 1000, [{ scheduled: 410 }, AFTER]), [50, 240, 100, 20]);
});

test('a list in a PRO_RATA list is sequential', () => {
  const notes = [plain('B', 600), plain('C', 100), plain('D', 200)];
  const structure = deal(notes, [{ pay: 'PRINCIPAL', to: ['B', ['C', 'D']], order: 'PRO_RATA' }]);
  assert.deepEqual(principalIn(structure, 1000, [{ scheduled: 90 }, AFTER]), [60, 30, 0]);
  assert.deepEqual(principalIn(structure, 1000, [{ scheduled: 360 }, AFTER]), [240, 100, 20]);
});

test('PRO_RATA without groups shares by the balances before the step, rounded or not', () => {
  const waterfall: Step[] = [
    { pay: 'PRINCIPAL', to: ['A'], amount: 200 },
    { pay: 'PRINCIPAL', to: ['A', 'B'], order: 'PRO_RATA', amount: 80 },
  ];
  const structure = deal([plain('A', 600), plain('B', 400)], waterfall);
  const unrounded = { ...structure, payment: { ...CENT, rounding: 'NONE' as const } };
  for (const each of [structure, unrounded]) {
    assert.deepEqual(principalIn(each, 1000, [{ scheduled: 280 }, AFTER]), [240, 40]);
  }
});

test('losses of one rank and shares of the residual are whole cents', () => {
  const structure = sequential([note('A', 100, 0, 1), note('B', 33.33, 0, 2), note('C', 33.34, 0, 2)], {
    payment: CENT,
    losses: { mode: 'REVERSE_SEQUENTIAL' },
    tranches: [
      note('A', 100, 0, 1),
      note('B', 33.33, 0, 2),
      note('C', 33.34, 0, 2),
      { tranche: 'R', class: 'RESIDUAL', balance: 0 },
      { tranche: 'S', class: 'RESIDUAL', balance: 0 },
    ],
    waterfall: [
      { pay: 'PRINCIPAL', to: ['A', 'B', 'C'] },
      { pay: 'RESIDUAL', to: ['R', 'S'], order: 'PRO_RATA' },
    ],
  });
  const { flows } = runOver(structure, collateralOf(166.67, [{ defaulted: 0.1, lost: 0.1, interest: 0.05 }, AFTER]));
  // 0.10 by 33.33 and 33.34: 0.049992… is 0.05.
  assert.deepEqual(
    flows.tranches.map(({ writeDown, closing, interestPaid }) => [writeDown[0], closing[0], interestPaid[0]]),
    [
      [0, 100, 0],
      [0.05, 33.28, 0],
      [0.05, 33.29, 0],
      [0, 0, 0.03],
      [0, 0, 0.02],
    ],
  );
});

test('of_tranches narrows a target, and earlier principal of the period is deducted by itself', () => {
  const structure = deal(
    [plain('A-1', 500), plain('A-2', 300), plain('B', 150)],
    [
      {
        pay: 'PRINCIPAL',
        to: ['A-1', 'A-2'],
        amount: { target: 'NOTES', of_tranches: ['A-*'], percent: 100, of: 'POOL_CURRENT' },
      },
      {
        pay: 'PRINCIPAL',
        to: ['A-1', 'A-2', 'B'],
        amount: { target: 'NOTES', of_tranches: ['*'], percent: 100, of: 'POOL_CURRENT' },
      },
      { pay: 'PRINCIPAL', to: ['A-1', 'A-2', 'B'], amount: { target: 'OC', amount: 40, of_tranches: ['*'] } },
    ],
  );
  const { trace, flows } = runOver(structure, collateralOf(1000, [{ scheduled: 300, interest: 100 }, AFTER]));
  // A: 800 − 700; all: 850 − 700; all: 700 − (700 − 40).
  assert.deepEqual(
    trace[0].steps.slice(0, 3).map(({ due }) => due),
    [100, 150, 40],
  );
  assert.deepEqual(
    flows.tranches.slice(0, 3).map(({ closing }) => closing[0]),
    [210, 300, 150],
  );
});

test('a `*` never matches the residual or a notional tranche', () => {
  const notes = [plain('A', 500), note('IO', 0, 1, 2)];
  const [first] = notes;
  const io: Tranche = { tranche: 'IO', notional: { percent: 100, of: 'NOTES' }, coupon: { type: 'FIXED', rate: 1 } };
  const structure = deal(
    [first],
    [
      { pay: 'INTEREST', to: ['IO'] },
      { pay: 'PRINCIPAL', to: ['A'], amount: { target: 'NOTES', of_tranches: ['*'], amount: 400 } },
    ],
  );
  structure.tranches.splice(1, 0, io, { tranche: 'R2', class: 'RESIDUAL', balance: 200 });
  const { trace } = runOver(structure, collateralOf(1000, [{ scheduled: 300, interest: 10 }, AFTER]));
  assert.equal(trace[0].steps[1].due, 100);
});

test('the size of a target is a percentage of a base with a floor, or an amount', () => {
  const due = (amount: Amount) => {
    const structure = deal([plain('A', 900)], [{ pay: 'PRINCIPAL', to: ['A'], amount }]);
    return runOver(structure, collateralOf(1000, [{ scheduled: 200 }, AFTER])).trace[0].steps[0].due;
  };
  // The pool is 800 after the period.
  assert.equal(due({ target: 'OC', percent: 10, of: 'POOL_CURRENT' }), 180);
  assert.equal(due({ target: 'OC', percent: 1, of: 'POOL_CURRENT', floor: { percent: 5, of: 'POOL_ORIGINAL' } }), 150);
  assert.equal(due({ target: 'OC', amount: 60 }), 160);
  assert.equal(due({ target: 'NOTES', amount: { max_of: [750, { percent: 95, of: 'POOL_CURRENT' }] } }), 140);
});
