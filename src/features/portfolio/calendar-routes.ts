import Type from 'typebox';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { date, id, money, nullable, oneOf } from '../../platform/http/schemas.ts';
import { BASES, REASONS, type ReasonCode } from './calendar.ts';
import { loadCalendar, projectCalendar } from './read-calendar.ts';

const CalendarRowSchema = named('CalendarPayment', {
  date: date(
    'Payment date: of the report where there is one, else of the deal’s calendar, moved to a business day as the deal says.',
  ),
  deal_id: id('deal'),
  deal: Type.String({ description: 'Name of the deal.' }),
  tranche_id: id('trn'),
  tranche: Type.String(),
  period: Type.Integer({ description: 'Payment period, 1 is the first.' }),
  record_date: date('The business day before it: who holds the face at its end is paid.'),
  face: money('Original face: held at the record date of a booked payment, else held now.'),
  interest: nullable(money('Null where nobody can say it: `reason`.')),
  principal: nullable(money('Null where nobody can say it: `reason`.')),
  basis: nullable(
    namedOneOf(
      'CalendarBasis',
      BASES,
      'BOOKED: as it was paid, restatement differences as rows of their own. REPORTED: your share of a report whose payment date is ahead. PROJECTED: your share of the cash flows of the mark, scaled to the balance that the tranche has. Null without amounts.',
    ),
  ),
  reason: nullable(
    named('CalendarReason', {
      code: oneOf(Object.keys(REASONS) as ReasonCode[], 'Stable code.'),
      message: Type.String(),
    }),
  ),
  payment_id: nullable(id('pay', 'Of a booked payment.')),
  calculation_id: nullable(id('calc', 'Of a projected payment: the calculation behind the mark.')),
});

export const calendarRoutes: Route[] = [
  route({
    operation: 'getPortfolioCalendar',
    method: 'GET',
    path: '/v1/api/investor/portfolio/calendar',
    access: 'investor',
    tag: 'Portfolio',
    summary: 'Read the payments of your positions by date, booked and to come',
    description:
      'A row for each payment date and settled position, ascending. Amounts to come are shares by face, to the cent by largest remainder, so that a booked payment may differ from them by a cent. A position that nothing projects is listed with null amounts and the reason. Nothing is listed for a tranche without a balance, for periods after the last one that the mark projects, and after a call. Ten years and 20,000 rows at most: more is 422.',
    query: Type.Object({
      from: Type.Optional(date('First payment date. Default: today in the business zone.')),
      to: Type.Optional(date('Last payment date. Default: a year from the first.')),
    }),
    reply: Type.Array(CalendarRowSchema),
    errors: ['UNPROCESSABLE', 'RANGE_REVERSED'],
    handler: async ({ deps, read, caller, query }) =>
      projectCalendar(deps.store, await read((tx) => loadCalendar(tx, caller.organization_id, query))),
  }),
];
