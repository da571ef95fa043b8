import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { apportion } from '../../finance/money.ts';
import { byPriority, type Bid, type Offer, type AllocationOutcome } from './allocate.ts';
import { allocate } from './testing/allocate.ts';

const bid = (id: string, amount: number, more: Partial<Bid> = {}): Bid => ({
  id,
  amount: BigInt(amount) * 100n,
  minimum: 0n,
  limit_yield: null,
  placed_at: '2026-11-20T10:00:00.000Z',
  ...more,
});
const offer = (method: Offer['method'], size: number, increment = 1_000, market_yield: number | null = 5): Offer => ({
  method,
  size: BigInt(size) * 100n,
  increment: BigInt(increment) * 100n,
  market_yield,
  rule_version: 2,
});
const fills = (outcome: AllocationOutcome): Record<string, number> =>
  Object.fromEntries(outcome.fills.map(({ bid: { id }, amount }) => [id, Number(amount) / 100]));

test('a book that is covered once is filled in full', () => {
  const outcome = allocate([bid('a', 4_000), bid('b', 6_000)], offer('PRO_RATA', 10_000));
  assert.deepEqual(fills(outcome), { a: 4_000, b: 6_000 });
});

test('pro rata gives odd increments to the largest remainder, then to the earliest bid, then by id', () => {
  // 10 increments over asks of 10, 10 and 10: 3.33 each; the odd one goes to the earliest.
  const even = [bid('a', 10_000), bid('b', 10_000, { placed_at: '2026-11-20T09:00:00.000Z' }), bid('c', 10_000)];
  assert.deepEqual(fills(allocate(even, offer('PRO_RATA', 10_000))), { a: 3_000, b: 4_000, c: 3_000 });
  assert.deepEqual(fills(allocate([bid('b', 10_000), bid('a', 10_000)], offer('PRO_RATA', 3_000))), { a: 2_000, b: 1_000 });
  // Shares of 2.5, 1.875 and 0.625 of 5 increments: floors 2, 1, 0; the remainders .875 and .625 get one each.
  const uneven = [bid('a', 8_000), bid('b', 6_000), bid('c', 2_000)];
  assert.deepEqual(fills(allocate(uneven, offer('PRO_RATA', 5_000))), { a: 2_000, b: 2_000, c: 1_000 });
});

test('a fill below its minimum drops out, the smallest ratio first, and the rest is run again', () => {
  const book = [bid('a', 6_000, { minimum: 500_000n }), bid('b', 6_000), bid('c', 6_000, { minimum: 400_000n })];
  // 9 over 18: 3 each. The bids a and c are short at equal ratios; the later place (c) drops, and a then gets 5 of 9.
  const outcome = allocate(book, offer('PRO_RATA', 9_000));
  assert.deepEqual(fills(outcome), { a: 5_000, b: 4_000, c: 0 });
  assert.match(outcome.fills.find((fill) => fill.bid.id === 'c')?.reason ?? '', /below the minimum/);
});

test('the clearing yield is the lowest limit that covers the size; better bids fill and the margin shares', () => {
  const book = [
    bid('market', 3_000),
    bid('low', 4_000, { limit_yield: 5.1 }),
    bid('m1', 4_000, { limit_yield: 5.2 }),
    bid('m2', 2_000, { limit_yield: 5.2 }),
    bid('high', 5_000, { limit_yield: 5.3 }),
  ];
  const outcome = allocate(book, offer('CLEARING_YIELD', 10_000));
  assert.equal(outcome.yield, 5.2);
  assert.deepEqual(fills(outcome), { market: 3_000, low: 4_000, m1: 2_000, m2: 1_000, high: 0 });
});

test('a level that covers the size to the cent clears at its own limit', () => {
  const book = [bid('low', 6_000, { limit_yield: 5.1 }), bid('high', 4_000, { limit_yield: 5.3 })];
  const outcome = allocate(book, offer('CLEARING_YIELD', 6_000));
  assert.deepEqual([outcome.yield, fills(outcome)], [5.1, { low: 6_000, high: 0 }]);
  const more = allocate(book, { ...offer('CLEARING_YIELD', 6_000, 1), size: 600_001n, increment: 1n });
  assert.deepEqual([more.yield, fills(more)], [5.3, { low: 6_000, high: 0.01 }]);
});

