import Type from 'typebox';
import { CSV, PDF, XLSX } from '../../platform/files/content-types.ts';
import { named } from '../../platform/http/named.ts';
import { FileResponse, type Route, route } from '../../platform/http/route.ts';
import { date, id, money, nullable, oneOf, timestamp } from '../../platform/http/schemas.ts';
import { makeStatement } from './make-statement.ts';
import { readHistory } from './read-history.ts';
import { exportPdf } from './statement-pdf.ts';
import { exportCsv, exportWorkbook } from './statement-tables.ts';

/** A year from 0001, and a month; other validators of patterns than ours have no look-ahead. */
const MONTH = '^([1-9]\\d{3}|0[1-9]\\d{2}|00[1-9]\\d|000[1-9])-(0[1-9]|1[0-2])$';
const monthOf = (description: string) => Type.String({ pattern: MONTH, description });
const factor = (description: string) => Type.Number({ description });
const bookedOn = date('Date of the booking in the business zone.');

const Trade = named('StatementTrade', {
  trade_id: id('trd'),
  side: oneOf(['BUY']),
  face: money('Original face bought; 0 of a correction.'),
  factor: factor(
    'At which it settled: after the payment that it was bought ex of, if there was one. Of a correction the factor after it.',
  ),
  balance: money('Face × factor; of a correction what that changes by.'),
  price: Type.Number({ description: 'Clean, per 100 of balance.' }),
  principal_amount: money('Balance at the price.'),
  accrued_interest: money('Paid to the seller; negative where the seller paid it.'),
  net_amount: money('Cash paid.'),
  trade_date: date(),
  settlement_date: date(),
  booked_on: bookedOn,
  corrects_period: Type.Optional(
    Type.Integer({
      description:
        'Of a correction of the trade alone: the period whose report came, or was restated, after the trade had settled. Its amounts are what the amounts of the trade change by.',
    }),
  ),
});

const Payment = named('StatementPayment', {
  payment_id: id('pay'),
  period: Type.Integer({ description: 'Payment period, 1 is the first.' }),
  payment_date: date('Date of the payment; a report that is applied later is booked later.'),
  record_date: date(),
  booked_on: bookedOn,
  face: money('Original face held at the end of the record date.'),
  interest: money('Negative where a restatement takes interest back.'),
  principal: money('Negative where a restatement takes principal back.'),
  writedown: money('Balance written off; negative when reinstated.'),
  accreted: money('Interest that was added to the balance.'),
  factor_before: factor('Of a restatement, the factor before it.'),
  factor_after: factor('Balance over original balance of the tranche after the payment.'),
  restates: nullable(id('pay', 'The payment that this one corrects by a difference.')),
});

const Sums = {
  opening_face: money('Face at the beginning of the month: the closing face of the month before.'),
  opening_balance: money('Balance at the beginning of the month: the closing balance of the month before.'),
  bought_face: money('Face of the trades.'),
  bought_balance: money('Face of the trades × their factors, and what corrections change it by.'),
  net_amount: money('Cash paid for the trades, corrections included.'),
  interest: money('Interest paid, restatement differences included.'),
  principal: money('Principal paid, restatement differences included.'),
  writedown: money('Balance written off, restatement differences included.'),
  accreted: money('Interest that was added to the balance.'),
  other_change: money(
    'Closing balance less what opening balance, trades and payments come to: cents by which factors of 8 decimals round, and payments on this face that went to the holder of record before it was yours.',
  ),
  closing_face: money('Face at the end of the month.'),
  closing_balance: money('Closing face × closing factor.'),
};

const Position = named('StatementPosition', {
  position_id: id('pos'),
  deal_id: id('deal'),
  deal: Type.String(),
  tranche_id: id('trn'),
  tranche: Type.String(),
  class: Type.String(),
  ...Sums,
  opening_factor: nullable(factor('Null where the position did not exist.')),
  closing_factor: factor('At the end of the month.'),
  price: nullable(
    Type.Number({
      description: 'Clean, per 100 of balance: the latest mark published by the end of the month; null without one.',
    }),
  ),
  mark_as_of: nullable(date('Date of the mark; null without one.')),
  market_value: nullable(money('Closing balance at the price, without accrued interest; null without a mark.')),
  trades: Type.Array(Trade, {
    description: 'Trades that settled in the month, and corrections of trades that were booked in it.',
  }),
  payments: Type.Array(Payment, { description: 'Payments that were booked in the month.' }),
});

