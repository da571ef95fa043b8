import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Lines } from '../../charts/lines.tsx';
import type { Column } from '../../ui/column.ts';
import { Day, Id, money, shortMoney } from '../../ui/format.tsx';
import { percent, years } from '../../ui/format-market.ts';
import { Facts } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { dayColumn } from '../../ui/columns.tsx';

type Projection = Records['AssetLiabilityProjection'];
type Row = Records['AssetLiabilityRow'];

/** Collateral against notes on every payment date, of one calculation or, by default, of the one that the pool is projected by. */
export function AssetLiability({
  poolId,
  calculation,
}: {
  poolId: string;
  calculation?: { id: string; scenario: string };
}): ReactNode {
  const query = calculation ? { calculation_id: calculation.id, scenario: calculation.scenario } : {};
  const projection = useQuery({
    queryKey: ['pools', poolId, 'asset-liability', query],
    queryFn: () =>
      sent(api.GET('/v1/api/originator/analytics/pools/{poolId}/asset-liability', { params: { path: { poolId }, query } })),
  });
  return <Read from={projection}>{({ data }) => <Shown projection={data} />}</Read>;
}

function Shown({ projection }: { projection: Projection }): ReactNode {
  const { rows, as_of, scenario } = projection;
  const about = { axis: 'Period', labels: rows.map(({ period }) => String(period)) };
  const of = (name: string, color: number | string, value: (row: Row) => number | null) => ({
    name,
    color,
    projected: true,
    values: rows.map(value),
  });
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Scenario', scenario],
          ['As of', <Day key="as-of" at={as_of} />],
          ['Average life of the loans', years(projection.collateral_wal)],
          ['Average life of the notes', years(projection.notes_wal)],
          ['Loans less notes', years(projection.wal_mismatch)],
          ['Calculation', <Id key="id" of={projection.calculation_id} />],
        ]}
      />
      <div className="charts">
        <Lines
          title={`Loans and notes in ${scenario}`}
          unit={`US$, after each payment, projected as of ${as_of}`}
          {...about}
          format={shortMoney}
          series={[
            of('Loans', 'pool', ({ collateral_balance }) => collateral_balance),
            of('Notes', 0, ({ note_balance }) => note_balance),
          ]}
        />
        <Lines
          title={`Overcollateralization in ${scenario}`}
          unit={`Percent of the pool, projected as of ${as_of}`}
          {...about}
          format={percent}
          series={[of('OC', 2, ({ oc }) => oc)]}
        />
        <Lines
          title={`Excess spread in ${scenario}`}
          unit={`Percent a year of the pool, projected as of ${as_of}`}
          {...about}
          format={percent}
          series={[of('Excess spread', 3, ({ excess_spread }) => excess_spread)]}
        />
        <Lines
          title={`Reserve in ${scenario}`}
          unit={`US$, after each payment, projected as of ${as_of}`}
          {...about}
          format={shortMoney}
          series={[of('Reserve', 5, ({ reserve_balance }) => reserve_balance)]}
        />
      </div>
      <DataTable
        label="Loans against notes"
        columns={columnsOf(rows)}
        rows={rows}
        rowKey={({ period }) => String(period)}
        whole
        pinned
        file="asset-liability"
      />
    </Stack>
  );
}

const FLOWS = [
  ['collateral_principal', 'Principal of loans'],
  ['collateral_interest', 'Interest of loans'],
  ['collateral_loss', 'Losses'],
  ['fees', 'Fees'],
  ['note_interest', 'Interest of notes'],
  ['note_principal', 'Principal of notes'],
  ['residual', 'Residual'],
] as const;
const BALANCES = [
  ['collateral_balance', 'Loans'],
  ['note_balance', 'Notes'],
  ['reserve_balance', 'Reserve'],
  ['over_collateralization', 'Overcollateralization'],
] as const;

const columnsOf = (rows: readonly Row[]): readonly Column<Row>[] => [
  { id: 'period', title: 'Period', number: true, value: ({ period }) => period, total: 'All' },
  dayColumn('date', 'Date'),
  ...BALANCES.map(
    ([id, title]): Column<Row> => ({
      id,
      title: `${title} (US$)`,
      number: true,
      value: (row) => row[id],
      cell: (row) => money(row[id]),
    }),
  ),
  ...FLOWS.map(
    ([id, title]): Column<Row> => ({
      id,
      title: `${title} (US$)`,
      number: true,
      value: (row) => row[id],
      cell: (row) => money(row[id]),
      total: money(sumOf(rows.map((row) => row[id]))),
    }),
  ),
  {
    id: 'excess_spread',
    title: 'Excess spread',
    number: true,
    value: (row) => row.excess_spread,
    cell: (row) => percent(row.excess_spread),
  },
  { id: 'oc', title: 'OC', number: true, value: ({ oc }) => oc, cell: ({ oc }) => percent(oc) },
];

const CENTS = 100;
/** To the cent: a sum of doubles has further digits. */
const sumOf = (values: readonly number[]): number => Math.round(values.reduce((sum, value) => sum + value, 0) * CENTS) / CENTS;
