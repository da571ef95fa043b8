import { Table } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { When } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { Empty, Part, ToCome } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { useDeal } from '../deals/deal-data.ts';
import { criteriaQuery, useDictionary } from './criteria-data.ts';
import { fieldsOf } from './language.ts';
import { type Run, useRuns } from './run-data.ts';
import { Failures } from './run-loans.tsx';

const MOST = 20;

type Props = { dealId: string; rowNumber: string };

/** What became of the loan in the last run of each set of criteria over its deal. */
export function LoanOutcomes({ dealId, rowNumber }: Props): ReactNode {
  const deal = useDeal(dealId);
  const runs = useRuns(dealId, MOST);
  return (
    <Part title="Criteria" about="The outcome of this loan in the last run of each set.">
      <Read from={runs}>
        {({ data }) => {
          const done = data.filter(({ status }) => status === 'COMPLETED');
          const last = done.filter((run, at) => done.findIndex(({ criteria_id }) => criteria_id === run.criteria_id) === at);
          if (last.length === 0)
            return (
              <Empty>
                No criteria have run on this deal.{' '}
                <To to="/deals/$dealId" params={{ dealId }} search={{ tab: 'criteria' }} size="sm" underline="always">
                  Run some
                </To>
                .
              </Empty>
            );
          return (
            <Read from={deal}>
              {({ loan_type }) => <Outcomes runs={last} dealId={dealId} rowNumber={rowNumber} loanType={loan_type} />}
            </Read>
          );
        }}
      </Read>
    </Part>
  );
}

type OutcomesProps = Props & { runs: readonly Run[]; loanType: Records['LoanType'] };

function Outcomes({ runs, dealId, rowNumber, loanType }: OutcomesProps): ReactNode {
  const dictionary = useDictionary(loanType);
  const found = useQueries({
    queries: runs.map(({ sc_job_id }) => ({
      queryKey: ['criteria-runs', sc_job_id, 'row', rowNumber],
      staleTime: Number.POSITIVE_INFINITY,
      queryFn: async () =>
        (
          await sent(
            api.GET('/v1/api/originator/sc/jobs/{scJobId}/loans', {
              params: { path: { scJobId: sc_job_id }, query: { row: Number(rowNumber), limit: 1 } },
            }),
          )
        ).data[0] ?? null,
    })),
  });
  const sets = useQueries({
    queries: runs.map(({ criteria_id, criteria_version }) => criteriaQuery(criteria_id, criteria_version)),
  });
  const failed = found.find(({ error }) => error);
  if (failed?.error) return <Problem error={failed.error} retry={() => void failed.refetch()} />;
  return (
    <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label="Outcomes of the loan" fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Criteria</Table.Th>
            <Table.Th>Run</Table.Th>
            <Table.Th>Outcome</Table.Th>
            <Table.Th>Rules that it does not pass</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map(({ sc_job_id, criteria_version, run_at, tape_version }, at) => {
            const outcome = found[at]?.data;
            const set = sets[at]?.data;
            return (
              <Table.Tr key={sc_job_id}>
                <Table.Td>
                  {set?.name ?? 'Criteria'}, version {criteria_version}
                </Table.Td>
                <Table.Td>
                  <To
                    to="/deals/$dealId"
                    params={{ dealId }}
                    search={{ tab: 'criteria', run: sc_job_id }}
                    size="sm"
                    underline="always"
                  >
                    <When at={run_at} />
                  </To>
                  , tape version {tape_version}
                </Table.Td>
                <Table.Td>
                  {outcome === undefined ? <ToCome /> : outcome ? <Status of={outcome.outcome} /> : 'Not among its loans'}
                </Table.Td>
                <Table.Td>
                  {outcome ? <Failures failures={outcome.failures} set={{ fields: fieldsOf(dictionary.data ?? [], {}) }} /> : '–'}
                </Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
