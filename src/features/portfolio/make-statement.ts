import { afterMonth, localDate, type Month, monthOf, nextMonth } from '../../finance/business-date.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { buildStatement, type Statement, type StatementHead } from './statement.ts';
import {
  findFirstSettlement,
  findOrganizationName,
  findSettledBefore,
  findStatementUpTo,
  listBookedPayments,
  listHoldings,
  listSettledTrades,
  type StoredStatement,
  storeStatement,
} from './statement-queries.ts';

/**
 * The statement of a month, the present one unless it is named. It is final once the month has ended in the business zone and no transaction of the month is open any more; it is
 * then stored, and read from there ever after. Each month begins where the stored one before it ends, so that it opens with what that closed with;
 * months that nobody has read yet are stored on the way. 422 for a month that is ahead.
 */
export async function makeStatement(tx: Tx, organizationId: Id<'org'>, wanted?: Month): Promise<Statement> {
  const current = monthOf(localDate(tx.now, tx.zone));
  const month = wanted ?? current;
  if (month > current) throw ahead(month, current, tx.zone);
  let previous = await findStatementUpTo(tx, organizationId, month);
  if (previous?.figures.month === month) return previous.figures;
  const settledBefore = await findSettledBefore(tx);
  const organization = await findOrganizationName(tx, organizationId);
  const headOf = (each: Month, endsAt: Date): StatementHead => {
    const final = endsAt <= settledBefore;
    return {
      month: each,
      zone: tx.zone,
      organization_id: organizationId,
      organization,
      final,
      until: endsAt <= tx.now ? endsAt : tx.now,
    };
  };
  const first = previous ? nextMonth(previous.figures.month) : await findFirstMonth(tx, organizationId);
  if (first === null || month < first) {
    return buildStatement(headOf(month, afterMonth(month, tx.zone)), null, { holdings: [], trades: [], payments: [] });
  }
  for (let each = first; ; each = nextMonth(each)) {
    const ends_at = afterMonth(each, tx.zone);
    const made = await makeMonth(tx, organizationId, headOf(each, ends_at), ends_at, previous);
    previous = made.figures.final ? await storeStatement(tx, organizationId, made) : made;
    if (each === month) return previous.figures;
  }
}

async function makeMonth(
  tx: Tx,
  organizationId: Id<'org'>,
  head: StatementHead,
  ends_at: Date,
  previous: StoredStatement | null,
): Promise<StoredStatement> {
  const during = { from: previous?.ends_at ?? null, before: ends_at };
  const [holdings, trades, payments] = [
    await listHoldings(tx, organizationId, ends_at),
    await listSettledTrades(tx, organizationId, during),
    await listBookedPayments(tx, organizationId, during),
  ];
  return { ends_at, figures: buildStatement(head, previous?.figures ?? null, { holdings, trades, payments }) };
}

async function findFirstMonth(tx: Tx, organizationId: Id<'org'>): Promise<Month | null> {
  const at = await findFirstSettlement(tx, organizationId);
  return at && monthOf(localDate(at, tx.zone));
}

function ahead(month: Month, current: Month, zone: string): ApiError {
  return new ApiError('UNPROCESSABLE', `${month} has not begun: in ${zone} it is ${current}.`, {
    errors: [
      {
        field: 'month',
        code: 'IN_THE_FUTURE',
        message: `is ${month}, expected ${current}, the month in ${zone}, or an earlier one`,
      },
    ],
  });
}
