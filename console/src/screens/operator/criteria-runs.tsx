import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { share } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Note, Part } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table.tsx';
import { countColumn, moneyColumn, statusColumn, whenColumn } from '../../ui/columns.tsx';

/** What the originator's criteria say of the loans, run by run; of the newest run by which rules loans fail. */
export function CriteriaRuns({ dealId }: { dealId: string }): ReactNode {
  return (
    <Part title="Criteria" about="Runs of the originator's selection criteria, newest first.">
      <RecordList
        name={['deals', dealId, 'results']}
        label="Criteria runs"
        read={(query: QueryOf<'/v1/operator/deals/{dealId}/results'>) =>
          sent(api.GET('/v1/operator/deals/{dealId}/results', { params: { path: { dealId }, query } }))
        }
        columns={RUNS}
        rowKey={({ sc_job_id }) => sc_job_id}
        few
        empty="The originator has not run criteria on this deal."
      />
      <Newest dealId={dealId} />
    </Part>
  );
}

/** Outcomes of the newest run by rule, and its limits on the pool. */
function Newest({ dealId }: { dealId: string }): ReactNode {
  const newest = useQuery({
    queryKey: ['deals', dealId, 'results', 'newest'],
    queryFn: () => sent(api.GET('/v1/operator/deals/{dealId}/results', { params: { path: { dealId }, query: { limit: 1 } } })),
  });
  const run = newest.data?.data[0];
  if (run?.status !== 'COMPLETED') return null;
  const broken = run.pool_tests.filter(({ passed }) => passed === false);
  return (
    <Stack gap="xs" mt="sm">
      {run.rule_results.length > 0 && (
        <DataTable
          label="The newest run by rule"
          columns={RULES}
          rows={run.rule_results}
          rowKey={({ rule_id }) => rule_id}
          whole
        />
      )}
      {broken.length > 0 && (
        <Note title="Limits on the pool that are broken">
          {broken.map(({ rule_id, group }) => (group ? `${rule_id} (${group})` : rule_id)).join(', ')}
        </Note>
      )}
    </Stack>
  );
}

const RULES: readonly Column<Records['RuleResult']>[] = [
  { id: 'rule_id', title: 'Rule', value: ({ rule_id }) => rule_id },
  countColumn('failed', 'Loans that fail'),
  countColumn('only_reason', 'For this rule alone'),
  countColumn('missing', 'Value missing'),
  moneyColumn('failed_balance', 'Balance that fails (US$)'),
];

const RUNS: readonly Column<Records['CriteriaRun']>[] = [
  whenColumn('run_at', 'Run'),
  { id: 'criteria_version', title: 'Version of the set', number: true, value: ({ criteria_version }) => criteria_version },
  { id: 'tape_version', title: 'Tape version', number: true, value: ({ tape_version }) => tape_version },
  statusColumn('status', 'Status'),
  countColumn('passed', 'Pass'),
  countColumn('failed', 'Fail'),
  countColumn('waived', 'Waived'),
  {
    id: 'rate',
    title: 'Pass rate',
    number: true,
    value: ({ passed, total }) => (total === 0 ? null : passed / total),
    cell: ({ passed, total }) => share(passed, total),
  },
  moneyColumn('passed_balance', 'Balance that passes (US$)'),
  {
    id: 'pool_tests',
    title: 'Pool limits',
    value: ({ pool_tests }) => pool_tests.filter(({ passed }) => passed === false).length,
    cell: ({ pool_tests }) => {
      const broken = pool_tests.filter(({ passed }) => passed === false);
      if (pool_tests.length === 0) return 'None';
      return broken.length === 0 ? 'All kept' : `${broken.length} of ${pool_tests.length} broken`;
    },
  },
];
