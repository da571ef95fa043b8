import unhomoglyph from 'unhomoglyph';

/** Characters that are invisible or only move their neighbours. */
const INVISIBLE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/gu;

/** A name as it is stored: NFC, single spaces, none at the ends, no invisible characters. Empty when nothing is left. */
export function normalizeName(name: string): string {
  return name
    .replace(/\p{White_Space}/gu, ' ')
    .replace(INVISIBLE, '')
    .replace(/ +/g, ' ')
    .trim()
    .normalize('NFC');
}

/**
 * The skeletons of a name, as written, in capitals and in small letters, by the confusable characters of Unicode TR39. Two names that
 * share a skeleton differ only in case or appearance: `Capital` and `CapitaI`, `Bank` and `Вank` with a Cyrillic letter.
 */
export function skeletonsOf(name: string): string[] {
  const plain = normalizeName(name).normalize('NFKC');
  return [...new Set([plain, plain.toUpperCase(), plain.toLowerCase()].map(skeleton))];
}

const skeleton = (text: string): string => unhomoglyph(text.normalize('NFD')).normalize('NFD');
