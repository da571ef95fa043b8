import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Lines } from '../../charts/lines.tsx';
import { words } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { isDrawn, scaleOf } from '../../ui/trigger-figures.ts';

type Report = Pick<Records['Remittance'], 'period' | 'triggers' | 'tranches'>;
/** The newest reports, and how many there are. */
type Newest = { data: Report[]; pagination: Pick<Records['Pagination'], 'total'> };
type Props = { name: readonly string[]; read: () => Promise<Newest> };

/** How far each trigger was from its limit in every report, and what stood below each tranche. */
export function TriggerLevels({ name, read }: Props): ReactNode {
  const reports = useQuery({ queryKey: [...name, 'trigger-levels'], queryFn: read });
  return (
    <Read from={reports}>
      {({ data, pagination }) => (
        <Shown
          reports={data.toSorted((one, other) => one.period - other.period)}
          earlier={(pagination.total ?? data.length) - data.length}
        />
      )}
    </Read>
  );
}

function Shown({ reports, earlier }: { reports: readonly Report[]; earlier: number }): ReactNode {
  const last = reports.at(-1);
  if (!last) return null;
  const about = { axis: 'Period', labels: reports.map(({ period }) => String(period)), format: percent };
  const tests = last.triggers.flatMap(({ trigger, on, tests: of }) =>
    of.flatMap(({ metric, op }, at) => (isDrawn(metric) ? [{ trigger, on, metric, op, at }] : [])),
  );
  const testIn = (report: Report, trigger: string, at: number) =>
    report.triggers.find((each) => each.trigger === trigger)?.tests[at];
  return (
    <Part
      title="Triggers and credit enhancement"
      about={`As the reports of the servicer left them${earlier > 0 ? `: the newest ${reports.length}, without the ${earlier} before` : ''}.`}
    >
      <div className="charts">
        {tests.map(({ trigger, on, metric, op, at }) => (
          <Lines
            key={`${trigger} ${at}`}
            title={`Trigger ${trigger}: ${on ? 'on' : 'off'}`}
            unit={`${words(metric)} ${scaleOf(metric).unit}, on when ${BEYOND[op] ?? op} the limit`}
            {...about}
            format={scaleOf(metric).format}
            series={[{ name: 'Actual', color: 0, values: reports.map((report) => testIn(report, trigger, at)?.actual ?? null) }]}
            limits={[{ name: 'Limit', value: reports.map((report) => testIn(report, trigger, at)?.threshold ?? null) }]}
          />
        ))}
        <Lines
          title="Credit enhancement"
          unit="Percent of the pool, after each payment"
          {...about}
          series={last.tranches.map(({ tranche }) => ({
            name: tranche,
            color: tranche,
            values: reports.map(({ tranches }) => tranches.find((each) => each.tranche === tranche)?.credit_enhancement ?? null),
          }))}
        />
      </div>
    </Part>
  );
}

const BEYOND: Readonly<Record<string, string>> = {
  gt: 'above',
  gte: 'at or above',
  ge: 'at or above',
  lt: 'below',
  lte: 'at or below',
  le: 'at or below',
};
