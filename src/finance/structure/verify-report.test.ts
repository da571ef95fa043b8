import assert from 'node:assert/strict';
import { test } from 'node:test';
import { note, sequential } from '../../../test/support/structures.ts';
import { openRemittances, type Remittance, type RemittanceState, type RemittanceTranche as Tranche } from './remittance.ts';
import type { RecordedFixings } from './report-indices.ts';
import type { Structure } from './structure.ts';
import { tieRemittance } from './tie-remittance.ts';
import { verifyReport } from './verify-report.ts';

const DATES = { cutOff: '2026-11-30', closing: '2026-12-15' };
const floater = (tranche: string, balance: number, seniority: number) =>
  note(tranche, balance, 0, seniority, { coupon: { type: 'FLOATING', index: 'SOFR', margin_bp: 100 } });

/** A deal of two floaters on one index and a trigger on delinquencies, that rounds to the cent. */
const DEAL: Structure = {
  ...sequential([floater('A', 600_000, 1), floater('B', 300_000, 2)], {
    triggers: [{ trigger: 'late', metric: 'DELINQUENT_60', op: 'gt', value: 5 }],
  }),
  payment: { first_payment_date: '2027-01-15', business_day: 'NONE', rounding: 'CENT' },
};

/** The second payment: A was paid off by the first. B accrues a month at 5 %. */
const STATE: RemittanceState = {
  ...openRemittances(DEAL, 1_000_000),
  period: 1,
  payment_date: '2027-01-15',
  pool_balance: 320_000,
  tranches: { A: { balance: 0, shortfall: 0 }, B: { balance: 300_000, shortfall: 0 }, R: { balance: 0, shortfall: 0 } },
};

function report(changes: Partial<Remittance> = {}): Remittance {
  return {
    period: 2,
    payment_date: '2027-02-15',
    collateral: { beginning_pool_balance: 320_000, principal_collected: 10_000, ending_pool_balance: 310_000 },
    available: { interest: 2_000, principal: 10_000 },
    tranches: [
      { tranche: 'A', beginning_balance: 0, interest_paid: 0, principal_paid: 0, ending_balance: 0 },
      {
        tranche: 'B',
        beginning_balance: 300_000,
        interest_paid: 1_250,
        principal_paid: 10_000,
        ending_balance: 290_000,
        rate: 5,
      },
    ],
    residual: 750,
    ...changes,
  };
}

const verified = (changes: Partial<Remittance> = {}) => verifyReport(DEAL, DATES, STATE, report(changes)).verification;

test('the rate that a floater was paid tells its index, whatever a class on the same index that is paid off says', () => {
  const { status, lines, missing } = verified();
  assert.deepEqual([status, missing, lines.filter(({ difference }) => difference !== 0)], ['AGREES', [], []]);
});

