import { Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Lines } from '../../charts/lines.tsx';
import { words } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { limitAt } from '../servicing/performance-limits.ts';
import { problemsAt, type Problems, replaced, type Trigger } from './draft.ts';
import { JsonField } from '../../ui/typed-field.tsx';

type Props = { triggers: readonly Trigger[]; set: (triggers: Trigger[]) => void; problems: Problems };
const NEW: Trigger = { trigger: 'cnl', metric: 'CUMULATIVE_NET_LOSS', op: 'gt', value: 5, curable: false };
/** Periods that a limit is drawn for behind its last step. */
const BEHIND = 12;

/** Triggers: what each tests, and its limit over the periods. */
export const Triggers = ({ triggers, set, problems }: Props): ReactNode => (
  <Stack gap="sm">
    {triggers.map((trigger, at) => (
      <section key={at} className="card" aria-label={`Trigger ${trigger.trigger}`}>
        <Group justify="space-between" mb={4}>
          <Text size="sm" fw={600}>
            {words(trigger.trigger)}
          </Text>
          <Button size="compact-xs" variant="subtle" onClick={() => set(triggers.filter((_, index) => index !== at))}>
            Remove {trigger.trigger}
          </Button>
        </Group>
        <JsonField
          label={`Terms of ${trigger.trigger}`}
          value={trigger}
          // Written as it was typed; whether it is a trigger, the API says.
          set={(value) => set(replaced(triggers, at, value as Trigger))}
          problems={problemsAt(problems, `triggers[${at}]`)}
        />
        {trigger.schedule && trigger.schedule.length > 0 && <Limit trigger={trigger} schedule={trigger.schedule} />}
      </section>
    ))}
    <div>
      <Button size="compact-sm" variant="default" onClick={() => set([...triggers, NEW])}>
        Add a trigger
      </Button>
    </div>
  </Stack>
);

type Step = { from_period: number; value: number };

function Limit({ trigger, schedule }: { trigger: Trigger; schedule: readonly Step[] }): ReactNode {
  const last = Math.max(...schedule.map(({ from_period }) => from_period));
  const periods = Array.from({ length: last + BEHIND }, (_, at) => at + 1);
  const linear = trigger.interpolate === 'LINEAR';
  return (
    <Lines
      title={`Limit of ${trigger.trigger}`}
      unit={trigger.metric ? `${words(trigger.metric)}, percent` : 'Percent'}
      axis="Period"
      labels={periods.map(String)}
      format={percent}
      series={[{ name: 'Limit', color: 1, values: periods.map((period) => limitAt(schedule, period, linear)) }]}
    />
  );
}
