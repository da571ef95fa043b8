import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { count, money, share, When } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Note, Part } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { DataTable } from '../../ui/table.tsx';

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
  { id: 'failed', title: 'Loans that fail', number: true, value: ({ failed }) => failed, cell: ({ failed }) => count(failed) },
  {
    id: 'only_reason',
    title: 'For this rule alone',
    number: true,
    value: ({ only_reason }) => only_reason,
    cell: ({ only_reason }) => count(only_reason),
  },
  { id: 'missing', title: 'Value missing', number: true, value: ({ missing }) => missing, cell: ({ missing }) => count(missing) },
  {
    id: 'failed_balance',
    title: 'Balance that fails (US$)',
    number: true,
    value: ({ failed_balance }) => failed_balance,
    cell: ({ failed_balance }) => money(failed_balance),
  },
];

const RUNS: readonly Column<Records['CriteriaRun']>[] = [
  {
    id: 'run_at',
    title: 'Run',
    value: ({ run_at }) => run_at,
    cell: ({ run_at }) => <When at={run_at} />,
  },
  { id: 'criteria_version', title: 'Version of the set', number: true, value: ({ criteria_version }) => criteria_version },
  { id: 'tape_version', title: 'Tape version', number: true, value: ({ tape_version }) => tape_version },
  { id: 'status', title: 'Status', value: ({ status }) => status, cell: ({ status }) => <Status of={status} /> },
  { id: 'passed', title: 'Pass', number: true, value: ({ passed }) => passed, cell: ({ passed }) => count(passed) },
  { id: 'failed', title: 'Fail', number: true, value: ({ failed }) => failed, cell: ({ failed }) => count(failed) },
  { id: 'waived', title: 'Waived', number: true, value: ({ waived }) => waived, cell: ({ waived }) => count(waived) },
  {
    id: 'rate',
    title: 'Pass rate',
    number: true,
    value: ({ passed, total }) => (total === 0 ? null : passed / total),
    cell: ({ passed, total }) => share(passed, total),
  },
  {
    id: 'passed_balance',
    title: 'Balance that passes (US$)',
    number: true,
    value: ({ passed_balance }) => passed_balance,
    cell: ({ passed_balance }) => money(passed_balance),
  },
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
