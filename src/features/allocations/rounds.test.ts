import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { asId } from '../../platform/ids.ts';
import type { Bid, Offer } from './allocate.ts';
import { allocate } from './testing/allocate.ts';
import {
  hashBook,
  publicBook,
  reminderTime,
  replayBook,
  responseDeadline,
  type RoundTerms,
  runRound,
  sourceId,
  toAllocations,
  type UnplacedBid,
} from './round.ts';

const STEP = 1_000;
const SOURCE = { organization_id: asId('org', 'org_x'), subscription_id: null };

const bid = (id: number, steps: number, more: Partial<UnplacedBid> = {}): UnplacedBid => ({
  ...SOURCE,
  order_id: asId('ord', `ord_${String(id).padStart(3, '0')}`),
  amount: (steps * STEP).toFixed(2),
  minimum_amount: '0.00',
  limit_yield: null,
  placed_at: '2026-11-20T10:00:00.000Z',
  ...more,
});
const terms = (method: RoundTerms['method'], steps: number): RoundTerms => ({
  method,
  size: (steps * STEP).toFixed(2),
  increment: STEP.toFixed(2),
  market_yield: 5,
  rule_version: 2,
});

const Book = fc
  .array(
    fc.record({
      steps: fc.integer({ min: 1, max: 30 }),
      minimum: fc.nat(30),
      limit: fc.option(fc.integer({ min: 0, max: 5 })),
      second: fc.nat(3),
    }),
    { maxLength: 10 },
  )
  .map((rows) =>
    rows.map(({ steps, minimum, limit, second }, index) =>
      bid(index, steps, {
        minimum_amount: (Math.min(steps, minimum) * STEP).toFixed(2),
        limit_yield: limit === null ? null : 5 + limit / 8,
        placed_at: `2026-11-20T10:00:0${second}.000Z`,
      }),
    ),
  );
const Method = fc.constantFrom<RoundTerms['method']>('PRO_RATA', 'CLEARING_YIELD');
const Steps = fc.integer({ min: 1, max: 120 });

test('the book without names gives everybody the fill that the book with names gave', async () => {
  await fc.assert(
    fc.asyncProperty(Book, Method, Steps, async (book, method, steps) => {
      const asked = terms(method, steps);
      const round = await runRound(book, asked);
      const replayed = await replayBook(publicBook(round.bids), asked);
      assert.deepEqual(
        replayed.fills.map((fill) => fill.amount),
        round.fills.map((fill) => fill.amount),
      );
      assert.deepEqual([replayed.yield, replayed.demand], [round.yield, round.demand]);
    }),
  );
});

test('the places of a book are numbered from 1 by time, then by id, each bid once', async () => {
  await fc.assert(
    fc.asyncProperty(Book, Method, Steps, async (book, method, steps) => {
      const { bids } = await runRound(book, terms(method, steps));
      const expected = book.toSorted((a, b) => (`${a.placed_at} ${sourceId(a)}` < `${b.placed_at} ${sourceId(b)}` ? -1 : 1));
      assert.deepEqual(
        bids,
        expected.map((each, index) => ({ ...each, entry: index + 1 })),
      );
    }),
  );
});

test('a large book of which most bids drop out is run in turns, between which the process does other things', async () => {
  const book = Array.from({ length: 1_000 }, (_, index) => bid(index, 100 + index, { minimum_amount: `${100 + index}000.00` }));
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const { fills } = await runRound(book, terms('PRO_RATA', 300_000));
  isDone = true;
  const out = fills.filter(({ amount }) => amount === 0n).length;
  assert.ok(out > 400 && turns >= Math.floor(out / 100), `${turns} turns, in which ${out} bids dropped out`);
});

test('the hash is that of the terms and the book as JSON, and another one after any change of either', async () => {
  const book = publicBook((await runRound([bid(1, 3, { limit_yield: 5.25 }), bid(2, 4)], terms('CLEARING_YIELD', 5))).bids);
  const asked = terms('CLEARING_YIELD', 5);
  const hash = hashBook(book, asked);
  const json =
    '{"method":"CLEARING_YIELD","size":5000,"increment":1000,"market_yield":5,"book":[' +
    '{"entry":1,"amount":3000,"minimum_amount":0,"limit_yield":5.25},{"entry":2,"amount":4000,"minimum_amount":0,"limit_yield":null}]}';
  assert.equal(hash, createHash('sha256').update(json).digest('hex'));
  const [first, second] = book as [(typeof book)[number], (typeof book)[number]];
  const changed = [
    hashBook([second, first], asked),
    hashBook([first], asked),
    hashBook([{ ...first, amount: 3_000.01 }, second], asked),
    hashBook([{ ...first, minimum_amount: 1 }, second], asked),
    hashBook([{ ...first, limit_yield: 5.250001 }, second], asked),
    hashBook(book, { ...asked, size: '5000.01' }),
    hashBook(book, { ...asked, increment: '500.00' }),
    hashBook(book, { ...asked, market_yield: null }),
    hashBook(book, { ...asked, method: 'PRO_RATA' }),
  ];
  assert.equal(new Set([hash, ...changed]).size, changed.length + 1);
});

