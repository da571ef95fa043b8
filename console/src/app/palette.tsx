import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Spotlight, spotlight } from '@mantine/spotlight';
import '@mantine/spotlight/styles.css';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { words } from '../ui/format.tsx';
import { ICON } from '../ui/icon.ts';
import { api, sent } from './api.ts';
import { buys, isOperator, useMe } from './me.tsx';
import { PAGES } from './pages.ts';

type Entry = { id: string; label: string; note: string; go: () => void };
type Group = { label: string; entries: Entry[] };

/** Ctrl K: pages by name, and the records that the API's search finds. */
export default function Palette({ asked }: { asked: number }): ReactNode {
  useEffect(() => {
    if (asked > 0) spotlight.open();
  }, [asked]);
  const me = useMe();
  const [text, setText] = useState('');
  const navigate = useNavigate();
  const pages: Entry[] = PAGES.filter((page) => page.shown(me) && has(page.title, text)).map(({ to, title, group }) => ({
    id: to,
    label: title,
    note: group,
    go: () => void navigate({ to }),
  }));
  const { groups, busy } = useFound(text.trim());
  const all = [{ label: 'Pages', entries: pages }, ...groups].filter(({ entries }) => entries.length > 0);
  return (
    <Spotlight.Root query={text} onQueryChange={setText} shortcut={null} scrollable maxHeight={420} clearQueryOnClose>
      <Spotlight.Search
        placeholder="Deal, loan id, pool, organization or page"
        leftSection={<IconSearch {...ICON} />}
        aria-label="Search"
      />
      <Spotlight.ActionsList>
        {all.map(({ label, entries }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {entries.map(({ id, label: name, note, go }) => (
              <Spotlight.Action key={id} onClick={go} label={name} description={note} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {all.length === 0 && (
          <Spotlight.Empty>
            <Text size="sm">
              {busy ? 'Searching …' : 'Nothing is called so. Ids are found by how they begin, names by any part.'}
            </Text>
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

const has = (title: string, text: string): boolean => title.toLowerCase().includes(text.trim().toLowerCase());

function useFound(text: string): { groups: Group[]; busy: boolean } {
  const me = useMe();
  const operator = isOperator(me);
  const navigate = useNavigate();
  const [q] = useDebouncedValue(text, 200);
  const { data, isFetching } = useQuery({
    queryKey: ['search', q],
    enabled: q.length > 1,
    placeholderData: keepPreviousData,
    queryFn: async () => {
      if (operator) return await sent(api.GET('/v1/operator/search', { params: { query: { q } } }));
      return await sent(api.GET('/v1/api/search', { params: { query: { q } } }));
    },
  });
  if (!data || q.length < 2) return { groups: [], busy: isFetching };
  const { deals, organizations, loans } = data.data;
  const toOf = (kind: string) => (kind === 'SECURITIZATION' && !operator && buys(me) ? '/market/$dealId' : '/deals/$dealId');
  const groups: Group[] = [
    {
      label: more('Deals', deals.more),
      entries: deals.rows.map(({ deal_id, kind, name, status }) => ({
        id: deal_id,
        label: name,
        note: `${words(status)} · ${deal_id}`,
        go: () => void navigate({ to: toOf(kind), params: { dealId: deal_id } }),
      })),
    },
    {
      label: loans.tapes_not_searched > 0 ? `Loans of the ${loans.tapes_searched} newest tapes` : more('Loans', loans.more),
      entries: loans.rows.map(({ deal_id, loan_id, row_number }) => ({
        id: `${deal_id} ${row_number}`,
        label: loan_id,
        note: `Row ${row_number} of ${deal_id}`,
        go: () =>
          void navigate({ to: '/deals/$dealId/loans/$rowNumber', params: { dealId: deal_id, rowNumber: String(row_number) } }),
      })),
    },
    {
      label: more('Organizations', organizations.more),
      entries: operator
        ? organizations.rows.map(({ organization_id, name, status }) => ({
            id: organization_id,
            label: name,
            note: `${words(status)} · ${organization_id}`,
            go: () => void navigate({ to: '/organizations/$organizationId', params: { organizationId: organization_id } }),
          }))
        : [],
    },
  ];
  return { groups, busy: isFetching };
}

const more = (label: string, there: boolean): string => (there ? `${label}: the first ones` : label);
