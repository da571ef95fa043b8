import { Button, Group, Select, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type Records, sent } from '../../app/api.ts';
import { saveCsv } from '../../ui/export-csv.ts';
import { count, money } from '../../ui/format.tsx';
import { Empty, Facts, Note, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import type { Deal } from '../deals/deal-data.ts';
import { useSetsOf, WHEN_BUSY } from './criteria-data.ts';
import { type Run, useRuns } from './run-data.ts';
import { times } from '../../ui/intl.ts';

const time = times({ dateStyle: 'medium', timeStyle: 'medium' });
const MOST = 50;

/** What another run of the deal found differently: other criteria, another tape, or waivers since. */
export function CompareRuns({ deal, run }: { deal: Deal; run: Run }): ReactNode {
  const [values, set] = useAddress();
  const runs = useRuns(deal.deal_id, MOST);
  const sets = useSetsOf(deal.loan_type);
  const names = new Map(sets.data?.data.map(({ criteria_id, name }) => [criteria_id, name]));
  const { against } = values;
  return (
    <Part title="Compare" about="Loans are matched by their id; the chosen run comes first, this one second.">
      <Read from={runs}>
        {({ data, pagination }) => {
          const others = data.filter(({ sc_job_id, status }) => status === 'COMPLETED' && sc_job_id !== run.sc_job_id);
          if (others.length === 0) return <Empty>No other run of this deal has a result to compare with.</Empty>;
          return (
            <>
              <Select
                size="xs"
                w={560}
                mb="sm"
                maw="100%"
                label="With the run of"
                placeholder="Choose a run"
                searchable
                allowDeselect={false}
                data={others.map((each) => ({ value: each.sc_job_id, label: nameOf(each, names) }))}
                value={against ?? null}
                onChange={(next) => set({ against: next })}
              />
              {(pagination.total ?? 0) > data.length && (
                <Note color="gray">The newest {MOST} runs are offered; the address takes any, as against=scj_….</Note>
              )}
              {against && <Difference first={against} second={run.sc_job_id} />}
            </>
          );
        }}
      </Read>
    </Part>
  );
}

const nameOf = (
  { run_at, criteria_id, criteria_version, tape_version, passed, total }: Run,
  names: ReadonlyMap<string, string>,
): string =>
  `${run_at ? `${time(new Date(run_at))} UTC` : ''}: ${names.get(criteria_id) ?? criteria_id} version ${criteria_version}, tape ${tape_version}, ${count(passed)} of ${count(total)} pass`;

function Difference({ first, second }: { first: string; second: string }): ReactNode {
  const comparison = useQuery({
    queryKey: ['criteria-runs', second, 'compare', first],
    staleTime: Number.POSITIVE_INFINITY,
    ...WHEN_BUSY,
    queryFn: async () =>
      (
        await sent(
          api.GET('/v1/api/originator/sc/jobs/{scJobId}/compare/{otherJobId}', {
            params: { path: { scJobId: first, otherJobId: second } },
          }),
        )
      ).data,
  });
  return (
    <Read from={comparison}>
      {(data) => (
        <>
          <Facts
            facts={[
              ['Newly fail', <Listed key="fail" change={data.newly_failing} name="newly-failing" />],
              ['Newly pass', <Listed key="pass" change={data.newly_passing} name="newly-passing" />],
              ['Same in both', said(data.unchanged)],
              ['Only in the first', said(data.only_in_first)],
              ['Only in this one', said(data.only_in_second)],
            ]}
          />
          <Table.ScrollContainer minWidth={560} mt="sm" scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
            <Table aria-label="Changes by rule" fz="sm" maw={760}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Rule</Table.Th>
                  <Table.Th className="number">Newly fail it</Table.Th>
                  <Table.Th className="number">Balance (US$)</Table.Th>
                  <Table.Th className="number">Newly pass it</Table.Th>
                  <Table.Th className="number">Balance (US$)</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.rules.map(({ rule_id, newly_failing, newly_passing }) => (
                  <Table.Tr key={rule_id}>
                    <Table.Td>{rule_id}</Table.Td>
                    {newly_failing && newly_passing ? (
                      <>
                        <Table.Td className="number">{count(newly_failing.loans)}</Table.Td>
                        <Table.Td className="number">{money(newly_failing.balance)}</Table.Td>
                        <Table.Td className="number">{count(newly_passing.loans)}</Table.Td>
                        <Table.Td className="number">{money(newly_passing.balance)}</Table.Td>
                      </>
                    ) : (
                      <Table.Td colSpan={4}>Only one of the runs has this rule.</Table.Td>
                    )}
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </>
      )}
    </Read>
  );
}

const said = ({ loans, balance }: Records['LoanChange']): string => `${count(loans)} loans, ${money(balance)}`;

/** A change with the loans that it lists, as a file. */
function Listed({ change, name }: { change: Records['ListedLoanChange']; name: string }): ReactNode {
  const { loan_ids, loans } = change;
  return (
    <Group gap="xs">
      <span>{said(change)}</span>
      {loan_ids.length > 0 && (
        <Button
          size="compact-xs"
          variant="default"
          title={loan_ids.slice(0, 20).join(', ')}
          onClick={() =>
            saveCsv(
              name,
              ['loan_id'],
              loan_ids.map((id) => [id]),
            )
          }
        >
          {loan_ids.length < loans ? `First ${count(loan_ids.length)} (CSV)` : 'Loans (CSV)'}
        </Button>
      )}
    </Group>
  );
}
