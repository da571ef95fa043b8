import type { ReactNode } from 'react';
import { buys, isOperator, sells, useMe } from '../../app/me.tsx';
import type { Me } from '../../app/session.ts';
import { Id } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';

type Place = (id: string, me: Me) => string | null;

/** Where the record of an id stands, by the kind that its beginning names; null where the person has no page of it. */
const PLACES: Record<string, Place> = {
  deal: (id, me) => (isOperator(me) || sells(me) ? `/deals/${id}` : `/market/${id}`),
  pool: (id, me) => (isOperator(me) ? `/platform-pools/${id}` : sells(me) ? `/pools/${id}` : null),
  org: (id, me) => (isOperator(me) ? `/organizations/${id}` : null),
  rem: (id, me) => (isOperator(me) ? `/certificates/${id}` : null),
  plc: (id, me) => (isOperator(me) ? `/conflicts/${id}` : '/pledges?tab=conflicts'),
  plg: (_id, me) => (isOperator(me) ? '/platform-pledges' : '/pledges'),
  crt: (id, me) => (sells(me) ? `/criteria/${id}` : null),
  whs: (id, me) => (isOperator(me) ? null : `/webhooks/${id}`),
  dlv: (id) => `/deliveries/${id}`,
  job: (id, me) => (isOperator(me) || sells(me) ? `/jobs/${id}` : null),
  mem: () => '/members',
  key: () => '/keys',
  apr: (_id, me) => (isOperator(me) ? '/approvals' : null),
  wvr: (_id, me) => (isOperator(me) ? '/waivers' : null),
  trd: (_id, me) => (isOperator(me) ? '/settlement' : buys(me) ? '/commitments?tab=trades' : null),
  all: (_id, me) => (isOperator(me) ? '/settlement?tab=allocations' : buys(me) ? '/commitments' : null),
  ord: (_id, me) => (isOperator(me) ? '/settlement?tab=orders' : buys(me) ? '/commitments?tab=orders' : null),
  sub: (_id, me) => (isOperator(me) ? '/settlement?tab=subscriptions' : buys(me) ? '/commitments?tab=subscriptions' : null),
  ioi: (_id, me) => (isOperator(me) ? '/settlement?tab=indications' : buys(me) ? '/commitments?tab=indications' : null),
};

/** The page of a record, or null. */
export const placeOf = (id: string, me: Me): string | null => PLACES[id.split('_', 1)[0] ?? '']?.(id, me) ?? null;

/** A record by its id or a name: a link where there is a page of it. */
export function RecordLink({ id, children }: { id: string | null | undefined; children?: ReactNode }): ReactNode {
  const me = useMe();
  const place = id ? placeOf(id, me) : null;
  if (!id || place === null) return children ?? <Id of={id} />;
  const { pathname, searchParams } = new URL(place, location.origin);
  return (
    <To to={pathname} search={Object.fromEntries(searchParams)} size="sm">
      {children ?? <span className="id">{id}</span>}
    </To>
  );
}
