import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Lines } from '../../charts/lines.tsx';
import { words } from '../../ui/format.tsx';
import { Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { isDrawn, scaleOf } from '../../ui/trigger-figures.ts';
import type { Side } from './side.ts';

type Period = Records['PeriodTrace'];
type Props = { side: Side; calculationId: string; scenario: string };

/** What the triggers test in every period of a scenario, beside their limits. */
export function ProjectedTriggers({ side, calculationId, scenario }: Props): ReactNode {
  const trace = useQuery({
    queryKey: [...side.key, calculationId, 'triggers', scenario],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => side.trace(calculationId, scenario),
  });
  return <Read from={trace}>{({ data }) => <Shown periods={data} scenario={scenario} />}</Read>;
}

function Shown({ periods, scenario }: { periods: readonly Period[]; scenario: string }): ReactNode {
  const tests = (periods[0]?.triggers ?? []).flatMap(({ trigger, tests: of }) =>
    of.flatMap(({ metric }, at) => (isDrawn(metric) ? [{ trigger, metric, at }] : [])),
  );
  if (tests.length === 0) return null;
  const testIn = (period: Period, trigger: string, at: number) =>
    period.triggers.find((each) => each.trigger === trigger)?.tests[at];
  return (
    <Part title="Triggers over time">
      <div className="charts">
        {tests.map(({ trigger, metric, at }) => {
          const from = periods.find((period) => period.triggers.some((each) => each.trigger === trigger && each.on))?.period;
          return (
            <Lines
              key={`${trigger} ${at}`}
              title={`Trigger ${trigger} in ${scenario}: ${from === undefined ? 'never on' : `on from period ${from}`}`}
              unit={`${words(metric)} ${scaleOf(metric).unit}, projected`}
              axis="Period"
              labels={periods.map(({ period }) => String(period))}
              format={scaleOf(metric).format}
              series={[
                {
                  name: 'Projected',
                  color: 0,
                  projected: true,
                  values: periods.map((period) => testIn(period, trigger, at)?.value ?? null),
                },
              ]}
              limits={[{ name: 'Limit', value: periods.map((period) => testIn(period, trigger, at)?.threshold ?? null) }]}
            />
          );
        })}
      </div>
    </Part>
  );
}
