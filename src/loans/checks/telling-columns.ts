import { chargeOffFields } from '../dictionary/statuses.ts';
import type { Engine } from '../engine/engine.ts';
import { sqlText } from '../engine/sql.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import type { TapeFinding } from '../types.ts';
import { cellTextSql, isMissing, missingSql } from '../values/missing.ts';
import type { TapeFacts } from './check.ts';
import { tapeFinding } from './tape-checks.ts';

// What columns that fill no field say of the amounts beside them.

/** Headers of the currency of a loan; the codes are those of the ESMA templates. */
const CURRENCY =
  /(?:^|_)(?:currency|currencies|ccy|devise|divisa|moneda|valuta|waehrung|w_hrung)(?:_|$)|(?:^|_)curr?(?:_(?:cd|code|id|iso))?$|(?:^|_)(?:denom|denomination|iso)(?:_(?:cd|code))?$|^(?:rrel28|ccdl21)$/;
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

/** Headers of a state of the loan, and of a charge-off by its amount, date or flag; not of what is counted, agreed or of another loan. */
const STATE = /(?:^|_)(?:status|stat|sts|disposition|resolution|liquidation|zero_balance)(?:_|$)/;
const CHARGE_OFF = /(?:^|_)(?:charged?_?offs?|chg_?off|writ(?:e|ten)_?offs?|charged?_?off(?:date|dt|amt|amount|flag|ind))(?:_|$)/;
const OF_SOMETHING_ELSE =
  /(?:^|_)(?:prior|previous|past|ever|history|within|num|number|count|days|months|rate|percent|pct|expected|policy)(?:_|$)/;
const CHARGED_OFF = 'CHARGED?[ _-]*OFF|CHG[ _-]*OFF|WRITTEN[ _-]*OFF|WRITE[ _-]*OFF|^C/O$';
const NO = '[-+$ ]*0*(?:[.,]0*)?|N|F|FALSE|(?:NO|NOT|NON|NEVER)(?:[^A-Z].*)?';

/**
 * Columns without a field that say of some loans that they are charged off, on a tape of which no field says so: such a loan owes what its
 * balance says, and is paid where that is 0.
 */
export async function chargeOffColumns(
  engine: Engine,
  from: string,
  columns: readonly RawColumn[],
  { loanType, mapped }: Pick<TapeFacts, 'loanType' | 'mapped'>,
): Promise<TapeFinding[]> {
  const fields = chargeOffFields(loanType);
  if (fields.some((name) => mapped.has(name))) return [];
  const findings: TapeFinding[] = [];
  for (const { name, normalized, index, sealed } of columns) {
    const isNamed = CHARGE_OFF.test(normalized);
    if (sealed || OF_SOMETHING_ELSE.test(normalized) || !(isNamed || STATE.test(normalized))) continue;
    const text = `upper(${cellTextSql(`c${index}`)})`;
    const says = `NOT ${missingSql(text)} AND NOT regexp_full_match(${text}, ${sqlText(NO)})${isNamed ? '' : ` AND regexp_matches(${text}, ${sqlText(CHARGED_OFF)})`}`;
    const found = await engine.first<{ count: number; every: boolean; sample: string | null }>(
      `SELECT CAST(count(*) FILTER (${says}) AS INTEGER) AS count, bool_and(coalesce(${says}, false)) AS every, min(${text}) FILTER (${says}) AS sample FROM ${from}`,
    );
    if (!found || found.sample === null || found.every) continue;
    const actual = `${found.count} rows, such as ${found.sample}`;
    const message = `"${name}" says of ${found.count} rows that they are charged off and fills no field: these loans count as owing their balance, and as paid where it is 0. Map it to ${fields.join(' or ')}`;
    findings.push(
      tapeFinding('CHARGE_OFF_COLUMN_UNUSED', message, { column: name, actual, expected: `a column for ${fields.join(' or ')}` }),
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
