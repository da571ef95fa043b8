export const MEASURES = ['discount_margin_bp', 'z_spread_bp', 'effective_duration', 'effective_convexity'] as const;
export type Measure = (typeof MEASURES)[number];

export const UNAVAILABLE_CODES = ['RESIDUAL', 'NO_BALANCE', 'NOT_FLOATING', 'NO_CURVE', 'CURVE_UNUSABLE', 'NO_SOLUTION'] as const;

/** Why a measure is null. */
export type UnavailableMeasure = { field: Measure; code: (typeof UNAVAILABLE_CODES)[number]; message: string };

/**
 * Spreads and effective measures of a tranche at its price. Discount margin: over the projected index, of floaters. Z-spread: over the
 * zero rates of `benchmark_curve`. Effective duration (years) and convexity: of the value with accrued interest under parallel shifts of 25
 * basis points of all curves, with the cash flows that the shifted index curves give, at a constant Z-spread; without a benchmark curve that
 * is flat at the yield. Speeds do not depend on rates.
 */
export type TrancheMeasures = Record<Measure, number | null> & {
  /** One entry for each measure that is null. */
  unavailable: UnavailableMeasure[];
};
