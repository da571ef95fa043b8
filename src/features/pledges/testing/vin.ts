/** The place of a character among the values of 49 CFR 565.15. */
const VALUES = '0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ';
const WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];

/** A vehicle identification number with its check digit. */
export function vin(serial: number): string {
  const text = `1HGCM8260AB${String(serial).padStart(6, '0')}`;
  const sum = text.split('').reduce((total, each, place) => total + (WEIGHTS[place] ?? 0) * (VALUES.indexOf(each) % 10), 0);
  return `${text.slice(0, 8)}${'0123456789X'[sum % 11]}${text.slice(9)}`;
}
