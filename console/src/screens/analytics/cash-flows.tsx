import { Select, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Lines } from '../../charts/lines.tsx';
import { money, shortMoney, words } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { Empty } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';
import type { CashFlow, Side } from './side.ts';

type Props = { side: Side; calculationId: string; scenario: string };

const POOL = 'collateral';

/** What is paid period by period: balances and speeds drawn, and every figure of one tranche or of the loans as a table. */
export function CashFlows({ side, calculationId, scenario }: Props): ReactNode {
  const flows = useQuery({
    queryKey: [...side.key, calculationId, 'cash', scenario],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => side.cashFlows(calculationId, scenario),
  });
  return <Read from={flows}>{(rows) => <Shown rows={rows} scenario={scenario} />}</Read>;
}

function Shown({ rows, scenario }: { rows: readonly CashFlow[]; scenario: string }): ReactNode {
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
      values: of(name).map((row) => (row ? (value(row) ?? null) : null)),
    }));
  const pool = of(POOL);
  const shown = rows.filter(({ tranche }) => tranche === chosen);
  return (
    <Stack gap="lg">
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
      <Lines
        title={`Speeds of the loans in ${scenario}`}
        unit="Percent a year of the balance, projected"
        axis="Period"
        labels={labels}
        format={percent}
        series={[
          { name: 'CPR', color: 0, projected: true, values: pool.map((row) => speed(row, row?.prepayment)) },
          { name: 'CDR', color: 1, projected: true, values: pool.map((row) => speed(row, row?.default)) },
        ]}
      />
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
      />
    </Stack>
  );
}

const [YEAR, WHOLE] = [12, 100];

/** A share of a month's balance as a rate a year; none without a balance. */
function speed(row: CashFlow | undefined, part: number | undefined): number | null {
  if (!row || part === undefined) return null;
  const base = row.opening - (row.scheduled_principal ?? 0) * (part === row.prepayment ? 1 : 0);
  if (base <= 0) return null;
  return WHOLE * (1 - (1 - Math.min(1, part / base)) ** YEAR);
}

const PLAIN = ['tranche', 'period', 'date'];
const RATES = ['coupon', 'factor'];

/** The figures that the rows have, in the order of the API. */
function columnsOf(rows: readonly CashFlow[]): readonly Column<CashFlow>[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => !PLAIN.includes(name));
  const valueOf = (row: CashFlow, name: string): number | null => {
    const value = (row as Record<string, unknown>)[name];
    return typeof value === 'number' ? value : null;
  };
  return [
    { id: 'period', title: 'Period', number: true, value: ({ period }) => period },
    { id: 'date', title: 'Date', value: ({ date }) => date },
    ...names.map(
      (name): Column<CashFlow> => ({
        id: name,
        title: RATES.includes(name) ? words(name) : `${words(name)} (US$)`,
        number: true,
        value: (row) => valueOf(row, name),
        cell: (row) => {
          const value = valueOf(row, name);
          return RATES.includes(name) ? (value?.toFixed(6) ?? '–') : money(value);
        },
      }),
    ),
  ];
}
