import { numbers } from './intl.ts';

const two = numbers({ minimumFractionDigits: 2, maximumFractionDigits: 2 });
const UNKNOWN = '–';

/** A rate or speed that the API gives in percent. */
export const percent = (value: number | null | undefined): string => (value == null ? UNKNOWN : `${two(value)}%`);
/** A spread in basis points; no minus before what rounds to 0. */
export const basisPoints = (value: number | null | undefined): string =>
  value == null ? UNKNOWN : `${Math.round(value) + 0} bp`;
export const years = (value: number | null | undefined): string => (value == null ? UNKNOWN : `${two(value)} years`);
/** A price per 100 of balance that a calculation leads to, in decimals. */
export const price = (value: number | null | undefined): string => (value == null ? UNKNOWN : two(value));

const whole = numbers({ minimumFractionDigits: 2, maximumFractionDigits: 6 });
/** A rate in percent and a price that somebody has agreed to, asks for or has published: with all their decimals, by which amounts are made. */
export const termRate = (value: number | null | undefined): string => (value == null ? UNKNOWN : `${whole(value)}%`);
export const termPrice = (value: number | null | undefined): string => (value == null ? UNKNOWN : whole(value));
