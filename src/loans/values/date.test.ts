import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { evaluate, openBench } from '../testing/evaluate.ts';
import { type DateReading, dateSql, decideDates, isDatePattern, strptimeFormat } from './date.ts';

let bench: Awaited<ReturnType<typeof openBench>>;
before(async () => {
  bench = await openBench();
});
after(() => bench[Symbol.asyncDispose]());

const counted = (texts: readonly string[]) => texts.map((text) => ({ text, count: 1 }));
const orderOf = (...texts: string[]) => decideDates(counted(texts)).order;

/** The dates of a column of these texts. */
async function datesOf(texts: readonly string[], pattern?: string): Promise<(string | null)[]> {
  return await evaluate(bench.engine, dateSql('t', decideDates(counted(texts), pattern)), texts);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH_NAMES = [
  ['January', 'February', 'March', 'April', 'May', 'June'],
  ['July', 'August', 'September', 'October', 'November', 'December'],
].flat();
const two = (value: number) => String(value).padStart(2, '0');

type Day = { year: number; month: number; day: number };
const iso = ({ year, month, day }: Day) => `${year}-${two(month)}-${two(day)}`;

/** Notations of a whole date in which the order of day and month is beyond doubt. */
const NOTATIONS: Record<string, (date: Day) => string> = {
  'YYYY-MM-DD': iso,
  'YYYY/MM/DD': ({ year, month, day }) => `${year}/${two(month)}/${two(day)}`,
  'YYYY-M-D': ({ year, month, day }) => `${year}-${month}-${day}`,
  'YYYY-MM-DDTHH:MM:SS': (date) => `${iso(date)}T23:59:59`,
  'YYYY-MM-DD HH:MM:SS.mmm': (date) => `${iso(date)} 23:59:59.999`,
  YYYYMMDD: ({ year, month, day }) => `${year}${two(month)}${two(day)}`,
  DDMONYYYY: ({ year, month, day }) => `${two(day)}${MONTHS[month - 1]?.toUpperCase()}${year}`,
  DDMONYY: ({ year, month, day }) => `${two(day)}${MONTHS[month - 1]}${two(year % 100)}`,
  'D-MON-YYYY': ({ year, month, day }) => `${day}-${MONTHS[month - 1]}-${year}`,
  'DD MON YYYY': ({ year, month, day }) => `${two(day)} ${MONTHS[month - 1]} ${year}`,
  'D MONTH YYYY': ({ year, month, day }) => `${day} ${longMonth(month)} ${year}`,
  'MON D, YYYY': ({ year, month, day }) => `${MONTHS[month - 1]} ${day}, ${year}`,
  'MONTH D, YYYY': ({ year, month, day }) => `${longMonth(month)} ${day}, ${year}`,
  'MONTH D,YYYY': ({ year, month, day }) => `${longMonth(month)} ${day},${year}`,
  'YYYY-MON-DD': ({ year, month, day }) => `${year}-${MONTHS[month - 1]}-${two(day)}`,
  'MM/DD/YYYY HH:MM': ({ year, month, day }) => `${month}/${day}/${year} 10:30`,
  'MM/DD/YYYY HH:MM:SS': ({ year, month, day }) => `${month}/${day}/${year} 22:30:59`,
  'MM/DD/YYYY HH:MM PM': ({ year, month, day }) => `${month}/${day}/${year} 10:30 PM`,
  'MM/DD/YYYY HH:MM:SS am': ({ year, month, day }) => `${month}/${day}/${year} 12:00:00 am`,
};

/** The month as tapes write it in full; the only one of three letters is an abbreviation of itself. */
function longMonth(month: number): string {
  return MONTH_NAMES[month - 1] ?? '';
}

// a name of three letters is a shape of its own, so a column of May alone is one of abbreviations
const days: fc.Arbitrary<Day> = fc
  .record({
    year: fc.integer({ min: 1970, max: 2068 }),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
  })
  .filter(({ month }) => month !== 5);

for (const [name, written] of Object.entries(NOTATIONS)) {
  test(`a column of dates written ${name} is read back, whatever the dates are`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(days, { minLength: 1, maxLength: 40 }), async (dates) => {
        assert.deepEqual(await datesOf(dates.map(written)), dates.map(iso));
      }),
      { numRuns: 10 },
    );
  });
}

