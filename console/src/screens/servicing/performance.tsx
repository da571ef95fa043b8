import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Lines, type Series } from '../../charts/lines.tsx';
import type { Column } from '../../ui/column.ts';
import { count, Day, money, shortMoney } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { Empty, Note } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { VintageCurves } from './performance-curves.tsx';
import { limitsOf } from './performance-limits.ts';
import { TriggerLevels } from './performance-triggers.tsx';
import { dayColumn, wordsColumn } from '../../ui/columns.tsx';

type Period = Records['PerformancePeriod'];
type Trigger = NonNullable<Records['Structure']['triggers']>[number];

type Props = {
  name: readonly string[];
  read: () => Promise<{ data: Period[] }>;
  /** The triggers of the structure, whose limits are drawn. */
  triggers?: () => Promise<readonly Trigger[]>;
  /** What only the originator reads: the curves of vintages, and the triggers as the reports left them. */
  curves?: () => Promise<{ data: Records['PoolCurves'] }>;
  reports?: () => Promise<{ data: Records['Remittance'][]; pagination: Records['Pagination'] }>;
};

/** What a pool has paid and lost month by month, beside what was projected for it. */
export function PoolPerformance({ name, read, triggers, curves, reports }: Props): ReactNode {
  const performance = useQuery({ queryKey: [...name, 'performance'], queryFn: read });
  const limits = useQuery({
    queryKey: [...name, 'trigger-limits'],
    queryFn: triggers ?? (async () => []),
    enabled: triggers !== undefined,
  });
  return (
    <Read from={performance}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty>No month has been reported yet: the first report comes after the closing.</Empty>
        ) : (
          <Stack gap="lg">
            <Charts periods={data} triggers={limits.data ?? []} />
            {limits.error && <Note>The limits of the triggers cannot be read: {limits.error.message}</Note>}
            {reports && <TriggerLevels name={name} read={reports} />}
            <DataTable
              label="Months"
              columns={COLUMNS}
              rows={data}
              rowKey={({ period }) => String(period)}
              whole
              pinned
              file="performance"
            />
            {data.some(({ notes }) => notes.length > 0) && (
              <Note color="gray">
                {[...new Set(data.flatMap(({ notes }) => notes))].map((note) => (
                  <div key={note}>{note}</div>
                ))}
              </Note>
            )}
            {curves && <VintageCurves name={name} read={curves} />}
          </Stack>
        )
      }
    </Read>
  );
}

function Charts({ periods, triggers }: { periods: readonly Period[]; triggers: readonly Trigger[] }): ReactNode {
  const numbers = periods.map(({ period }) => period);
  const last = periods.at(-1)?.payment_date ?? null;
  const about = { axis: 'Period', labels: numbers.map(String), format: percent };
  const until = last === null ? '' : `, to the payment of ${last}`;
  const actual = (value: (period: Period) => number | null): Series => ({ name: 'Actual', color: 0, values: periods.map(value) });
  const projected = (value: (of: NonNullable<Period['projected']>) => number | null): Series => ({
    name: 'Projected',
    color: 1,
    projected: true,
    values: periods.map((period) => (period.projected ? value(period.projected) : null)),
  });
  const late = (name: string, color: number, ...parts: Late[]): Series => ({
    name,
    color,
    values: periods.map((period) => sum(parts.map((part) => period[part]))),
  });
  return (
    <>
      <Text size="sm" component="div">
        {count(periods.length)} periods
        {last && (
          <>
            {' '}
            to the payment of <Day at={last} />
          </>
        )}
        . Solid lines are what was reported, dashed ones what was projected at the closing.
      </Text>
      <div className="charts">
        <Lines
          title="Balance of the pool"
          unit={`US$, at the end of each period${until}`}
          {...about}
          format={shortMoney}
          series={[actual(({ closing }) => closing)]}
        />
        <Lines
          title="Factor of the pool"
          unit={`Percent of the original pool${until}`}
          {...about}
          series={[actual(({ factor }) => whole(factor)), projected(({ factor }) => whole(factor))]}
          limits={limitsOf(triggers, 'POOL_FACTOR', numbers)}
        />
        <Lines
          title="Prepayment"
          unit={`CPR in percent a year${until}`}
          {...about}
          series={[actual(({ cpr }) => cpr), projected(({ cpr }) => cpr)]}
        />
        <Lines title="Default" unit={`CDR in percent a year${until}`} {...about} series={[actual(({ cdr }) => cdr)]} />
        <Lines
          title="Cumulative net loss"
          unit={`Percent of the balance at the cut-off${until}`}
          {...about}
          series={[actual(({ cnl }) => cnl), projected(({ cnl }) => cnl)]}
          limits={limitsOf(triggers, 'CUMULATIVE_NET_LOSS', numbers)}
        />
        <Lines
          title="Delinquency"
          unit={`Percent of the balance at the end of each period${until}`}
          {...about}
          series={[
            late('30 days and more', 5, 'delinquent_30', 'delinquent_60', 'delinquent_90', 'delinquent_120'),
            late('60 days and more', 1, 'delinquent_60', 'delinquent_90', 'delinquent_120'),
            late('90 days and more', 3, 'delinquent_90', 'delinquent_120'),
          ]}
          limits={[...limitsOf(triggers, 'DELINQUENT_60', numbers), ...limitsOf(triggers, 'DELINQUENT_30', numbers)]}
        />
      </div>
    </>
  );
}

