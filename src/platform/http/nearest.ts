import { closest, distance } from 'fastest-levenshtein';

/** A known name may be what was meant when it is at most so many letters away. */
const MOST_EDITS = 3;
/** A name shorter than this is part of too many others to be taken for one of them. */
const SHORTEST_PART = 4;

/** The known name that is closest to a given one, and whether it is close enough to be what was meant; null without known names. */
export function nearestName(name: string, known: readonly string[]): { nearest: string; alike: boolean } | null {
  if (known.length === 0) return null;
  const lower = name.toLowerCase();
  const nearest = closest(lower, known);
  // Three letters of difference make another word of a short name, not a misspelling.
  const edits = Math.min(MOST_EDITS, Math.max(1, Math.floor(nearest.length / 2)));
  return { nearest, alike: distance(lower, nearest.toLowerCase()) <= edits };
}

/** A word without its case and its separators, which differ between `in_review`, `inReview` and `IN REVIEW`. */
const letters = (word: string): string =>
  word
    .slice(0, 200)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** Whether two names are one but for case, separators, a misspelling, or a word that one of them has more. */
export function sameWord(one: string, other: string): boolean {
  const [a, b] = [letters(one), letters(other)];
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length >= SHORTEST_PART && long.includes(short)) return true;
  return a !== '' && distance(a, b) <= Math.min(MOST_EDITS, Math.floor(b.length / 3));
}

/** The known word that a given one most likely means; null when none is like it. */
export function likeliest(word: string, known: readonly string[]): string | null {
  const given = letters(word);
  const same = known.find((each) => letters(each) === given);
  if (same !== undefined) return same;
  const alike = known.filter((each) => sameWord(word, each));
  return alike.toSorted((a, b) => distance(given, letters(a)) - distance(given, letters(b)))[0] ?? null;
}
