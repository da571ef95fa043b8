import { Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Lines } from '../../charts/lines.tsx';
import type { Column } from '../../ui/column.ts';
import { money, shortMoney, words } from '../../ui/format.tsx';
import { Empty, Note } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { CollateralFlows } from './collateral-flows.tsx';
import type { CashFlow, Side } from './side.ts';
import { dayColumn } from '../../ui/columns.tsx';

type Props = { side: Side; calculationId: string; scenario: string };

const POOL = 'collateral';

/** What is paid period by period: balances and speeds drawn, and every figure of one tranche or of the loans as a table. */
export function CashFlows({ side, calculationId, scenario }: Props): ReactNode {
  const flows = useQuery({
    queryKey: [...side.key, calculationId, 'cash', scenario],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => side.cashFlows(calculationId, scenario),
  });
  const performance = useQuery({ queryKey: [...side.key, 'performance'], queryFn: side.performance });
  return (
    <Read from={flows}>
      {(rows) => (
        <>
          {performance.error && <Note>What was reported cannot be read, and is not drawn: {performance.error.message}</Note>}
          <Shown rows={rows} actual={performance.data?.data ?? []} scenario={scenario} />
        </>
      )}
    </Read>
  );
}

type Shows = { rows: readonly CashFlow[]; actual: readonly Records['PerformancePeriod'][]; scenario: string };

function Shown({ rows, actual, scenario }: Shows): ReactNode {
  const names = [...new Set(rows.map(({ tranche }) => tranche))];
  const notes = names.filter((name) => name !== POOL);
  const [chosen, setChosen] = useState(notes[0] ?? POOL);
  if (rows.length === 0) return <Empty>The scenario has no cash flow.</Empty>;
  const periods = [...new Set(rows.map(({ period }) => period))].toSorted((one, other) => one - other);
  const labels = periods.map(String);
  const of = (tranche: string): (CashFlow | undefined)[] => {
    const known = new Map(rows.filter((row) => row.tranche === tranche).map((row) => [row.period, row]));
    return periods.map((period) => known.get(period));
  };
  const drawn = notes.filter((name) => of(name).some((row) => (row?.opening ?? 0) > 0));
  const series = (value: (row: CashFlow) => number | undefined) =>
    drawn.map((name) => ({
      name,
      color: name,
      projected: true,
      // A tranche that is paid off has no line any more.
      values: of(name).map((row) => (row && row.opening > 0 ? (value(row) ?? null) : null)),
    }));
  const shown = rows.filter(({ tranche }) => tranche === chosen);
  return (
    <Stack gap="lg">
      <div className="charts">
        <Lines
          title={`Balances in ${scenario}`}
          unit="US$, at the end of each period, projected"
          axis="Period"
          labels={labels}
          format={shortMoney}
          series={series(({ closing }) => closing)}
        />
        <Lines
          title={`Principal in ${scenario}`}
          unit="US$ in each period, projected"
          axis="Period"
          labels={labels}
          format={shortMoney}
          series={series(({ principal }) => principal)}
        />
        <Lines
          title={`Interest in ${scenario}`}
          unit="US$ in each period, projected"
          axis="Period"
          labels={labels}
          format={shortMoney}
          series={series(({ interest_paid }) => interest_paid)}
        />
      </div>
      <CollateralFlows rows={rows.filter(({ tranche }) => tranche === POOL)} actual={actual} scenario={scenario} />
      <Select
        size="xs"
        w={220}
        label="Figures of"
        allowDeselect={false}
        data={names.map((value) => ({ value, label: value === POOL ? 'The loans' : value }))}
        value={chosen}
        onChange={(next) => setChosen(next ?? POOL)}
      />
      <DataTable
        label={`Cash flows of ${chosen}`}
        columns={columnsOf(shown)}
        rows={shown}
        rowKey={({ period }) => String(period)}
        whole
        pinned
        file={`cash-flows-of-${chosen}-in-${scenario}`}
      />
    </Stack>
  );
}

const PLAIN = ['tranche', 'period', 'date'];
const RATES = ['coupon', 'factor'];
/** What stands at one time, and has no sum over periods. */
const STATES = [...RATES, 'opening', 'closing', 'carry_over', 'interest_due', 'interest_shortfall'];
const CENTS = 100;
/** To the cent: a sum of doubles has further digits. */
const sumOf = (values: readonly number[]): number => Math.round(values.reduce((sum, value) => sum + value, 0) * CENTS) / CENTS;

/** The figures that the rows have, in the order of the API. */
function columnsOf(rows: readonly CashFlow[]): readonly Column<CashFlow>[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => !PLAIN.includes(name));
  const valueOf = (row: CashFlow, name: string): number | null => {
    const value = (row as Record<string, unknown>)[name];
    return typeof value === 'number' ? value : null;
  };
  return [
    { id: 'period', title: 'Period', number: true, value: ({ period }) => period, total: 'All' },
    dayColumn('date', 'Date'),
    ...names.map(
      (name): Column<CashFlow> => ({
        id: name,
        title: RATES.includes(name) ? words(name) : `${words(name)} (US$)`,
        number: true,
        value: (row) => valueOf(row, name),
        ...(STATES.includes(name) ? {} : { total: money(sumOf(rows.map((row) => valueOf(row, name) ?? 0))) }),
        cell: (row) => {
          const value = valueOf(row, name);
          return RATES.includes(name) ? (value?.toFixed(6) ?? '–') : money(value);
        },
      }),
    ),
  ];
}
