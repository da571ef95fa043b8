const TWO = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const UNKNOWN = '–';

/** A rate or speed that the API gives in percent. */
export const percent = (value: number | null | undefined): string => (value == null ? UNKNOWN : `${TWO.format(value)}%`);
export const years = (value: number | null | undefined): string => (value == null ? UNKNOWN : `${TWO.format(value)} years`);
/** A price per 100 of balance, in decimals. */
export const price = (value: number | null | undefined): string => (value == null ? UNKNOWN : TWO.format(value));
