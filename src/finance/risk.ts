import { randomStream } from './random.ts';
import type { Assumptions, CardAssumptions } from './types.ts';

/** Factors that a Monte Carlo run shocks. A speed is multiplied by a log-normal factor, severity moves on the logit scale. */
export type RiskFactorName = 'prepayment' | 'default' | 'severity';

export type RiskFactor = {
  factor: RiskFactorName /** Standard deviation of the logarithm (severity: of the logit). */;
  sigma: number;
};

/** Lower triangular factor of a correlation matrix, or the reason why it does not exist. */
export type CholeskyResult =
  | { ok: true; lower: number[][] }
  | { ok: false; code: 'NOT_SYMMETRIC' | 'NOT_POSITIVE_SEMI_DEFINITE'; row: number; message: string };

/**
 * Cholesky factor L (L·Lᵀ = C) of a correlation matrix: square, symmetric, ones on the diagonal. A singular matrix (perfect
 * correlation) is allowed; a matrix with a negative eigenvalue is not, and the row where the factorization fails is named.
 */
export function choleskyOfCorrelation(matrix: readonly (readonly number[])[]): CholeskyResult {
  const malformed = findMalformedRow(matrix);
  if (malformed) return { ok: false, code: 'NOT_SYMMETRIC', ...malformed };
  const lower = matrix.map((row) => row.map(() => 0));
  for (let row = 0; row < matrix.length; row++) {
    for (let column = 0; column <= row; column++) {
      const rest = entry(matrix, row, column) - dot(lower[row], lower[column], column);
      const pivot = row === column ? 0 : entry(lower, column, column);
      const value = row === column ? Math.sqrt(Math.max(0, rest)) : pivot > PSD_TOLERANCE ? rest / pivot : 0;
      const broken = row === column ? rest < -PSD_TOLERANCE : pivot <= PSD_TOLERANCE && Math.abs(rest) > PSD_TOLERANCE;
      if (broken) {
        const message = `correlation matrix is not positive semi-definite: row ${row + 1} leaves a variance of ${rest.toFixed(6)}`;
        return { ok: false, code: 'NOT_POSITIVE_SEMI_DEFINITE', row, message };
      }
      lower[row][column] = value;
    }
  }
  return { ok: true, lower };
}

/** Tolerance for the rounding of a matrix that was entered with few decimals. */
const PSD_TOLERANCE = 1e-8;

/** Correlated standard normals of one path, one per row of `lower`. Path k of a seed is the same whatever ran before it. */
export function drawNormals(seed: number, path: number, lower: readonly (readonly number[])[]): number[] {
  const random = randomStream(seed, path);
  const independent = lower.map(() => random.normal());
  return lower.map((row, index) => dot(row, independent, index + 1));
}

/** Identity matrix, the correlation of independent factors, which is its own Cholesky factor. */
export function identityMatrix(size: number): number[][] {
  return Array.from({ length: size }, (_, row) => Array.from({ length: size }, (_, column) => (row === column ? 1 : 0)));
}

/** exp(σz − σ²/2): a log-normal multiplier with mean 1, so that the average path has the assumed speed. */
export function logNormalMultiplier(sigma: number, z: number): number {
  return Math.exp(sigma * z - (sigma * sigma) / 2);
}

/** Severity in percent moved by σz on the logit scale; stays between 0 and 100, and the median path has the assumed one. */
export function logitNormalPercent(percent: number, sigma: number, z: number): number {
  if (percent <= 0 || percent >= 100) return percent;
  return 100 / (1 + ((100 - percent) / percent) * Math.exp(-sigma * z));
}

/** Assumptions of one path: each factor applied to its measure with its own normal; of cards, to payment rate and charge-off. Segments move together. */
export function shockAssumptions(base: Assumptions, factors: readonly RiskFactor[], normals: readonly number[]): Assumptions {
  const shocked = { ...base };
  if (base.segments) {
    shocked.segments = { ...base.segments, each: base.segments.each.map((each) => shockAssumptions(each, factors, normals)) };
  }
  for (const [index, { factor, sigma }] of factors.entries()) {
    const z = normals[index];
    if (factor === 'severity') shocked.severityPercent = shockSeverity(shocked.severityPercent, sigma, z);
    else if (shocked.card) shocked.card = shockCard(shocked.card, factor, logNormalMultiplier(sigma, z));
    else if (factor === 'prepayment') shocked.prepayment = scaleSpeed(shocked.prepayment, logNormalMultiplier(sigma, z));
    else shocked.default = scaleSpeed(shocked.default, logNormalMultiplier(sigma, z));
  }
  return shocked;
}

