import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { createSpotlight, Spotlight } from '@mantine/spotlight';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import { ICON } from '../ui/icon.ts';
import { has } from './found-group.ts';
import { useFound, useGo } from './found.ts';
import { useMe } from './me.tsx';
import { PAGES } from './pages.ts';

const [store, spotlight] = createSpotlight();

/** Ctrl K: pages by name, records by what the API's search finds, and whole ids of anything that has a page. */
export default function Palette({ asked }: { asked: number }): ReactNode {
  useEffect(() => {
    if (asked > 0) spotlight.open();
  }, [asked]);
  const me = useMe();
  const go = useGo();
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const [later] = useDebouncedValue(text, 200);
  const { groups, busy, error } = useFound(later);
  const pages = PAGES.filter((page) => page.shown(me) && has(page.title, text)).map(({ to, title, group }) => ({
    id: to,
    label: title,
    note: group,
    to,
  }));
  const found = { label: 'Pages', entries: pages };
  // What was opened last, or found for another text, is no answer to what is being typed.
  const isAnswer = (text === '') === (later === '') && (text.startsWith(later) || later.startsWith(text));
  const records = isAnswer ? groups : [];
  const all = (text === '' ? [...records, found] : [found, ...records]).filter(({ entries }) => entries.length > 0);
  const shown = all.flatMap(({ label, entries }) => entries.map(({ id }) => `${label} ${id}`)).join('\n');
  useEffect(() => {
    if (text !== '' && shown !== '') keepSelected();
  }, [text, shown]);
  return (
    <Spotlight.Root
      store={store}
      query={typed}
      onQueryChange={setTyped}
      shortcut={null}
      scrollable
      maxHeight={420}
      clearQueryOnClose
      closeOnClickOutside
      attributes={{ content: { 'aria-label': 'Search' } }}
    >
      <Spotlight.Search
        placeholder="Deal, loan, pool, organization, member, id or page"
        leftSection={<IconSearch {...ICON} />}
        aria-label="Search"
      />
      <Spotlight.ActionsList>
        {all.map(({ label, entries }) => (
          <Spotlight.ActionsGroup key={label} label={label}>
            {entries.map(({ id, label: name, note, to }) => (
              <Spotlight.Action key={id} onClick={() => go(to)} label={name} description={note} />
            ))}
          </Spotlight.ActionsGroup>
        ))}
        {all.length === 0 && (
          <Spotlight.Empty>
            <Nothing text={text} busy={busy || text !== later} error={error} />
          </Spotlight.Empty>
        )}
      </Spotlight.ActionsList>
    </Spotlight.Root>
  );
}

/** Entries come and go while the search answers: what is selected stays so, and where it is gone the first one is. */
function keepSelected(): void {
  const list = document.getElementById(store.getState().listId);
  const actions = [...(list?.querySelectorAll('[data-action]') ?? [])];
  const selected = Math.max(
    0,
    actions.findIndex((action) => action.hasAttribute('data-selected')),
  );
  actions[selected]?.setAttribute('data-selected', 'true');
  store.updateState((state) => ({ ...state, selected }));
}

function Nothing({ text, busy, error }: { text: string; busy: boolean; error: Error | null }): ReactNode {
  if (busy) return <Text size="sm">Searching …</Text>;
  if (error) return <Text size="sm">The search failed: {error.message}</Text>;
  return (
    <Text size="sm" ta="left">
      Nothing matches “{text}”. Deals, pools and organizations are found by a part of their name or the beginning of their id,
      loans by the beginning of their id, members by name or e-mail, and requests, jobs, deliveries and every other record by
      their whole id.
    </Text>
  );
}
