import type { Records } from '../../app/api.ts';
import type { Limit } from '../../charts/lines.tsx';

type Trigger = NonNullable<Records['Structure']['triggers']>[number];
type Step = { from_period: number; value: number };

/** The limit of a period; none before the first step. */
export function limitAt(schedule: readonly Step[], period: number, linear: boolean): number | null {
  const steps = schedule.toSorted((one, other) => one.from_period - other.from_period);
  const before = steps.findLast(({ from_period }) => from_period <= period);
  const next = steps.find(({ from_period }) => from_period > period);
  if (!before) return null;
  if (!linear || !next) return before.value;
  const share = (period - before.from_period) / (next.from_period - before.from_period);
  return before.value + share * (next.value - before.value);
}

/** The limits of the triggers that test a metric, period by period; those whose level is computed from other amounts are left out. */
export function limitsOf(triggers: readonly Trigger[], metric: string, periods: readonly number[]): readonly Limit[] {
  return triggers.flatMap((trigger): Limit[] => {
    if (trigger.metric !== metric) return [];
    const name = `Trigger ${trigger.trigger}`;
    if (typeof trigger.value === 'number') return [{ name, value: trigger.value }];
    const { schedule } = trigger;
    if (!schedule || schedule.length === 0) return [];
    const linear = trigger.interpolate === 'LINEAR';
    return [{ name, value: periods.map((period) => limitAt(schedule, period, linear)) }];
  });
}

/** The triggers of a structure, which the description of the API leaves open and the gateway has checked. */
export const triggersOf = (structure: unknown): readonly Trigger[] =>
  (structure as Pick<Records['Structure'], 'triggers'> | null)?.triggers ?? [];
