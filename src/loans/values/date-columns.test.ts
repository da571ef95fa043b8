import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readColumn } from '../testing/read-column.ts';
import { openRoom } from '../testing/take-tape.ts';
import type { MappingRequest } from '../types.ts';

test('dates are read in every usual form', async () => {
  await using room = await openRoom();
  const cases: [string, string][] = [
    ['2015-12-01', '2015-12-01'],
    ['2015-12-01T00:00:00', '2015-12-01'],
    ['2015-12-01 10:30:00', '2015-12-01'],
    ['12/31/2019', '2019-12-31'],
    ['1/5/19', '2019-01-05'],
    ['07-31-2020', '2020-07-31'],
    ['08/2019', '2019-08-01'],
    ['DEC-2015', '2015-12-01'],
    ['Mar-18', '2018-03-01'],
    ['01JAN2020', '2020-01-01'],
    ['5-Feb-19', '2019-02-05'],
    ['January 5, 2020', '2020-01-05'],
    ['201911', '2019-11-01'],
    ['122019', '2019-12-01'],
    ['20190805', '2019-08-05'],
    ['2019-08', '2019-08-01'],
    ['2019-08-05\n', '2019-08-05'],
    ['\t31DEC2019\r\n', '2019-12-31'],
  ];
  const { values } = await readColumn(
    room,
    'Auto',
    'Contract Date',
    'origination_date',
    cases.map(([text]) => text),
  );
  assert.deepEqual(
    values,
    cases.map(([, value]) => value),
  );
});

test('impossible dates, serials in cells that are no dates and words are unreadable and reported', async () => {
  await using room = await openRoom();
  const texts = ['2026-02-30', '02/30/2020', '45000', '2020-13-01', 'soon', '0', '2019-05-05'];
  const { values, tape } = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', texts);
  assert.deepEqual(values, [null, null, null, null, null, null, '2019-05-05']);
  assert.equal((await tape.issues('UNREADABLE_VALUE')).length, 6);
});

test('the first year of our era is a date and out of range', async () => {
  await using room = await openRoom();
  const { values, tape } = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', ['0001-01-01', '2019-05-05']);
  assert.deepEqual(values, ['0001-01-01', '2019-05-05']);
  assert.equal((await tape.issues('OUT_OF_RANGE')).length, 1);
});

test('day first is decided by a value above 12, else month first is assumed and reported', async () => {
  await using room = await openRoom();
  const dayFirst = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', ['31/12/2019', '01/02/2019']);
  assert.deepEqual(dayFirst.values, ['2019-12-31', '2019-02-01']);
  assert.equal(
    dayFirst.tape.tape_findings.some((finding) => finding.rule_id === 'DATE_ORDER_ASSUMED'),
    false,
  );
  const open = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', ['01/02/2019', '03/04/2019']);
  assert.deepEqual(open.values, ['2019-01-02', '2019-03-04']);
  assert.equal(
    open.tape.tape_findings.some((finding) => finding.rule_id === 'DATE_ORDER_ASSUMED'),
    true,
  );
  const mixed = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', ['12/31/2019', '12/30/2019', '31/12/2019']);
  assert.deepEqual(mixed.values, ['2019-12-31', '2019-12-30', null]);
});

