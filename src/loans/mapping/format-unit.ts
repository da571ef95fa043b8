import { formatTexts } from '../reading/xlsx/number-format.ts';
import { type HeaderUnit, unitOf } from './header-name.ts';

/** The currency of a format, such as `[$€-407]`: its sign, and the place for which the sign is meant. */
const CURRENCY = /\[\$([^-\]]+)(?:-([^\]]*))?\]/g;

/** Whose sign it is where several countries have the same, by the language codes of spreadsheets; the first is meant where none is named. */
const SHARED_SIGNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  $: {
    '': 'USD',
    '409': 'USD',
    'EN-US': 'USD',
    '540A': 'USD',
    '1009': 'CAD',
    C0C: 'CAD',
    C09: 'AUD',
    '1409': 'NZD',
    '80A': 'MXN',
  },
  '¥': { '': 'JPY', '411': 'JPY', '804': 'CNY' },
};

/**
 * The unit that a number format shows beside a stored number: the currency of `[$€-407]#,##0.00`, the basis points of `0" bps"`. Null
 * where it shows none that is known. Of a format that divides (`0," k"`) only the currency counts, since the stored number is whole.
 */
export function formatUnit(code: string): HeaderUnit | null {
  const { before, behind, scaled } = formatTexts(code);
  const shown = `${before} ${behind}`.trim();
  const [first] = [...shown.matchAll(CURRENCY)];
  const rest = shown.replace(CURRENCY, ' ').trim();
  const stated = unitOf(rest);
  const currency = first ? currencyOf(first[1], first[2] ?? '') : (stated?.currency ?? codeOf(rest));
  const text = shown.replace(CURRENCY, '$1');
  if (scaled || !stated) return currency === null ? null : { text, scale: 1, kind: 'amount', currency };
  return { text, scale: stated.scale, kind: stated.kind, currency };
}

/** The code of a currency by its sign, as far as it is known; else the sign, which is a currency all the same. */
function currencyOf(sign: string, place: string): string {
  const shared = SHARED_SIGNS[sign.trim()];
  // Before the language a number may carry a calendar and digits: the language is in its last four.
  const isNumber = /^[0-9a-f]+$/i.test(place);
  const language = (isNumber ? Number.parseInt(place.slice(-4), 16).toString(16) : place).toUpperCase();
  if (shared) return shared[language] ?? `${sign.trim()}-${place}`;
  return unitOf(sign)?.currency ?? codeOf(sign) ?? sign.trim();
}

function codeOf(text: string): string | null {
  const code = text.trim().toUpperCase();
  return Intl.supportedValuesOf('currency').includes(code) ? code : null;
}