test('without cover the highest limit clears; bids at market alone pay the market yield; market cover clears at the lowest limit', () => {
  const short = allocate(
    [bid('a', 1_000, { limit_yield: 5.1 }), bid('b', 1_000, { limit_yield: 5.4 })],
    offer('CLEARING_YIELD', 10_000),
  );
  assert.deepEqual([short.yield, fills(short)], [5.4, { a: 1_000, b: 1_000 }]);
  assert.equal(allocate([bid('a', 1_000)], offer('CLEARING_YIELD', 10_000, 1_000, 4.75)).yield, 4.75);
  const market = allocate([bid('a', 20_000), bid('b', 1_000, { limit_yield: 5.1 })], offer('CLEARING_YIELD', 10_000));
  assert.deepEqual([market.yield, fills(market)], [5.1, { a: 10_000, b: 0 }]);
});

test('an empty book allocates nothing', () => {
  const outcome = allocate([], offer('CLEARING_YIELD', 10_000));
  assert.deepEqual([outcome.fills, outcome.allocated, outcome.yield], [[], 0n, 5]);
});

const STEP = 1_000n * 100n;
/** Limits are from 5.1 to 5.6: some accept it. */
const SALE_YIELD = 5.3;
const bids = (withLimits: boolean, withMinimum: boolean) =>
  fc
    .array(
      fc.record({
        steps: fc.integer({ min: 1, max: 40 }),
        minimumSteps: withMinimum ? fc.integer({ min: 0, max: 40 }) : fc.constant(0),
        limit: withLimits ? fc.option(fc.integer({ min: 1, max: 6 })) : fc.constant(null),
        at: fc.integer({ min: 0, max: 3 }),
      }),
      { maxLength: 12 },
    )
    .map((rows) =>
      rows.map(
        (row, index): Bid => ({
          id: `bid_${index}`,
          amount: BigInt(row.steps) * STEP,
          minimum: BigInt(Math.min(row.minimumSteps, row.steps)) * STEP,
          limit_yield: row.limit === null ? null : 5 + row.limit / 10,
          placed_at: `2026-11-20T10:00:00.00${row.at}Z`,
        }),
      ),
    );
const methods = fc.constantFrom('PRO_RATA' as const, 'CLEARING_YIELD' as const);
const sizes = fc.integer({ min: 1, max: 200 });
const offered = (method: Offer['method'], steps: number): Offer => ({
  method,
  size: BigInt(steps) * STEP,
  increment: STEP,
  market_yield: SALE_YIELD,
  rule_version: 2,
});

test('no bid gets more than it asks or less than its minimum, nor do all together get more than the size', () => {
  fc.assert(
    fc.property(bids(true, true), methods, sizes, (book, method, steps) => {
      const outcome = allocate(book, offered(method, steps));
      for (const { bid: each, amount } of outcome.fills) {
        assert.ok(amount >= 0n && amount <= each.amount);
        assert.ok(amount === 0n || amount >= each.minimum);
        assert.equal(amount % STEP, 0n);
      }
      assert.ok(outcome.allocated <= BigInt(steps) * STEP);
      assert.equal(
        outcome.allocated,
        outcome.fills.reduce((total, fill) => total + fill.amount, 0n),
      );
    }),
  );
});

test('without minimums nothing is left over while someone wants it', () => {
  fc.assert(
    fc.property(bids(true, false), methods, sizes, (book, method, steps) => {
      const outcome = allocate(book, offered(method, steps));
      const size = BigInt(steps) * STEP;
      const willing = book.filter((each) => method === 'CLEARING_YIELD' || (each.limit_yield ?? 0) <= SALE_YIELD);
      const demand = willing.reduce((total, each) => total + each.amount, 0n);
      assert.equal(outcome.allocated, demand < size ? demand : size);
    }),
  );
});

test('the same bids in any order get the same fills', () => {
  fc.assert(
    fc.property(
      bids(true, true).chain((book) => fc.tuple(fc.constant(book), fc.shuffledSubarray(book, { minLength: book.length }))),
      methods,
      sizes,
      ([book, shuffled], method, steps) => {
        assert.deepEqual(allocate(shuffled, offered(method, steps)), allocate(book, offered(method, steps)));
      },
    ),
  );
});

test('pro rata fills no limit above the yield of the sale, and the rest as if such bids were not there', () => {
  fc.assert(
    fc.property(bids(true, true), sizes, fc.constantFrom(SALE_YIELD, null), (book, steps, market_yield) => {
      const terms = { ...offered('PRO_RATA', steps), market_yield };
      const accepts = (each: Bid) => each.limit_yield === null || (market_yield !== null && each.limit_yield <= market_yield);
      const outcome = allocate(book, terms);
      for (const { bid: each, amount } of outcome.fills) if (!accepts(each)) assert.equal(amount, 0n, each.id);
      const without = allocate(book.filter(accepts), terms);
      assert.deepEqual(
        outcome.fills.filter((fill) => accepts(fill.bid)),
        without.fills,
      );
      assert.deepEqual([outcome.yield, outcome.allocated], [market_yield, without.allocated]);
    }),
  );
});

