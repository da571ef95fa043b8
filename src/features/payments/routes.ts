import Type from 'typebox';
import { operatorList, operatorRecord, ownList } from '../../platform/http/list-route.ts';
import { recordOfPath, storedRecord } from '../../platform/http/stored-record.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import type { Route } from '../../platform/http/route.ts';
import { date, id, money, nullable, oneOf, pathId, timesBetween, timestamp } from '../../platform/http/schemas.ts';
import { HOLDERS } from './allot.ts';
import { listPayments, listPaymentsById } from './queries.ts';

const Payment = {
  payment_id: id('pay'),
  holder: namedOneOf(
    'PaymentHolder',
    HOLDERS,
    'OF_RECORD: a settled position at the end of the record date. RETAINED: the face that nobody bought, of the owner of the deal.',
  ),
  deal_id: id('deal'),
  tranche_id: id('trn'),
  tranche: Type.String(),
  remittance_id: id('rem', 'The report that paid it.'),
  period: Type.Integer({ description: 'Payment period, 1 is the first.' }),
  payment_date: date('Date of the payment; of a restatement, the business date of its booking.'),
  record_date: date('The business day before the payment date of the period: whoever held the face at its end is paid.'),
  face: money('Original face held at the end of the record date.'),
  interest: money('Negative where a restatement takes interest back.'),
  principal: money('Negative where a restatement takes principal back.'),
  writedown: money('Balance written off; negative when reinstated.'),
  accreted: money('Interest added to the balance of a class that accrues it; negative where a restatement takes it back.'),
  factor_before: Type.Number({ description: 'Of a restatement, the factor before it.' }),
  factor_after: Type.Number({ description: 'Balance over original balance of the tranche after the payment.' }),
  restates: nullable(
    id(
      'pay',
      'The payment that this one corrects by a difference; null for a payment of its own, and where the period was applied before payments were booked.',
    ),
  ),
  created_at: timestamp(),
};

const PaymentSchema = named('Payment', Payment);
const OperatorPayment = named('OperatorPayment', { ...Payment, organization_id: id('org') });

const Filters = { deal_id: Type.Optional(id('deal')), tranche_id: Type.Optional(id('trn')), ...timesBetween('Paid') };

export const paymentRoutes: Route[] = [
  ownList({
    operation: 'listPortfolioPayments',
    path: '/v1/api/investor/portfolio/payments',
    access: 'investor',
    tag: 'Portfolio',
    summary: 'List what your positions were paid, newest first',
    filters: Filters,
    reply: PaymentSchema,
    list: (tx, organizationId, filter) => listPayments(tx, organizationId, { ...filter, holder: 'OF_RECORD' }),
  }),
  ownList({
    operation: 'listRetainedPayments',
    path: '/v1/api/originator/payments',
    access: 'originator',
    tag: 'Pools',
    summary: 'List what your deals paid on the face that you retain, newest first',
    filters: Filters,
    reply: PaymentSchema,
    list: (tx, organizationId, filter) => listPayments(tx, organizationId, { ...filter, holder: 'RETAINED' }),
  }),
  operatorList({
    operation: 'listOperatorPayments',
    path: '/v1/operator/payments',
    summary: 'List the payments of all holders, by date, newest first',
    filters: {
      ...Filters,
      organization_id: Type.Optional(id('org')),
      holder: Type.Optional(oneOf(HOLDERS)),
      period: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    },
    reply: OperatorPayment,
    list: (tx, filter) => listPayments(tx, null, filter),
  }),
  operatorRecord({
    operation: 'getOperatorPayment',
    path: '/v1/operator/payments/:paymentId',
    summary: 'Read a payment of any holder',
    params: pathId('paymentId', 'pay'),
    reply: OperatorPayment,
    record: recordOfPath('paymentId', storedRecord('payments', 'payment_id')),
    what: 'payment',
    find: async (tx, { paymentId }) => (await listPaymentsById(tx, [paymentId]))[0] ?? null,
  }),
];
