import type { Filter } from './page.ts';
import type { Id } from '../ids.ts';

export type ListFilter = {
  page: number;
  limit: number;
  deal_id?: Id<'deal'>;
  organization_id?: Id<'org'>;
  status?: string;
  from?: Date | null;
  to?: Date | null;
};

/** The filters of every list of orders, allocations and trades; `organizationId` null: any organization (the operator). */
export const listFilters = (organizationId: Id<'org'> | null, filter: ListFilter): Filter[] => [
  ['organization_id = ?', organizationId ?? filter.organization_id],
  ['deal_id = ?', filter.deal_id],
  ['status = ?', filter.status],
  ['created_at >= ?', filter.from],
  ['created_at < ?', filter.to],
];