test('a report without NET_WAC that is right to the cent does not differ by the cent that interest and its cut round apart', () => {
  const a = note('A', 600_000.6, 8, 1, { coupon: { type: 'FIXED', rate: 8, cap: 'NET_WAC', carry_over: true } });
  const deal = sequential([a], {
    payment: { first_payment_date: '2027-01-15', business_day: 'NONE', rounding: 'CENT' },
    waterfall: [
      { pay: 'INTEREST', to: ['A'] },
      { pay: 'PRINCIPAL', to: ['A'] },
      { pay: 'CARRY_OVER', to: ['A'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  });
  // Loans at 3.3300107 %: 1,665.007 of interest, 2,334.997 cut of it, 4,000.004 in all, which is 4,000.00 where nothing or all is cut.
  const paid = { interest_paid: 1_665.01, carry_over_paid: 2_335, carry_over_closing: 0, principal_paid: 10_000 };
  const first: Remittance = {
    period: 1,
    payment_date: '2027-01-15',
    collateral: { beginning_pool_balance: 700_000, principal_collected: 10_000, ending_pool_balance: 690_000 },
    available: { interest: 5_000, principal: 10_000 },
    tranches: [{ tranche: 'A', beginning_balance: 600_000.6, ...paid, ending_balance: 590_000.6 }],
    residual: 999.99,
  };
  const opening = openRemittances(deal, 700_000);
  const { status, lines } = verifyReport(deal, DATES, opening, first).verification;
  assert.deepEqual([status, lines.find(({ path }) => path === 'residual')?.expected], ['PARTIAL', null]);
  const told = verifyReport(deal, DATES, opening, { ...first, rates: { NET_WAC: 3.3300107 } }).verification;
  assert.equal(told.status, 'AGREES');
});

test('a class that is paid nothing at the least and at the most net rate of the loans may be paid between them', () => {
  const c = note('C', 100_000, 10, 2, { coupon: { type: 'FIXED', rate: 10, cap: 'NET_WAC' } });
  const io = {
    tranche: 'IO',
    notional: { percent: 100, of: 'NOTES' as const, of_tranches: ['A'] },
    coupon: { type: 'EXCESS' as const },
  };
  const deal = sequential([note('A', 500_000, 2, 1), io, c], {
    payment: { first_payment_date: '2027-01-15', business_day: 'NONE', rounding: 'CENT' },
    waterfall: [
      { pay: 'INTEREST', to: ['A', 'IO', 'C'] },
      { pay: 'PRINCIPAL', to: ['A', 'C'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  });
  const row = (tranche: string, balance: number, interest_paid: number) => ({
    tranche,
    beginning_balance: balance,
    interest_paid,
    principal_paid: 0,
    ending_balance: balance,
  });
  // At 4 %: 500,000 x 2 % / 12; the average coupon is 2.3333 %, which leaves 1.6667 % of 500,000; 100,000 x 4 % / 12.
  const first: Remittance = {
    period: 1,
    payment_date: '2027-01-15',
    collateral: { beginning_pool_balance: 700_000, principal_collected: 0, ending_pool_balance: 700_000 },
    available: { interest: 2_000, principal: 0 },
    tranches: [row('A', 500_000, 833.33), row('IO', 0, 694.44), row('C', 100_000, 333.33)],
    residual: 138.9,
  };
  const opening = openRemittances(deal, 700_000);
  assert.equal(verifyReport(deal, DATES, opening, first).verification.status, 'PARTIAL');
  assert.equal(verifyReport(deal, DATES, opening, { ...first, rates: { NET_WAC: 4 } }).verification.status, 'AGREES');
});

test('a trigger that is tested after payments is off in the first report, which nothing leaves open', () => {
  const whole = { percent: 100, of: 'POOL_BEGINNING' as const };
  const deal: Structure = {
    ...sequential([note('A', 600_000, 6, 1)], {
      triggers: [{ trigger: 'thin', ratio: [whole, { percent: 100, of: 'NOTES' }], op: 'lt', value: 200, after_payment: true }],
    }),
    payment: { first_payment_date: '2027-01-15', business_day: 'NONE', rounding: 'CENT' },
  };
  const first = (on: boolean): Remittance => ({
    period: 1,
    payment_date: '2027-01-15',
    collateral: { beginning_pool_balance: 700_000, principal_collected: 10_000, ending_pool_balance: 690_000 },
    available: { interest: 5_000, principal: 10_000 },
    tranches: [
      { tranche: 'A', beginning_balance: 600_000, interest_paid: 3_000, principal_paid: 10_000, ending_balance: 590_000 },
    ],
    triggers: [{ trigger: 'thin', on }],
    residual: 2_000,
  });
  const opening = openRemittances(deal, 700_000);
  assert.equal(verifyReport(deal, DATES, opening, first(false)).verification.status, 'AGREES');
  assert.equal(verifyReport(deal, DATES, opening, first(true)).verification.status, 'DIFFERS');
});

test('a floater with a balance and neither rate nor fixing leaves open what its index decides, and nothing else', () => {
  const [a, b] = report().tranches;
  const { rate: _rate, ...silent } = b;
  const cash = { available: { interest: 5_000, principal: 10_000 }, residual: 3_750 };
  const { status, missing, lines } = verified({ ...cash, tranches: [a, silent] });
  assert.deepEqual([status, missing], ['PARTIAL', ['fixings.SOFR']]);
  assert.deepEqual(
    lines.filter(({ expected }) => expected === null).map(({ path }) => path),
    ['tranches[1].interest_paid', 'residual'],
  );
  assert.deepEqual(
    lines.filter(({ difference }) => difference !== 0 && difference !== null),
    [],
  );
  const wrong = verified({ ...cash, tranches: [a, { ...silent, principal_paid: 10_000.01, ending_balance: 289_999.99 }] });
  assert.deepEqual(
    [wrong.status, wrong.lines.find(({ path }) => path === 'tranches[1].principal_paid')?.difference],
    ['DIFFERS', 0.01],
  );
  assert.equal(verified({ tranches: [a, silent], fixings: { SOFR: 4 } }).status, 'AGREES');
});

test('a fixing of an index that nothing of the deal follows is a line without an expectation', () => {
  const { status, missing, lines } = verified({ fixings: { SOFR: 4, SOFR30: 4.1 } });
  assert.deepEqual(
    [status, missing, lines.filter(({ path }) => path.startsWith('fixings.'))],
    [
      'PARTIAL',
      [],
      [{ what: 'TIE', path: 'fixings.SOFR30', reported: 4.1, expected: null, difference: null, step: null, clause: null }],
    ],
  );
});

test('what was unpaid before a payment is compared with what the deal owes', () => {
  const [a, b] = report().tranches;
  const owed = (shortfall: number) =>
    verified({ tranches: [a, { ...b, beginning_shortfall: shortfall, beginning_carry_over: 0 }] });
  assert.equal(owed(0).status, 'AGREES');
  const { status, lines } = owed(12.5);
  assert.deepEqual(
    [status, lines.filter(({ difference }) => difference !== 0)],
    [
      'DIFFERS',
      [
        {
          what: 'TIE',
          tranche: 'B',
          path: 'tranches[1].beginning_shortfall',
          reported: 12.5,
          expected: 0,
          difference: 12.5,
          step: null,
          clause: null,
        },
      ],
    ],
  );
  const fees = [{ fee: 'x', beginning_unpaid: 1 }];
  const paths = (state: RemittanceState) =>
    verifyReport(DEAL, DATES, state, report({ fees })).verification.lines.map(({ path }) => path);
  assert.ok(!paths(STATE).includes('fees[0].beginning_unpaid'), 'not known after reports that did not say it');
  assert.ok(paths({ ...STATE, fees: { x: 0 } }).includes('fees[0].beginning_unpaid'));
});

test('a rate that no report is read for is a line without an expectation', () => {
  const { status, lines } = verified({ rates: { NETWAC: 5 } });
  assert.deepEqual(
    [status, lines.filter(({ path }) => path.startsWith('rates.')).map(({ path, expected }) => [path, expected])],
    ['PARTIAL', [['rates.NETWAC', null]]],
  );
});

test('of a payment that does not follow the one before nothing is expected but its date and its period', () => {
  const known = (changes: Partial<Remittance>, state = STATE) => {
    const findings = tieRemittance(state, report(changes), DEAL);
    const { verification } = verifyReport(DEAL, DATES, state, report(changes), { findings });
    return [verification.missing, verification.lines.filter(({ expected }) => expected !== null).map(({ path }) => path)];
  };
  assert.deepEqual(known({ payment_date: '2027-01-15' }), [['payment_date'], ['payment_date']]);
  assert.deepEqual(known({ period: 1200 }), [['period'], ['payment_date', 'period']]);
  const first = { ...STATE, period: 0, payment_date: null };
  const stub: Structure = { ...DEAL, payment: { ...DEAL.payment, first_accrual: 'ACTUAL' } };
  const early = report({ period: 1, payment_date: '2026-12-15' });
  assert.deepEqual(verifyReport(stub, DATES, first, early).verification.missing, ['payment_date']);
});

test('what ties to nothing and is no figure is a line as it was reported', () => {
  const twice = [...report().tranches, report().tranches[1]];
  const collection_period = { from: '2027-01-31', to: '2027-01-01' };
  const findings = tieRemittance(STATE, report({ tranches: twice, collection_period }), DEAL);
  const { lines } = verifyReport(DEAL, DATES, STATE, report({ tranches: twice, collection_period }), { findings }).verification;
  assert.deepEqual(
    lines.filter(({ what, expected }) => what === 'TIE' && expected === null).map(({ path, reported }) => [path, reported]),
    [
      ['collection_period.to', '2027-01-01'],
      ['tranches[2].tranche', 'B'],
    ],
  );
});

test('buckets of delinquency that add up to more than the pool do not tie', () => {
  const found = (more: object) =>
    tieRemittance(STATE, report({ collateral: { ...report().collateral, ...more } }), DEAL).map(({ path }) => path);
  assert.deepEqual(found({ delinquent_30: 50, delinquent_60: 30, delinquent_90: 20.01 }), []);
  assert.deepEqual(found({ delinquent_30: 60, delinquent_60: 60 }), ['collateral.delinquent_60']);
  assert.deepEqual(found({ delinquent_30: 10, delinquent_90_amount: 300_000 }), ['collateral.delinquent_90_amount']);
});

test('an event of a trigger that is not declared, or of none, is a line without an expectation', () => {
  const events = [
    { trigger: 'late', on: true },
    { trigger: 'eodd', on: true },
  ];
  const { status, lines } = verified({ events });
  assert.deepEqual(
    [status, lines.filter(({ what }) => what === 'TRIGGER').map(({ path, reported, expected }) => [path, reported, expected])],
    [
      'PARTIAL',
      [
        ['events[0].on', 1, null],
        ['events[1].on', 1, null],
      ],
    ],
  );
});

/** The report without the rate of B. */
function withoutRate(changes: Partial<Remittance> = {}): Remittance {
  const [a, { rate: _rate, ...b }] = report().tranches as [Tranche, Tranche];
  return report({ tranches: [a, b], ...changes });
}

test('a floater without rate and fixing is verified by the fixing on record for its accrual, the newest since that of the period before', () => {
  const found = (...points: [date: string, rate: number][]) => {
    const recorded = { SOFR: points.map(([date, rate]) => ({ date, rate })) };
    const { status, missing, lines, recorded_fixings } = verifyReport(DEAL, DATES, STATE, withoutRate(), {
      recorded,
    }).verification;
    const paid = lines.find(({ path }) => path === 'tranches[1].interest_paid');
    return [status, missing, paid?.expected, recorded_fixings?.map(({ index, date, rate }) => [index, date, rate])];
  };
  // A month of 4 % + 1 % on 300,000. The accrual of period 2 begins on 2027-01-15, that of period 1 on 2026-12-15.
  assert.deepEqual(found(['2027-01-15', 4]), ['AGREES', [], 1_250, [['SOFR', '2027-01-15', 4]]]);
  assert.deepEqual(found(['2026-12-16', 4]), ['AGREES', [], 1_250, [['SOFR', '2026-12-16', 4]]]);
  assert.deepEqual(found(['2026-12-20', 9], ['2027-01-13', 4], ['2027-01-16', 7]), [
    'AGREES',
    [],
    1_250,
    [['SOFR', '2027-01-13', 4]],
  ]);
  // 5 % + 1 %.
  assert.deepEqual(found(['2027-01-15', 5]).slice(0, 3), ['DIFFERS', [], 1_500]);
  const none = ['PARTIAL', ['fixings.SOFR'], null, undefined];
  assert.deepEqual(found(['2026-12-15', 4]), none);
  assert.deepEqual(found(['2027-01-16', 4]), none);
  assert.deepEqual(found(), none);
});

test('in the first period any fixing up to the day from which interest accrues is known', () => {
  const state = openRemittances(DEAL, 1_000_000);
  const first = report({
    period: 1,
    payment_date: '2027-01-15',
    tranches: [
      { tranche: 'A', beginning_balance: 600_000, interest_paid: 2_500, principal_paid: 10_000, ending_balance: 590_000 },
      { tranche: 'B', beginning_balance: 300_000, interest_paid: 1_250, principal_paid: 0, ending_balance: 300_000 },
    ],
  });
  const missing = (date: string) =>
    verifyReport(DEAL, DATES, state, first, { recorded: { SOFR: [{ date, rate: 4 }] } }).verification.missing;
  assert.deepEqual([missing('2026-01-02'), missing('2026-12-15'), missing('2026-12-16')], [[], [], ['fixings.SOFR']]);
});

test('the fixing of the report counts first, then the record, then the structure; two that differ are a line', () => {
  const start = '2027-01-15';
  const found = (sent: Remittance, { record, own }: { record?: number; own?: number }) => {
    const deal: Structure = own === undefined ? DEAL : { ...DEAL, fixings: { SOFR: [{ date: start, rate: own }] } };
    const recorded: RecordedFixings = record === undefined ? {} : { SOFR: [{ date: start, rate: record }] };
    const { status, lines, missing } = verifyReport(deal, DATES, STATE, sent, { recorded }).verification;
    const different = lines.filter(({ difference }) => difference !== 0);
    return [status, missing, different.map(({ what, path, reported, expected }) => [what, path, reported, expected])];
  };
  const differs = (reported: number, expected: number) => ['TIE', 'fixings.SOFR', reported, expected];
  const agrees = ['AGREES', [], []];
  assert.deepEqual(found(withoutRate({ fixings: { SOFR: 4 } }), { record: 4, own: 4 }), agrees);
  assert.deepEqual(found(withoutRate(), { record: 4, own: 4 }), agrees);
  assert.deepEqual(found(withoutRate(), { own: 4 }), agrees);
  assert.deepEqual(found(withoutRate({ fixings: { SOFR: 4 } }), { record: 5 }), ['DIFFERS', [], [differs(4, 5)]]);
  assert.deepEqual(found(withoutRate({ fixings: { SOFR: 4 } }), { record: 5, own: 4.5 }), [
    'DIFFERS',
    [],
    [differs(4, 5), differs(4, 4.5)],
  ]);
  assert.deepEqual(found(withoutRate(), { record: 4, own: 5 }), ['DIFFERS', [], [differs(4, 5)]]);
});

test('a rate that was paid tells the index only where there is no fixing, and of classes on the same index too', () => {
  const recorded = { SOFR: [{ date: '2027-01-15', rate: 6 }] };
  const { status, lines } = verifyReport(DEAL, DATES, STATE, report(), { recorded }).verification;
  // A month of 7 % on 300,000, in the place of 5 %.
  assert.deepEqual(
    [
      status,
      lines
        .filter(({ tranche }) => tranche === 'B')
        .flatMap(({ path, expected, difference }) => (difference === 0 ? [] : [[path, expected]])),
    ],
    [
      'DIFFERS',
      [
        ['tranches[1].interest_paid', 1_750],
        ['tranches[1].rate', 7],
      ],
    ],
  );
  // The rate of B tells the index of A too: a month of 5 % on 120,000.
  const state = { ...STATE, tranches: { ...STATE.tranches, A: { balance: 120_000, shortfall: 0 } } };
  const [, b] = report().tranches as [Tranche, Tranche];
  const a = { tranche: 'A', beginning_balance: 120_000, interest_paid: 500, principal_paid: 10_000, ending_balance: 110_000 };
  const sent = report({ tranches: [a, { ...b, principal_paid: 0, ending_balance: 300_000 }], residual: 250 });
  const { verification } = verifyReport(DEAL, DATES, state, sent);
  assert.deepEqual([verification.status, verification.recorded_fixings], ['AGREES', undefined]);
});

test('a rate at its cap tells no index: what the cap cuts is known by a fixing alone', () => {
  const capped = (carry_over: boolean): Structure => ({
    ...DEAL,
    tranches: DEAL.tranches.map((each) =>
      each.coupon?.type === 'FLOATING' && each.tranche === 'B'
        ? { ...each, coupon: { ...each.coupon, cap: 'NET_WAC', carry_over } }
        : each,
    ),
    waterfall: [
      { pay: 'INTEREST', to: ['A', 'B'] },
      { pay: 'PRINCIPAL', to: ['A', 'B'] },
      ...(carry_over ? [{ pay: 'CARRY_OVER' as const, to: ['B'], limit: 0 }] : []),
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  });
  const found = (deal: Structure, netWac: number, changes: Partial<Tranche> = {}, record?: number) => {
    const [a, b] = report().tranches as [Tranche, Tranche];
    const sent = report({ rates: { NET_WAC: netWac }, tranches: [a, { ...b, ...changes }] });
    const recorded: RecordedFixings = record === undefined ? {} : { SOFR: [{ date: '2027-01-15', rate: record }] };
    const { verification, recomputed } = verifyReport(deal, DATES, STATE, sent, { recorded });
    return [verification.status, verification.missing, recomputed?.state.tranches.B?.carry_over];
  };
  // 1 % of 300,000 for a month is cut.
  assert.deepEqual(found(capped(true), 5, {}, 5), ['AGREES', [], 250]);
  assert.deepEqual(found(capped(true), 5, { carry_over_closing: 0 }, 5), ['DIFFERS', [], 250]);
  assert.deepEqual(found(capped(true), 5), ['PARTIAL', ['fixings.SOFR'], undefined]);
  // Below its cap the rate tells the index, and where what is cut is lost it need not.
  assert.deepEqual(found(capped(true), 7), ['AGREES', [], 0]);
  assert.deepEqual(found(capped(false), 5), ['AGREES', [], 0]);
  // An index that a cap hides says nothing of the other class.
  const state = { ...STATE, tranches: { ...STATE.tranches, A: { balance: 120_000, shortfall: 0 } } };
  const [, b] = report().tranches as [Tranche, Tranche];
  const a = { tranche: 'A', beginning_balance: 120_000, interest_paid: 500, principal_paid: 10_000, ending_balance: 110_000 };
  const both = report({
    rates: { NET_WAC: 5 },
    tranches: [a, { ...b, principal_paid: 0, ending_balance: 300_000 }],
    residual: 250,
  });
  assert.deepEqual(verifyReport(capped(false), DATES, state, both).verification.missing, ['fixings.SOFR']);
});

test('an index that is observed some days before the accrual has the fixing of that day', () => {
  const lagging = (lag_days: number): Structure => ({
    ...DEAL,
    tranches: DEAL.tranches.map((each) =>
      each.coupon?.type === 'FLOATING' ? { ...each, coupon: { ...each.coupon, reset: { lag_days } } } : each,
    ),
  });
  const recorded = {
    SOFR: [
      { date: '2026-12-14', rate: 8 },
      { date: '2027-01-13', rate: 4 },
      { date: '2027-01-15', rate: 9 },
    ],
  };
  const found = (lag: number) => {
    const { status, missing, recorded_fixings } = verifyReport(lagging(lag), DATES, STATE, withoutRate(), {
      recorded,
    }).verification;
    return [status, missing, recorded_fixings?.map(({ date }) => date)];
  };
  assert.deepEqual(found(2), ['AGREES', [], ['2027-01-13']]);
  assert.deepEqual(found(1), ['AGREES', [], ['2027-01-13']]);
  assert.deepEqual(found(0), ['DIFFERS', [], ['2027-01-15']]);
  assert.deepEqual(found(3), ['DIFFERS', [], ['2026-12-14']]);
  // The accrual before it is that of 2026-12-15: what was observed for that one is none of this.
  assert.deepEqual(found(34), ['PARTIAL', ['fixings.SOFR'], undefined]);
});

test('what an account earns by an index is what the report says, whatever the index', () => {
  const deal: Structure = {
    ...DEAL,
    accounts: [{ account: 'reserve', initial: 1_000, target: 1_000, earns: { index: 'LIBOR' } }],
    waterfall: [...DEAL.waterfall.slice(0, -1), { pay: 'RESERVE', to: ['reserve'] }, { pay: 'RESIDUAL', to: ['R'] }],
  };
  const state = { ...STATE, accounts: { reserve: { balance: 1_000 } } };
  const accounts = [{ account: 'reserve', opening: 1_000, earned: 3, release: 3, closing: 1_000 }];
  const { status, missing } = verifyReport(deal, DATES, state, report({ accounts, residual: 753 })).verification;
  assert.deepEqual([status, missing], ['AGREES', []]);
});

test('a coupon that is reset every quarter has the fixing of its reset, on record or as the report gives it', () => {
  const reset = { every_months: 3 };
  const quarterly: Structure = {
    ...DEAL,
    tranches: DEAL.tranches.map((each) =>
      each.coupon?.type === 'FLOATING' ? { ...each, coupon: { ...each.coupon, reset } } : each,
    ),
  };
  const recorded = {
    SOFR: [
      { date: '2026-12-15', rate: 4 },
      { date: '2027-01-15', rate: 9 },
    ],
  };
  const { verification } = verifyReport(quarterly, DATES, STATE, withoutRate(), { recorded });
  assert.deepEqual(
    [verification.status, verification.recorded_fixings],
    ['AGREES', [{ index: 'SOFR', date: '2026-12-15', rate: 4 }]],
  );
  const late = verifyReport(quarterly, DATES, STATE, withoutRate(), { recorded: { SOFR: recorded.SOFR.slice(1) } }).verification;
  assert.deepEqual(late.missing, ['fixings.SOFR']);
  for (const sent of [withoutRate({ fixings: { SOFR: 4 } }), report()])
    assert.equal(verifyReport(quarterly, DATES, STATE, sent).verification.status, 'AGREES');
});

test('a trigger whose figure is not reported has no expectation; with the figure it has', () => {
  const triggers = [{ trigger: 'late', on: true }];
  const expectation = (changes: Partial<Remittance>) => {
    const { status, lines } = verified({ triggers, ...changes });
    return [status, lines.find(({ what }) => what === 'TRIGGER')?.expected];
  };
  assert.deepEqual(expectation({}), ['PARTIAL', null]);
  const late = (amount: number) => ({ collateral: { ...report().collateral, delinquent_60_amount: amount } });
  assert.deepEqual(expectation(late(15_500)), ['DIFFERS', 0]);
  assert.deepEqual(expectation(late(15_500.01)), ['AGREES', 1]);
});

test('without available cash nothing is run again, and nothing can differ', () => {
  const { available: _available, ...silent } = report();
  const { verification, recomputed } = verifyReport(DEAL, DATES, STATE, silent);
  assert.deepEqual([verification.status, verification.missing, recomputed], ['PARTIAL', ['available'], null]);
});

test('another date than that of the calendar is a line of days', () => {
  const { status, lines } = verified({ payment_date: '2027-02-16' });
  const line = lines.find(({ what }) => what === 'PAYMENT_DATE');
  assert.deepEqual([status, line?.expected, line?.difference], ['DIFFERS', '2027-02-15', 1]);
});

test('the date of a payment is that of the calendar also where the first payment takes more months than the later ones', () => {
  const deal: Structure = { ...DEAL, payment: { ...DEAL.payment, first_collection_months: 2 } };
  const { status, lines } = verifyReport(deal, DATES, STATE, report({ payment_date: '2027-02-16' })).verification;
  const line = lines.find(({ what }) => what === 'PAYMENT_DATE');
  assert.deepEqual([status, line?.expected, line?.difference], ['DIFFERS', '2027-02-15', 1]);
});

test('a tranche that only RESIDUAL steps pay is the residual here too, whatever its class', () => {
  const deal = {
    ...DEAL,
    tranches: DEAL.tranches.map((each) => (each.tranche === 'R' ? { ...each, class: 'Certificates' } : each)),
  };
  const agrees = (changes: Partial<Remittance> = {}) => {
    const { status, lines } = verifyReport(deal, DATES, STATE, report(changes)).verification;
    return [status, lines.filter(({ difference }) => difference !== 0)];
  };
  assert.deepEqual(agrees(), ['AGREES', []]);
  const paid = { tranche: 'R', beginning_balance: 0, interest_paid: 750, principal_paid: 0, ending_balance: 0 };
  assert.deepEqual(agrees({ tranches: [...report().tranches, paid] }), ['AGREES', []]);
});

test('the figures that are expected of a balance can be reported as they are, also where the structure pays half cents', () => {
  const names = ['A', 'B'];
  const deal = sequential([note('A', 400_000, 5, 1), note('B', 400_000, 5, 1)], {
    waterfall: [
      { pay: 'INTEREST', to: names },
      { pay: 'PRINCIPAL', to: names, order: 'PRO_RATA' },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  });
  const paying = (principal: number): Remittance => ({
    period: 1,
    payment_date: '2027-01-15',
    collateral: { beginning_pool_balance: 1_000_000, principal_collected: principal, ending_pool_balance: 1_000_000 - principal },
    available: { interest: 6_000, principal },
    tranches: names.map((tranche) => ({
      tranche,
      beginning_balance: 400_000,
      interest_paid: 0,
      principal_paid: 0,
      ending_balance: 400_000,
    })),
  });
  for (const principal of [10_000.01, 10_000.03, 10_000]) {
    const { lines } = verifyReport(deal, DATES, openRemittances(deal, 1_000_000), paying(principal)).verification;
    for (const tranche of names) {
      const of = (what: string) => Number(lines.find((each) => each.what === what && each.tranche === tranche)?.expected);
      assert.equal(Math.round((400_000 - of('PRINCIPAL') - of('ENDING_BALANCE')) * 100), 0, `${tranche} of ${principal}`);
      assert.ok(Math.abs(of('PRINCIPAL') - principal / 2) < 0.006);
    }
  }
});

test('income that joins the pot counts once, whether a report has it as available, as earned by an account, or as both', () => {
  const deal: Structure = { ...DEAL, accounts: [{ account: 'collections', kind: 'COLLECTION', earns: { rate: 2 } }] };
  const state = { ...STATE, accounts: { collections: { balance: 0 } } };
  const differences = (income: number | undefined, earned: number | undefined, residual: number) => {
    const { lines } = verifyReport(deal, DATES, state, {
      ...report(),
      available: { interest: 2_000, principal: 10_000, ...(income === undefined ? {} : { income }) },
      accounts: [{ account: 'collections', opening: 0, closing: 0, ...(earned === undefined ? {} : { earned }) }],
      residual,
    }).verification;
    return lines.flatMap(({ what, expected, difference }) => (difference === 0 ? [] : [[what, expected]]));
  };
  assert.deepEqual(differences(2, undefined, 752), []);
  assert.deepEqual(differences(undefined, 2, 752), []);
  assert.deepEqual(differences(2, 2, 752), []);
  // 3 of it from accounts that the structure does not name.
  assert.deepEqual(differences(5, 2, 755), []);
  assert.deepEqual(differences(2, 2, 754), [
    ['RESIDUAL', 752],
    ['TIE', 752],
  ]);
});

test('triggers before the payment that the structure does not have, or that were not so, are lines', () => {
  const told = (triggerState: { trigger: string; on: boolean }[]) => {
    const { status, lines } = verifyReport(DEAL, DATES, STATE, report(), { triggerState }).verification;
    const found = lines.filter(({ path }) => path.startsWith('trigger_state'));
    return [status, found.map(({ what, path, reported, expected }) => [what, path, reported, expected])];
  };
  assert.deepEqual(told([{ trigger: 'late', on: false }]), ['AGREES', []]);
  const misspelt = { trigger: 'Late', on: true };
  assert.deepEqual(told([{ trigger: 'late', on: false }, misspelt]), ['PARTIAL', [['TRIGGER', 'trigger_state[1].on', 1, null]]]);
  assert.deepEqual(told([{ trigger: 'late', on: true }]), ['DIFFERS', [['TRIGGER', 'trigger_state[0].on', 1, 0]]]);
});
