import { columnsOf, type Damaged, type DamageKind, decimalOf, pickOne, plain, type Table, withColumn } from './table.ts';

type Text = (value: number, row: number, rows: number) => string;

/** All values of one column of numbers in another notation. */
function written(name: string, types: readonly ('money' | 'percent')[], text: Text): DamageKind {
  return {
    name,
    damage(table, pick) {
      const column = pickOne(columnsOf(table, types), pick);
      if (column === undefined) return undefined;
      const change = (value: string, row: number) => {
        const number = decimalOf(value);
        return number === null ? value : text(number, row, table.rows.length);
      };
      return plain(withColumn(table, column, change));
    },
  };
}

const MONEY = ['money'] as const;
const PERCENT = ['percent'] as const;
const BOTH = ['money', 'percent'] as const;
const fixed = (value: number) => value.toFixed(2);
const european = (value: number, group: string) => {
  const [whole = '', cents = ''] = fixed(value).split('.');
  return `${whole.replace(/\B(?=(?:\d{3})+$)/g, group)},${cents}`;
};
const american = (value: number, group: string) => {
  const [whole = '', cents = ''] = fixed(value).split('.');
  return `${whole.replace(/\B(?=(?:\d{3})+$)/g, group)}.${cents}`;
};
const lakhs = (value: number) => {
  const [whole = '', cents = ''] = fixed(value).split('.');
  const [head, tail] = [whole.slice(0, -3), whole.slice(-3)];
  return `${head === '' ? '' : `${head.replace(/\B(?=(?:\d{2})+$)/g, ',')},`}${tail}.${cents}`;
};
const wide = (text: string) => text.replace(/[0-9.]/g, (mark) => String.fromCodePoint((mark.codePointAt(0) ?? 0) + 0xfee0));

