import { Button, Progress, Select, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { Day, Id, words } from '../../ui/format.tsx';
import { Empty, Facts, Note, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { AssetLiability } from './asset-liability.tsx';
import { BreakEven } from './break-even.tsx';
import { CashFlows } from './cash-flows.tsx';
import { Ladder } from './ladder.tsx';
import { Losses } from './losses.tsx';
import { Results } from './results.tsx';
import type { Calculation, Side } from './side.ts';
import { Trace } from './trace.tsx';

const POLL_MS = 1_000;

type Props = { side: Side; calculationId: string; close: () => void };

/** One calculation: how far it is, what it assumed, and what came of it. The address names it, so that it survives a reload. */
export function CalculationView({ side, calculationId, close }: Props): ReactNode {
  const calculation = useQuery({
    queryKey: [...side.key, calculationId],
    queryFn: () => side.read(calculationId),
    refetchInterval: ({ state }) => (isEnded(state.data?.data) ? false : POLL_MS),
  });
  const found = calculation.data?.data;
  return (
    <Part
      title={found ? words(found.type) : 'Calculation'}
      acts={
        <>
          <Button size="compact-sm" variant="default" onClick={() => window.print()}>
            Print
          </Button>
          <Button size="compact-sm" variant="default" onClick={close}>
            Close
          </Button>
        </>
      }
    >
      <Read from={calculation}>{({ data }) => <Shown side={side} calculation={data} />}</Read>
    </Part>
  );
}

const isEnded = (calculation: Calculation | undefined): boolean =>
  calculation?.status === 'COMPLETED' || calculation?.status === 'FAILED';

function Shown({ side, calculation }: { side: Side; calculation: Calculation }): ReactNode {
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Status', <Status key="status" of={calculation.status} />],
          ['As of', <Day key="as-of" at={calculation.as_of} />],
          [
            'From',
            calculation.opening
              ? `Period ${calculation.opening.period}`
              : typeof calculation.from === 'number'
                ? `Period ${calculation.from}`
                : words(calculation.from),
          ],
          ['Loans', calculation.granularity === 'LOAN' ? 'One by one' : 'Grouped'],
          ['Structure version', calculation.structure_version],
          ['Engine', calculation.engine_version],
          ['Id', <Id key="id" of={calculation.calculation_id} />],
        ]}
      />
      {!isEnded(calculation) && (
        <div role="status">
          <Progress value={100} animated striped aria-label="Calculating" />
          <Text size="xs" c="dimmed" mt={4}>
            {calculation.status === 'PENDING' ? 'It waits for a worker.' : 'It is calculated.'} You can leave this page: the
            address leads back to it.
          </Text>
        </div>
      )}
      {calculation.status === 'FAILED' && (
        <Note color="red" title="It could not be calculated">
          {calculation.error}
        </Note>
      )}
      {calculation.warnings.map((warning) => (
        <Note key={warning}>{warning}</Note>
      ))}
      {calculation.status === 'COMPLETED' && <Views side={side} calculation={calculation} />}
    </Stack>
  );
}

function Views({ side, calculation }: { side: Side; calculation: Calculation }): ReactNode {
  const [values, set] = useAddress();
  const results = calculation.results ?? [];
  const names = results.map(({ scenario }) => scenario);
  const scenario = names.find((name) => name === values.scenario) ?? names[0];
  const id = calculation.calculation_id;
  const views: [name: string, title: string, content: () => ReactNode, shown: boolean][] = [
    ['results', 'Results', () => <Results results={results} />, results.length > 0],
    ['ladder', 'Prices', () => <Ladder rows={calculation.rows ?? []} />, (calculation.rows ?? []).length > 0],
    [
      'break-even',
      'Break-even',
      () => <BreakEven results={results} />,
      results.some(({ tranches }) => tranches.some((of) => of.break_even_cdr !== undefined && of.monotone !== undefined)),
    ],
    ['losses', 'Losses', () => <Losses side={side} calculationId={id} results={results} />, results.some(({ risk }) => risk)],
    [
      'cash',
      'Cash flows',
      () => scenario && <CashFlows side={side} calculationId={id} scenario={scenario} />,
      scenario !== undefined,
    ],
    [
      'trace',
      'Waterfall',
      () => scenario && <Trace side={side} calculationId={id} scenario={scenario} />,
      scenario !== undefined,
    ],
    [
      'liability',
      'Loans against notes',
      () => scenario && side.poolId && <AssetLiability poolId={side.poolId} calculation={{ id, scenario }} />,
      scenario !== undefined && side.poolId !== undefined,
    ],
  ];
  const byScenario = ['cash', 'trace', 'liability'];
  const shown = views.filter(([, , , of]) => of);
  const [first] = shown;
  if (!first) return <Empty>The calculation has no figures.</Empty>;
  const view = shown.some(([name]) => name === values.show) ? (values.show ?? first[0]) : first[0];
  return (
    <Stack gap="md">
      <Tabs value={view} onChange={(show) => set({ show, at: null }, { keepPage: true })} keepMounted={false}>
        <Tabs.List>
          {shown.map(([name, title]) => (
            <Tabs.Tab key={name} value={name}>
              {title}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {shown.map(([name, , content]) => (
          <Tabs.Panel key={name} value={name} pt="md">
            {byScenario.includes(name) && names.length > 1 && (
              <Select
                size="xs"
                w={200}
                mb="sm"
                label="Scenario"
                allowDeselect={false}
                data={names}
                value={scenario ?? null}
                onChange={(next) => set({ scenario: next, at: null }, { keepPage: true })}
              />
            )}
            {content()}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