for (const separator of ['/', '-', '.']) {
  for (const [name, digits] of [
    ['four', (year: number) => String(year)],
    ['two', (year: number) => two(year % 100)],
  ] as const) {
    test(`dates with "${separator}" and years of ${name} digits are read in the order that the column shows`, async () => {
      const dates = [
        { year: 2019, month: 1, day: 31 },
        { year: 2024, month: 2, day: 3 },
        { year: 1999, month: 12, day: 13 },
      ];
      const dayFirst = dates.map(({ year, month, day }) => [day, two(month), digits(year)].join(separator));
      const monthFirst = dates.map(({ year, month, day }) => [month, two(day), digits(year)].join(separator));
      assert.deepEqual(await datesOf(dayFirst), dates.map(iso));
      assert.deepEqual(await datesOf(monthFirst), dates.map(iso));
    });
  }
}

test('months without a day are their first day', async () => {
  const cases: [string, string][] = [
    ['01/2020', '2020-01-01'],
    ['12-2020', '2020-12-01'],
    ['3.2020', '2020-03-01'],
    ['2020-11', '2020-11-01'],
    ['2020/7', '2020-07-01'],
    ['202012', '2020-12-01'],
    ['Dec-2015', '2015-12-01'],
    ['DEC15', '2015-12-01'],
    ['Dec 15', '2015-12-01'],
    ['December 2015', '2015-12-01'],
  ];
  for (const [text, date] of cases) assert.deepEqual(await datesOf([text]), [date], text);
});

test('one column may mix ISO dates, dates with two-digit years and dates with four-digit years', async () => {
  assert.deepEqual(await datesOf(['1/15/19', '2020-01-31', '1/15/2019', '1/15/68', '1/15/69', 'Mar-18']), [
    '2019-01-15',
    '2020-01-31',
    '2019-01-15',
    '2068-01-15',
    '1969-01-15',
    '2018-03-01',
  ]);
});

test('a date that no calendar has is no date in any notation', async () => {
  const impossible = [
    '2026-02-29',
    '2026-00-10',
    '2026-13-01',
    '2026-01-32',
    '02/30/2020',
    '13/13/2020',
    '20260230',
    '31SEP2020',
  ];
  for (const text of impossible) assert.deepEqual(await datesOf([text, '2020-01-31']), [null, '2020-01-31'], text);
  assert.deepEqual(await datesOf(['2024-02-29', '29FEB2024']), ['2024-02-29', '2024-02-29']);
});

test('a text with more than a date and its time is no date', async () => {
  const texts = [
    '2020-01-31',
    '2020-01-31 or so',
    '2020-01-31x',
    '2020-01-31T',
    '20200131 to 20200229',
    '2020-01',
    'x2020-01-31',
  ];
  assert.deepEqual(await datesOf(texts), ['2020-01-31', null, null, null, null, '2020-01-01', null]);
});

test('numbers and words are no dates', async () => {
  const texts = ['0', '45000', '1.5', 'soon', '', '12', '2020', '1/2', '1/2/3', '1/2/345', '--', '2020-01-31'];
  assert.deepEqual(await datesOf(texts), [...texts.slice(0, -1).map(() => null), '2020-01-31']);
});

test('a first number of 13 to 31 proves day first, a second one month first, and no other number proves anything', () => {
  const dayFirst = { dayFirst: true, basis: 'EVIDENCE' } as const;
  const monthFirst = { dayFirst: false, basis: 'EVIDENCE' } as const;
  const assumed = { dayFirst: false, basis: 'ASSUMED' } as const;
  const cases: [string, NonNullable<DateReading['order']>][] = [
    ['13/12/2020', dayFirst],
    ['31/01/2020', dayFirst],
    ['12/13/2020', monthFirst],
    ['01/31/2020', monthFirst],
    ['12/12/2020', assumed],
    ['32/01/2020', assumed],
    ['01/32/2020', assumed],
    ['13/13/2020', assumed],
    ['31.12.20', dayFirst],
    ['12-31-20', monthFirst],
  ];
  for (const [text, order] of cases) assert.deepEqual(orderOf(text), order, text);
});

