import { findField, normalizeHeader, roles } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';
import { CHARGED_FIELDS, STATUS_FIELDS } from '../dictionary/statuses.ts';
import type { Engine } from '../engine/engine.ts';
import type { ColumnSample } from '../mapping/content.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import { parquet, sqlText } from '../engine/sql.ts';
import type { TapeFinding } from '../types.ts';
import { trimmedSql } from '../values/missing.ts';
import { floatIdSql } from '../values/text.ts';
import type { TapeFacts } from './check.ts';

/** A finding about the tape; fields that are not given are null. */
export function tapeFinding(
  rule_id: string,
  message: string,
  more: Partial<Omit<TapeFinding, 'rule_id' | 'message'>> = {},
): TapeFinding {
  return { rule_id, severity: 'WARNING', message, field: null, column: null, line: null, actual: null, expected: null, ...more };
}

/** Required fields that no column fills; the tape is accepted, and their values are missing. */
export function missingRequired(facts: TapeFacts, missing: readonly string[]): TapeFinding[] {
  return missing.map((name) => {
    const field = facts.fields.find((candidate) => candidate.field === name);
    const headers = field?.aliases.slice(0, 3).join(', ') ?? name;
    const message = `no column is ${name} (${field?.description ?? name}); ${consequence(name, facts)}. Add the column or map one to it`;
    return tapeFinding('MISSING_REQUIRED_FIELD', message, { field: name, expected: `a column such as ${headers}` });
  });
}

function consequence(name: string, facts: TapeFacts): string {
  if (name === facts.id) return 'row numbers serve as ids, and the next tape cannot be matched by them';
  if (name === 'current_balance' && facts.amount !== null) return `${facts.amount} serves in its place, for weights too`;
  return 'its values are missing and a rule on it fails with MISSING';
}

const PROTECTED = new Set(
  (
    'black hispan hispanic male female white race ethnicity raceethnicity race_ethnicity sex gender married marriage marital_status ' +
    'religion national_origin age age_years color colour public_assistance veteran dep'
  ).split(' '),
);

/** Columns that lenders may not select on (Equal Credit Opportunity Act, 15 U.S.C. 1691): kept with the tape, and reported. */
export function protectedColumns(columns: readonly RawColumn[]): TapeFinding[] {
  const found = columns.filter((column) => PROTECTED.has(normalizeHeader(column.name)));
  if (found.length === 0) return [];
  const names = found.map((column) => column.name).join(', ');
  const message = `the tape carries attributes that a lender may not select on: ${names}; they are kept with the tape and refused in criteria`;
  return [
    tapeFinding('PROTECTED_ATTRIBUTE', message, {
      column: found[0]?.name ?? null,
      actual: names,
      expected: 'a tape without them',
    }),
  ];
}

const KNOWN_SENTINEL = /^(?:666|777|888|999|9999|99999|999999|9999999|999999\.375)(?:\.0+)?$/;

/**
 * Columns that no field takes and whose sampled values hold numbers such as 666, 9999 or 999999.375 far above all others: most
 * likely "not available". They are kept; a rule on the column should account for them.
 */
export function suspectedSentinels(
  columns: readonly RawColumn[],
  samples: readonly ColumnSample[],
  mapped: ReadonlySet<number>,
): TapeFinding[] {
  return columns.flatMap((column, position) => {
    const sample = samples[position];
    if (mapped.has(column.index) || !sample) return [];
    const suspects = sentinelsIn(sample.texts);
    if (suspects.length === 0) return [];
    const seen = `${suspects.length} × ${[...new Set(suspects)].join(', ')}`;
    const message = `"${column.name}" holds ${seen} among values far below: most likely "not available"; the column is kept as it is`;
    return [
      tapeFinding('SENTINEL_SUSPECTED', message, {
        column: column.name,
        actual: seen,
        expected: 'a blank where there is no value',
      }),
    ];
  });
}

function sentinelsIn(texts: readonly string[]): string[] {
  const numbers = texts.filter((text) => Number.isFinite(Number(text)));
  if (numbers.length < 0.9 * texts.length) return [];
  const suspects = numbers.filter((text) => KNOWN_SENTINEL.test(text));
  const largest = Math.max(0, ...numbers.filter((text) => !KNOWN_SENTINEL.test(text)).map(Number));
  // A million less one, stored as a float, is a sentinel whatever the other values are.
  return suspects.filter((text) => text === '999999.375' || Number(text) > 5 * largest);
}

type IdForms = {
  long: number;
  sample: string | null;
  differ: boolean | null;
  least: string | null;
  grouped: boolean | null;
  wide: boolean | null;
};