test('a round from before limits bound pro rata sales is recomputed as it was made', () => {
  const book = [bid('a', 6_000, { limit_yield: 9 }), bid('b', 6_000)];
  assert.deepEqual(fills(allocate(book, { ...offer('PRO_RATA', 6_000), rule_version: 1 })), { a: 3_000, b: 3_000 });
  assert.deepEqual(fills(allocate(book, offer('PRO_RATA', 6_000))), { a: 0, b: 6_000 });
});

test('splitting an order in parts gains at most one increment per part', () => {
  fc.assert(
    fc.property(bids(false, false), fc.integer({ min: 2, max: 5 }), sizes, (book, parts, steps) => {
      const [whole, ...others] = book;
      if (!whole || whole.amount / STEP < BigInt(parts)) return;
      const fill = (list: readonly Bid[], of: (each: Bid) => boolean): bigint =>
        allocate(list, offered('PRO_RATA', steps))
          .fills.filter((each) => of(each.bid))
          .reduce((total, each) => total + each.amount, 0n);
      const pieces = Array.from(
        { length: parts },
        (_, index): Bid => ({
          ...whole,
          id: `part_${index}`,
          amount: index === 0 ? whole.amount - STEP * BigInt(parts - 1) : STEP,
        }),
      );
      const before = fill(book, (each) => each.id === whole.id);
      const after = fill([...pieces, ...others], (each) => each.id.startsWith('part_'));
      assert.ok(after - before <= STEP * BigInt(parts), `${before} became ${after}`);
    }),
  );
});

test('no bid with a better yield gets less than its ask while a worse one is filled', () => {
  fc.assert(
    fc.property(bids(true, false), sizes, (book, steps) => {
      const { fills: filled } = allocate(book, offered('CLEARING_YIELD', steps));
      const rank = (each: Bid): number => each.limit_yield ?? Number.NEGATIVE_INFINITY;
      for (const better of filled) {
        for (const worse of filled) {
          if (rank(better.bid) < rank(worse.bid) && worse.amount > 0n) assert.equal(better.amount, better.bid.amount);
        }
      }
    }),
  );
});

/** The rule as a proof tells it, in big integers throughout and from the beginning after each bid that drops out. */
function plainly(bids: readonly Bid[], { method, size, increment, market_yield }: Offer): Map<string, bigint> {
  const rank = (each: Bid): number => (method === 'PRO_RATA' ? 0 : (each.limit_yield ?? Number.NEGATIVE_INFINITY));
  const meets = ({ limit_yield }: Bid) => limit_yield === null || (market_yield !== null && limit_yield <= market_yield);
  let live = byPriority(bids).filter((each) => method === 'CLEARING_YIELD' || meets(each));
  for (;;) {
    const filled = new Map<string, bigint>();
    let remaining = size;
    for (const limit of [...new Set(live.map(rank))].toSorted((a, b) => a - b)) {
      const level = live.filter((each) => rank(each) === limit);
      const demand = level.reduce((total, each) => total + each.amount, 0n);
      const amounts = level.map((each) => each.amount);
      const parts = demand <= remaining ? null : apportion(remaining / increment, amounts);
      for (const [index, { id, amount }] of level.entries()) {
        const [part, most] = [(parts?.[index] ?? 0n) * increment, (amount / increment) * increment];
        filled.set(id, parts === null ? amount : part < most ? part : most);
      }
      remaining -= demand;
      if (remaining <= 0n) break;
    }
    const of = (each: Bid): bigint => filled.get(each.id) ?? 0n;
    const short = live.filter((each) => of(each) > 0n && of(each) < each.minimum);
    if (short.length === 0) return filled;
    const worst = short.reduce((a, b) => (of(b) * a.amount <= of(a) * b.amount ? b : a));
    live = live.filter((each) => each !== worst);
  }
}