test('a first number that could as well be a year of two digits leaves the order open', () => {
  const open = { dayFirst: true, basis: 'ASSUMED' } as const;
  const evident = { dayFirst: true, basis: 'EVIDENCE' } as const;
  const orderOfAll = (texts: readonly string[]) => decideDates(texts.map((text) => ({ text, count: 1 }))).order;
  assert.deepEqual(orderOfAll(['19/06/12', '20/12/11', '21/01/05']), open);
  assert.deepEqual(orderOfAll(['19-06-12', '20-12-11']), open);
  assert.deepEqual(orderOfAll(['19/06/12', '20/12/32']), evident, 'no day has the number 32');
  assert.deepEqual(orderOfAll(['19/06/12', '20/12/2011']), evident, 'a year of four digits stands behind');
  assert.deepEqual(orderOfAll(['19.06.12', '20.12.11']), evident, 'nobody writes the year in front of points');
  const days = Array.from({ length: 31 }, (_, day) => `${String(day + 1).padStart(2, '0')}/05/${20 + (day % 5)}`);
  assert.deepEqual(orderOfAll(days), evident, 'each day of a month and five years');
});

test('dates with a time of day are read in the order of their column, as dates without one are', async () => {
  for (const time of [' 10:30', ' 10:30:59', ' 0:00', ' 11:59:59 PM'])
    assert.deepEqual(await datesOf([`31/01/2020${time}`, `01/02/2020${time}`]), ['2020-01-31', '2020-02-01'], time);
  assert.deepEqual(await datesOf(['31/01/2020', '01/02/2020 10:30']), ['2020-01-31', '2020-02-01']);
  assert.deepEqual(orderOf('01/02/2020 10:30'), { dayFirst: false, basis: 'ASSUMED' });
  assert.deepEqual(await datesOf(['31/01/2020 25:30', '31/01/2020 10:75', '31/01/2020 noon']), [null, null, null]);
});

test('the order is not asked where no value depends on it', () => {
  for (const text of ['2020-01-02', '20200102', '02JAN2020', '01/2020', 'Jan 2, 2020', 'NA', ''])
    assert.equal(orderOf(text), null, text);
  assert.equal(decideDates([]).order, null);
});

test('where values contradict each other the more common order holds, and month first among equals', () => {
  const conflict = (dayFirst: number, monthFirst: number) =>
    decideDates([
      { text: '31/12/2020', count: dayFirst },
      { text: '12/31/2020', count: monthFirst },
    ]).order;
  assert.deepEqual(conflict(2, 1), { dayFirst: true, basis: 'CONFLICT' });
  assert.deepEqual(conflict(1, 2), { dayFirst: false, basis: 'CONFLICT' });
  assert.deepEqual(conflict(1, 1), { dayFirst: false, basis: 'CONFLICT' });
});

test('eight digits are a year first, else in the order of the other dates', async () => {
  assert.deepEqual(await datesOf(['20200131', '01312020']), ['2020-01-31', '2020-01-31']);
  assert.deepEqual(await datesOf(['31/12/2019', '31012020']), ['2019-12-31', '2020-01-31']);
});

test('day numbers count from the first day of their system', async () => {
  // SAS counts from 1960-01-01; Excel shows 61 as 1900-03-01, and 0 of the 1904 system as 1904-01-01
  assert.deepEqual(await datesOf(['0', '1', '-1', '15074'], 'SAS'), ['1960-01-01', '1960-01-02', '1959-12-31', '2001-04-09']);
  assert.deepEqual(await datesOf(['61', '45351', '36526'], 'excel'), ['1900-03-01', '2024-02-29', '2000-01-01']);
  assert.deepEqual(await datesOf(['0', '43889'], ' EXCEL1904 '), ['1904-01-01', '2024-02-29']);
});

