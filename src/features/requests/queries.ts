import { type ActorFields, actorColumns } from '../../platform/http/actor-fields.ts';
import type { DeliveryStatus } from '../webhooks/delivery-queries.ts';
import type { EventName } from '../../events/events.ts';
import type { Reader, Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import type { Page, PageRequest } from '../../platform/pages.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import type { StoredRecord } from '../../platform/http/stored-record.ts';
import type { Id } from '../../platform/ids.ts';

export type RequestRow = ActorFields & {
  request_id: string;
  at: Date;
  ms: number;
  method: string;
  path: string;
  status: number;
  code: string | null;
  idempotency_key: string | null;
  replayed: boolean;
  deal_id: Id<'deal'> | null;
  dropped_before: number;
};

/** The sides of an entry are JSON text; its ids are of what its transactions caused. */
export type StoredRequest = RequestRow & {
  request: string;
  response: string;
  event_ids: string[] | null;
  delivery_ids: string[] | null;
  job_ids: string[] | null;
  caused_more: number;
};

export type RequestFilter = PageRequest &
  Between & {
    status?: number;
    code?: string;
    method?: string;
    path?: string;
    key_id?: Id<'key'>;
    member_id?: Id<'mem'>;
    deal_id?: Id<'deal'>;
  };

const ROW = `request_id, at, ms, method, path, status, code, ${actorColumns('actor_id')}, idempotency_key, replayed, deal_id, dropped_before`;
const NEWEST = 'order by at desc, entry_id desc';

/** The requests of an organization, newest first. `path` is that of a route, or the beginning of the one that was asked for. */
export function listRequests(tx: Reader, organizationId: Id<'org'>, filter: RequestFilter): Promise<Page<RequestRow>> {
  const filters: Filter[] = [
    ['organization_id = ?', organizationId],
    // The bound that is written out lets the index of errors serve these lists.
    [
      filter.status !== undefined && filter.status >= 400 ? '(status >= 400 and status = ?)' : 'status = ?',
      filter.status,
      'status',
    ],
    ['(status >= 400 and code = ?)', filter.code],
    ['method = ?', filter.method],
    ['(starts_with(path, ?) or route = ?)', filter.path?.replace(/\{(\w+)\}/g, ':$1')],
    ['actor_id = ?', filter.key_id],
    ['actor_id = ?', filter.member_id],
    ['deal_id = ?', filter.deal_id],
    ...between('at', filter),
  ];
  return selectPage<RequestRow>(
    tx,
    {
      select: ROW,
      from: 'request_log',
      filters,
      order: [
        { by: 'at', as: 'timestamptz', desc: true },
        { by: 'entry_id', as: 'bigint', desc: true },
      ],
    },
    filter,
  );
}

/** The newest request of the id. */
export const REQUEST_RECORD: StoredRecord = {
  table: `(select entry_id, delivery_ids from request_log
    where organization_id = current_setting('sluice.organization', true) and request_id = $1 ${NEWEST} limit 1)`,
  where: 'true',
  // Deliveries go on after the request: what has become of them is a part of what is shown.
  fields: `jsonb_build_array(r.entry_id, (select jsonb_agg(d.status order by d.delivery_id) from webhook_deliveries d where d.delivery_id = any(r.delivery_ids)))`,
};

export type EarlierRequest = Pick<RequestRow, 'at' | 'ms' | 'method' | 'path' | 'status' | 'code'>;

/** The requests of an organization with one id: the newest, `most` of those before it, newest first, and how many there are. */
export async function findRequests(
  tx: Tx,
  organizationId: Id<'org'>,
  requestId: string,
  most: number,
): Promise<{ newest: StoredRequest; earlier: EarlierRequest[]; earlier_count: number } | null> {
  const [first, ...before] = await tx.rows<EarlierRequest & { entry_id: string; instant: string; count: number }>(
    `select entry_id, at::text as instant, at, ms, method, path, status, code, count(*) over ()::int as count from request_log
     where organization_id = $1 and request_id = $2 ${NEWEST} limit $3`,
    [organizationId, requestId, most + 1],
  );
  if (!first) return null;
  // Its instant names the one partition that has it.
  const newest = await tx.one<StoredRequest>(
    `select ${ROW}, request, response, event_ids, delivery_ids, job_ids, caused_more from request_log
     where organization_id = $1 and request_id = $2 and at = $3::timestamptz and entry_id = $4`,
    [organizationId, requestId, first.instant, first.entry_id],
  );
  const earlier = before.map(({ entry_id: _id, instant: _instant, count: _count, ...row }) => row);
  return newest && { newest, earlier, earlier_count: first.count - 1 };
}

export type CausedEvent = { id: Id<'evt'>; event: EventName; timestamp: Date };
export type CausedDelivery = {
  id: Id<'dlv'>;
  event_id: Id<'evt'>;
  subscription_id: Id<'whs'>;
  event: EventName;
  status: DeliveryStatus;
};

/** What became of the events and deliveries of a request, as far as they are kept, in the order in which they were made. */
export async function findCaused(
  tx: Tx,
  organizationId: Id<'org'>,
  { event_ids, delivery_ids }: Pick<StoredRequest, 'event_ids' | 'delivery_ids'>,
): Promise<{ events: CausedEvent[]; deliveries: CausedDelivery[] }> {
  const events = event_ids
    ? await tx.rows<CausedEvent>(
        'select event_id as id, event, at as timestamp from events where organization_id = $1 and event_id = any($2) order by event_id',
        [organizationId, event_ids],
      )
    : [];
  const deliveries = delivery_ids
    ? await tx.rows<CausedDelivery>(
        `select delivery_id as id, event_id, subscription_id, event, status from webhook_deliveries
         where organization_id = $1 and delivery_id = any($2) order by delivery_id`,
        [organizationId, delivery_ids],
      )
    : [];
  return { events, deliveries };
}