type Late = 'delinquent_30' | 'delinquent_60' | 'delinquent_90' | 'delinquent_120';
const WHOLE = 100;
const whole = (share: number | null): number | null => (share === null ? null : share * WHOLE);

/** Of the parts that are reported; none where none is. */
function sum(parts: readonly (number | null)[]): number | null {
  const known = parts.filter((part): part is number => part !== null);
  return known.length === 0 ? null : known.reduce((all, part) => all + part, 0);
}

type Amount = 'opening' | 'principal_collected' | 'repurchased' | 'defaulted' | 'recovered' | 'closing';
const dollars = (id: Amount, title: string, hidden = false): Column<Period> => ({
  id,
  title: `${title} (US$)`,
  number: true,
  hidden,
  value: (period) => period[id],
  cell: (period) => money(period[id]),
});
const rate = (id: 'cpr' | 'cdr' | 'cnl' | 'severity' | Late, title: string, hidden = false): Column<Period> => ({
  id,
  title,
  number: true,
  hidden,
  value: (period) => period[id],
  cell: (period) => percent(period[id]),
});

const COLUMNS: readonly Column<Period>[] = [
  { id: 'period', title: 'Period', number: true, value: ({ period }) => period },
  dayColumn('payment_date', 'Paid on'),
  wordsColumn('basis', 'From'),
  dollars('opening', 'Opening'),
  dollars('principal_collected', 'Principal'),
  dollars('repurchased', 'Bought back', true),
  dollars('defaulted', 'Defaulted'),
  dollars('recovered', 'Recovered'),
  dollars('closing', 'Closing'),
  { id: 'factor', title: 'Factor', number: true, value: ({ factor }) => factor, cell: ({ factor }) => factor?.toFixed(6) ?? '–' },
  rate('cpr', 'CPR'),
  rate('cdr', 'CDR'),
  rate('cnl', 'Net loss'),
  rate('severity', 'Severity', true),
  rate('delinquent_30', '30 to 59 days'),
  rate('delinquent_60', '60 to 89 days'),
  {
    // A tape has the worst of them in a figure of its own, a report has not.
    ...rate('delinquent_90', '90 days and more'),
    value: (period) => sum([period.delinquent_90, period.delinquent_120]),
    cell: (period) => percent(sum([period.delinquent_90, period.delinquent_120])),
  },
  rate('delinquent_120', 'Of these 120 days and more', true),
  {
    id: 'count',
    title: 'Loans',
    number: true,
    hidden: true,
    value: ({ count: loans }) => loans,
    cell: ({ count: loans }) => count(loans),
  },
];
