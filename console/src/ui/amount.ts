const SCALES: Record<string, number> = { '': 1, k: 1e3, m: 1e6, mm: 1e6, b: 1e9, bn: 1e9 };
/** Digits, in groups of three where there are groups: the comma of `1,5m` is a point elsewhere, and no part of a number here. */
const WRITTEN = /^\$?\s*((?:\d{1,3}(?:[,_ ]\d{3})+|\d+)(?:\.\d+)?)\s*(k|mm|m|bn|b)?$/i;

/** An amount as a trader writes it, `1,500,000`, `250k` or `5m`, in US dollars; undefined for anything else. */
export function amount(text: string): number | undefined {
  const [, digits, scale = ''] = WRITTEN.exec(text.trim()) ?? [];
  if (digits === undefined) return undefined;
  // Rounded to cents: 1.1m would else be 1,100,000.0000000002.
  return Math.round(Number(digits.replaceAll(/[,_ ]/g, '')) * (SCALES[scale.toLowerCase()] ?? 1) * 100) / 100;
}

/** Percent from 0 to 100 with at most 6 decimals, `5.25` or `5.25%`; undefined for anything else. */
export function percentage(text: string): number | undefined {
  const [, digits] = /^(\d{1,3}(?:\.\d{1,6})?)\s*%?$/.exec(text.trim()) ?? [];
  return digits === undefined || Number(digits) > 100 ? undefined : Number(digits);
}

const IN_PARENTHESES = /^\(\s*\$?\s*((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s*\)$/;
const WITH_EXPONENT = /^-?\d+(?:\.\d+)?e[-+]?\d+$/i;

/** The number of a cell that a spreadsheet writes as `(1,250.00)` or `1.25E+05`: digit by digit its sign or size would be lost. */
export function numberOfCell(text: string): number | null {
  const cell = text.trim();
  const [, size] = IN_PARENTHESES.exec(cell) ?? [];
  if (size !== undefined) return -Number(size.replaceAll(',', ''));
  return WITH_EXPONENT.test(cell) ? Number(cell) : null;
}
