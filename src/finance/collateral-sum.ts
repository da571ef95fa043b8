import type { Collateral, CollateralSeries } from './types.ts';

const SUMS = [
  'scheduledPrincipal',
  'prepayment',
  'defaulted',
  'recovery',
  'loss',
  'interest',
  'advancedPrincipal',
  'advancedInterest',
  'pendingRecovery',
] as const;

/**
 * Cash flow of a pool whose parts were projected each by itself, with the series that they were projected with. A part that ends before
 * others keeps its last closing balance, which is zero but for cards.
 */
export function addCollaterals(parts: readonly Collateral[], series: CollateralSeries = {}): Collateral {
  if (parts.length === 1) return parts[0];
  const periods = parts.reduce((longest, part) => Math.max(longest, part.periods), 0);
  const sum = (read: (part: Collateral) => Float64Array | undefined, length = periods) => {
    const total = new Float64Array(length);
    for (const part of parts) read(part)?.forEach((amount, month) => (total[month] = total[month] + amount));
    return total;
  };
  const closing = sum((part) => extended(part, periods));
  const opening = new Float64Array(periods);
  for (const part of parts) if (part.periods > 0) opening[0] = opening[0] + part.opening[0];
  opening.set(closing.subarray(0, Math.max(0, periods - 1)), Math.min(1, periods));
  return {
    periods,
    opening,
    ...(Object.fromEntries(SUMS.map((name) => [name, sum((part) => part[name])])) as Record<(typeof SUMS)[number], Float64Array>),
    closing,
    omittedDefaults: parts.reduce((total, { omittedDefaults = 0 }) => total + omittedDefaults, 0),
    ...(series.weightedRate ? { weightedRate: sum(({ weightedRate }) => weightedRate) } : {}),
    ...(series.adjustment ? { adjustment: sum(({ adjustment }) => adjustment, periods + 1) } : {}),
  };
}

function extended({ closing }: Collateral, periods: number): Float64Array {
  const last = closing.at(-1) ?? 0;
  if (last === 0) return closing;
  const filled = new Float64Array(periods).fill(last);
  filled.set(closing);
  return filled;
}
