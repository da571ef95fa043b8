import type { Engine } from '../engine/engine.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import type { TapeFinding } from '../types.ts';
import { cellTextSql, isMissing } from '../values/missing.ts';
import { tapeFinding } from './tape-checks.ts';

// What columns that fill no field say of the amounts beside them.

/** Headers of the currency of a loan; the codes are those of the ESMA templates. */
const CURRENCY =
  /(?:^|_)(?:currency|currencies|ccy|devise|divisa|moneda|valuta|waehrung|w_hrung)(?:_|$)|(?:^|_)curr$|^(?:rrel28|ccdl21)$/;
/** A column holds currencies when so many of its values are codes. */
const CODES_MIN = 0.95;
const SHOWN = 5;
/** A column with more values holds no codes. */
const MOST_CODES = 1_000;

/**
 * Columns of the tape that say in which currency each loan is, where it is not the dollar everywhere: amounts are kept as they are, so that
 * those of several currencies are added up. Codes are those of ISO 4217 as the runtime knows them.
 */
export async function currencyColumns(engine: Engine, from: string, columns: readonly RawColumn[]): Promise<TapeFinding[]> {
  const codes = new Set(Intl.supportedValuesOf('currency'));
  const findings: TapeFinding[] = [];
  for (const column of columns.filter(({ normalized, sealed }) => CURRENCY.test(normalized) && !sealed)) {
    const found = (await codesOf(engine, from, column)).filter(({ code }) => !isMissing(code));
    const all = found.reduce((sum, { count }) => sum + count, 0);
    const known = found.filter(({ code }) => codes.has(code));
    if (found.length > MOST_CODES || known.reduce((sum, { count }) => sum + count, 0) < CODES_MIN * all) continue;
    const [first, ...others] = known;
    if (!first || (others.length === 0 && first.code === 'USD')) continue;
    const seen = known.slice(0, SHOWN).map(({ code, count }) => `${count} ${code}`);
    const more = known.length > SHOWN ? ` and ${known.length - SHOWN} more` : '';
    const actual = `${seen.join(', ')}${more}`;
    const one = `"${column.name}" says that the amounts are ${first.code}: nothing is converted but what the mapping scales ({"scale": RATE} at each amount)`;
    const several = `"${column.name}" names several currencies (${actual}): the amounts are kept as they are and added up without conversion. Send one tape for each currency, or convert the amounts before`;
    const rule = others.length === 0 ? 'CURRENCY_NOT_USD' : 'MIXED_CURRENCIES';
    findings.push(
      tapeFinding(rule, others.length === 0 ? one : several, { column: column.name, actual, expected: 'amounts in USD' }),
    );
  }
  return findings;
}

/** Headers of a sign that stands beside the amounts, and what stands below them: credit and debit, Soll and Haben. */
const SIGN = /(?:^|_)(?:sign|dr_cr|cr_dr|d_c|c_d|s_h|debit_credit|credit_debit|soll_haben|vorzeichen|indicator_d_c)(?:_|$)/;
const SIGNS: ReadonlySet<string> = new Set(['CR', 'DR', 'C', 'D', 'S', 'H', '+', '-', 'CREDIT', 'DEBIT']);

/** Columns without a field that hold the signs of amounts: those are read without them. A column with one sign alone changes nothing. */
export async function signColumns(engine: Engine, from: string, columns: readonly RawColumn[]): Promise<TapeFinding[]> {
  const findings: TapeFinding[] = [];
  for (const column of columns.filter(
    ({ name, normalized, sealed }) => !sealed && (SIGN.test(normalized) || name.trim() === '+/-'),
  )) {
    const found = await codesOf(engine, from, column);
    if (found.length < 2 || found.some(({ code }) => !SIGNS.has(code))) continue;
    const actual = found.map(({ code, count }) => `${count} ${code}`).join(', ');
    const message = `"${column.name}" holds signs (${actual}) and fills no field: the amounts are read without them, so that credits count as debits do. Send amounts with their sign`;
    findings.push(
      tapeFinding('SIGN_COLUMN_UNUSED', message, { column: column.name, actual, expected: 'amounts with their sign' }),
    );
  }
  return findings;
}

/** The values of a column in upper case, the most common first; of more than a column of codes has, one more than that. */
function codesOf(engine: Engine, from: string, { index }: RawColumn): Promise<{ code: string; count: number }[]> {
  const text = cellTextSql(`c${index}`);
  return engine.rows(
    `SELECT upper(${text}) AS code, CAST(count(*) AS INTEGER) AS count FROM ${from} WHERE ${text} <> '' GROUP BY ALL ORDER BY count DESC, code LIMIT ${MOST_CODES + 1}`,
  );
}