const StatementSchema = named('Statement', {
  month: monthOf('Month, YYYY-MM.'),
  from: date('First day of the month.'),
  to: date('Last day of the month.'),
  zone: Type.String({ description: 'Business zone whose months these are.' }),
  organization_id: id('org'),
  organization: Type.String(),
  final: Type.Boolean({
    description:
      'True once the month has ended: the statement never changes then. False too for the moments in which a booking of the month is still being written.',
  }),
  until: timestamp('Bookings before this instant count: the end of the month, or of a month that has not ended the present.'),
  positions: Type.Array(Position),
  totals: named('StatementTotals', {
    ...Sums,
    market_value: nullable(money('Market value of the positions that have a mark; null where none of them has one.')),
    without_mark: Type.Integer({ description: 'Positions without a mark, which the market value leaves out.' }),
    balance_without_mark: money('Closing balance of these positions.'),
    position_count: Type.Integer(),
    trade_count: Type.Integer({ description: 'Trades and corrections of trades.' }),
    payment_count: Type.Integer(),
  }),
  balances: Type.Array(
    named('StatementBalance', { month: monthOf('Month, YYYY-MM.'), balance: money('Closing balance of the month.') }),
    { description: 'Closing balances of up to 12 months, this one last.' },
  ),
});

const HistorySchema = named('PortfolioHistory', {
  zone: Type.String({ description: 'Business zone whose dates these are.' }),
  from: nullable(date('Null where there is nothing to begin with.')),
  to: date(),
  rows: Type.Array(
    named('PortfolioHistoryRow', {
      date: date('Business date: a row has what was booked by its end.'),
      face: money('Original face held.'),
      balance: money('Face × factor.'),
      market_value: nullable(
        money('Of the positions that have a mark, without accrued interest; null where none of them has one.'),
      ),
      without_mark: Type.Integer({ description: 'Positions without a mark, which the market value leaves out.' }),
      balance_without_mark: money('Balance of these positions.'),
      interest: money('Interest paid since the first purchase.'),
      principal: money('Principal paid since the first purchase.'),
      writedown: money('Balance written off since the first purchase.'),
      accreted: money('Interest added to balances since the first purchase.'),
    }),
  ),
});

const tag = 'Portfolio';

export const statementRoutes: Route[] = [
  route({
    operation: 'getPortfolioStatement',
    method: 'GET',
    path: '/v1/api/investor/portfolio/statement',
    access: 'investor',
    tag,
    summary: 'Read your statement of a month',
    description:
      'Months are those of the business zone. Trades count by the instant of their settlement, payments by that of their booking. A month opens with what the month before closed with. A month that has not ended says `final: false`; a final statement never changes, and what is booked later is in a later month. A month that has not begun is 422; one before your first purchase is empty. `format=csv` is one file with a line for each position, trade and payment and one for the totals, `xlsx` a workbook with a sheet for each, `pdf` a document to file.',
    query: Type.Object({
      month: Type.Optional(monthOf('Month in the business zone, YYYY-MM. Default: the present one.')),
      format: Type.Optional(oneOf(['json', 'csv', 'xlsx', 'pdf'])),
    }),
    reply: StatementSchema,
    errors: ['UNPROCESSABLE'],
    fileTypes: [CSV, XLSX, PDF],
    handler: async ({ write, caller, query }) => {
      const statement = await write((tx) => makeStatement(tx, caller.organization_id, query.month));
      if (query.format === 'csv') return new FileResponse(exportCsv(statement));
      if (query.format === 'xlsx') return new FileResponse(exportWorkbook(statement));
      if (query.format === 'pdf') return new FileResponse(await exportPdf(statement));
      return statement;
    },
  }),
  route({
    operation: 'getPortfolioHistory',
    method: 'GET',
    path: '/v1/api/investor/portfolio/history',
    access: 'investor',
    tag,
    summary: 'Read the value of your book by business date, oldest first',
    description:
      'A row for each business date (Federal Reserve calendar), ten years at most; what was booked on a day off is in the row of the next business date. A date that has not begun in the business zone is 422.',
    query: Type.Object({
      from: Type.Optional(date('First date. Default: that of your first purchase.')),
      to: Type.Optional(date('Last date. Default: today in the business zone.')),
    }),
    reply: HistorySchema,
    errors: ['UNPROCESSABLE', 'RANGE_REVERSED'],
    handler: ({ read, caller, query }) => read((tx) => readHistory(tx, caller.organization_id, query)),
  }),
];
