import Type, { type Static } from 'typebox';
import { LoanTypeSchema } from '../deals/fields.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { date, id, money, nullable, text, timestamp } from '../../platform/http/schemas.ts';
import { CONFLICT_STATUSES, type ConflictSide, isPledgeId, isPoolId, MEETINGS } from './conflict.ts';
import type { ConflictLoan, OwnConflict } from './conflict-queries.ts';
import { type OutsidePledge, PLEDGE_STATUSES } from './outside-pledge.ts';

const Met = Type.Array(namedOneOf('Meeting', MEETINGS), {
  description:
    'How the loans met: by fingerprints (`vin`, `property`, `contract_number`, `invoice`), or by `loan_id` within one organization.',
});
const pools = Type.Array(id('pool'), { description: 'Pools that hold the loans.' });
const pledges = Type.Array(id('plg'), { description: 'Pledges outside the platform that name the loans.' });

const conflict = {
  conflict_id: id('plc'),
  loan_type: LoanTypeSchema,
  status: namedOneOf('ConflictStatus', CONFLICT_STATUSES, 'CLEARED: one side no longer holds the loans.'),
  count: Type.Integer({ description: 'Loans that are held twice.' }),
  balance: money('Their current balance.'),
  met: Met,
  pools,
  pledges,
  first_seen: timestamp(),
  updated_at: timestamp(),
  ended_at: nullable(timestamp('When it was resolved or cleared.')),
};

export const ConflictSchema = named('PledgeConflict', conflict);

const ConflictSideSchema = named('PledgeConflictSide', {
  organization_id: id('org'),
  pools,
  pledges,
  count: conflict.count,
  balance: conflict.balance,
  met: Met,
});

export const OperatorConflictSchema = named('OperatorPledgeConflict', {
  ...conflict,
  sides: Type.Array(ConflictSideSchema, { description: 'Both holders.' }),
  resolved_by: nullable(Type.String({ description: 'Key of the operator that resolved it.' })),
  reason: nullable(Type.String({ description: 'Reason of the operator. The owners do not see it.' })),
});

const loan = {
  loan_id: nullable(Type.String({ description: 'Null for a vehicle that a pledge names and no tape has.' })),
  balance: nullable(money('Current balance.')),
  met: Met,
};
export const ConflictLoanSchema = named('PledgeConflictLoan', {
  ...loan,
  pool_id: nullable(Type.String({ description: 'The pool that holds the loan.' })),
  pledge_id: nullable(Type.String({ description: 'The pledge that names the loan.' })),
});
export const OperatorConflictLoanSchema = named('OperatorPledgeConflictLoan', {
  ...ConflictLoanSchema.properties,
  organization_id: id('org'),
  pair: Type.Integer({ description: 'The loans of the two sides that met have the same number.' }),
});

export const PledgeSchema = named('Pledge', {
  pledge_id: id('plg'),
  pledgee: Type.String({ description: 'To whom the loans are pledged.' }),
  loan_type: LoanTypeSchema,
  as_of: date(),
  deal_id: nullable(Type.String({ description: 'The deal all of whose loans are pledged; null for a list of loans.' })),
  status: namedOneOf('PledgeStatus', PLEDGE_STATUSES),
  matched: Type.Integer({ description: 'Loans of the deal, or rows of the list that are loans of your tapes.' }),
  unmatched: Type.Integer({
    description:
      'Rows of the list that are no loan of your tapes. Vehicles among them are watched by their VIN, and loans by their id for when a tape has them; contract numbers cannot be.',
  }),
  created_at: timestamp(),
  updated_at: timestamp(),
  released_at: nullable(timestamp()),
});

const number = (of: string) => Type.Optional(text(128, of));
export const NewPledgeSchema = named('NewPledge', {
  pledgee: text(200, 'To whom the loans are pledged.'),
  loan_type: LoanTypeSchema,
  as_of: date('Date of the pledge.'),
  deal_id: Type.Optional(id('deal', 'All loans of the deal’s newest tape; instead of `loans`.')),
  loans: Type.Optional(
    Type.Array(
      Type.Object(
        {
          loan_id: number('Id on your tapes.'),
          vin: number('Vehicle identification number.'),
          contract_number: number('Contract number on your tapes.'),
        },
        { title: 'PledgedLoan', description: 'A loan by exactly one of its numbers.' },
      ),
      { minItems: 1, maxItems: 100_000, description: 'Instead of `deal_id`.' },
    ),
  ),
});

export function wireConflict(row: OwnConflict): Static<typeof ConflictSchema> {
  const { conflict_id, loan_type, status, count, balance, met, holders, first_seen, updated_at, ended_at } = row;
  const held = { pools: holders.filter(isPoolId), pledges: holders.filter(isPledgeId) };
  return { conflict_id, loan_type, status, count, balance, met, ...held, first_seen, updated_at, ended_at };
}

export function wireForOperator(row: OwnConflict, sides: readonly ConflictSide[]): Static<typeof OperatorConflictSchema> {
  const [first] = sides;
  return {
    ...wireConflict(row),
    sides: sides.map(({ organization_id, holder_id, count, balance, met }) => ({
      organization_id,
      pools: [holder_id].filter(isPoolId),
      pledges: [holder_id].filter(isPledgeId),
      count,
      balance,
      met,
    })),
    resolved_by: first?.resolved_by ?? null,
    reason: first?.reason ?? null,
  };
}

export function wireConflictLoan({ holder_id, loan_id, balance, met }: ConflictLoan): Static<typeof ConflictLoanSchema> {
  const pool_id = isPoolId(holder_id) ? holder_id : null;
  const pledge_id = isPledgeId(holder_id) ? holder_id : null;
  return { loan_id, balance, met, pool_id, pledge_id };
}

export function wirePledge(pledge: OutsidePledge): Static<typeof PledgeSchema> {
  const { pledge_id, pledgee, loan_type, as_of, deal_id, status, matched, unmatched, created_at, updated_at, released_at } =
    pledge;
  return { pledge_id, pledgee, loan_type, as_of, deal_id, status, matched, unmatched, created_at, updated_at, released_at };
}