/** What the ids look like. Ids of many digits, and ids that are alike, may be right: they are reported and nothing is changed. */
export async function formsOfIds(
  engine: Engine,
  typedPath: string,
  facts: TapeFacts,
  shared: { rows: number; ids: number },
): Promise<TapeFinding[]> {
  if (!facts.mapped.has(facts.id)) return [];
  const { id } = facts;
  const isLong = `strlen(${id}) > 15 AND regexp_full_match(${id}, '[0-9]{16,}(?:\\.0*)?')`;
  const differ =
    `(bool_or(${id} <> upper(${id})) AND bool_or(${id} <> lower(${id}))) OR ` +
    `(min(strlen(${id})) <> max(strlen(${id})) AND bool_or(starts_with(${id}, '0') OR contains(${id}, ' ')))`;
  const forms = await engine.first<IdForms>(
    `SELECT count(*) FILTER (${isLong}) AS long, min(${id}) FILTER (${isLong}) AS sample, ${differ} AS differ, ` +
      `min(${id}) AS least, bool_or(contains(${id}, ',')) AS grouped, bool_or(strlen(${id}) <> length(${id})) AS wide FROM ${parquet(typedPath)}`,
  );
  if (!forms) return [];
  // Signs in front of an id sort before its digits and letters.
  const mayBeMarked = forms.grouped === true || (forms.least ?? '0') < '0';
  return [
    ...(forms.differ ? await alikeIds(engine, typedPath, id) : []),
    ...(mayBeMarked ? await markedIds(engine, typedPath, id) : []),
    ...(forms.wide ? await otherScripts(engine, typedPath, id) : []),
    ...longIds(id, forms, shared),
  ];
}

/** Errors of a spreadsheet, a number that its column was too narrow for, the sign before a text, and thousands set apart. */
const MARKED_ID = "#(?:REF!|N/A|VALUE!|NAME\\?|DIV/0!|NUM!|NULL!)|#{3,}|''.+|[0-9]{1,3}(?:,[0-9]{3})+";

/** Ids that a spreadsheet has lost, or has added its marks to: no other tape has them so. */
async function markedIds(engine: Engine, typedPath: string, id: string): Promise<TapeFinding[]> {
  const found = await engine.first<{ ids: number; sample: string | null }>(
    `SELECT count(*) AS ids, min(${id}) AS sample FROM ${parquet(typedPath)} WHERE regexp_full_match(${id}, '${MARKED_ID}')`,
  );
  if (!found || found.sample === null) return [];
  const message = `${found.ids} ids are errors of a spreadsheet, or have its marks, such as ${found.sample}: they are kept as they are, and no tape that was written otherwise has them so. Write the column as text`;
  return [tapeFinding('ID_WITH_MARKS', message, { field: id, actual: found.sample, expected: 'the ids as they were given' })];
}

/** Letters of Cyrillic and Greek that look like Latin ones, and the wide forms of letters and digits. */
const LATIN_LIKE = 'АВЕЅІЈКМНОРСТУХавеѕіјкмнорстухΑΒΕΖΗΙΚΜΝΟΡΤΥΧνο\\x{FF10}-\\x{FF19}\\x{FF21}-\\x{FF3A}\\x{FF41}-\\x{FF5A}';

/** Ids that look as if they were written in Latin letters, beside others that are: no other tape has them so. */
async function otherScripts(engine: Engine, typedPath: string, id: string): Promise<TapeFinding[]> {
  const isLike = `strlen(${id}) <> length(${id}) AND regexp_full_match(${id}, '[\\x00-\\x7F${LATIN_LIKE}]*[${LATIN_LIKE}][\\x00-\\x7F${LATIN_LIKE}]*')`;
  // Beside ids of digits alone, letters of one script are those of the tape.
  const isOther = `NOT (${isLike}) AND regexp_matches(${id}, '[A-Za-z]') OR regexp_matches(${id}, '[\\x{FF10}-\\x{FF19}]')`;
  const found = await engine.first<{ ids: number; every: number; sample: string | null; others: boolean | null }>(
    `SELECT count(*) FILTER (${isLike}) AS ids, count(*) AS every, min(${id}) FILTER (${isLike}) AS sample, ` +
      `bool_or(${isOther}) AS others FROM ${parquet(typedPath)} WHERE ${id} IS NOT NULL`,
  );
  if (!found?.others || found.sample === null || found.ids === found.every) return [];
  const message = `${found.ids} ids, such as ${found.sample}, have letters or digits of another script that look like those of the others (a Cyrillic А, a Greek Ο, a wide Ａ): they are kept as they are, and no tape that was written otherwise has them so. Write them as the other ids are written`;
  return [tapeFinding('ID_LOOKS_ALIKE', message, { field: id, actual: found.sample, expected: 'ids in one script' })];
}

