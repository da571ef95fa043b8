import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { placeOf } from '../screens/people/record-link.tsx';
import { words } from '../ui/format.tsx';
import { api, type Records, sent } from './api.ts';
import { type Entry, type Group, type Members, membersOf, more } from './found-group.ts';
import { buys, isOperator, useMe } from './me.tsx';
import { recentOf } from './recent.ts';
import type { Me } from './session.ts';

type Answer = Records['SearchAnswer'] | Records['OperatorSearchAnswer'];

const REQUEST_ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const FRESH_MS = 300_000;
const LEAST = 2;

/** What the text finds: the record that it names, records by the API's search, and members; without a text what was opened last. */
export function useFound(text: string): { groups: Group[]; busy: boolean; error: Error | null } {
  const me = useMe();
  const client = useQueryClient();
  const asked = text.length >= LEAST;
  const search = useQuery({
    queryKey: ['search', text],
    enabled: asked,
    queryFn: async (): Promise<Answer> => {
      const params = { query: { q: text } };
      return isOperator(me)
        ? (await sent(api.GET('/v1/operator/search', { params }))).data
        : (await sent(api.GET('/v1/api/search', { params }))).data;
    },
  });
  const members = useMembers(asked);
  if (!asked) {
    const entries = recentOf(client).map(({ to, title }) => ({ id: `recent ${to}`, label: title, note: to, to }));
    return { groups: [{ label: 'Opened last', entries }], busy: false, error: null };
  }
  const records = search.data ? recordsOf(search.data, me) : [];
  const known = records.some(({ entries }) => entries.some(({ id }) => id === text));
  const groups = [{ label: 'By id', entries: known ? [] : byId(text, me) }, ...records, membersOf(members, text)];
  return { groups, busy: search.isFetching, error: search.error };
}

/** A whole id leads to its record without a search. */
function byId(text: string, me: Me): Entry[] {
  if (REQUEST_ID.test(text)) return [{ id: text, label: `Request ${text}`, note: 'Request', to: `/requests/${text}` }];
  const place = /^[a-z]{2,5}_[0-9a-z]{26}(_\d+)?$/.test(text) ? placeOf(text, me) : null;
  return place === null ? [] : [{ id: text, label: text, note: 'Record', to: place }];
}

function recordsOf({ deals, loans, pools, organizations }: Answer, me: Me): Group[] {
  const operator = isOperator(me);
  const dealAt = (id: string, kind: Records['DealKind']): string => {
    if (kind === 'LOAN') return `/deals/${id}`;
    return operator ? `/offerings/${id}` : buys(me) ? `/market/${id}` : `/deals/${id}`;
  };
  const searched = loans.tapes_not_searched > 0 ? `Loans of the ${loans.tapes_searched} newest tapes` : 'Loans';
  return [
    {
      label: more('Deals', deals.more),
      entries: deals.rows.map(({ deal_id, kind, name, status }) => ({
        id: deal_id,
        label: name,
        note: `${words(status)} · ${deal_id}`,
        to: dealAt(deal_id, kind),
      })),
    },
    {
      label: more('Pools', pools.more),
      entries: pools.rows.map(({ pool_id, name, status }) => ({
        id: pool_id,
        label: name,
        note: `${words(status)} · ${pool_id}`,
        to: operator ? `/platform-pools/${pool_id}` : `/pools/${pool_id}`,
      })),
    },
    {
      label: more(searched, loans.more),
      entries: loans.rows.map(({ deal_id, loan_id, row_number }) => ({
        id: `${deal_id} ${row_number}`,
        label: loan_id,
        note: `Row ${row_number} of ${deal_id}`,
        to: `/deals/${deal_id}/loans/${row_number}`,
      })),
    },
    {
      label: more('Organizations', organizations.more),
      entries: operator
        ? organizations.rows.map(({ organization_id, name, status }) => ({
            id: organization_id,
            label: name,
            note: `${words(status)} · ${organization_id}`,
            to: `/organizations/${organization_id}`,
          }))
        : [],
    },
  ];
}

/** The members of the own organization, read once for the palette. */
function useMembers(asked: boolean): Members {
  const operator = isOperator(useMe());
  const { data } = useQuery({
    queryKey: ['members', 'palette'],
    enabled: asked,
    staleTime: FRESH_MS,
    queryFn: () => {
      const params = { query: { limit: 100 } };
      return operator ? sent(api.GET('/v1/operator/members', { params })) : sent(api.GET('/v1/api/members', { params }));
    },
  });
  const read = data?.data ?? [];
  return { read, left: (data?.pagination.total ?? 0) > read.length };
}

/** Goes to an address of the console that is written as text. */
export function useGo(): (to: string) => void {
  const navigate = useNavigate();
  return (to) => {
    const { pathname, searchParams } = new URL(to, location.origin);
    void navigate({ to: pathname, search: Object.fromEntries(searchParams) });
  };
}
