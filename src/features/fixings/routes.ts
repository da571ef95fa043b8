import Type from 'typebox';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { date, pageQuery, refuseReversedDates, text, timestamp } from '../../platform/http/schemas.ts';
import { listFixings } from './queries.ts';
import { setFixing } from './set-fixing.ts';

const index = (description = 'Name of the index, as structures of pools write it.') => text(64, description);
const rate = Type.Number({ minimum: -100, maximum: 1_000, description: 'Percent a year, at most 6 decimals.' });
const FixingSchema = named('Fixing', {
  index: index(),
  date: date('Day of the fixing.'),
  rate,
  tranche_count: Type.Integer({ description: 'Floating tranches on the platform that follow the index.' }),
  created_at: timestamp(),
  updated_at: timestamp(),
});

const path = '/v1/operator/fixings';

export const fixingRoutes: Route[] = [
  route({
    operation: 'setFixing',
    right: 'APPROVE',
    method: 'PUT',
    path,
    access: 'operator',
    tag: 'Operator',
    summary: 'Record the fixing of an index on a date, or correct it',
    description:
      'The coupon of a floating tranche is the fixing of its accrual period (the latest up to the first day of the period, else the first after it) times its multiplier plus its margin, within its cap and floor. A coupon that is reset less often has the fixing of the period of its latest reset; with lag_days, that of so many days before. A fixing that a servicer report gives for its period comes first. A trade settles by the fixing of that moment; the interest of a settled trade follows a later one with the next report of its accrual that is applied or restated (`trade.corrected`), which may give the fixing itself.',
    body: named('NewFixing', { index: index(), date: date('Day of the fixing.'), rate }),
    reply: FixingSchema,
    handler: ({ write, caller, body }) => write((tx) => setFixing(tx, caller, body)),
  }),
  route({
    operation: 'listFixings',
    method: 'GET',
    path,
    access: 'operator',
    tag: 'Operator',
    summary: 'List fixings, the latest date first',
    query: pageQuery({
      index: Type.Optional(index('Of this index alone.')),
      from: Type.Optional(date('Dated on or after.')),
      to: Type.Optional(date('Dated on or before.')),
    }),
    reply: FixingSchema,
    replyKind: 'page',
    errors: ['RANGE_REVERSED'],
    handler: ({ read, query }) => {
      refuseReversedDates(query);
      return read((tx) => listFixings(tx, query));
    },
  }),
];
