import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Lines } from '../../charts/lines.tsx';
import type { Column } from '../../ui/column.ts';
import { count, words } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { Empty, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { moneyColumn } from '../../ui/columns.tsx';

type Curves = Records['PoolCurves'];
type Roll = Curves['rolls'][number];
type Props = { name: readonly string[]; read: () => Promise<{ data: Curves }> };

/** More lines than these cannot be told apart: the largest vintages are drawn. */
const MOST = 6;

/** What vintages have lost since the closing, and how loans moved between states. */
export function VintageCurves({ name, read }: Props): ReactNode {
  const curves = useQuery({ queryKey: [...name, 'curves'], queryFn: read });
  return <Read from={curves}>{({ data }) => <Shown curves={data} />}</Read>;
}

function Shown({ curves: { vintages, rolls } }: { curves: Curves }): ReactNode {
  const largest = vintages
    .toSorted((one, other) => other.balance - one.balance)
    .slice(0, MOST)
    .toSorted((one, other) => (one.vintage ?? '').localeCompare(other.vintage ?? ''));
  const periods = [...new Set(vintages.flatMap((each) => each.periods.map(({ period }) => period)))].toSorted((a, b) => a - b);
  if (periods.length === 0) return <Empty>Curves of vintages come with the first monthly tape that is confirmed.</Empty>;
  const series = (value: (period: Curves['vintages'][number]['periods'][number]) => number | null) =>
    largest.map(({ vintage, periods: of }, color) => ({
      name: vintage ?? 'Without a date',
      color,
      values: periods.map((period) => {
        const found = of.find((each) => each.period === period);
        return found ? value(found) : null;
      }),
    }));
  const about = { axis: 'Period', labels: periods.map(String), format: percent };
  const some = vintages.length > MOST ? ` The ${MOST} largest of ${vintages.length} vintages are drawn.` : '';
  return (
    <Part title="Vintages and rolls" about={`From monthly tapes, by quarter of origination.${some}`}>
      <div className="charts">
        <Lines
          title="Cumulative default by vintage"
          unit="Percent of the balance at closing, actual"
          {...about}
          series={series(({ cumulative_default }) => cumulative_default)}
        />
        <Lines
          title="Cumulative loss by vintage"
          unit="Percent of the balance at closing, actual"
          {...about}
          series={series(({ cumulative_loss }) => cumulative_loss)}
        />
        <Lines
          title="60 days and more past due by vintage"
          unit="Percent of the balance of the vintage, actual"
          {...about}
          series={series(({ delinquent_60 }) => delinquent_60)}
        />
      </div>
      <DataTable
        label="Rolls between states"
        columns={ROLLS}
        rows={rolls}
        rowKey={({ from, to }) => `${from} ${to}`}
        whole
        pinned
        file="rolls"
      />
    </Part>
  );
}

const ROLLS: readonly Column<Roll>[] = [
  { id: 'from', title: 'From', value: ({ from }) => from, cell: ({ from }) => stateOf(from) },
  { id: 'to', title: 'To', value: ({ to }) => to, cell: ({ to }) => stateOf(to) },
  { id: 'percent', title: 'Of the balance', number: true, value: (roll) => roll.percent, cell: (roll) => percent(roll.percent) },
  { id: 'count', title: 'Loans', number: true, value: (roll) => roll.count, cell: (roll) => count(roll.count) },
  moneyColumn('balance', 'Balance (US$)'),
];

const stateOf = (state: string): string => (/^\d/.test(state) ? `${state} days` : words(state));