const NUMBERS: readonly DamageKind[] = [
  written('amounts with commas', MONEY, (value) => american(value, ',')),
  written('amounts with a dollar sign', MONEY, (value) => `$${american(value, ',')}`),
  written('amounts with a dollar sign and a blank', MONEY, (value) => `$ ${fixed(value)}`),
  written('amounts with USD in front', MONEY, (value) => `USD ${american(value, ',')}`),
  written('amounts with USD behind', MONEY, (value) => `${american(value, ',')} USD`),
  written('amounts with a dollar sign behind', MONEY, (value) => `${american(value, ',')} $`),
  written('amounts in euros, the American way', MONEY, (value) => `€${american(value, ',')}`),
  written('amounts in euros, the European way', MONEY, (value) => `${european(value, '.')} €`),
  written('some amounts in pounds', MONEY, (value, row) => (row % 5 === 0 ? `£${fixed(value)}` : fixed(value))),
  written('amounts with a decimal comma', MONEY, (value) => european(value, '.')),
  written('amounts with a decimal comma and blanks', MONEY, (value) => european(value, ' ')),
  written('amounts with a decimal comma and no groups', MONEY, (value) => european(value, '')),
  written('amounts with blanks', MONEY, (value) => american(value, ' ')),
  written('amounts with no-break spaces', MONEY, (value) => american(value, '\u00a0')),
  written('amounts with narrow spaces', MONEY, (value) => american(value, '\u202f')),
  written('amounts with thin spaces', MONEY, (value) => american(value, '\u2009')),
  written('amounts with apostrophes', MONEY, (value) => american(value, "'")),
  written('amounts with typographic apostrophes', MONEY, (value) => american(value, '’')),
  written('amounts in lakhs', MONEY, lakhs),
  written('amounts kept as text by ="…"', BOTH, (value) => `="${value}"`),
  written('amounts kept as text by an apostrophe', BOTH, (value) => `'${value}`),
  written('amounts in full-width digits', BOTH, (value) => wide(String(value))),
  written('amounts with a plus', BOTH, (value) => `+${value}`),
  written('amounts with blanks around', BOTH, (value) => `  ${value}   `),
  written('amounts with a tab behind', BOTH, (value) => `${value}\t`),
  written('amounts with a no-break space in front', BOTH, (value) => `\u00a0${value}`),
  written('amounts with four decimals', MONEY, (value) => value.toFixed(4)),
  written('amounts as exact exponents', MONEY, (value) => value.toExponential()),
  written('amounts cut to two digits by an exponent', MONEY, (value) => value.toExponential(1).toUpperCase()),
  written('amounts without cents', MONEY, (value) => (Number.isInteger(value) ? String(value) : fixed(value))),
  written('amounts with zeros in front', MONEY, (value) => `000${fixed(value)}`),
  written('European thousands without cents', MONEY, (value) =>
    Math.round(value)
      .toString()
      .replace(/\B(?=(?:\d{3})+$)/g, '.'),
  ),
  written('all amounts in thousands', MONEY, (value) => String(value / 1_000)),
  written('half of the amounts in thousands', MONEY, (value, row) => String(row % 2 === 0 ? value / 1_000 : value)),
  written('a tenth of the amounts in thousands', MONEY, (value, row) => String(row % 10 === 3 ? value / 1_000 : value)),
  written('a tenth of the amounts in cents', MONEY, (value, row) => String(row % 10 === 3 ? Math.round(value * 100) : value)),
  written('one amount 10,000 times too large', MONEY, (value, row) => String(row === 11 ? value * 10_000 : value)),
  written('one amount 10,000 times too small', MONEY, (value, row) => String(row === 11 ? value / 10_000 : value)),
  written('one amount with a letter O', MONEY, (value, row) => (row === 11 ? fixed(value).replace('0', 'O') : fixed(value))),
  written('one amount with two points', MONEY, (value, row) => (row === 11 ? `${fixed(value)}.0` : fixed(value))),
  written('one negative amount in brackets', MONEY, (value, row) => (row === 11 ? `(${fixed(value)})` : fixed(value))),
  written('one amount as words', MONEY, (value, row) => (row === 11 ? 'see note' : fixed(value))),
  written('amounts as #REF! in some rows', MONEY, (value, row) => (row % 9 === 2 ? '#REF!' : fixed(value))),
  written('amounts as ##### in some rows', MONEY, (value, row) => (row % 9 === 2 ? '########' : fixed(value))),
  written('rates with a percent sign', PERCENT, (value) => `${value}%`),
  written('rates with a blank and a percent sign', PERCENT, (value) => `${value} %`),
  written('rates with a decimal comma', PERCENT, (value) => String(value).replace('.', ',')),
  written('rates as fractions', PERCENT, (value) => String(Number((value / 100).toPrecision(12)))),
  written('half of the rates as fractions', PERCENT, (value, row) =>
    String(row % 2 === 0 ? Number((value / 100).toPrecision(12)) : value),
  ),
  written('a tenth of the rates as fractions', PERCENT, (value, row) =>
    String(row % 10 === 3 ? Number((value / 100).toPrecision(12)) : value),
  ),
  written('half of the rates with a percent sign', PERCENT, (value, row) =>
    row % 2 === 0 ? `${value}%` : String(Number((value / 100).toPrecision(12))),
  ),
  written('rates in basis points', PERCENT, (value) => String(Math.round(value * 10_000) / 100)),
  written('rates with the word percent', PERCENT, (value) => `${value} percent`),
  written('rates with p.a.', PERCENT, (value) => `${value}% p.a.`),
];

/** What tapes write where there is no value; the truth is that it is missing. */
const NOTHING = [
  'N/A',
  'NULL',
  'null',
  '-',
  '.',
  'NaN',
  '#N/A',
  'n.a.',
  'ND1',
  'ND5',
  'TBD',
  '?',
  '(blank)',
  'None',
  '\\N',
  '9999999',
];

const ABSENT: readonly DamageKind[] = NOTHING.map((word) => ({
  name: `"${word}" for a missing value`,
  damage(table, pick) {
    const column = pickOne(columnsOf(table, ['percent', 'date', 'integer']), pick);
    return column === undefined ? undefined : plain(withColumn(table, column, (text, row) => (row % 8 === 5 ? word : text)));
  },
}));

