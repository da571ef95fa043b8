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

/** Up to here both parts fit into 64 bits, whose division takes a tenth of the time of the engine's 128 bits, which goes bit by bit. */
const NARROW = 9_000_000_000_000_000_000n;

/** `n / d` rounded half-even to a whole number; NULL when d is zero. The engine's own rounding would take ties away from zero. */
export function divided(n: string, d: string): string {
  const [top, bottom] = [`abs(${n})`, `nullif(abs(${d}), 0)`];
  const narrow = roundedHalfEven(`CAST(${top} AS BIGINT)`, `CAST(${bottom} AS BIGINT)`);
  const size = `CASE WHEN ${top} <= ${NARROW} AND ${bottom} <= ${NARROW} THEN ${narrow} ELSE ${roundedHalfEven(top, bottom)} END`;
  return `(CASE WHEN (${n} < 0) <> (${d} < 0) THEN -1::HUGEINT ELSE 1::HUGEINT END * (${size}))`;
}

function roundedHalfEven(top: string, bottom: string): string {
  const quotient = `(${top} // ${bottom})`;
  const rest = `(${top} - ${quotient} * ${bottom})`;
  // The rest is compared with what is missing: twice the rest may be too wide.
  const missing = `(${bottom} - ${rest})`;
  return `(${quotient} + CASE WHEN ${rest} > ${missing} OR (${rest} = ${missing} AND ${quotient} % 2 = 1) THEN 1 ELSE 0 END)::HUGEINT`;
}

/** Whole millionths of `num / den × scale`, rounded half-even; the millionths of num and den cancel. NULL when den is zero. */
export function ratioSql(num: string, den: string, scaleMicro: bigint): string {
  return divided(`${microOf(num)} * ${scaleMicro}::HUGEINT`, microOf(den));
}

/** The decimal text of whole millionths, with all six places. A wide decimal becomes text digit by digit, in ten times the time of a narrow one. */
export function shownMicro(sql: string): string {
  const decimal = (digits: number): string => `(CAST(${sql} AS DECIMAL(${digits},0)) * CAST(0.000001 AS DECIMAL(7,6)))`;
  const narrow = `CAST(CAST(${decimal(18)} AS DECIMAL(18,6)) AS VARCHAR)`;
  return `CASE WHEN abs(${sql}) < ${10n ** 18n} THEN ${narrow} ELSE CAST(${decimal(38)} AS VARCHAR) END`;
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
