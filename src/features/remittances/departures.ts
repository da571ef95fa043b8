import { roundHalfEven } from '../../finance/money.ts';
import type { StoredRemittance } from './queries.ts';
import type { ClosingProjection } from './projection-queries.ts';
import type { TriggerStatus } from './trigger-status.ts';

/* What holders and owners are told of beside the figures of a report: how far it is from the projection and from the triggers. */

/** A pool factor is off where it is below the projected one by more than this; a fraction of the original pool. */
export const FACTOR_MARGIN = 0.01;
/** A test is near its threshold within this share of it. */
export const NEAR_SHARE = 0.1;

type Reported = Pick<StoredRemittance, 'period' | 'performance' | 'applied_at' | 'restated_at'>;

/** The factors of a pool after a period: reported, projected, and the first less the second; 8 decimals. */
export type FactorDeparture = { reported: number; projected: number; difference: number };

/** How far a report is below the projection where that is more than the margin; null where it is not, and without a projection. `original`: the pool at the cut-off, currency units. */
export function factorDeparture(
  { period, performance }: Pick<Reported, 'period' | 'performance'>,
  projection: Pick<ClosingProjection, 'pool'> | null,
  original: number,
): FactorDeparture | null {
  const row = projection?.pool.find((each) => each.period === period);
  if (!row || original <= 0) return null;
  const [reported, projected] = [performance.pool.pool_balance / original, row.pool_balance / original];
  const difference = roundHalfEven(reported - projected, 8);
  if (difference >= -FACTOR_MARGIN) return null;
  return { reported: roundHalfEven(reported, 8), projected: roundHalfEven(projected, 8), difference };
}

/** The same where none of the earlier reports was off from the projection when it was applied: a departure is told once. */
export function newDeparture(
  report: Reported,
  earlier: readonly Reported[],
  projection: ClosingProjection | null,
  original: number,
): FactorDeparture | null {
  const departure = factorDeparture(report, projection, original);
  const wasTold = (each: Reported): boolean => {
    const at = each.restated_at ?? each.applied_at;
    const wasThere = at !== null && projection?.published_at != null && projection.published_at <= at;
    return wasThere && factorDeparture(each, projection, original) !== null;
  };
  return departure && !earlier.some(wasTold) ? departure : null;
}

/**
 * Whether a trigger is off and a figure that it tests is within the margin of its threshold, or beyond. A date comes by itself and is never
 * near; a threshold of 0 has no margin.
 */
export function isNear({ on, tests }: TriggerStatus): boolean {
  return (
    !on &&
    tests.some(({ metric, headroom, threshold }) => {
      if (metric === 'DATE' || headroom === null || threshold === null) return false;
      return headroom < 0 || (threshold !== 0 && headroom <= roundHalfEven(NEAR_SHARE * Math.abs(threshold), 8));
    })
  );
}

/** The triggers that have come near: in none of the earlier reports they were near or on. */
export function newlyNear(triggers: readonly TriggerStatus[], earlier: readonly (readonly TriggerStatus[])[]): TriggerStatus[] {
  const were = new Set(earlier.flat().flatMap((each) => (each.on || isNear(each) ? [each.trigger] : [])));
  return triggers.filter((each) => isNear(each) && !were.has(each.trigger));
}