type Day = { year: number; month: number; day: number };
const two = (value: number) => String(value).padStart(2, '0');
const MONTHS = {
  english: 'January February March April May June July August September October November December'.split(' '),
  german: 'Januar Februar März April Mai Juni Juli August September Oktober November Dezember'.split(' '),
  french: 'janvier février mars avril mai juin juillet août septembre octobre novembre décembre'.split(' '),
  spanish: 'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre'.split(' '),
  italian: 'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre'.split(' '),
};
const named = ({ month }: Day, language: keyof typeof MONTHS = 'english') => MONTHS[language][month - 1] ?? '';
const short = (day: Day) => named(day).slice(0, 3);

function dated(name: string, text: (day: Day, row: number) => string): DamageKind {
  return {
    name: `dates as ${name}`,
    damage(table, pick) {
      const column = pickOne(
        columnsOf(table, ['date']).filter((index) => hasDays(table, index)),
        pick,
      );
      if (column === undefined) return undefined;
      return plain(withColumn(table, column, (value, row) => changed(value, (day) => text(day, row))));
    },
  };
}

function dayOf(text: string): Day | null {
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (iso) return { year: Number(iso[1]), month: Number(iso[2]), day: Number(iso[3]) };
  const american = /^(\d\d?)\/(\d\d?)\/(\d{4})$/.exec(text);
  return american ? { year: Number(american[3]), month: Number(american[1]), day: Number(american[2]) } : null;
}

function hasDays(table: Table, column: number): boolean {
  return table.rows.some((row) => dayOf(row[column] ?? '') !== null);
}

function changed(text: string, change: (day: Day) => string): string {
  const day = dayOf(text);
  return day === null ? text : change(day);
}

const EPOCH = Date.UTC(1970, 0, 1);
const days = ({ year, month, day }: Day) => (Date.UTC(year, month - 1, day) - EPOCH) / 86_400_000;