test('the mapping says how dates, units, scales and words are read, and is obeyed', async () => {
  await using room = await openRoom();
  const say = (source: string, target: string, transform: MappingRequest['transform']): MappingRequest[] => [
    { source, target, ...(transform && { transform }) },
  ];
  const dates = await readColumn(
    room,
    'Business',
    'x',
    'approval_date',
    ['15074', '15075'],
    say('x', 'approval_date', { date: 'SAS' }),
  );
  assert.deepEqual(dates.values, ['2001-04-09', '2001-04-10']);
  const excel = await readColumn(room, 'Business', 'x', 'approval_date', ['45000'], say('x', 'approval_date', { date: 'EXCEL' }));
  assert.deepEqual(excel.values, ['2023-03-15']);
  const months = await readColumn(
    room,
    'Business',
    'x',
    'approval_date',
    ['012020'],
    say('x', 'approval_date', { date: 'MMYYYY' }),
  );
  assert.deepEqual(months.values, ['2020-01-01']);
  const percent = await readColumn(
    room,
    'Auto',
    'APR',
    'interest_rate',
    ['0.5', '0.9'],
    say('APR', 'interest_rate', { unit: 'percent' }),
  );
  assert.deepEqual(percent.values, ['0.500000', '0.900000']);
  const scaled = await readColumn(room, 'Auto', 'x', 'vehicle_value', ['12.5', '$3'], say('x', 'vehicle_value', { scale: 1000 }));
  assert.deepEqual(scaled.values, ['12500.000000', '3000.000000']);
  const cents = await readColumn(room, 'Auto', 'x', 'vehicle_value', ['1250', '3'], say('x', 'vehicle_value', { scale: 0.01 }));
  assert.deepEqual(cents.values, ['12.500000', '0.030000']);
  const words = await readColumn(
    room,
    'Mortgage',
    'occ',
    'occupancy',
    ['1', '2', '7'],
    say('occ', 'occupancy', { values: { '1': 'PRIMARY', '2': 'SECOND', '7': null } }),
  );
  assert.deepEqual(words.values, ['PRIMARY', 'SECOND', null]);
  assert.deepEqual(await words.tape.issues('UNREADABLE_VALUE'), []);
});

test('days first with a time of day, a clock of twelve hours and the datetimes of SAS are dates', async () => {
  await using room = await openRoom();
  const read = async (values: string[]) => (await readColumn(room, 'Auto', 'Contract Date', 'origination_date', values)).values;
  assert.deepEqual(await read(['05/03/2019 10:30', '25/03/2019 23:59']), ['2019-03-05', '2019-03-25']);
  assert.deepEqual(await read(['3/5/2019 10:30 PM', '3/25/2019 1:05:09 am']), ['2019-03-05', '2019-03-25']);
  assert.deepEqual(await read(['01JAN2020:00:00:00', '29FEB2020:23:59:59.999']), ['2020-01-01', '2020-02-29']);
  assert.deepEqual(await read(['25.03.2019 10:30:00+01:00', '05.04.2019 00:00:00Z']), ['2019-03-25', '2019-04-05']);
  assert.deepEqual(await read(['25/03/2019 10:75', '25/03/2019']), [null, '2019-03-25']);
});

test('names of months in other languages are read, with accents, points and articles', async () => {
  await using room = await openRoom();
  const cases: [string[], string[]][] = [
    [
      ['5. März 2019', '31. Dezember 2019', '1. Okt. 2019', '03.Mai.2019'],
      ['2019-03-05', '2019-12-31', '2019-10-01', '2019-05-03'],
    ],
    [
      ['1er janvier 2019', '15 févr. 2019', '9 août 2019', '31 déc. 2019'],
      ['2019-01-01', '2019-02-15', '2019-08-09', '2019-12-31'],
    ],
    [
      ['1 de enero de 2019', '15 de septiembre de 2019', '02-ago-2019'],
      ['2019-01-01', '2019-09-15', '2019-08-02'],
    ],
    [
      ['1 gennaio 2019', '2 giu 2019', 'ott-2019'],
      ['2019-01-01', '2019-06-02', '2019-10-01'],
    ],
    [
      ['2019年4月1日', '2019年12月31日', '2019年05月'],
      ['2019-04-01', '2019-12-31', '2019-05-01'],
    ],
    [
      ['Sept. 5, 2019', 'Sep 6, 2019'],
      ['2019-09-05', '2019-09-06'],
    ],
  ];
  for (const [texts, dates] of cases) {
    const { values } = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', texts);
    assert.deepEqual(values, dates, texts.join(' | '));
  }
});

test('the order of eight and of six digits is decided for the whole column, and told where nothing decides it', async () => {
  await using room = await openRoom();
  const read = async (texts: string[]) => {
    const { values, tape } = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', texts);
    return [values, tape.tape_findings.filter(({ rule_id }) => rule_id === 'DATE_ORDER_ASSUMED').length];
  };
  assert.deepEqual(await read(['05012019', '25012019']), [['2019-01-05', '2019-01-25'], 0]);
  assert.deepEqual(await read(['01052019', '01252019']), [['2019-01-05', '2019-01-25'], 0]);
  assert.deepEqual(await read(['01052019', '02062019']), [['2019-01-05', '2019-02-06'], 1]);
  assert.deepEqual(await read(['190105', '350125']), [['2019-01-05', '2035-01-25'], 0]);
  assert.deepEqual(await read(['010519', '012519']), [['2019-01-05', '2019-01-25'], 0]);
  assert.deepEqual(await read(['250199', '010519']), [['1999-01-25', '2019-05-01'], 0]);
  assert.deepEqual(await read(['19/06/12', '20/12/11', '21/01/05']), [['2012-06-19', '2011-12-20', '2005-01-21'], 1]);
  assert.deepEqual(await read(['190105', '190106']), [['2019-01-05', '2019-01-06'], 1]);
  assert.deepEqual(await read(['201901', '201912']), [['2019-01-01', '2019-12-01'], 0]);
  assert.deepEqual(await read(['012019', '122019']), [['2019-01-01', '2019-12-01'], 0]);
});

