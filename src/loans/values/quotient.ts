/*
 * Exact quotients as SQL over whole millionths ("micro", HUGEINT), for the ratios of rules and for the transforms of a mapping. No
 * value passes through binary floating point.
 */

/** Whole millionths of a decimal. */
export function microOf(decimal: string): string {
  return `CAST(CAST(${decimal} AS DECIMAL(38,6)) * 1000000 AS HUGEINT)`;
}

/** Whole millionths of a factor of a rule or a mapping: at most 1,000,000 with at most six decimals, so the product is exact. */
export function microOfFactor(factor: number): bigint {
  return BigInt(Math.round(factor * 1e6));
}

/** Whether a number has at most six decimals and lies within a million of zero. */
export function isExactFactor(factor: number): boolean {
  return Math.abs(factor) <= 1e6 && Number(microOfFactor(factor)) / 1e6 === factor;
}

/** `n / d` rounded half-even to a whole number; NULL when d is zero. The engine's own rounding would take ties away from zero. */
export function divided(n: string, d: string): string {
  const [top, bottom] = [`abs(${n})`, `nullif(abs(${d}), 0)`];
  const quotient = `(${top} // ${bottom})`;
  const twice = `(2 * (${top} % ${bottom}))`;
  const up = `CASE WHEN ${twice} > ${bottom} OR (${twice} = ${bottom} AND ${quotient} % 2 = 1) THEN 1 ELSE 0 END`;
  return `(CASE WHEN (${n} < 0) <> (${d} < 0) THEN -1 ELSE 1 END * (${quotient} + ${up}))`;
}

/** Whole millionths of `num / den × scale`, rounded half-even; the millionths of num and den cancel. NULL when den is zero. */
export function ratioSql(num: string, den: string, scaleMicro: bigint): string {
  return divided(`${microOf(num)} * ${scaleMicro}::HUGEINT`, microOf(den));
}

/** The decimal text of whole millionths, with all six places. */
export function shownMicro(sql: string): string {
  return `CAST(CAST(${sql} AS DECIMAL(38,0)) * CAST(0.000001 AS DECIMAL(7,6)) AS VARCHAR)`;
}

/** A number times a factor and over another, rounded once half-even to six places: DECIMAL(18,6), or NULL where that cannot hold it. */
export function factoredSql(number: string, { multiply = 1, divide = 1 }: Factors): string {
  const micro = divided(`${microOf(number)} * ${microOfFactor(multiply)}::HUGEINT`, `${microOfFactor(divide)}::HUGEINT`);
  const small = `TRY_CAST(${micro} AS DECIMAL(18,0)) * CAST(0.000001 AS DECIMAL(7,6))`;
  return `CASE WHEN abs(${micro}) < 1000000000000000000 THEN CAST(${small} AS DECIMAL(18,6)) END`;
}

export type Factors = { multiply?: number | undefined; divide?: number | undefined };

/** SQL that is true where `factoredSql` has to round. */
export function isRoundedSql(number: string, { multiply = 1, divide = 1 }: Factors): string {
  return `(${microOf(number)} * ${microOfFactor(multiply)}::HUGEINT) % ${microOfFactor(divide)}::HUGEINT <> 0`;
}