test('a day number with a time of day is its day, however late', async () => {
  assert.deepEqual(
    await datesOf(['45351.25', '45351.5', '45351.999988', '45351.99999996528'], 'EXCEL'),
    Array(4).fill('2024-02-29'),
  );
  assert.deepEqual(await datesOf(['-0.25', '-1'], 'SAS'), ['1959-12-31', '1959-12-31']);
});

test('day numbers beyond any loan, and texts that are neither numbers nor dates, are no dates', async () => {
  const dates = await datesOf(['200000', '200001', '-60000', '-60001', '99999999999', '2020-01-31', 'x', ''], 'SAS');
  assert.deepEqual(dates, ['2507-08-01', null, '1795-09-22', null, null, '2020-01-31', null, null]);
});

test('a named pattern is the only one that is read beside dates in the form of ISO', async () => {
  const texts = ['01/02/2020', '2020-01-02', '31/01/2020'];
  assert.deepEqual(await datesOf(texts, 'DD/MM/YYYY'), ['2020-02-01', '2020-01-02', '2020-01-31']);
  assert.deepEqual(await datesOf(texts, 'mm/dd/yyyy'), ['2020-01-02', '2020-01-02', null]);
  assert.deepEqual(await datesOf(texts, 'YYYY-MM-DD'), [null, '2020-01-02', null]);
  assert.deepEqual(await datesOf(texts, 'YYYY-DD-MM'), [null, '2020-02-01', null]);
});

test('a named pattern leaves out times of day and reads foreign months as an undeclared column does', async () => {
  assert.deepEqual(await datesOf(['01/02/2020 10:30', '1/2/2020'], 'DD/MM/YYYY'), ['2020-02-01', '2020-02-01']);
  assert.deepEqual(await datesOf(['5 März 2020', '1er août 2020'], 'DD MON YYYY'), ['2020-03-05', '2020-08-01']);
  assert.deepEqual(await datesOf(['5 paź 2020', '1 września 2020'], 'DD MON YYYY'), ['2020-10-05', '2020-09-01']);
});

test('patterns become formats token by token, and their other characters stand for themselves', () => {
  const cases: [string, string][] = [
    ['MMYYYY', '%m%Y'],
    ['mm/dd/yyyy', '%m/%d/%Y'],
    ['D-MON-YY', '%d-%b-%y'],
    ['MMM D, YYYY', '%b %d, %Y'],
    ['MONTH YYYY', '%B %Y'],
    ['YYYY-MM-DD HH:MI:SS', '%Y-%m-%d %H:%M:%S'],
    ['YY%MM', '%y%%%m'],
    ['M', '%m'],
  ];
  for (const [pattern, format] of cases) assert.equal(strptimeFormat(pattern), format, pattern);
});

test('a pattern names one year and one month and nothing that is no part of a date', () => {
  for (const pattern of [
    'YYYY-MM-DD',
    'MMYYYY',
    'm/d/yy',
    'MON-YY',
    'MONTH D, YYYY',
    ' sas ',
    'Excel',
    'EXCEL1904',
    'YYYY-MM-DDTHH:MI:SS',
  ])
    assert.equal(isDatePattern(pattern), true, pattern);
  for (const pattern of [
    '',
    'YYYY',
    'MM',
    'DD',
    'DD/MM',
    'YYYY-YYYY-MM',
    'YYYY-MM-MM',
    'YYYY MON MM',
    'foo',
    'YYYY-MM-DDZ',
    'QQ YYYY MM',
    'SAS1',
    'EXCEL 1904',
  ])
    assert.equal(isDatePattern(pattern), false, pattern);
});

test('a text of blanks takes as many steps as it has blanks', () => {
  const began = process.cpuUsage();
  const blanks = `01/02/2026${' '.repeat(200_000)}x`;
  assert.equal(decideDates(counted([blanks])).timed, false);
  assert.equal(decideDates(counted(['01/02/2026   10:30', '02/03/2026T:10:30:00'])).timed, true);
  // From each blank anew, the search took a minute.
  const { user } = process.cpuUsage(began);
  assert.ok(user < 10_000_000, `${user} µs`);
});
