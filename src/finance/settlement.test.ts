import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceTrade, settlementDate, tradeAmounts } from './settlement.ts';

test('a trade of Ally 2017-1 A-3 costs what its factor, price and twenty days of interest say', () => {
  // Factor of the Ally 10-D of November 2019; amounts: portfolio cases, trade_accrued_dev.
  const accrual = { coupon: '1.70', dayCount: '30/360', from: '2019-11-15' } as const;
  assert.deepEqual(tradeAmounts('5000000', '0.1659074', '99.95', accrual, '2019-12-05'), {
    current_face: '829537.00',
    principal_amount: '829122.23',
    accrued_interest: '783.45',
    net_amount: '829905.68',
  });
});

test('half a cent of an amount is rounded to the even cent', () => {
  const amounts = (face: string, factor: string, price: string) => {
    const { current_face, principal_amount, net_amount } = tradeAmounts(face, factor, price, accrual, '2026-01-31');
    return [current_face, principal_amount, net_amount];
  };
  const accrual = { coupon: null, dayCount: '30/360', from: '2026-01-31' } as const;
  assert.deepEqual(amounts('1000', '1', '99.9985'), ['1000.00', '999.98', '999.98']);
  assert.deepEqual(amounts('1000', '1', '99.9995'), ['1000.00', '1000.00', '1000.00']);
  // The current face is rounded before it meets the price: 1000.005 is 1000.00, and not 1000.01.
  assert.deepEqual(amounts('10000', '0.1000005', '50'), ['1000.00', '500.00', '500.00']);
  assert.deepEqual(amounts('10000', '0.1000015', '50'), ['1000.02', '500.01', '500.01']);
});

test('accrued interest follows the day count and is nothing before it begins or without a coupon', () => {
  const amounts = (dayCount: '30/360' | 'ACT/360' | 'ACT/365' | 'ACT/ACT', coupon: string | null, to: string) =>
    tradeAmounts('1000000', '1', '100', { coupon, dayCount, from: '2026-01-31' }, to).accrued_interest;
  // 30/360 counts 30 days from 31 January to 1 March less a day (ISDA 2006 4.16(f)); the calendar has 29.
  assert.equal(amounts('30/360', '3.6', '2026-03-01'), '3100.00');
  assert.equal(amounts('ACT/360', '3.6', '2026-03-01'), '2900.00');
  assert.equal(amounts('ACT/365', '3.65', '2026-03-01'), '2900.00');
  assert.equal(amounts('ACT/ACT', '3.65', '2026-03-01'), '2900.00');
  assert.equal(amounts('30/360', '3.6', '2026-01-31'), '0.00');
  assert.equal(amounts('30/360', null, '2026-03-01'), '0.00');
});

test('settlement is on the closing date, or on the next business day when that is later', () => {
  assert.equal(settlementDate('2026-11-20', '2026-12-15'), '2026-12-15');
  assert.equal(settlementDate('2026-12-15', '2026-12-15'), '2026-12-16');
  // Friday, and the Wednesday before Thanksgiving (26 November 2026).
  assert.equal(settlementDate('2026-11-20', '2026-11-01'), '2026-11-23');
  assert.equal(settlementDate('2026-11-25', '2026-11-01'), '2026-11-27');
  // A trade made on a Saturday settles on Monday: the first business day after it.
  assert.equal(settlementDate('2026-11-21', '2026-11-01'), '2026-11-23');
});

test('a trade costs its price: principal at it, interest from the later of dated date and last payment', () => {
  const terms = {
    coupon: '6',
    day_count: '30/360',
    dated_date: '2026-12-01',
    accrued_from: '2026-12-01',
    payment_day: 15,
    factor: '1',
    closing_date: '2026-12-14',
  } as const;
  const priced = priceTrade('1000000', '96.904012', terms, '2026-11-20');
  // 13 days of 30/360 at 6 % on 1,000,000.
  assert.deepEqual(priced, {
    price: '96.904012',
    factor: '1',
    principal_amount: '969040.12',
    accrued_interest: '2166.67',
    net_amount: '971206.79',
    trade_date: '2026-11-20',
    settlement_date: '2026-12-14',
    accrued_from: '2026-12-01',
  });
  assert.equal(priceTrade('1000000', '100', { ...terms, accrued_from: '2026-12-14' }, '2026-11-20').accrued_interest, '0.00');
});

test('a trade that settles ex before the payment has the interest up to the payment with a minus', () => {
  const accrual = { coupon: '6', dayCount: '30/360', from: '2027-01-15' } as const;
  // 1,000,000 at factor 0.97 and par: 6 % of 970,000 for 3 of 360 days.
  assert.deepEqual(tradeAmounts('1000000', '0.97', '100', accrual, '2027-01-12', { ex: true }), {
    current_face: '970000.00',
    principal_amount: '970000.00',
    accrued_interest: '-485.00',
    net_amount: '969515.00',
  });
  assert.equal(tradeAmounts('1000000', '0.97', '100', accrual, '2027-01-15', { ex: true }).accrued_interest, '0.00');
  assert.equal(tradeAmounts('1000000', '0.97', '100', accrual, '2027-01-12').accrued_interest, '0.00', 'before the dated date');
});

test('a month from the end of February to the next payment has 30 days, of which accrued interest is never more', () => {
  // SIFMA, Standard Securities Calculation Methods: the last day of February counts as the 30th where a note pays at month-ends.
  const accrued = (dayCount: '30/360' | '30E/360', paymentDay: number, from: string, to: string) =>
    tradeAmounts('1000000', '1', '100', { coupon: '3.6', dayCount, from, paymentDay }, to).accrued_interest;
  const days = ['01', '15', '28', '29', '30', '31'].map((day) => `2027-03-${day}`);
  for (const dayCount of ['30/360', '30E/360'] as const) {
    for (const paymentDay of [30, 31]) {
      assert.deepEqual(
        days.map((day) => accrued(dayCount, paymentDay, '2027-02-28', day)),
        ['100.00', '1500.00', '2800.00', '2900.00', '3000.00', '3000.00'],
      );
      assert.equal(accrued(dayCount, paymentDay, '2028-02-29', '2028-03-30'), '3000.00');
    }
    assert.equal(accrued(dayCount, 29, '2027-02-28', '2027-03-29'), '3000.00');
    assert.equal(accrued(dayCount, 29, '2028-02-29', '2028-03-29'), '3000.00');
    // A note that pays on the 28th has no month-ends.
    assert.equal(accrued(dayCount, 28, '2027-02-28', '2027-03-01'), '300.00');
    assert.equal(accrued(dayCount, 28, '2027-02-28', '2027-03-28'), '3000.00');
  }
});

test('what a trade before a payment at the end of February has accrued and gives up is the coupon of the month', () => {
  const accrual = { coupon: '3.6', dayCount: '30/360', paymentDay: 31 } as const;
  const amounts = (from: string, ex: boolean) => tradeAmounts('1000000', '1', '100', { ...accrual, from }, '2027-02-20', { ex });
  assert.equal(amounts('2027-01-31', false).accrued_interest, '2000.00');
  assert.equal(amounts('2027-02-28', true).accrued_interest, '-1000.00');
});
