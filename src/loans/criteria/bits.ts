import type { LoanRule } from './language.ts';

/** Position of a rule in the bit sets of an outcome: 64 rules per word. */
export interface RuleBit {
  word: number;
  bit: bigint;
}

const WORD_BITS = 64;
const HALF_BITS = WORD_BITS / 2;
const LOW = 2n ** BigInt(HALF_BITS) - 1n;

/** The bit sets of an outcome: rules that failed, warned, could not be decided, were waived. */
export const BIT_SETS = ['fail', 'warn', 'miss', 'waived'] as const;
export type BitSet = (typeof BIT_SETS)[number];

export function ruleBit(index: number): RuleBit {
  return { word: Math.floor(index / WORD_BITS), bit: 1n << BigInt(index % WORD_BITS) };
}

/** Number of words for this many rules; at least one, so that every outcomes file has the same columns. */
export function wordCount(rules: number): number {
  return Math.max(1, Math.ceil(rules / WORD_BITS));
}

function wordColumn(set: BitSet, word: number): string {
  return `${set}_${word}`;
}

/** Column names of one bit set. */
export function wordColumns(set: BitSet, rules: number): string[] {
  return Array.from({ length: wordCount(rules) }, (_, word) => wordColumn(set, word));
}

/** SQL that is true when no bit of the set is set. */
export function noBits(set: BitSet, rules: number): string {
  return `(${wordColumns(set, rules)
    .map((column) => `${column} = 0`)
    .join(' AND ')})`;
}

/** SQL that is true when the bit of the rule is set. */
export function hasBit(set: BitSet, index: number): string {
  const { word, bit } = ruleBit(index);
  return `((${wordColumn(set, word)} & ${bit}::UBIGINT) <> 0)`;
}

/** Rule indices in the words of a set, ascending. Words come as the engine gives them: numbers or decimal text. */
export function rulesIn(words: readonly (string | number | bigint)[]): number[] {
  const indices: number[] = [];
  words.forEach((value, word) => {
    // Most words of most loans are empty.
    if (value === 0 || value === '0') return;
    const whole = BigInt(value);
    bitsIn(Number(whole & LOW), word * WORD_BITS, indices);
    bitsIn(Number(whole >> BigInt(HALF_BITS)), word * WORD_BITS + HALF_BITS, indices);
  });
  return indices;
}

/** Appends the places of the bits of half a word, ascending from `first`. */
function bitsIn(half: number, first: number, places: number[]): void {
  for (let rest = half; rest !== 0; rest = (rest & (rest - 1)) >>> 0) places.push(first + 31 - Math.clz32(rest & -rest));
}

const LOW_HALF = `${LOW}::UBIGINT`;

/**
 * SQL over a relation: its columns `kept`, and the words `fail`, `warn` and `miss` from one three-valued expression per rule. Each
 * expression is evaluated once: half a word of rules shares a number with the undecided rules, whose bits lie above those of the failed rules.
 */
export function withBits(
  relation: string,
  kept: readonly string[],
  rules: readonly LoanRule[],
  truths: readonly string[],
): string {
  const halves = Array.from({ length: wordCount(rules.length) * 2 }, (_, half) => `${notPassed(truths, half)} AS half_${half}`);
  const words = Array.from({ length: wordCount(rules.length) }, (_, word) => wordsOf(rules, word)).flat();
  return `SELECT * EXCLUDE (${halves.map((_, half) => `half_${half}`).join(', ')}), ${words.join(', ')} FROM (SELECT ${[...kept, ...halves].join(', ')} FROM (${relation}))`;
}

function notPassed(truths: readonly string[], half: number): string {
  const first = half * HALF_BITS;
  const terms = truths.slice(first, first + HALF_BITS).map((truth, index) => {
    const bit = 1n << BigInt(index);
    const both = bit | (bit << BigInt(HALF_BITS));
    return `CASE WHEN ${truth} THEN 0::UBIGINT WHEN (${truth}) IS NULL THEN ${both}::UBIGINT ELSE ${bit}::UBIGINT END`;
  });
  return terms.length === 0 ? '0::UBIGINT' : terms.join(' | ');
}

/** A word of each set from its two halves; a rule's severity says whether not passing it fails or warns. */
function wordsOf(rules: readonly LoanRule[], word: number): string[] {
  const [low, high] = [`half_${word * 2}`, `half_${word * 2 + 1}`];
  const unpassed = `((${low} & ${LOW_HALF}) | ((${high} & ${LOW_HALF}) << ${HALF_BITS}))`;
  const undecided = `((${low} >> ${HALF_BITS}) | ((${high} >> ${HALF_BITS}) << ${HALF_BITS}))`;
  const warning = rules.reduce((mask, { severity }, index) => {
    const place = ruleBit(index);
    return severity === 'warn' && place.word === word ? mask | place.bit : mask;
  }, 0n);
  return [
    `${unpassed} & ~${warning}::UBIGINT AS ${wordColumn('fail', word)}`,
    `${unpassed} & ${warning}::UBIGINT AS ${wordColumn('warn', word)}`,
    `${undecided} AS ${wordColumn('miss', word)}`,
  ];
}
