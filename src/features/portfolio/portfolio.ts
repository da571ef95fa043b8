/** Sums over the positions of one group, weighted by market value. Money in currency units; a mean is null when no position has it. */
export type GroupSums = {
  name: string;
  market_value: number;
  position_count: number;
  wa_yield: number | null;
  wa_spread: number | null;
  wa_wal: number | null;
  wa_duration: number | null;
  /** Positions that have no such figure. */
  without_yield: number;
  without_spread: number;
  without_wal: number;
  without_duration: number;
};

export type BreakdownEntry = {
  name: string;
  market_value: number;
  weight: number;
  wa_yield: number;
  wa_spread: number;
  wa_wal: number;
  wa_duration: number;
  position_count: number;
  missing: Missing;
};

/** Positions that a mean leaves out. */
export type Missing = { yield: number; spread: number; wal: number; duration: number };

const MICRO = 1_000_000;

/** Groups of a portfolio, largest market value first, then by name; means without a value are 0. */
export function toBreakdown(groups: readonly GroupSums[]): BreakdownEntry[] {
  const ordered = groups.toSorted((a, b) => b.market_value - a.market_value || (a.name < b.name ? -1 : 1));
  const weights = toWeights(ordered.map((group) => group.market_value));
  return ordered.map((group, index) => ({
    name: group.name,
    market_value: group.market_value,
    weight: weights[index] ?? 0,
    ...means(group),
    position_count: group.position_count,
    missing: missing(group),
  }));
}

export function missing(group: Omit<GroupSums, 'name'>): Missing {
  const { without_yield, without_spread, without_wal, without_duration } = group;
  return { yield: without_yield, spread: without_spread, wal: without_wal, duration: without_duration };
}

export function means(group: Omit<GroupSums, 'name'>): Pick<BreakdownEntry, 'wa_yield' | 'wa_spread' | 'wa_wal' | 'wa_duration'> {
  return {
    wa_yield: group.wa_yield ?? 0,
    wa_spread: group.wa_spread ?? 0,
    wa_wal: group.wa_wal ?? 0,
    wa_duration: group.wa_duration ?? 0,
  };
}

/**
 * Shares of amounts that are not negative, largest first, with 6 decimals; the largest takes the rounding difference, so that they add
 * up to 1. All zero when the amounts are.
 */
export function toWeights(amounts: readonly number[]): number[] {
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  if (total <= 0) return amounts.map(() => 0);
  const micros = amounts.map((amount) => Math.round((amount / total) * MICRO));
  const others = micros.slice(1).reduce((sum, micro) => sum + micro, 0);
  return [MICRO - others, ...micros.slice(1)].map((micro) => micro / MICRO);
}
