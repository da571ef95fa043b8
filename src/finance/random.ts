/** Name of the generator, for the record of a calculation: the same seed and name give the same draws. */
export const GENERATOR = 'xoshiro128**/splitmix32/as241';

/** A seeded stream of random numbers. */
export type RandomStream = {
  /** Uniform integer from 0 to 2^32 − 1. */
  uint32(): number;
  /** Uniform in the open interval (0, 1), 53 bits. */
  uniform(): number;
  /** Standard normal by inversion: one uniform each, so that draws stay aligned between runs. */
  normal(): number;
};

/**
 * Stream `stream` of a seed; both whole numbers from 0 to 2^53 − 1. Streams of one seed are independent of the order in which they are
 * used, so that path k draws the same numbers on any thread. Generator: xoshiro128** (Blackman and Vigna, Scrambled linear
 * pseudorandom number generators, 2021), its state filled by splitmix32.
 */
export function randomStream(seed: number, stream = 0): RandomStream {
  return streamFromState(seedState(seed, stream));
}

/** Stream of four 32-bit words of state, not all zero. */
export function streamFromState(state: readonly [number, number, number, number]): RandomStream {
  let [a, b, c, d] = state;
  const uint32 = () => {
    const result = Math.imul(rotateLeft(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotateLeft(d, 11);
    return result;
  };
  const uniform = () => ((uint32() >>> 5) * 2 ** 26 + (uint32() >>> 6) + 0.5) / 2 ** 53;
  return { uint32, uniform, normal: () => normalQuantile(uniform()) };
}

/** Mixes every bit of seed and stream into the state, one splitmix32 step a word. */
function seedState(seed: number, stream: number): [number, number, number, number] {
  let mixed = 0;
  for (const word of [seed, Math.floor(seed / 2 ** 32), stream, Math.floor(stream / 2 ** 32)]) {
    mixed = splitmix32((mixed ^ (word >>> 0)) >>> 0);
  }
  const state: [number, number, number, number] = [0, 0, 0, 0];
  for (let index = 0; index < 4; index++) state[index] = splitmix32((mixed + Math.imul(index + 1, 0x9e3779b9)) >>> 0);
  return state[0] | state[1] | state[2] | state[3] ? state : [1, 2, 3, 4];
}

function splitmix32(value: number): number {
  let z = (value + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return (z ^ (z >>> 15)) >>> 0;
}

function rotateLeft(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/**
 * Quantile of the standard normal distribution at a probability in (0, 1), to about 1e-16 relative. Source: Wichura, Algorithm AS 241
 * (PPND16), Applied Statistics 37, 1988.
 */
export function normalQuantile(probability: number): number {
  const q = probability - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return (q * polynomial(CENTRAL_TOP, r)) / polynomial(CENTRAL_BOTTOM, r);
  }
  const r = Math.sqrt(-Math.log(q <= 0 ? probability : 1 - probability));
  const x =
    r <= 5
      ? polynomial(MIDDLE_TOP, r - 1.6) / polynomial(MIDDLE_BOTTOM, r - 1.6)
      : polynomial(TAIL_TOP, r - 5) / polynomial(TAIL_BOTTOM, r - 5);
  return q < 0 ? -x : x;
}

/** Horner's rule, highest power first. */
function polynomial(coefficients: readonly number[], x: number): number {
  let value = 0;
  for (const coefficient of coefficients) value = value * x + coefficient;
  return value;
}

const CENTRAL_TOP = [
  2509.0809287301227, 33430.57558358813, 67265.7709270087, 45921.95393154987, 13731.69376550946, 1971.5909503065513,
  133.14166789178438, 3.3871328727963665,
];
const CENTRAL_BOTTOM = [
  5226.495278852854, 28729.085735721943, 39307.89580009271, 21213.794301586597, 5394.196021424751, 687.1870074920579,
  42.31333070160091, 1,
];
const MIDDLE_TOP = [
  0.0007745450142783414, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045, 5.769497221460691,
  4.630337846156546, 1.4234371107496835,
];
const MIDDLE_BOTTOM = [
  1.0507500716444169e-9, 0.0005475938084995345, 0.015198666563616457, 0.14810397642748008, 0.6897673349851, 1.6763848301838038,
  2.053191626637759, 1,
];
const TAIL_TOP = [
  2.0103343992922881e-7, 2.7115555687434876e-5, 0.0012426609473880784, 0.026532189526576124, 0.29656057182850487,
  1.7848265399172913, 5.463784911164114, 6.657904643501103,
];
const TAIL_BOTTOM = [
  2.0442631033899397e-15, 1.421511758316446e-7, 1.8463183175100548e-5, 0.0007868691311456133, 0.014875361290850615,
  0.1369298809227358, 0.599832206555888, 1,
];
