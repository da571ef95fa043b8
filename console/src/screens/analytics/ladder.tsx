import { Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Lines } from '../../charts/lines.tsx';
import type { Column } from '../../ui/column.ts';
import { percent, price, termPrice, termRate, years } from '../../ui/format-market.ts';
import { Note } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table.tsx';

type Row = Records['PriceRow'];

/** Yields over prices, or prices over yields, in every scenario. */
export function Ladder({ rows }: { rows: readonly Row[] }): ReactNode {
  const [first] = rows;
  if (!first) return null;
  const byPrice = first.price !== null;
  const given = ({ price: at, yield: of }: Row): number | null => (byPrice ? at : of);
  const labels = rows.map((row) => (byPrice ? termPrice(given(row)) : termRate(given(row))));
  const scenarios = first.cells.map(({ scenario }) => scenario);
  const cellOf = (row: Row, scenario: string) => row.cells.find((cell) => cell.scenario === scenario);
  const lacking = rows.some(({ cells }) => cells.some((cell) => (byPrice ? cell.yield : cell.price) === null));
  return (
    <Stack gap="md">
      <Lines
        title={byPrice ? 'Yield by price' : 'Price by yield'}
        unit={byPrice ? 'Percent a year, projected' : 'Per 100 of balance, projected'}
        fromZero={false}
        axis={byPrice ? 'Price' : 'Yield'}
        labels={labels}
        format={byPrice ? percent : price}
        series={scenarios.map((scenario, at) => ({
          name: scenario,
          color: at,
          projected: true,
          values: rows.map((row) => {
            const cell = cellOf(row, scenario);
            return (byPrice ? cell?.yield : cell?.price) ?? null;
          }),
        }))}
      />
      {lacking && <Note>A dash means that the cash flows of the scenario do not pay the price back.</Note>}
      <DataTable
        label="Ladder"
        columns={columnsOf(byPrice, scenarios, cellOf)}
        rows={rows}
        rowKey={(row) => String(given(row))}
        whole
        pinned
        file="ladder"
      />
    </Stack>
  );
}

type CellOf = (row: Row, scenario: string) => Records['PriceCell'] | undefined;

const columnsOf = (byPrice: boolean, scenarios: readonly string[], cellOf: CellOf): readonly Column<Row>[] => [
  {
    id: byPrice ? 'price' : 'yield',
    title: byPrice ? 'Price' : 'Yield',
    number: true,
    value: (row) => (byPrice ? row.price : row.yield),
    cell: (row) => (byPrice ? termPrice(row.price) : termRate(row.yield)),
  },
  ...scenarios.flatMap((scenario): Column<Row>[] => [
    {
      id: `${scenario}-result`,
      title: `${scenario}: ${byPrice ? 'yield' : 'price'}`,
      number: true,
      value: (row) => (byPrice ? cellOf(row, scenario)?.yield : cellOf(row, scenario)?.price),
      cell: (row) => (byPrice ? percent(cellOf(row, scenario)?.yield) : price(cellOf(row, scenario)?.price)),
    },
    {
      id: `${scenario}-spread`,
      title: `${scenario}: spread (bp)`,
      number: true,
      hidden: true,
      value: (row) => cellOf(row, scenario)?.spread_bp,
    },
    {
      id: `${scenario}-duration`,
      title: `${scenario}: duration`,
      number: true,
      value: (row) => cellOf(row, scenario)?.modified_duration,
      cell: (row) => years(cellOf(row, scenario)?.modified_duration),
    },
    {
      id: `${scenario}-wal`,
      title: `${scenario}: average life`,
      number: true,
      value: (row) => cellOf(row, scenario)?.wal,
      cell: (row) => years(cellOf(row, scenario)?.wal),
    },
  ]),
];
