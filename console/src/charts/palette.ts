const MARKS = ['circle', 'square', 'triangle', 'diamond', 'cross'] as const;
export type MarkKind = (typeof MARKS)[number];
export type Look = { color: string; mark: MarkKind };

/** Okabe and Ito's colours, which people with any kind of colour vision tell apart, on light and dark ground. */
const COLORS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00', '#7f7f7f'];
/** Colours given by place; grey is left to classes further down. */
const BY_PLACE = 6;
/** The loans themselves, beside which tranches stand, have the colour of the text. */
const POOL = ['collateral', 'loans', 'pool'];
/** Where the colours of a class begin, so that the usual, B, C and D all differ. */
const FIRST: Readonly<Record<string, number>> = { A: 0, B: 5, C: 4, D: 6, E: 1, F: 2, G: 3, M: 2, R: 6 };
const CLASS = /^([A-Z]+)[ -]?(\d*)([A-Z]?)$/;
const LETTER_A = 65;

/** How an entity is drawn: a tranche by its name, the same in every chart, and anything else by its place. */
export function lookOf(entity: number | string): Look {
  if (typeof entity === 'number') return look(entity % BY_PLACE, entity);
  if (POOL.includes(entity.toLowerCase())) return { color: 'currentColor', mark: 'circle' };
  const [, letters = '', digits = '', suffix = ''] = CLASS.exec(entity.toUpperCase()) ?? [];
  if (letters === '') return look(sumOf(entity), sumOf(entity));
  const number = Math.max(0, Number(digits === '' ? 1 : digits) - 1);
  const first = FIRST[letters] ?? sumOf(letters);
  return look(first + number, sumOf(letters) - LETTER_A + number + (suffix === '' ? 0 : sumOf(suffix) - LETTER_A));
}

const look = (color: number, mark: number): Look => ({
  color: COLORS[color % COLORS.length] ?? 'currentColor',
  mark: MARKS[((mark % MARKS.length) + MARKS.length) % MARKS.length] ?? 'circle',
});

const sumOf = (text: string): number => Array.from(text).reduce((sum, letter) => sum + (letter.codePointAt(0) ?? 0), 0);
