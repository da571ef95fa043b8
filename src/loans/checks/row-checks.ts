import { sqlText } from '../engine/sql.ts';
import { normalizedVin, VIN_FORM } from '../values/vin.ts';
import { type RowCheck, type RowCheckMaker, sentence, shown, unreadableBit } from './check.ts';

/**
 * A row whose amount is missing, unreadable or not positive cannot serve as a loan: it is rejected (contract, section 2). Where the
 * cell of the original balance is blank, the current balance is the amount.
 */
export const amountChecks: RowCheckMaker = ({ amount, fallback, fields }) => {
  if (amount === null) return [];
  const unreadable = unreadableBit(fields, amount);
  const blank = `${amount} IS NULL AND NOT (${unreadable})`;
  const error = { severity: 'ERROR' as const, field: amount };
  return [
    {
      ...error,
      rule_id: 'AMOUNT_MISSING',
      when: fallback === null ? blank : `${blank} AND ${fallback} IS NULL`,
      message: sqlText(`${amount} is missing, so the row cannot serve as a loan and is rejected`),
      expected: sqlText('an amount above 0'),
    },
    {
      ...error,
      rule_id: 'AMOUNT_UNREADABLE',
      when: unreadable,
      message: sqlText(`${amount} cannot be read as an amount, so the row cannot serve as a loan and is rejected`),
      expected: sqlText('an amount above 0, such as 12,345.67'),
    },
    {
      ...error,
      rule_id: 'AMOUNT_NOT_POSITIVE',
      when: `${amount} <= 0`,
      message: sentence(sqlText(`${amount} is `), shown(amount), sqlText(', so the row cannot serve as a loan and is rejected')),
      expected: sqlText('an amount above 0'),
    },
    ...(fallback === null ? [] : [fallbackCheck(amount, fallback, blank)]),
  ];
};

function fallbackCheck(amount: string, fallback: string, blank: string): RowCheck {
  return {
    rule_id: 'AMOUNT_NOT_POSITIVE',
    severity: 'ERROR',
    field: fallback,
    when: `${blank} AND ${fallback} <= 0`,
    message: sentence(
      sqlText(`${amount} is missing and ${fallback} is `),
      shown(fallback),
      sqlText(', so the row cannot serve as a loan and is rejected'),
    ),
    expected: sqlText('an amount above 0'),
  };
}

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)';
/** A date as a cell of a workbook has it, and as the spreadsheet writes it into a CSV file: `2026-01-03`, `3-Jan`, `Mar-26`, `1/3/2026`. */
const DATE_FORM = `(?:19|20)\\d\\d-\\d\\d-\\d\\d|\\d{1,2}-${MONTH}|${MONTH}-\\d{2}|\\d{1,2}/\\d{1,2}/(?:19|20)\\d\\d`;

/** Ids that a spreadsheet has corrupted, and account ids that look like card numbers. */
export const idChecks: RowCheckMaker = ({ id, mapped, loanType }) => {
  if (!mapped.has(id)) return [];
  const exponent = {
    rule_id: 'ID_IN_EXPONENT_FORM',
    severity: 'WARNING' as const,
    field: id,
    when: `contains(upper(${id}), 'E+') AND regexp_full_match(${id}, '[0-9](?:[.,][0-9]+)?[eE]\\+[0-9]+')`,
    message: sqlText(
      `${id} is a number in exponent form: a spreadsheet has cut its digits; format the column as text and send it again`,
    ),
    expected: sqlText('the whole id as text'),
  };
  const date = {
    rule_id: 'ID_IS_A_DATE',
    severity: 'WARNING' as const,
    field: id,
    when: `strlen(${id}) BETWEEN 5 AND 10 AND CASE WHEN contains(${id}, '-') OR contains(${id}, '/') THEN regexp_full_match(${id}, '${DATE_FORM}') ELSE false END`,
    message: sqlText(
      `${id} is a date: a spreadsheet makes one of an id such as 1-3 or 3/26; format the column as text and send the ids again`,
    ),
    expected: sqlText('the id as it was given'),
  };
  const cardNumber = {
    rule_id: 'CARD_NUMBER_AS_ID',
    severity: 'WARNING' as const,
    field: id,
    when: `strlen(${id}) BETWEEN 13 AND 19 AND CASE WHEN regexp_full_match(${id}, '[0-9]{13,19}') THEN ${luhn(id)} ELSE false END`,
    message: sqlText(`${id} has the length and the check digit of a card number; send a pseudonym instead`),
    actual: `concat(repeat('*', strlen(${id}) - 4), right(${id}, 4))`,
    expected: sqlText('a pseudonym of the account'),
  };
  return loanType === 'Credit Card' ? [exponent, date, cardNumber] : [exponent, date];
};

/** RowCheck digit of ISO/IEC 7812-1, annex B: from the right every second digit is doubled, its digits added. */
function luhn(text: string): string {
  const digit = `CAST(d AS INTEGER)`;
  const doubled = `(${digit} * 2) // 10 + (${digit} * 2) % 10`;
  const digits = `string_split(reverse(${text}), '')`;
  return `list_sum(list_transform(${digits}, lambda d, i: CASE WHEN i % 2 = 0 THEN ${doubled} ELSE ${digit} END)) % 10 = 0`;
}

/** Vehicle numbers that cannot be right. They are kept and serve as fingerprints: the same mistake on two tapes is still the same vehicle. */
export const vehicleChecks: RowCheckMaker = ({ present }) => {
  if (!present.has('vin')) return [];
  const vin = normalizedVin('vin');
  const formed = `regexp_full_match(${vin}, '${VIN_FORM}')`;
  const check = { severity: 'WARNING' as const, field: 'vin' };
  return [
    {
      ...check,
      rule_id: 'VIN_MALFORMED',
      when: `NOT ${formed}`,
      message: sqlText(
        'vin is not a vehicle identification number, so the vehicle cannot be compared with those of other pools; correct it or leave it blank',
      ),
      expected: sqlText('17 letters and digits without I, O and Q'),
    },
    {
      ...check,
      rule_id: 'VIN_CHECK_DIGIT',
      when: `CASE WHEN ${formed} THEN ${checkDigit(vin)} <> substr(${vin}, 9, 1) ELSE false END`,
      message: sqlText(
        'the ninth character of vin is not its check digit, so a character is wrong or the vehicle is not of North America',
      ),
      expected: sentence("'check digit '", checkDigit(vin)),
    },
  ];
};

const VIN_WEIGHTS = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2];
/** The value of a character is the last digit of its place here. */
const VIN_VALUES = '0123456789.ABCDEFGH..JKLMN.P.R..STUVWXYZ';

/** Check digit of a vehicle identification number (49 CFR 565.15 (c)). */
function checkDigit(vin: string): string {
  const terms = VIN_WEIGHTS.map(
    (weight, place) => `${weight} * ((strpos('${VIN_VALUES}', substr(${vin}, ${place + 1}, 1)) - 1) % 10)`,
  );
  return `substr('0123456789X', CAST((${terms.join(' + ')}) % 11 AS INTEGER) + 1, 1)`;
}
