import type { Engine } from '../engine/engine.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import type { TapeFinding } from '../types.ts';
import { cellTextSql, missingSql } from '../values/missing.ts';
import { tapeFinding } from './tape-checks.ts';

/** Headers of the currency of a loan; the codes are those of the ESMA templates. */
const HEADER = /(?:^|_)(?:currency|currencies|ccy|curr|devise|divisa|moneda|valuta|waehrung|w_hrung)(?:_|$)|^(?:rrel28|ccdl21)$/;
/** A column holds currencies when so many of its values are codes. */
const CODES_MIN = 0.95;
const SHOWN = 5;

/**
 * Columns of the tape that say in which currency each loan is, where it is not the dollar everywhere: amounts are kept as they are, so that
 * those of several currencies are added up. Codes are those of ISO 4217 as the runtime knows them.
 */
export async function currencyColumns(engine: Engine, from: string, columns: readonly RawColumn[]): Promise<TapeFinding[]> {
  const codes = new Set(Intl.supportedValuesOf('currency'));
  const findings: TapeFinding[] = [];
  for (const column of columns.filter(({ normalized, sealed }) => HEADER.test(normalized) && !sealed)) {
    const text = cellTextSql(`c${column.index}`);
    const found = await engine.rows<{ code: string; count: number }>(
      `SELECT upper(${text}) AS code, CAST(count(*) AS INTEGER) AS count FROM ${from} WHERE NOT ${missingSql(text)} GROUP BY ALL ORDER BY count DESC, code`,
    );
    const all = found.reduce((sum, { count }) => sum + count, 0);
    const known = found.filter(({ code }) => codes.has(code));
    if (known.reduce((sum, { count }) => sum + count, 0) < CODES_MIN * all) continue;
    const [first, ...others] = known;
    if (!first || (others.length === 0 && first.code === 'USD')) continue;
    const seen = known.slice(0, SHOWN).map(({ code, count }) => `${count} ${code}`);
    const more = known.length > SHOWN ? ` and ${known.length - SHOWN} more` : '';
    const actual = `${seen.join(', ')}${more}`;
    const one = `"${column.name}" says that the amounts are ${first.code}: they are kept as they are, without conversion. Set {"scale": RATE} in the mapping of the amounts to convert them`;
    const several = `"${column.name}" names several currencies (${actual}): the amounts are kept as they are and added up without conversion. Send one tape for each currency, or convert the amounts before`;
    const rule = others.length === 0 ? 'CURRENCY_NOT_USD' : 'MIXED_CURRENCIES';
    findings.push(
      tapeFinding(rule, others.length === 0 ? one : several, { column: column.name, actual, expected: 'amounts in USD' }),
    );
  }
  return findings;
}
