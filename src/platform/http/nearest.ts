import { closest, distance } from 'fastest-levenshtein';

/** A known name may be what was meant when it is at most so many letters away. */
const MOST_EDITS = 3;

/** The known name that is closest to a given one, and whether it is close enough to be what was meant; null without known names. */
export function nearestName(name: string, known: readonly string[]): { nearest: string; alike: boolean } | null {
  if (known.length === 0) return null;
  const lower = name.toLowerCase();
  const nearest = closest(lower, known);
  // Three letters of difference make another word of a short name, not a misspelling.
  const edits = Math.min(MOST_EDITS, Math.max(1, Math.floor(nearest.length / 2)));
  return { nearest, alike: distance(lower, nearest.toLowerCase()) <= edits };
}
