import { Button, SegmentedControl, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type Records, sent } from '../../app/api.ts';
import { saveCsv } from '../../ui/export-csv.ts';
import { count, money, share } from '../../ui/format.tsx';
import { Empty, Facts, Note, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import type { Deal } from '../deals/deal-data.ts';
import { WHEN_BUSY } from './criteria-data.ts';
import type { Run, RunSet } from './run-data.ts';
import { sayFigure, sayTest } from './say.ts';
import { TestVerdict } from './verdict.tsx';

/** What the API tells of a removal beside what it describes: which loans, how good it is, and how the tests stand after it. */
type Removal = Pick<
  Records['Cure'],
  'feasible' | 'reason' | 'loans' | 'removed_balance' | 'optimal' | 'pool_loans' | 'pool_balance'
> & {
  loan_ids?: string[];
  gap?: number;
  method?: string;
  pool_tests?: Run['pool_tests'];
};

const OBJECTIVES = [
  { value: 'min_removal', label: 'Each failed test' },
  { value: 'max_pool', label: 'Largest pool' },
] as const;

/** What to take out of the eligible loans so that the pool tests hold. */
export function CurePart({ run, set }: { deal: Deal; run: Run; set: RunSet }): ReactNode {
  const [values, change] = useAddress();
  const objective = values.objective === 'max_pool' ? 'max_pool' : 'min_removal';
  const over = run.pool_tests.filter(({ passed }) => passed === false);
  const cure = useQuery({
    queryKey: ['criteria-runs', run.sc_job_id, 'cure', objective],
    enabled: over.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    ...WHEN_BUSY,
    queryFn: async () =>
      (
        await sent(
          api.GET('/v1/api/originator/sc/jobs/{scJobId}/cure', {
            params: { path: { scJobId: run.sc_job_id }, query: { objective } },
          }),
        )
      ).data,
  });
  if (over.length === 0) return <Empty>Every pool test holds: there is nothing to take out.</Empty>;
  return (
    <Part
      title="Cure"
      about={
        objective === 'min_removal'
          ? 'For each failed test on its own, the smallest balance whose removal makes it hold. Other tests may still fail.'
          : 'The largest pool of the eligible loans for which every pool test holds at once.'
      }
      acts={
        <SegmentedControl
          size="xs"
          aria-label="What is searched for"
          data={[...OBJECTIVES]}
          value={objective}
          onChange={(next) => change({ objective: next === 'max_pool' ? next : null })}
        />
      }
    >
      {cure.isFetching && (
        <Text size="sm" c="dimmed" role="status">
          Searching. It takes up to half a minute.
        </Text>
      )}
      <Read from={cure}>
        {(data) =>
          objective === 'max_pool' ? (
            // One removal, in the fields of a cure: the API describes them with the cures.
            <Largest run={run} set={set} removal={data as unknown as Removal} />
          ) : (
            <Each run={run} set={set} cures={data.cures ?? []} />
          )
        }
      </Read>
    </Part>
  );
}

type EachProps = { run: Run; set: RunSet; cures: readonly Records['Cure'][] };

function Each({ run, set, cures }: EachProps): ReactNode {
  if (cures.length === 0) return <Empty>Nothing has to be taken out.</Empty>;
  return (
    <Table.ScrollContainer minWidth={860} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label="Cures" fz="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Test</Table.Th>
            <Table.Th>What it says</Table.Th>
            <Table.Th className="number">Loans out</Table.Th>
            <Table.Th className="number">Balance out (US$)</Table.Th>
            <Table.Th className="number">Of eligible</Table.Th>
            <Table.Th className="number">Loans left</Table.Th>
            <Table.Th className="number">Balance left (US$)</Table.Th>
            <Table.Th>How good</Table.Th>
            <Table.Th>Which</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {cures.map((cure) => {
            const test = set.body.pool_tests?.find(({ id }) => id === cure.rule_id);
            return (
              <Table.Tr key={cure.rule_id}>
                <Table.Td>{cure.rule_id}</Table.Td>
                <Table.Td>{test ? sayTest(test, set.fields) : '–'}</Table.Td>
                {cure.feasible ? (
                  <>
                    <Table.Td className="number">{count(cure.loans)}</Table.Td>
                    <Table.Td className="number">{money(cure.removed_balance)}</Table.Td>
                    <Table.Td className="number">{share(cure.removed_balance, run.passed_balance)}</Table.Td>
                    <Table.Td className="number">{count(cure.pool_loans)}</Table.Td>
                    <Table.Td className="number">{money(cure.pool_balance)}</Table.Td>
                    <Table.Td>{howGood(cure)}</Table.Td>
                    <Table.Td>
                      <Ids removal={cure} name={`cure-${cure.rule_id}`} />
                    </Table.Td>
                  </>
                ) : (
                  <Table.Td colSpan={7}>There is no such removal: {cure.reason ?? 'the API gives no reason'}.</Table.Td>
                )}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const howGood = ({ optimal, gap }: Removal): string =>
  optimal ? 'Proved the smallest' : gap === undefined ? 'Not proved the smallest' : `At most ${money(gap)} from the smallest`;

/** The loans to take out, as a file. */
function Ids({ removal, name }: { removal: Removal; name: string }): ReactNode {
  const { loan_ids } = removal;
  if (!loan_ids || loan_ids.length === 0) return '–';
  return (
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
      Loans (CSV)
    </Button>
  );
}

function Largest({ run, set, removal }: { run: Run; set: RunSet; removal: Removal }): ReactNode {
  if (!removal.feasible) return <Note color="red">No pool passes all tests: {removal.reason ?? 'the API gives no reason'}.</Note>;
  return (
    <>
      <Facts
        facts={[
          ['Loans left', `${count(removal.pool_loans)} of ${count(run.passed)}`],
          ['Balance left', `${money(removal.pool_balance)} (${share(removal.pool_balance, run.passed_balance)} of eligible)`],
          ['Loans to take out', count(removal.loans)],
          ['Balance to take out', money(removal.removed_balance)],
          ['How good', howGood(removal)],
          ['Which', <Ids key="ids" removal={removal} name="largest-pool-removals" />],
        ]}
      />
      {removal.pool_tests && removal.pool_tests.length > 0 && (
        <Table.ScrollContainer minWidth={440} mt="sm" scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label="Pool tests of the largest pool" fz="sm" maw={640}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Test</Table.Th>
                <Table.Th className="number">After</Table.Th>
                <Table.Th className="number">Before</Table.Th>
                <Table.Th className="number">Limit</Table.Th>
                <Table.Th>Verdict</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {removal.pool_tests.map((each) => {
                const test = set.body.pool_tests?.find(({ id }) => id === each.rule_id);
                const before = run.pool_tests.find(({ rule_id }) => rule_id === each.rule_id);
                return (
                  <Table.Tr key={each.rule_id}>
                    <Table.Td>{each.rule_id}</Table.Td>
                    <Table.Td className="number">{sayFigure(each.actual, test, set.fields)}</Table.Td>
                    <Table.Td className="number">{sayFigure(before?.actual, test, set.fields)}</Table.Td>
                    <Table.Td className="number">{sayFigure(each.limit, test, set.fields)}</Table.Td>
                    <Table.Td>
                      <TestVerdict passed={each.passed} />
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
    </>
  );
}
