/*
 * Exact quotients as SQL over whole millionths ("micro", HUGEINT), for the ratios of rules and for the transforms of a mapping. No
 * value passes through binary floating point.
 */

/** A number in whole millionths: SQL in 128 bits, and in 64 bits where it is below 10^8, elsewhere NULL. */
interface Micro {
  wide: string;
  narrow: string;
}

function micro(decimal: string): Micro {
  return {
    wide: `CAST(CAST(${decimal} AS DECIMAL(38,6)) * 1000000 AS HUGEINT)`,
    // Binary floating point has every whole number below 2^53: the product errs by less than a tenth of a millionth.
    narrow: `CAST(CAST(TRY_CAST(${decimal} AS DECIMAL(14,6)) AS DOUBLE) * 1e6 AS BIGINT)`,
  };
}

function constant(whole: bigint): Micro {
  return { wide: `${whole}::HUGEINT`, narrow: `${whole}::BIGINT` };
}

/** Whole millionths of a decimal. */
export function microOf(decimal: string): string {
  const { wide, narrow } = micro(decimal);
  return `coalesce(${narrow}, CASE WHEN ${decimal} IS NOT NULL THEN ${wide} END)`;
}

/** Whole millionths of a factor of a rule or a mapping: at most 1,000,000 with at most six decimals, so the product is exact. */
export function microOfFactor(factor: number): bigint {
  return BigInt(Math.round(factor * 1e6));
}

/** Whether a number has at most six decimals and lies within a million of zero. */
export function isExactFactor(factor: number): boolean {
  return Math.abs(factor) <= 1e6 && Number(microOfFactor(factor)) / 1e6 === factor;
}

/** `few`: for a page of loans, of which the shorter statement is planned in less time than it takes longer. */
export type Extent = { few?: boolean };

/** A factor of a step of the long division: times 10^14 it fits into 64 bits. */
const STEP_MAX = 92_000n;

/**
 * `num × factor / den` in whole millionths, rounded half-even; NULL when den is zero. The engine divides 128 bits bit by bit, in twenty times
 * the time of 64: what is narrow is divided in two steps of 64 bits.
 */
function quotient(num: string, factor: bigint, den: Micro, isDivided: string, { few = false }: Extent = {}): string {
  const top = micro(num);
  const wide = `CASE WHEN ${num} IS NOT NULL AND ${isDivided} THEN ${divided(`${top.wide} * ${factor}::HUGEINT`, den.wide)} END`;
  const steps = few ? null : stepsOf(factor);
  if (!steps) return `(${wide})`;
  const sign = `sign(${top.narrow})::BIGINT * sign(${den.narrow})::BIGINT`;
  return `coalesce(${sign} * ${inSteps(`abs(${top.narrow})`, `abs(${den.narrow})`, steps)}, ${wide})`;
}

/** Two factors that make this one, neither beyond a step, the smaller first; null where there are none. */
function stepsOf(factor: bigint): [bigint, bigint] | null {
  for (let step = STEP_MAX; step > 0n && step * step >= factor; step -= 1n)
    if (factor > 0n && factor % step === 0n) return [factor / step, step];
  return null;
}

/**
 * Long division of numbers from zero to 10^14; NULL where the first step's quotient has more than 13 digits. There is no CASE, since the engine computes
 * what an expression repeats once, but not what lies in a CASE.
 */
function inSteps(top: string, bottom: string, [first, second]: readonly [bigint, bigint]): string {
  const product = `(${top} * ${first})`;
  const high = `CAST(TRY_CAST(${product} // ${bottom} AS DECIMAL(13,0)) AS BIGINT)`;
  const low = `(${product} % ${bottom} * ${second})`;
  const whole = `(${high} * ${second} + ${low} // ${bottom})`;
  const rest = `(${low} % ${bottom})`;
  const missing = `(${bottom} - ${rest})`;
  return `(${whole} + CAST(${rest} > ${missing} AS BIGINT) + CAST(${rest} = ${missing} AS BIGINT) * (${whole} % 2))`;
}

/**
 * `n / d` of 128 bits rounded half-even to a whole number; NULL when d is zero. The engine's own rounding would take ties away from zero. What is used
 * several times is named by a lambda: repeated, it would take the planner longer than the division of a page of loans.
 */
function divided(n: string, d: string): string {
  // The rest is compared with what is missing: twice the rest may be too wide.
  const rounded = `part.q + CASE WHEN part.r > part.d - part.r OR (part.r = part.d - part.r AND part.q % 2 = 1) THEN 1 ELSE 0 END`;
  const inner = `list_transform([{'q': side.n // side.d, 'r': side.n % side.d, 'd': side.d}], lambda part: ${rounded})[1]`;
  const sides = `{'n': abs(${n}), 'd': nullif(abs(${d}), 0), 's': CASE WHEN (${n} < 0) <> (${d} < 0) THEN -1::HUGEINT ELSE 1::HUGEINT END}`;
  return `list_transform([${sides}], lambda side: side.s * ${inner})[1]`;
}

/** Whole millionths of `num / den × scale`, rounded half-even; the millionths of num and den cancel. NULL when den is zero. */
export function ratioSql(num: string, den: string, scaleMicro: bigint, extent?: Extent): string {
  return quotient(num, scaleMicro, micro(den), `${den} <> 0`, extent);
}

/** Whole millionths of a number times a factor, rounded half-even. */
export function productSql(number: string, factorMicro: bigint, extent?: Extent): string {
  return quotient(number, factorMicro, constant(1_000_000n), 'true', extent);
}

/** The decimal text of whole millionths, with all six places. A wide decimal becomes text digit by digit, in ten times the time of a narrow one. */
export function shownMicro(sql: string): string {
  const decimal = (digits: number): string => `(CAST(${sql} AS DECIMAL(${digits},0)) * CAST(0.000001 AS DECIMAL(7,6)))`;
  const narrow = `CAST(CAST(${decimal(18)} AS DECIMAL(18,6)) AS VARCHAR)`;
  return `CASE WHEN abs(${sql}) < ${10n ** 18n} THEN ${narrow} ELSE CAST(${decimal(38)} AS VARCHAR) END`;
}

/** A number times a factor and over another, rounded once half-even to six places: DECIMAL(18,6), or NULL where that cannot hold it. */
export function factoredSql(number: string, { multiply = 1, divide = 1 }: Factors): string {
  const whole = quotient(number, microOfFactor(multiply), constant(microOfFactor(divide)), String(divide !== 0));
  const small = `TRY_CAST(${whole} AS DECIMAL(18,0)) * CAST(0.000001 AS DECIMAL(7,6))`;
  return `CASE WHEN abs(${whole}) < 1000000000000000000 THEN CAST(${small} AS DECIMAL(18,6)) END`;
}

export type Factors = { multiply?: number | undefined; divide?: number | undefined };

/** SQL that is true where `factoredSql` has to round. */
export function isRoundedSql(number: string, { multiply = 1, divide = 1 }: Factors): string {
  return `(${microOf(number)} * ${microOfFactor(multiply)}::HUGEINT) % ${microOfFactor(divide)}::HUGEINT <> 0`;
}