function shockCard(card: CardAssumptions, factor: 'prepayment' | 'default', multiplier: number): CardAssumptions {
  const moved = factor === 'prepayment' ? 'paymentRatePercent' : 'chargeOffPercent';
  return { ...card, [moved]: card[moved].map((percent) => percent * multiplier) };
}

export type TailMeasure = { confidence: number; valueAtRisk: number; expectedShortfall: number };

export type RiskSummary = {
  paths: number;
  mean: number;
  standardDeviation: number;
  minimum: number;
  maximum: number;
  tail: TailMeasure[];
};

/**
 * Summary of losses (one a path, any unit). Value at risk is the lower empirical quantile: the smallest loss that at least the share
 * `confidence` of paths does not exceed; expected shortfall is the mean of the loss of that path and of those beyond it. Paths below it that
 * lose the same are no part of the tail (Acerbi and Tasche, 2002): of a note that nearly never loses they are nearly all paths.
 * Throws RangeError without losses or with a confidence outside (0, 1).
 */
export function summarizeLosses(losses: ArrayLike<number>, confidences: readonly number[]): RiskSummary {
  const sorted = Float64Array.from(losses).sort();
  if (sorted.length === 0) throw new RangeError('no losses to summarize');
  const mean = sum(sorted, 0) / sorted.length;
  let squares = 0;
  for (const loss of sorted) squares += (loss - mean) ** 2;
  return {
    paths: sorted.length,
    mean,
    standardDeviation: sorted.length > 1 ? Math.sqrt(squares / (sorted.length - 1)) : 0,
    minimum: sorted[0],
    maximum: sorted[sorted.length - 1],
    tail: confidences.map((confidence) => tailMeasure(sorted, confidence)),
  };
}

function tailMeasure(sorted: Float64Array, confidence: number): TailMeasure {
  if (!(confidence > 0 && confidence < 1)) throw new RangeError(`confidence is ${confidence}, expected above 0 and below 1`);
  // The epsilon removes the rounding error of products such as 0.95 × 1000.
  const rank = Math.max(1, Math.ceil(confidence * sorted.length - 1e-9));
  const beyond = rank - 1;
  return { confidence, valueAtRisk: sorted[beyond], expectedShortfall: sum(sorted, beyond) / (sorted.length - beyond) };
}

function scaleSpeed<Speed extends { values: number[] }>(speed: Speed, multiplier: number): Speed {
  return { ...speed, values: speed.values.map((value) => value * multiplier) };
}

function shockSeverity(severityPercent: number | number[], sigma: number, z: number): number | number[] {
  if (typeof severityPercent === 'number') return logitNormalPercent(severityPercent, sigma, z);
  return severityPercent.map((percent) => logitNormalPercent(percent, sigma, z));
}

function findMalformedRow(matrix: readonly (readonly number[])[]): { row: number; message: string } | null {
  for (const [row, values] of matrix.entries()) {
    if (values.length !== matrix.length)
      return { row, message: `row ${row + 1} has ${values.length} numbers, expected ${matrix.length}` };
    for (const [column, value] of values.entries()) {
      const mirrored = entry(matrix, column, row);
      if (row === column && Math.abs(value - 1) > PSD_TOLERANCE)
        return { row, message: `diagonal of row ${row + 1} is ${value}, expected 1` };
      if (!(Math.abs(value - mirrored) <= PSD_TOLERANCE)) {
        return { row, message: `row ${row + 1}, column ${column + 1} is ${value} but its mirror is ${mirrored}` };
      }
    }
  }
  return null;
}

function dot(a: readonly number[], b: readonly number[], length: number): number {
  let total = 0;
  for (let index = 0; index < length; index++) total += a[index] * b[index];
  return total;
}

function entry(matrix: readonly (readonly number[])[], row: number, column: number): number {
  return (matrix[row] as number[])[column];
}

function sum(values: Float64Array, from: number): number {
  let total = 0;
  for (let index = from; index < values.length; index++) total += values[index];
  return total;
}
