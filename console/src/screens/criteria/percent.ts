/** Six places of a percentage, since 0.07 × 100 is 7.000000000000001. */
export const inPercent = (fraction: number): number => Math.round(fraction * 1e8) / 1e6;
export const asFraction = (percent: number): number => Math.round(percent * 1e6) / 1e8;
