import type { LoanRule } from './language.ts';

/** A rule's place in the bit sets of an outcome: 64 rules to a word. */
export interface RuleBit {
  word: number;
  bit: bigint;
}

const WORD_BITS = 64;

/** The sets that an outcome keeps: rules that failed it, warned, could not be decided, were waived. */
export const BIT_SETS = ['fail', 'warn', 'miss', 'waived'] as const;
export type BitSet = (typeof BIT_SETS)[number];

export function ruleBit(index: number): RuleBit {
  return { word: Math.floor(index / WORD_BITS), bit: 1n << BigInt(index % WORD_BITS) };
}

/** Words that a set of so many rules needs, at least one so that every outcome file has the same columns. */
export function wordCount(rules: number): number {
  return Math.max(1, Math.ceil(rules / WORD_BITS));
}

export function wordColumn(set: BitSet, word: number): string {
  return `${set}_${word}`;
}

/** Column names of one bit set. */
export function wordColumns(set: BitSet, rules: number): string[] {
  return Array.from({ length: wordCount(rules) }, (_, word) => wordColumn(set, word));
}

/** SQL: no bit of the set is there. */
export function noBits(set: BitSet, rules: number): string {
  return `(${wordColumns(set, rules)
    .map((column) => `${column} = 0`)
    .join(' AND ')})`;
}

/** SQL: the rule's bit is there. */
export function hasBit(set: BitSet, index: number): string {
  const { word, bit } = ruleBit(index);
  return `((${wordColumn(set, word)} & ${bit}::UBIGINT) <> 0)`;
}

/** Rule indices in the words of a set, ascending. Words come as the engine gives them: numbers or decimal text. */
export function rulesIn(words: readonly (string | number | bigint)[]): number[] {
  const indices: number[] = [];
  words.forEach((value, word) => {
    let rest = BigInt(value);
    for (let bit = 0; rest !== 0n; bit += 1, rest >>= 1n) if (rest & 1n) indices.push(word * WORD_BITS + bit);
  });
  return indices;
}

/** SQL columns of the words `fail`, `warn` and `miss` from one three-valued expression per rule. */
export function bitColumns(rules: readonly LoanRule[], truths: readonly string[]): string[] {
  const columns: string[] = [];
  for (let word = 0; word < wordCount(rules.length); word += 1) {
    const terms: Record<'fail' | 'warn' | 'miss', string[]> = { fail: [], warn: [], miss: [] };
    rules.forEach((rule, index) => {
      const place = ruleBit(index);
      if (place.word !== word) return;
      const truth = truths[index] ?? 'NULL';
      terms[rule.severity === 'warn' ? 'warn' : 'fail'].push(`CASE WHEN ${truth} THEN 0::UBIGINT ELSE ${place.bit}::UBIGINT END`);
      terms.miss.push(`CASE WHEN (${truth}) IS NULL THEN ${place.bit}::UBIGINT ELSE 0::UBIGINT END`);
    });
    for (const set of ['fail', 'warn', 'miss'] as const) {
      columns.push(`${terms[set].length === 0 ? '0::UBIGINT' : terms[set].join(' | ')} AS ${wordColumn(set, word)}`);
    }
  }
  return columns;
}
