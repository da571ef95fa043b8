import type { PageRequest } from '../pages.ts';
import type { Filter } from './page.ts';
import type { Id } from '../ids.ts';

/** Bounds of a time; `to` is exclusive. */
export type Between = { from?: Date | null; to?: Date | null };

/** The rows whose time, an SQL expression, is within the bounds. */
export const between = (time: string, { from, to }: Between): Filter[] => [
  [`${time} >= ?`, from],
  [`${time} < ?`, to],
];

export type ListFilter = PageRequest &
  Between & {
    deal_id?: Id<'deal'>;
    tranche_id?: Id<'trn'>;
    organization_id?: Id<'org'>;
    status?: string;
  };

/** The filters of every list of orders, allocations and trades; `organizationId` null: any organization (the operator). */
export const listFilters = (organizationId: Id<'org'> | null, filter: ListFilter): Filter[] => [
  ['organization_id = ?', organizationId ?? filter.organization_id],
  ['deal_id = ?', filter.deal_id],
  ['tranche_id = ?', filter.tranche_id],
  ['status = ?', filter.status],
  ...between('created_at', filter),
];