test('every fill above zero becomes an allocation of its bidder, and no other', async () => {
  await fc.assert(
    fc.asyncProperty(Book, Method, Steps, async (book, method, steps) => {
      const round = await runRound(book, terms(method, steps));
      let ids = 0;
      const about = {
        round_id: 'alr_1',
        deal_id: asId('deal', 'deal_1'),
        tranche_id: asId('trn', 'trn_1'),
        method,
        yield: round.yield,
        price: '99.5',
      };
      const rows = toAllocations(round, about, { expires_at: new Date(0), newId: () => asId('all', `all_${(ids += 1)}`) });
      const expected = round.bids.flatMap((each, index) => {
        const cents = round.fills[index]?.amount ?? 0n;
        return cents > 0n ? [[each.entry, each.order_id, each.amount, Number(cents) / 100]] : [];
      });
      assert.deepEqual(
        rows.map((row) => [row.entry, row.order_id, row.requested_amount, Number(row.allocated_amount)]),
        expected,
      );
      assert.equal(new Set(rows.map((row) => row.allocation_id)).size, rows.length);
    }),
  );
});

test('an answer is due by the end of the second business day', () => {
  // Thanksgiving is 2026-11-26, Christmas a Friday in 2026, Juneteenth a Saturday in 2027 (which closes nothing).
  const cases: [string, string][] = [
    ['2026-11-16', '2026-11-18'],
    ['2026-11-19', '2026-11-23'],
    ['2026-11-20', '2026-11-24'],
    ['2026-11-24', '2026-11-27'],
    ['2026-11-25', '2026-11-30'],
    ['2026-12-23', '2026-12-28'],
    ['2026-12-31', '2027-01-05'],
    ['2027-06-17', '2027-06-21'],
    // A Saturday and a holiday count as the next business day.
    ['2026-11-21', '2026-11-25'],
    ['2026-11-26', '2026-12-01'],
  ];
  for (const [made, due] of cases) {
    assert.equal(responseDeadline(new Date(`${made}T15:00:00.000Z`), 'UTC').toISOString(), `${due}T23:59:59.000Z`, made);
  }
});

test('an investor is reminded at the end of the business day before its deadline', () => {
  const cases: [string, string][] = [
    ['2026-11-18', '2026-11-17'],
    ['2026-11-23', '2026-11-20'],
    ['2026-11-27', '2026-11-25'],
    ['2026-12-28', '2026-12-24'],
  ];
  for (const [deadline, reminded] of cases)
    assert.equal(reminderTime(new Date(`${deadline}T23:59:59.000Z`), 'UTC').toISOString(), `${reminded}T23:59:59.000Z`);
  // Across the change of the clocks on 2027-03-14: the deadline is a Monday in summer time, the reminder a Friday before it.
  const monday = new Date('2027-03-16T03:59:59.000Z');
  assert.equal(reminderTime(monday, 'America/New_York').toISOString(), '2027-03-13T04:59:59.000Z');
});

test('a bid stands for an order or for a subscription', () => {
  const order = asId('ord', 'ord_1');
  const subscription = asId('sub', 'sub_1');
  assert.equal(sourceId({ order_id: order, subscription_id: null }), order);
  assert.equal(sourceId({ order_id: null, subscription_id: subscription }), subscription);
  assert.throws(() => sourceId({ order_id: null, subscription_id: null }), /neither/);
});

const toBids = (book: readonly UnplacedBid[], withMinimum: boolean): Bid[] =>
  book.map((each) => ({
    id: sourceId(each),
    amount: BigInt(Math.round(Number(each.amount) * 100)),
    minimum: withMinimum ? BigInt(Math.round(Number(each.minimum_amount) * 100)) : 0n,
    limit_yield: each.limit_yield,
    placed_at: each.placed_at,
  }));
const offerOf = (method: Offer['method'], steps: number, market_yield: number | null = 5): Offer => ({
  method,
  size: BigInt(steps * STEP * 100),
  increment: BigInt(STEP * 100),
  market_yield,
  rule_version: 2,
});

