import { Button, Group, Stack, Text } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import type { Records } from '../../app/api.ts';
import { Flow } from '../../charts/flow.tsx';
import type { Column } from '../../ui/column.ts';
import { Day, money, shortMoney, words } from '../../ui/format.tsx';
import { Empty, Facts } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { testFigure } from '../../ui/trigger-figures.ts';
import { NumberField } from '../../ui/number-field.tsx';
import type { Side } from './side.ts';
import { ProjectedTriggers } from './trigger-levels.tsx';
import { wordsColumn } from '../../ui/columns.tsx';

type Period = Records['PeriodTrace'];
type Step = Records['TraceStep'];
type Props = { side: Side; calculationId: string; scenario: string };

/** The waterfall of one period: what came in, which step paid whom, and what was short. */
export function Trace({ side, calculationId, scenario }: Props): ReactNode {
  const [values, set] = useAddress();
  const period = Math.max(1, Number(values.at ?? 1) || 1);
  const trace = useQuery({
    queryKey: [...side.key, calculationId, 'trace', scenario, period],
    queryFn: () => side.trace(calculationId, scenario, period),
    placeholderData: keepPreviousData,
  });
  const go = (to: number): void => set({ at: String(Math.max(1, to)) }, { keepPage: true });
  return (
    <Stack gap="md">
      <Group align="flex-end" gap="xs">
        <Button size="xs" variant="default" disabled={period === 1} onClick={() => go(period - 1)}>
          Previous
        </Button>
        <NumberField
          size="xs"
          w={90}
          label="Period"
          min={1}
          allowDecimal={false}
          blank={period}
          value={period}
          onChange={(next) => next !== '' && go(next)}
        />
        <Button size="xs" variant="default" onClick={() => go(period + 1)}>
          Next
        </Button>
      </Group>
      <Read from={trace}>
        {({ data }) => {
          const found = data.find((each) => each.period === period);
          return found ? <OnePeriod period={found} /> : <Empty>The scenario ends before period {period}.</Empty>;
        }}
      </Read>
      <ProjectedTriggers side={side} calculationId={calculationId} scenario={scenario} />
    </Stack>
  );
}

function OnePeriod({ period }: { period: Period }): ReactNode {
  const paid = period.steps.filter((step) => step.paid > 0);
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Date', <Day key="date" at={period.date} />],
          ['Interest collected', money(period.interest_collected)],
          ['Principal collected', money(period.principal_collected)],
          ['Proceeds of a call', period.called ? money(period.call_proceeds) : 'No call'],
          ['Pool before', money(period.pool_beginning)],
          ['Pool after', money(period.pool_current)],
        ]}
      />
      {paid.length > 0 && (
        <Flow
          title={`Where the cash of period ${period.period} goes`}
          unit="US$"
          format={shortMoney}
          from={[
            { name: 'Interest', value: period.interest_collected },
            { name: 'Principal', value: period.principal_collected },
            { name: 'Call', value: period.call_proceeds },
            { name: 'Accounts', value: paid.reduce((sum, { drawn }) => sum + drawn, 0) },
          ]}
          to={paid.map((step, at) => ({
            name: nameOf(step, at),
            value: step.paid,
            color: step.to.length === 1 ? (step.to[0] ?? at) : at,
          }))}
        />
      )}
      <DataTable
        label={`Steps of period ${period.period}`}
        columns={STEPS}
        rows={period.steps}
        rowKey={(step) => `${step.step} ${step.name} ${step.to.join(' ')}`}
        whole
        pinned
        file={`waterfall-of-period-${period.period}`}
      />
      {period.triggers.length > 0 && (
        <Text size="sm">
          {period.triggers
            .map(
              ({ trigger, on, tests }) =>
                `${words(trigger)} is ${on ? 'on' : 'off'} (${tests
                  .map(
                    ({ metric, value, op, threshold }) =>
                      `${words(metric).toLowerCase()} ${testFigure(metric, value)} ${SIGNS[op] ?? op} ${testFigure(metric, threshold)}`,
                  )
                  .join('; ')})`,
            )
            .join('. ')}
          .
        </Text>
      )}
      {period.accounts.length > 0 && (
        <DataTable
          label={`Accounts of period ${period.period}`}
          columns={ACCOUNTS}
          rows={period.accounts}
          rowKey={({ account }) => account}
          whole
        />
      )}
    </Stack>
  );
}

const SIGNS: Readonly<Record<string, string>> = { gt: '>', gte: '≥', ge: '≥', lt: '<', lte: '≤', le: '≤' };

const nameOf = (step: Step, at: number): string => step.name ?? `${words(step.pay)} ${step.step ?? at + 1}`;

const STEPS: readonly Column<Step>[] = [
  { id: 'step', title: 'Step', value: ({ step, name }) => name ?? (step === null ? '–' : String(step)) },
  wordsColumn('pay', 'Pays'),
  { id: 'to', title: 'To', value: ({ to }) => to.join(', ') },
  {
    id: 'active',
    title: 'Runs',
    value: ({ active }) => (active ? 'Yes' : 'No'),
    cell: ({ active, when, unless }) => (active ? 'Yes' : `No: ${when ? `only while ${when}` : `not while ${unless}`}`),
  },
  ...(['available', 'due', 'paid', 'drawn', 'shortfall'] as const).map(
    (name): Column<Step> => ({
      id: name,
      title: `${words(name)} (US$)`,
      number: true,
      value: (step) => step[name],
      cell: (step) => money(step[name]),
    }),
  ),
  { id: 'clause', title: 'Clause', hidden: true, value: ({ clause }) => clause },
];

const ACCOUNTS: readonly Column<Period['accounts'][number]>[] = [
  { id: 'account', title: 'Account', value: ({ account }) => account },
  ...(['opening', 'earned', 'drawn', 'deposited', 'released', 'closing'] as const).map(
    (name): Column<Period['accounts'][number]> => ({
      id: name,
      title: `${words(name)} (US$)`,
      number: true,
      value: (account) => account[name],
      cell: (account) => money(account[name]),
    }),
  ),
];