const DATES: readonly DamageKind[] = [
  dated('YYYY-MM-DD', ({ year, month, day }) => `${year}-${two(month)}-${two(day)}`),
  dated('YYYY/MM/DD', ({ year, month, day }) => `${year}/${two(month)}/${two(day)}`),
  dated('YYYYMMDD', ({ year, month, day }) => `${year}${two(month)}${two(day)}`),
  dated('MM/DD/YYYY', ({ year, month, day }) => `${two(month)}/${two(day)}/${year}`),
  dated('M/D/YY', ({ year, month, day }) => `${month}/${day}/${two(year % 100)}`),
  dated('DD/MM/YYYY', ({ year, month, day }) => `${two(day)}/${two(month)}/${year}`),
  dated('DD/MM/YYYY HH:MM', ({ year, month, day }) => `${two(day)}/${two(month)}/${year} 10:30`),
  dated('D/M/YYYY', ({ year, month, day }) => `${day}/${month}/${year}`),
  dated('DD.MM.YYYY', ({ year, month, day }) => `${two(day)}.${two(month)}.${year}`),
  dated('DD-MM-YYYY', ({ year, month, day }) => `${two(day)}-${two(month)}-${year}`),
  dated('DD/MM/YY', ({ year, month, day }) => `${two(day)}/${two(month)}/${two(year % 100)}`),
  dated('DDMMYYYY', ({ year, month, day }) => `${two(day)}${two(month)}${year}`),
  dated('MMDDYYYY', ({ year, month, day }) => `${two(month)}${two(day)}${year}`),
  dated('YYMMDD', ({ year, month, day }) => `${two(year % 100)}${two(month)}${two(day)}`),
  dated('MMDDYY', ({ year, month, day }) => `${two(month)}${two(day)}${two(year % 100)}`),
  dated('DD-MON-YYYY', (day) => `${two(day.day)}-${short(day)}-${day.year}`),
  dated('DDMONYYYY', (day) => `${two(day.day)}${short(day).toUpperCase()}${day.year}`),
  dated('MON DD, YYYY', (day) => `${short(day)} ${day.day}, ${day.year}`),
  dated('Month D, YYYY', (day) => `${named(day)} ${day.day}, ${day.year}`),
  dated('Dec. 5, 2020', (day) => `${short(day)}. ${day.day}, ${day.year}`),
  dated('5. Januar 2020', (day) => `${day.day}. ${named(day, 'german')} ${day.year}`),
  dated('5 janvier 2020', (day) => `${day.day} ${named(day, 'french')} ${day.year}`),
  dated('5 de enero de 2020', (day) => `${day.day} de ${named(day, 'spanish')} de ${day.year}`),
  dated('5 gennaio 2020', (day) => `${day.day} ${named(day, 'italian')} ${day.year}`),
  dated('ISO with a time', ({ year, month, day }) => `${year}-${two(month)}-${two(day)}T23:59:59`),
  dated('ISO with a time and a zone', ({ year, month, day }) => `${year}-${two(month)}-${two(day)} 00:00:00+00`),
  dated('ISO with Z', ({ year, month, day }) => `${year}-${two(month)}-${two(day)}T00:00:00.000Z`),
  dated('M/D/YYYY h:MM AM', ({ year, month, day }) => `${month}/${day}/${year} 12:00:00 AM`),
  dated('datetimes of SAS', (day) => `${two(day.day)}${short(day).toUpperCase()}${day.year}:00:00:00`),
  dated('day numbers of Excel', (day) => String(days(day) + 25_569)),
  dated('day numbers of SAS', (day) => String(days(day) + 3_653)),
  dated('seconds since 1970', (day) => String(days(day) * 86_400)),
  dated('YYYY-DD-MM', ({ year, month, day }) => `${year}-${two(day)}-${two(month)}`),
  dated('two orders in one column', ({ year, month, day }, row) =>
    row % 2 === 0 ? `${two(day)}/${two(month)}/${year}` : `${two(month)}/${two(day)}/${year}`,
  ),
  dated('two notations in one column', ({ year, month, day }, row) =>
    row % 2 === 0 ? `${year}-${two(month)}-${two(day)}` : `${two(month)}/${two(day)}/${year}`,
  ),
  dated('31 February in some rows', ({ year, month, day }, row) =>
    row % 9 === 4 ? `${year}-02-31` : `${year}-${two(month)}-${two(day)}`,
  ),
];

/** Ids in a form that another program gave them. */
function identified(name: string, change: (id: string, row: number) => string, more: Partial<Damaged> = {}): DamageKind {
  return {
    name: `ids ${name}`,
    damage(table) {
      const column = table.fields.findIndex((field) => field === 'loan_id' || field === 'account_id');
      return column === -1 ? undefined : { ...plain(withColumn(table, column, change)), ...more };
    },
  };
}

const IDS: readonly DamageKind[] = [
  identified('with blanks around', (id) => ` ${id} `),
  identified('with an apostrophe in front', (id) => `'${id}`, { byOrder: true }),
  identified('kept as text by ="…"', (id) => `="${id}"`, { byOrder: true }),
  identified('as numbers with .0', (_, row) => `${100_000 + row}.0`, { byOrder: true }),
  identified('shortened to 1.23E+08', (_, row) => `${(1.2 + (row % 5) / 10).toFixed(2)}E+08`, { byOrder: true }),
  identified('of twenty digits', (_, row) => `1234567890123456${String(1_000 + row)}`, { byOrder: true }),
  identified('blank in some rows', (id, row) => (row % 9 === 4 ? '' : id), { byOrder: true }),
  identified('equal in some rows', (id, row) => (row % 9 === 4 ? 'SAME' : id), { byOrder: true }),
];

export const VALUE_DAMAGE: readonly DamageKind[] = [...NUMBERS, ...ABSENT, ...DATES, ...IDS];
