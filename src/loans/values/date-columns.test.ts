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
