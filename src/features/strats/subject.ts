import { localDate } from '../../finance/business-date.ts';
import { ENGINE_VERSION } from '../../finance/structure/key.ts';
import type { LoanType } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, notFound, orNotFound } from '../../platform/http/errors.ts';
import { findDeal } from '../deals/queries.ts';
import { findPool, type Pool } from '../pools/queries.ts';
import { findVisiblePool } from '../securitizations/queries.ts';
import { comparedBy } from '../tapes/loan-ids.ts';
import { findCurrentTape, listTapes } from '../tapes/queries.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { type Id, asId } from '../../platform/ids.ts';

export type Kind = 'deals' | 'pools';

/** The loans of an analysis and the tape versions that they come from. */
export type Subject = {
  loanType: LoanType;
  loansKey: string;
  asOf: string;
  tapeVersions: Record<string, number>;
  deals: Id<'deal'>[];
};

/** The file of the loans behind a deal that an investor sees; 404 otherwise. */
export async function findListedLoans(deps: Deps, read: Read, investorId: Id<'org'>, dealId: Id<'deal'>) {
  const pool = await read((tx) => findVisiblePool(tx, investorId, dealId));
  if (!pool?.loans_key) throw notFound('deal');
  const subject = subjectOf({ ...pool, loans_key: pool.loans_key });
  /** The fields that are disclosed loan by loan; null where the loans are disclosed as aggregates. */
  const disclosed = pool.disclosure_level === 'LOAN_LEVEL' ? pool.disclosed_fields : null;
  return { subject, disclosed, ownerId: pool.organization_id, loansPath: await localFile(deps, subject.loansKey) };
}

type Read = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;

/** The file of the loans of a deal or a pool. 404 when there is no such record, 409 for a deal without loans yet. */
export async function findLoans(deps: Deps, read: Read, organizationId: Id<'org'>, kind: Kind, subjectId: string) {
  const subject = await read((tx) =>
    kind === 'deals'
      ? dealSubject(tx, organizationId, asId('deal', subjectId))
      : poolSubject(tx, organizationId, asId('pool', subjectId)),
  );
  return { subject, loansPath: await localFile(deps, subject.loansKey) };
}

async function dealSubject(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<Subject> {
  const deal = orNotFound(await findDeal(tx, organizationId, dealId), 'deal');
  const tape = await findCurrentTape(tx, organizationId, dealId);
  if (!tape?.loans_key) {
    throw new ApiError('CONFLICT', 'The deal has no loans yet: the checks of its tape have not ended with loans.', {
      extra: { current_status: deal.status },
    });
  }
  return {
    loanType: deal.loan_type,
    loansKey: tape.loans_key,
    asOf: tape.as_of_date ?? localDate(tx.now, tx.zone),
    tapeVersions: { [dealId]: tape.version },
    deals: [dealId],
  };
}

async function poolSubject(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>): Promise<Subject> {
  const pool = await findPool(tx, organizationId, poolId);
  if (!pool?.loans_key) throw notFound('pool');
  return subjectOf({ ...pool, loans_key: pool.loans_key });
}

function subjectOf({ loan_type, loans_key, cut_off_date, tape_versions, deal_ids }: Pool & { loans_key: string }): Subject {
  return { loanType: loan_type, loansKey: loans_key, asOf: cut_off_date, tapeVersions: tape_versions, deals: deal_ids };
}

/** The origin of the figures: date, tape versions and engine. */
export const lineageOf = ({ asOf, tapeVersions }: Subject) => ({
  as_of: asOf,
  tape_versions: tapeVersions,
  engine_version: ENGINE_VERSION,
});

export type Between = { deal_id: Id<'deal'>; from_version: number; to_version: number; older: string; newer: string } & {
  compared_by: ReturnType<typeof comparedBy>;
};

/** Tape versions with loans that follow each other, oldest first. */
export async function versionsOf(tx: Tx, organizationId: Id<'org'>, dealIds: readonly Id<'deal'>[]): Promise<Between[]> {
  const pairs: Between[] = [];
  for (const dealId of dealIds) {
    const tapes = (await listTapes(tx, organizationId, dealId)).filter((tape) => tape.loans_key !== null).reverse();
    for (const [index, newer] of tapes.entries()) {
      const older = tapes[index - 1];
      if (!older?.loans_key || !newer.loans_key) continue;
      const versions = { from_version: older.version, to_version: newer.version, compared_by: comparedBy([older, newer]) };
      pairs.push({ deal_id: dealId, ...versions, older: older.loans_key, newer: newer.loans_key });
    }
  }
  return pairs;
}