test('pro rata differs from the exact share by less than an increment, and equal asks by at most one', () => {
  fc.assert(
    fc.property(Book, Steps, (book, steps) => {
      const bids = toBids(book, false).map((each) => ({ ...each, limit_yield: null }));
      const { fills, demand } = allocate(bids, offerOf('PRO_RATA', steps));
      const size = BigInt(steps * STEP * 100);
      const increment = BigInt(STEP * 100);
      for (const { bid: each, amount } of fills) {
        if (demand <= size) assert.equal(amount, each.amount);
        const difference = amount * demand - each.amount * size;
        if (demand > size) assert.ok(difference < increment * demand && -difference < increment * demand);
      }
      for (const [place, one] of fills.entries()) {
        for (const other of fills.slice(place + 1)) {
          if (one.bid.amount !== other.bid.amount) continue;
          assert.ok(
            one.amount === other.amount || one.amount === other.amount + increment,
            'the earlier of equals has the odd one',
          );
        }
      }
    }),
  );
});

test('the clearing yield is found by trying every limit', () => {
  fc.assert(
    fc.property(Book, Steps, fc.constantFrom(4.75, null), (book, steps, market) => {
      const bids = toBids(book, false);
      const size = BigInt(steps * STEP * 100);
      const limits = [...new Set(bids.flatMap((each) => (each.limit_yield === null ? [] : [each.limit_yield])))].toSorted(
        (a, b) => a - b,
      );
      const demandAt = (limit: number): bigint =>
        bids
          .filter((each) => each.limit_yield === null || each.limit_yield <= limit)
          .reduce((sum, each) => sum + each.amount, 0n);
      const covering = limits.find((limit) => demandAt(limit) >= size);
      const { yield: clearing } = allocate(bids, offerOf('CLEARING_YIELD', steps, market));
      assert.equal(clearing, covering ?? limits.at(-1) ?? market);
    }),
  );
});

test('no bid above the clearing yield is filled, and those below it are filled whole', () => {
  fc.assert(
    fc.property(Book, Steps, (book, steps) => {
      const { fills, yield: clearing } = allocate(toBids(book, false), offerOf('CLEARING_YIELD', steps));
      for (const { bid: each, amount } of fills) {
        if (each.limit_yield === null || clearing === null) continue;
        if (each.limit_yield > clearing) assert.equal(amount, 0n);
        if (each.limit_yield < clearing) assert.equal(amount, each.amount);
      }
    }),
  );
});

test('whoever dropped out last would have had less than its minimum in the book of those who stayed', () => {
  fc.assert(
    fc.property(Book, Steps, (book, steps) => {
      const withMinimum = allocate(toBids(book, true), offerOf('PRO_RATA', steps));
      const dropped = withMinimum.fills.filter((fill) => /below the minimum/.test(fill.reason));
      for (const fill of dropped) assert.ok(fill.amount === 0n && fill.bid.minimum > 0n);
      // The last that dropped did so in a book of everybody who stayed and itself.
      const stayed = withMinimum.fills.filter((fill) => !dropped.includes(fill)).map((fill) => fill.bid);
      const unbound = (of: Bid): Bid => ({ ...of, minimum: 0n });
      const isShort = ({ bid: own }: (typeof dropped)[number]): boolean => {
        const { fills } = allocate([...stayed, own].map(unbound), offerOf('PRO_RATA', steps));
        return fills.some((fill) => fill.bid.id === own.id && fill.amount < own.minimum);
      };
      assert.ok(dropped.length === 0 || dropped.some(isShort));
    }),
  );
});

test('each fill says how it came about', () => {
  const at = (minute: number, more: Partial<Bid>): Bid => ({
    id: `bid_${minute}`,
    amount: 400_000n,
    minimum: 0n,
    limit_yield: null,
    placed_at: `2026-11-20T10:0${minute}:00.000Z`,
    ...more,
  });
  const reasons = (bids: Bid[], offer: Offer) => allocate(bids, offer).fills.map((fill) => fill.reason);
  assert.deepEqual(
    reasons(
      [at(1, {}), at(2, { limit_yield: 5.1 }), at(3, { limit_yield: 5.2 }), at(4, { limit_yield: 5.3 })],
      offerOf('CLEARING_YIELD', 10),
    ),
    [
      'Filled in full.',
      'Filled in full.',
      'Shared pro rata at the clearing yield.',
      'The limit of 5.3 % is above the clearing yield of 5.2 %.',
    ],
  );
  assert.deepEqual(reasons([at(1, {}), at(2, {})], offerOf('PRO_RATA', 5)), ['Shared pro rata.', 'Shared pro rata.']);
  assert.deepEqual(reasons([at(1, {}), at(2, {})], offerOf('PRO_RATA', 1)), [
    'Shared pro rata.',
    'Better bids took the whole size.',
  ]);
  assert.deepEqual(reasons([at(1, {}), at(2, { minimum: 400_000n })], offerOf('PRO_RATA', 6)), [
    'Filled in full.',
    'The share would have been below the minimum.',
  ]);
});
