import { Anchor, Button, Group, Stack, Tabs, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { count } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Note } from '../../ui/page.tsx';
import { useUnread } from '../../ui/unread.tsx';
import { Problem } from '../../ui/problem.tsx';
import { NEW, newScenario, problemsOf, requestOf, type ScenarioDraft } from '../analytics/draft.ts';
import { Scenarios } from '../analytics/scenarios.tsx';
import { BookRun } from './book-run.tsx';
import { dayColumn, statusColumn, whenColumn } from '../../ui/columns.tsx';

/** What is in the address of a run and its views. */
export const NO_RUN = { run: null, part: null, rows: null, measure: null, cash: null };

/** The whole book under scenarios: they are typed, started, and compared; the address names the run. */
export function BookScenarios(): ReactNode {
  const [values, set] = useAddress();
  const { run } = values;
  const part = values.part ?? (run ? 'result' : 'new');
  return (
    // What was typed stays while a result is looked at.
    <Tabs value={part} onChange={(next) => set({ part: next, page: null, status: null })} keepMounted>
      <Tabs.List>
        <Tabs.Tab value="new">New scenarios</Tabs.Tab>
        <Tabs.Tab value="earlier">Earlier scenarios</Tabs.Tab>
        {run && <Tabs.Tab value="result">Result</Tabs.Tab>}
      </Tabs.List>
      <Tabs.Panel value="new" pt="md">
        <NewRun open={(id) => set({ ...NO_RUN, run: id })} />
      </Tabs.Panel>
      <Tabs.Panel value="earlier" pt="md">
        {part === 'earlier' && <EarlierRuns open={(id) => set({ ...NO_RUN, run: id, status: null })} />}
      </Tabs.Panel>
      {run && (
        <Tabs.Panel value="result" pt="md">
          {part === 'result' && <BookRun key={run} calculationId={run} close={() => set(NO_RUN)} />}
        </Tabs.Panel>
      )}
    </Tabs>
  );
}

const AS_MARKED = { prepayment: '', default: '', severity: '' };
const FIRST: ScenarioDraft[] = [
  { ...newScenario('as marked'), ...AS_MARKED },
  { ...newScenario('stress'), ...AS_MARKED, default: '6', severity: '60' },
];

function NewRun({ open }: { open: (calculationId: string) => void }): ReactNode {
  const me = useMe();
  const client = useQueryClient();
  const [scenarios, setScenarios] = useState(FIRST);
  const [asOf, setAsOf] = useState('');
  const draft = { ...NEW, scenarios };
  const problems = problemsOf(draft);
  const allowed = can(me, 'EDIT');
  const unread = useUnread();
  const asking = useMutation({
    mutationFn: () =>
      sent(
        api.POST('/v1/api/investor/portfolio/scenarios', {
          body: { scenarios: requestOf(draft).scenarios ?? [], ...(asOf === '' ? {} : { as_of: asOf }) },
        }),
      ),
    onSuccess: ({ data }) => {
      void client.invalidateQueries({ queryKey: ['portfolio', 'scenarios'] });
      open(data.calculation_id);
      window.scrollTo({ top: 0 });
    },
  });
  return (
    <Stack gap="md">
      <Note color="gray">
        A scenario says what differs from the assumptions of each deal’s latest mark: what you leave empty stays as marked, and a
        scenario without figures gives the marks. Write a number, runs such as “6 for 12, 8”, or a ramp such as “0.2 to 6 over 30,
        6”. Cash flows are discounted at the yield of the mark. Nobody else sees what you ask.
      </Note>
      <TextInput
        size="xs"
        w={240}
        type="date"
        label="Positions at the end of (empty: today)"
        value={asOf}
        onChange={({ currentTarget }) => setAsOf(currentTarget.value)}
      />
      <Scenarios scenarios={scenarios} problems={problems} set={setScenarios} blank="As marked" />
      {asking.error && <Problem error={asking.error} />}
      {unread && <Note color="red">{unread}</Note>}
      {!allowed && <Note>Calculating needs the right EDIT; yours: {me.rights.join(', ')}.</Note>}
      <Group justify="flex-end">
        <Button
          disabled={problems.size > 0 || !allowed || unread !== null}
          loading={asking.isPending}
          onClick={() => asking.mutate()}
        >
          Calculate the book
        </Button>
      </Group>
    </Stack>
  );
}

const EarlierRuns = ({ open }: { open: (calculationId: string) => void }): ReactNode => (
  <RecordList
    name={['portfolio', 'scenarios']}
    label="Scenarios of the book"
    read={(query: QueryOf<'/v1/api/investor/portfolio/scenarios'>) =>
      sent(api.GET('/v1/api/investor/portfolio/scenarios', { params: { query } }))
    }
    filters={[choice('status', 'Status', ['RUNNING', 'COMPLETED'])]}
    columns={columnsOf(open)}
    rowKey={({ calculation_id }) => calculation_id}
    few
    empty="The book has not been calculated under scenarios yet: type some under New scenarios."
  />
);

type Run = Records['PortfolioScenariosSummary'];
const namesOf = ({ scenarios }: Run): string => scenarios.map(({ scenario }) => scenario).join(', ');

const columnsOf = (open: (id: string) => void): readonly Column<Run>[] => [
  {
    id: 'scenarios',
    title: 'Scenarios',
    value: namesOf,
    cell: (run) => (
      <Anchor component="button" type="button" size="sm" onClick={() => open(run.calculation_id)}>
        {namesOf(run)}
      </Anchor>
    ),
  },
  statusColumn('status', 'Status'),
  dayColumn('as_of', 'As of'),
  { id: 'position_count', title: 'Positions', number: true, value: (run) => run.position_count },
  {
    id: 'deals_done',
    title: 'Deals done',
    number: true,
    value: ({ deals_done }) => deals_done,
    cell: ({ deals_done, deal_count }) => `${count(deals_done)} of ${count(deal_count)}`,
  },
  {
    id: 'left_out',
    title: 'Left out',
    number: true,
    value: ({ left_out }) => left_out.length,
  },
  whenColumn('created_at', 'Asked for'),
  whenColumn('completed_at', 'Calculated'),
  { id: 'calculation_id', title: 'Id', hidden: true, value: (run) => run.calculation_id },
];