/** Ids with more digits than a spreadsheet number holds. */
function longIds(id: string, { long, sample }: IdForms, shared: { rows: number; ids: number }): TapeFinding[] {
  if (long === 0) return [];
  const rounded =
    shared.rows > 0 ? ` ${shared.rows} rows share ${shared.ids} ids, as happens when a spreadsheet rounds them.` : '';
  const message = `${long} ids have more than 15 digits, which a spreadsheet number cannot hold.${rounded} They are kept as text; compare them with the source system`;
  return [tapeFinding('LONG_NUMERIC_ID', message, { field: id, actual: sample, expected: 'ids as text cells' })];
}

/** Ids that are one but for their case, blanks or leading zeros: tapes put together from two systems have loans twice so. */
async function alikeIds(engine: Engine, typedPath: string, id: string): Promise<TapeFinding[]> {
  const key = `ltrim(replace(lower(${id}), ' ', ''), '0')`;
  const found = await engine.first<{ ids: number | null; sample: string | null }>(
    'SELECT CAST(sum(ids) AS DOUBLE) AS ids, min(sample) AS sample FROM ' +
      `(SELECT count(*) AS ids, '"' || min(${id}) || '" and "' || max(${id}) || '"' AS sample ` +
      `FROM (SELECT DISTINCT ${id} FROM ${parquet(typedPath)} WHERE ${id} IS NOT NULL) GROUP BY ${key} HAVING count(*) > 1)`,
  );
  if (!found?.ids || found.sample === null) return [];
  const message = `${found.ids} ids differ from another one in case, blanks or leading zeros only, such as ${found.sample}: one loan may be on the tape twice. They are kept as different loans; send each loan once`;
  return [
    tapeFinding('IDS_ALIKE', message, { field: id, actual: found.sample, expected: 'ids that differ in more than their form' }),
  ];
}

/** Ids that were written as floats: read without their `.0`, so that they meet those of other versions of the tape. */
export async function floatIds(
  engine: Engine,
  from: string,
  columns: readonly { field: string; column: RawColumn }[],
): Promise<TapeFinding[]> {
  const findings: TapeFinding[] = [];
  for (const { field, column } of columns) {
    const text = trimmedSql(`c${column.index}`);
    const counts = await engine.first<{ floats: number; sample: string | null }>(
      'SELECT count(*) AS floats, min(id) AS sample FROM ' +
        `(SELECT ${text} AS id FROM ${from} WHERE contains(c${column.index}, '.0')) WHERE ${floatIdSql('id')}`,
    );
    if (!counts || counts.floats === 0 || counts.sample === null) continue;
    const read = counts.sample.replace(/\.0$/, '');
    const message = `${counts.floats} values of "${column.name}" end in .0, as a program writes whole numbers with a fraction; they were read without it, so ${counts.sample} is ${read}. Write the column as text`;
    const seen = { column: column.name, actual: counts.sample, expected: read };
    findings.push(tapeFinding('ID_WITH_FRACTION', message, { field, ...seen }));
  }
  return findings;
}

/** Rows that share an id: counted for the tape; each row also has an issue of its own. */
export async function sharedIds(
  engine: Engine,
  typedPath: string,
  facts: TapeFacts,
  shared: { rows: number; ids: number },
): Promise<TapeFinding[]> {
  if (shared.rows === 0) return [];
  const row = await engine.first<{ distinct: number }>(
    `SELECT count(DISTINCT ${facts.id}) AS distinct FROM ${parquet(typedPath)}`,
  );
  const message = `${shared.rows} rows share ${shared.ids} ids (${row?.distinct ?? 0} distinct ids in all); rows are never merged by id`;
  return [
    tapeFinding('DUPLICATE_LOAN_IDS', message, {
      field: facts.id,
      actual: `${shared.rows} rows`,
      expected: 'one row for each loan',
    }),
  ];
}

/** Mapped columns without one readable value. */
export async function emptyColumns(
  engine: Engine,
  typedPath: string,
  facts: TapeFacts,
  sourceOf: (field: Field) => string | null,
): Promise<TapeFinding[]> {
  const fields = facts.fields.filter((field) => facts.mapped.has(field.field) && field.required);
  if (fields.length === 0) return [];
  // Each group of the file says how many values of a column are missing.
  const found = await engine.rows<{ name: string }>(
    `SELECT path_in_schema AS name FROM parquet_metadata(${sqlText(typedPath)}) GROUP BY ALL HAVING sum(num_values - stats_null_count) = 0`,
  );
  const empty = new Set(found.map(({ name }) => name));
  return fields
    .filter((field) => empty.has(field.field))
    .map((field) => {
      const column = sourceOf(field);
      const message = `"${column}" fills ${field.field} and has no readable value in any row`;
      return tapeFinding('EMPTY_COLUMN', message, { field: field.field, column, expected: 'values, or another column' });
    });
}

