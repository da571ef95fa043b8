import { Tabs } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type QueryOf, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { count, share, shortMoney, When } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Note } from '../../ui/page.tsx';
import type { Deal } from '../deals/deal-data.ts';
import { ExceptionFiles } from './exceptions.tsx';
import { useSetsOf } from './criteria-data.ts';
import type { Run } from './run-data.ts';
import { RunResult } from './run.tsx';
import { StartRun } from './start-run.tsx';
import { Waivers } from './waivers.tsx';
import { countColumn, statusColumn } from '../../ui/columns.tsx';

const RUNNABLE = ['QC_COMPLETED', 'APPROVED'];

/** Criteria over a deal: one starts a run, and reads the results of all of them. */
export function DealCriteria({ deal }: { deal: Deal }): ReactNode {
  const [values, set] = useAddress();
  const sets = useSetsOf(deal.loan_type);
  if (values.run) return <RunResult deal={deal} scJobId={values.run} />;
  const view = values.view ?? 'runs';
  return (
    <>
      {RUNNABLE.includes(deal.status) ? (
        <StartRun deal={deal} />
      ) : (
        <Note color="gray">Criteria run on deals that have passed their checks or were approved.</Note>
      )}
      <Tabs value={view} onChange={(next) => set({ view: next, status: null })} keepMounted={false} mt="md">
        <Tabs.List>
          <Tabs.Tab value="runs">Runs</Tabs.Tab>
          <Tabs.Tab value="exceptions">Exception files</Tabs.Tab>
          <Tabs.Tab value="waivers">Waivers</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="runs" pt="sm">
          <RecordList
            name={['criteria-runs', 'list', deal.deal_id]}
            label="Runs of criteria"
            read={(query: QueryOf<'/v1/api/originator/sc/deals/{dealId}/results'>) =>
              sent(
                api.GET('/v1/api/originator/sc/deals/{dealId}/results', {
                  params: { path: { dealId: deal.deal_id }, query },
                }),
              )
            }
            columns={columnsOf(deal.deal_id, new Map(sets.data?.data.map(({ criteria_id, name }) => [criteria_id, name])))}
            rowKey={({ sc_job_id }) => sc_job_id}
            empty="No criteria have run on this deal. Choose a set above."
          />
        </Tabs.Panel>
        <Tabs.Panel value="exceptions" pt="sm">
          <ExceptionFiles dealId={deal.deal_id} />
        </Tabs.Panel>
        <Tabs.Panel value="waivers" pt="sm">
          <Waivers dealId={deal.deal_id} />
        </Tabs.Panel>
      </Tabs>
    </>
  );
}

const columnsOf = (dealId: string, names: ReadonlyMap<string, string>): readonly Column<Run>[] => [
  {
    id: 'run_at',
    title: 'Run',
    value: ({ run_at }) => run_at,
    cell: ({ run_at, sc_job_id, status }) => (
      <To to="/deals/$dealId" params={{ dealId }} search={{ tab: 'criteria', run: sc_job_id }} size="sm">
        {run_at ? <When at={run_at} /> : status === 'PENDING' ? 'Waiting' : 'Under way'}
      </To>
    ),
  },
  statusColumn('status', 'Status'),
  {
    id: 'criteria_id',
    title: 'Criteria',
    value: ({ criteria_id }) => criteria_id,
    cell: ({ criteria_id, criteria_version }) => (
      <To
        to="/criteria/$criteriaId"
        params={{ criteriaId: criteria_id }}
        search={{ version: String(criteria_version) }}
        size="sm"
      >
        <span title={criteria_id}>{names.get(criteria_id) ?? `${criteria_id.slice(0, 12)}…`}</span>
      </To>
    ),
  },
  { id: 'criteria_version', title: 'Version', number: true, value: ({ criteria_version }) => criteria_version },
  { id: 'tape_version', title: 'Tape version', number: true, value: ({ tape_version }) => tape_version },
  {
    id: 'passed',
    title: 'Pass',
    number: true,
    value: ({ passed }) => passed,
    cell: ({ passed, total, status }) => (status === 'COMPLETED' ? `${count(passed)} of ${count(total)}` : '–'),
  },
  {
    id: 'pass_rate',
    title: 'Pass rate',
    number: true,
    value: ({ passed, total }) => (total === 0 ? null : passed / total),
    cell: ({ passed, total }) => share(passed, total),
  },
  countColumn('waived', 'By waiver'),
  {
    id: 'passed_balance',
    title: 'Eligible (US$)',
    number: true,
    value: ({ passed_balance }) => passed_balance,
    cell: ({ passed_balance, status }) => (status === 'COMPLETED' ? shortMoney(passed_balance) : '–'),
  },
  {
    id: 'tests',
    title: 'Pool tests over',
    number: true,
    value: ({ pool_tests }) => pool_tests.filter(({ passed }) => passed === false).length,
    cell: ({ pool_tests, status }) =>
      status === 'COMPLETED'
        ? `${count(pool_tests.filter(({ passed }) => passed === false).length)} of ${count(pool_tests.length)}`
        : '–',
  },
];