test('one late row decides the order of days and months for all rows, however many others there are', async () => {
  await using room = await openRoom();
  // more distinct texts than are examined one by one, and a rarer one behind them
  const texts = Array.from({ length: 20_010 }, (_, index) => {
    const [day, month] = [1 + (index % 12), 1 + (Math.floor(index / 12) % 12)];
    const [hour, minute] = [Math.floor(index / 144) % 24, Math.floor(index / 3456) % 60];
    return `${day}/${month}/2019 ${hour}:${String(minute).padStart(2, '0')}`;
  });
  const repeated = [...texts, ...texts, '25/03/2019 0:00'];
  const { values, tape } = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', repeated);
  assert.deepEqual([values[1], values.at(-1)], ['2019-01-02', '2019-03-25']);
  assert.equal(
    tape.tape_findings.some(({ rule_id }) => rule_id === 'DATE_ORDER_ASSUMED'),
    false,
  );
});

test('a day before the month behind the year is read where some dates can only be so and none otherwise', async () => {
  await using room = await openRoom();
  const read = (texts: string[]) => readColumn(room, 'Auto', 'Contract Date', 'origination_date', texts);
  const swapped = await read(['2019-25-03', '2019-26-03', '2019-27-03', '2019-05-04', '2019-06-01 10:30']);
  assert.deepEqual(swapped.values, ['2019-03-25', '2019-03-26', '2019-03-27', '2019-04-05', '2019-01-06']);
  const mixed = await read(['2019-25-03', '2019-03-25', '2019-05-04']);
  assert.deepEqual(mixed.values, [null, '2019-03-25', '2019-05-04']);
  assert.ok(mixed.tape.tape_findings.some(({ rule_id }) => rule_id === 'DATE_ORDER_ASSUMED'));
});