/** Loans of several reporting dates: the latest is the as-of date of the tape, for which the others do not speak. */
export async function reportingDates(
  engine: Engine,
  typedPath: string,
  facts: TapeFacts,
  sourceOf: (field: Field) => string | null,
): Promise<TapeFinding[]> {
  const field = facts.fields.find((each) => each.field === 'reporting_date');
  if (!field || !facts.mapped.has(field.field)) return [];
  const seen = await engine.first<{ first: string | null; last: string | null; others: number | null }>(
    'SELECT CAST(min(date) AS VARCHAR) AS first, CAST(max(date) AS VARCHAR) AS last, CAST(sum(rows) - arg_max(rows, date) AS DOUBLE) AS others ' +
      `FROM (SELECT reporting_date AS date, count(*) AS rows FROM ${parquet(typedPath)} WHERE reporting_date IS NOT NULL GROUP BY ALL)`,
  );
  if (!seen?.others) return [];
  const column = sourceOf(field);
  const message = `"${column}": the loans have several reporting dates, from ${seen.first} to ${seen.last}; the latest is the as-of date of the tape, and ${seen.others} rows have an earlier one. Send one tape for each date`;
  return [
    tapeFinding('REPORTING_DATES_DIFFER', message, {
      field: field.field,
      column,
      actual: `${seen.first} … ${seen.last}`,
      expected: 'one reporting date',
    }),
  ];
}

/** Payments that repay the principal only: the tape lacks the interest, or the loans bear none. */
export async function interestFreeSchedule(engine: Engine, typedPath: string, facts: TapeFacts): Promise<TapeFinding[]> {
  const needs = ['scheduled_payment', 'original_term_months', 'original_balance'];
  if (facts.mapped.has('interest_rate') || !needs.every((field) => facts.mapped.has(field))) return [];
  const row = await engine.first<{ rows: number; equal: number }>(
    'SELECT count(*) AS rows, count(*) FILTER (CAST(scheduled_payment AS DECIMAL(38,6)) * original_term_months = original_balance) AS equal ' +
      `FROM ${parquet(typedPath)}`,
  );
  if (!row || row.rows === 0 || row.equal !== row.rows) return [];
  const message =
    'in every row scheduled_payment × original_term_months is exactly original_balance: the payments hold no interest and the tape has no rate';
  return [
    tapeFinding('INTEREST_FREE_SCHEDULE', message, { field: 'interest_rate', expected: 'a rate, or payments with interest' }),
  ];
}

/** Loans that the tape calls paid or charged off, where no column has what they still owe: they count with their whole original balance. */
export async function endedAtOriginal(engine: Engine, typedPath: string, facts: TapeFacts): Promise<TapeFinding[]> {
  const { mapped, amount, loanType } = facts;
  if (loanType === 'Credit Card' || amount === null || mapped.has(roles(loanType).current)) return [];
  const signs = [
    ...STATUS_FIELDS.flatMap((field) => {
      const words = ['PAID', 'CHARGED_OFF'].filter((word) => findField(loanType, field)?.enum?.includes(word));
      return words.map((word) => ({ field, ended: `${field} = '${word}'` }));
    }),
    ...CHARGED_FIELDS.map((field) => ({ field, ended: `${field} > 0` })),
    { field: 'zero_balance_code', ended: 'zero_balance_code IS NOT NULL' },
  ].filter(({ field }) => mapped.has(field));
  if (signs.length === 0) return [];
  const row = await engine.first<{ count: number; balance: string | null }>(
    `SELECT count(*) AS count, CAST(CAST(sum(${amount}) AS DECIMAL(38,2)) AS VARCHAR) AS balance FROM ${parquet(typedPath)} ` +
      `WHERE ${amount} > 0 AND (${signs.map(({ ended }) => `coalesce(${ended}, false)`).join(' OR ')})`,
  );
  if (!row?.count) return [];
  const names = [...new Set(signs.map(({ field }) => field))].join(' or ');
  const message = `${row.count} rows have ended by ${names} (paid, charged off), and count with their ${amount}, ${row.balance ?? '0'} in all, since no column has a current balance: add one, or leave these loans out`;
  return [
    tapeFinding('ENDED_AT_ORIGINAL_BALANCE', message, {
      field: roles(loanType).current,
      actual: `${row.count} rows, ${row.balance ?? '0'}`,
      expected: 'a current balance of 0',
    }),
  ];
}
