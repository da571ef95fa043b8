import unhomoglyph from 'unhomoglyph';

/** Shows nothing, or only moves what stands beside it. */
const INVISIBLE = /[\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/gu;

/** A name as it is kept: NFC, single spaces, none at the ends, no invisible characters. Empty when nothing is left. */
export function keptName(name: string): string {
  return name
    .replace(/\p{White_Space}/gu, ' ')
    .replace(INVISIBLE, '')
    .replace(/ +/g, ' ')
    .trim()
    .normalize('NFC');
}

/**
 * What a name looks like as it is written, in capitals and in small letters, by the confusable characters of Unicode TR39. Two names
 * that have one of these in common differ only in case or look: `Capital` and `CapitaI`, `Bank` and `Вank` with a Cyrillic letter.
 */
export function looksOf(name: string): string[] {
  const plain = keptName(name).normalize('NFKC');
  return [...new Set([plain, plain.toUpperCase(), plain.toLowerCase()].map(skeleton))];
}

const skeleton = (text: string): string => unhomoglyph(text.normalize('NFD')).normalize('NFD');