test('dates of which a spreadsheet of another country may have swapped some are told', async () => {
  await using room = await openRoom();
  const told = async (texts: string[]) => {
    const { tape } = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', texts);
    return tape.tape_findings.filter(({ rule_id }) => rule_id === 'DATES_PARTLY_CONVERTED').map(({ actual }) => actual);
  };
  const days = Array.from({ length: 28 }, (_, at) => at + 1);
  const two = (day: number): string => String(day).padStart(2, '0');
  // Of days and months as they are written in Britain, 04/03/2024 became the third of April and 25/03/2024 stayed a text.
  const swapped = days.map((day) => (day <= 12 ? `2024-${two(day)}-${two((day % 4) + 1)}` : `${two(day)}/03/2024`));
  assert.deepEqual(await told(swapped), ['2024-01-02']);
  assert.deepEqual(
    await told(swapped.map((text) => text.replace(/^(\d\d)\/03\//, '03/$1/'))),
    ['2024-01-02'],
    'the other way round',
  );
  assert.deepEqual(await told([...swapped, '2024-03-20']), [], 'a date with a day above 12 would have stayed a text');
  assert.deepEqual(await told([...swapped, '03/04/2024']), [], 'a text without one would have become a date');
  assert.deepEqual(
    await told(days.map((day) => (day <= 12 ? '2024-05-01' : `${day}/03/2024`))),
    [],
    'the first of a month is no chance',
  );
  assert.deepEqual(await told(days.map((day) => `2024-03-${two(day)}`)), []);
});

test('midnights of a zone east of Greenwich in universal time, and those of universal time west of it, are told', async () => {
  await using room = await openRoom();
  const told = async (...dates: string[]) => {
    const { tape } = await readColumn(room, 'Auto', 'Contract Date', 'origination_date', dates);
    return tape.tape_findings.filter(({ rule_id }) => rule_id === 'DATES_SHIFTED_SUSPECTED').map(({ actual }) => actual);
  };
  assert.deepEqual(await told('2023-01-30T23:00:00Z', '2023-05-31T22:00:00.000Z', ''), ['2023-01-30T23:00:00Z']);
  assert.deepEqual(await told('2023-01-31T18:30:00+00:00'), ['2023-01-31T18:30:00+00:00']);
  assert.deepEqual(await told('2023-01-30 19:00:00', '2023-05-31T20:00', ''), ['2023-01-30 19:00:00'], 'of the east of America');
  assert.deepEqual(await told('2023-01-30T16:00:00-08:00'), ['2023-01-30T16:00:00-08:00']);
  assert.deepEqual(
    await told('01/30/2023 19:00', '05/31/2023 20:00', '06/30/2023 20:00'),
    ['01/30/2023 19:00'],
    'as America writes',
  );
  const hourBefore = ['2023-01-30 23:00:00', '2023-02-14 23:00:00', '2023-12-31 23:00'];
  assert.deepEqual(await told(...hourBefore, ''), ['2023-01-30 23:00:00'], 'an hour west of the zone of the dates');
  for (const dates of [
    hourBefore.slice(0, 2),
    [...hourBefore, '2023-12-31 23:01'],
    hourBefore.map((date) => date.replace('23:00', '22:00')),
    hourBefore.map((date) => date.replace('23:00', '23:59')),
    ['01/31/2023 17:00', '05/31/2023 17:00', '06/30/2023 17:00'],
    ['2023-01-31T00:00:00Z', '2023-05-31T22:00:00Z'],
    ['2023-01-31T05:00:00Z', '2023-05-31T04:00:00Z'],
    ['2023-01-31T12:00:00Z'],
    ['2023-01-31T22:00:00', '2023-05-31T22:00:00'],
    ['2023-01-31T17:00:00', '2023-05-31T20:00:00'],
    ['2023-01-31T17:00:00-08:00', '2023-05-31T16:00:00-08:00'],
    ['2023-01-31T00:00:00-05:00', '2023-05-31T00:00:00-04:00'],
    ['2023-01-31T22:15:07Z', '2023-05-31T20:10:00Z', '2023-05-31T19:10:00Z'],
    ['2023-01-31'],
  ])
    assert.deepEqual(await told(...dates), [], dates[0]);
});

test('a pattern that every date contradicts which tells day from month is told, and single mistakes are not', async () => {
  await using room = await openRoom();
  const told = async (pattern: string, texts: readonly string[], header = 'Contract Date') => {
    const asked = [{ source: header, target: 'origination_date', transform: { date: pattern } }];
    const { tape } = await readColumn(room, 'Auto', header, 'origination_date', texts, header === 'Contract Date' ? asked : []);
    return tape.tape_findings.flatMap(({ rule_id, message }) =>
      rule_id === 'DATE_ORDER_CONTRADICTED' ? [/; (\d+) values .*Set \{"date": "(.+?)"\}/.exec(message)?.slice(1).join(' ')] : [],
    );
  };
  const monthFirst = ['01/02/2023', '05/06/2023', '01/13/2023', '02/28/2023', '12/31/2023'];
  assert.deepEqual(await told('DD/MM/YYYY', monthFirst), ['3 MM/DD/YYYY']);
  assert.deepEqual(await told('', monthFirst, 'Contract Date (DD/MM/YYYY)'), ['3 MM/DD/YYYY']);
  assert.deepEqual(await told('MM/DD/YYYY', monthFirst), []);
  assert.deepEqual(await told('DD/MM/YYYY', [...monthFirst, '13/01/2023']), []);
  assert.deepEqual(await told('DD/MM/YYYY', monthFirst.slice(0, 4)), [], 'two may be mistakes among first days of months');
  const yearFirst = ['2023-01-02', '2023-01-13', '2023-02-28', '2023-12-31'];
  assert.deepEqual(await told('YYYY-DD-MM', yearFirst), ['3 YYYY-MM-DD']);
  assert.deepEqual(await told('YYYY-MM-DD', yearFirst), []);
  assert.deepEqual(await told('MMYYYY', ['012023', '132023', '142023', '152023']), []);
});