test('fills are those of the rule in big integers, also where amounts are odd', () => {
  const Book = fc.array(fc.record({ amount: fc.nat(60), minimum: fc.nat(60), limit: fc.option(fc.nat(3)), at: fc.nat(2) }), {
    maxLength: 14,
  });
  const Scale = fc.record({
    factor: fc.constantFrom(1n, 7n, 1_000n, 3n * 10n ** 12n),
    odd: fc.bigInt(0n, 9n),
    share: fc.integer({ min: 0, max: 12 }),
  });
  fc.assert(
    fc.property(Book, Scale, methods, (rows, { factor, odd, share }, method) => {
      const book = rows.map(
        (row, index): Bid => ({
          id: `bid_${index}`,
          amount: BigInt(row.amount + 1) * factor + ((odd * BigInt(index)) % 5n),
          minimum: BigInt(row.minimum) * factor,
          limit_yield: row.limit === null ? null : 5 + row.limit / 10,
          placed_at: `2026-11-20T10:00:00.00${row.at}Z`,
        }),
      );
      const demand = book.reduce((total, each) => total + each.amount, 0n);
      const terms = { ...offered(method, 1), size: (demand * BigInt(share)) / 10n + odd, increment: (factor + 2n) / 3n };
      const expected = plainly(book, terms);
      for (const { bid: each, amount } of allocate(book, terms).fills) assert.equal(amount, expected.get(each.id) ?? 0n, each.id);
    }),
    { numRuns: 1_000 },
  );
});

test('fills are those of the rule where many bids are of few amounts and most drop out', () => {
  const Row = fc.record({ amount: fc.constantFrom(1, 2, 3, 4, 6, 10, 30), all: fc.integer({ min: 0, max: 4 }), at: fc.nat(2) });
  const Books = fc.array(Row, { minLength: 5, maxLength: 60 });
  fc.assert(
    fc.property(Books, fc.integer({ min: 1, max: 9 }), fc.nat(3), methods, (rows, share, limits, method) => {
      const book = rows.map(
        (row, index): Bid => ({
          id: `bid_${index}`,
          amount: BigInt(row.amount) * STEP,
          minimum: row.all === 4 ? 0n : (BigInt(row.amount) * STEP) / BigInt(row.all === 3 ? 2 : 1),
          limit_yield: index % 4 < limits ? 5 + (index % 4) / 10 : null,
          placed_at: `2026-11-20T10:00:00.00${row.at}Z`,
        }),
      );
      const demand = rows.reduce((total, { amount }) => total + amount, 0);
      const terms = offered(method, Math.ceil((demand * share) / 10));
      const expected = plainly(book, terms);
      for (const { bid: each, amount } of allocate(book, terms).fills) assert.equal(amount, expected.get(each.id) ?? 0n, each.id);
    }),
    { numRuns: 500 },
  );
});

test('a share and a ratio are exact where no number holds their products', () => {
  const whole = (id: string, amount: bigint, minimum = 0n): Bid => ({ ...bid(id, 0), amount, minimum });
  const cents = [30_000_000_000_012n, 30_000_000_000_006n, 30_000_000_000_003n];
  const finest: Offer = { ...offer('PRO_RATA', 0), size: 70_000_000_000_001n, increment: 1n };
  const shared = allocate(
    cents.map((each, index) => whole(`bid_${index}`, each)),
    finest,
  );
  assert.deepEqual(
    shared.fills.map((each) => each.amount),
    [23_333_333_333_337n, 23_333_333_333_333n, 23_333_333_333_331n],
  );
  // 1,001 and 1,000 increments: the ratio of the first is smaller, by a difference of the products of 1 in 10^16.
  const minimum = 15_000_000_000_000n;
  const coarse: Offer = { ...finest, size: 20_010_000_000_000n, increment: 10_000_000_000n };
  const { fills: filled } = allocate(
    [whole('a', 30_029_999_999_999n, minimum), whole('b', 29_999_999_999_999n, minimum)],
    coarse,
  );
  assert.deepEqual(
    filled.map(({ amount }) => amount),
    [0n, coarse.size],
  );
});

test('a large book of which half drops out takes a fraction of what the rule takes in big integers', () => {
  const book = Array.from({ length: 800 }, (_, index) => {
    const amount = BigInt(100 + ((index * 37) % 100)) * STEP;
    return { ...bid(`bid_${String(index).padStart(4, '0')}`, 0), amount, minimum: amount };
  });
  const terms = offered('PRO_RATA', 60_000);
  const spent = (work: () => void): number => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  const [fast, plain] = [spent(() => allocate(book, terms)), spent(() => plainly(book, terms))];
  assert.ok(fast < plain / 3, `${fast} µs beside ${plain} µs`);
});
