import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readColumn } from '../testing/read-column.ts';
import { openRoom } from '../testing/take-tape.ts';

test('missing markers in any case are missing without a finding', async () => {
  await using room = await openRoom();
  const markers = ['NA', 'n/a', 'N/A', 'NULL', 'None', '.', '-', 'Not Available', 'not applicable', '', '5'];
  const { tape, values } = await readColumn(room, 'Auto', 'Vehicle Value', 'vehicle_value', markers);
  assert.deepEqual(values, [...Array(10).fill(null), '5.000000']);
  assert.deepEqual(await tape.issues('UNREADABLE_VALUE'), []);
});

test('sentinels are whole values of their field and are counted, not passed on', async () => {
  await using room = await openRoom();
  const { values, tape } = await readColumn(room, 'Mortgage', 'Borrower Credit Score', 'credit_score', [
    '720',
    '9999',
    '9999.0',
    '999',
    '99990',
  ]);
  assert.deepEqual(values, ['720.000000', null, null, '999.000000', '99990.000000']);
  const finding = tape.tape_findings.find((finding) => finding.rule_id === 'SENTINEL_READ_AS_MISSING');
  assert.match(finding?.message ?? '', /2 values of 9999/);
  assert.equal((await tape.issues('OUT_OF_RANGE')).length, 2);
});

test('a sentinel is one however many zeros, commas and signs are written with it', async () => {
  await using room = await openRoom();
  const scores = [
    '720',
    '9999.000000',
    '9,999',
    '09999',
    '9999.',
    '9999 %',
    '9,999.00',
    '9999.5',
    '99,99',
    '9.999',
    '999.9',
    '19,999',
  ];
  const { values } = await readColumn(room, 'Mortgage', 'Borrower Credit Score', 'credit_score', scores);
  assert.deepEqual(values.slice(0, 7), ['720.000000', ...Array(6).fill(null)]);
  assert.deepEqual(values.slice(7), ['9999.500000', null, '9.999000', '999.900000', '19999.000000']);
  const decimals = await readColumn(room, 'Mortgage', 'OLTV', 'ltv', ['80.0000', '999.0000', '75.5000']);
  assert.deepEqual(decimals.values, ['80.000000', null, '75.500000']);
  const european = await readColumn(room, 'Mortgage', 'OLTV', 'ltv', ['80,25', '999,0000', '9,99', '75,5']);
  assert.deepEqual(european.values, ['80.250000', null, '9.990000', '75.500000']);
});

test('999 stands for a missing ltv even in a column of fractions, and a balance of 999 is a balance', async () => {
  await using room = await openRoom();
  const ltv = await readColumn(room, 'Mortgage', 'OLTV', 'ltv', [...Array(30).fill('0.8'), '999']);
  assert.equal(ltv.values[30], null);
  assert.equal(ltv.values[0], '80.000000');
  const value = await readColumn(room, 'Auto', 'Vehicle Value', 'vehicle_value', ['999', '9999']);
  assert.deepEqual(value.values, ['999.000000', '9999.000000']);
});

test('words of real sources become canonical words; unknown ones are reported and never guessed', async () => {
  await using room = await openRoom();
  const status = await readColumn(room, 'Business', 'MIS_Status', 'status', [
    'P I F',
    'CHGOFF',
    'EXEMPT',
    'Current',
    'who knows',
  ]);
  assert.deepEqual(status.values, ['PAID', 'CHARGED_OFF', null, 'CURRENT', null]);
  assert.deepEqual(
    (await status.tape.issues('UNREADABLE_VALUE')).map((issue) => issue.actual),
    ['who knows'],
  );
  const used = await readColumn(room, 'Auto', 'vehicleNewUsedCode', 'new_used', ['1', '2', '1.0', 'N', 'used']);
  assert.deepEqual(used.values, ['NEW', 'USED', 'NEW', 'NEW', 'USED']);
  const late = await readColumn(room, 'Credit Card', 'PAY_0', 'days_past_due', ['-2', '-1', '0', '1', '3']);
  assert.deepEqual(late.values, ['0.000000', '0.000000', '0.000000', '30.000000', '90.000000']);
  const fresh = await readColumn(room, 'Business', 'NewExist', 'new_business', ['1', '2', '0']);
  assert.deepEqual(fresh.values, ['false', 'true', null]);
  const insured = await readColumn(room, 'Mortgage', 'MI Pct', 'mi_percent', ['No MI', '25', '30']);
  assert.deepEqual(insured.values, ['0.000000', '25.000000', '30.000000']);
});

test('booleans are read from the usual words', async () => {
  await using room = await openRoom();
  const { values, tape } = await readColumn(room, 'Auto', 'coObligorIndicator', 'co_obligor', [
    'Y',
    'no',
    'TRUE',
    'f',
    '1',
    '0',
    '',
    'maybe',
  ]);
  assert.deepEqual(values, ['true', 'false', 'true', 'false', 'true', 'false', null, null]);
  assert.equal((await tape.issues('UNREADABLE_VALUE')).length, 1);
});

test('ids keep every character, other text has its blanks collapsed, names become tokens', async () => {
  await using room = await openRoom();
  const zip = await readColumn(room, 'Business', 'Zip', 'zip', ['00802', '00820']);
  assert.deepEqual(zip.values, ['00802', '00820']);
  const kind = await readColumn(room, 'Business', 'BusinessType', 'business_type', ['Limited  Liability Company(LLC)']);
  assert.deepEqual(kind.values, ['Limited Liability Company(LLC)']);
  const name = await readColumn(room, 'Business', 'BusinessName', 'obligor_name', ['Joe  Smith', 'JOE SMITH', 'Ann']);
  assert.equal(name.values[0], name.values[1]);
  assert.notEqual(name.values[0], name.values[2]);
  assert.match(name.values[0] ?? '', /^obl_[0-9a-f]{24}$/);
  const tape = await room.take({ loanType: 'Auto', csv: 'Loan ID,Amount Financed\n00123,5\n  7  8 ,6\n1.2E+10,7\n' });
  assert.deepEqual(
    (await tape.loans('loan_id')).map((row) => row.loan_id),
    ['00123', '7  8', '1.2E+10'],
  );
  assert.deepEqual(
    (await tape.issues('ID_IN_EXPONENT_FORM')).map((issue) => issue.row_number),
    [3],
  );
});

test('states are codes, full names are shortened, what is neither is kept and reported', async () => {
  await using room = await openRoom();
  const { values, tape } = await readColumn(room, 'Auto', 'State', 'state', [
    'nc',
    'North Carolina',
    'PR',
    'ZZ',
    '37',
    'AL',
    'GA',
    'TX',
    'VA',
    'TN',
  ]);
  assert.deepEqual(values.slice(0, 5), ['NC', 'NC', 'PR', 'ZZ', '37']);
  assert.deepEqual(
    (await tape.issues('STATE_CODE_UNKNOWN')).map((issue) => issue.actual),
    ['ZZ', '37'],
  );
});

test('words of the mapping meet the words of the tape without regard to case and blanks, in columns of every type', async () => {
  await using room = await openRoom();
  const words = async (field: string, header: string, values: Record<string, string | number | null>, texts: string[]) => {
    const read = await readColumn(room, 'Auto', header, field, texts, [{ source: header, target: field, transform: { values } }]);
    return [read.values, (await read.tape.issues('UNREADABLE_VALUE')).map((issue) => issue.actual)];
  };
  const forms = ['Very Good', 'very  good', 'VERY GOOD'];
  assert.deepEqual(await words('credit_score', 'FICO', { 'very good': 800 }, [...forms, '700', 'very bad']), [
    ['800.000000', '800.000000', '800.000000', '700.000000', null],
    ['very bad'],
  ]);
  assert.deepEqual(await words('credit_score', 'FICO', { 'Very Good': null }, [...forms, '700']), [
    [null, null, null, '700.000000'],
    [],
  ]);
  assert.deepEqual(await words('vehicle_make', 'Make', { 'Very good': 'VG' }, [...forms, 'Ford']), [
    ['VG', 'VG', 'VG', 'Ford'],
    [],
  ]);
  assert.deepEqual(await words('vehicle_make', 'Make', { 'Very good': null }, [...forms, 'Ford']), [
    [null, null, null, 'Ford'],
    [],
  ]);
  assert.deepEqual(await words('new_used', 'New/Used', { 'Very good': 'NEW' }, [...forms, 'U']), [
    ['NEW', 'NEW', 'NEW', 'USED'],
    [],
  ]);
});

test('yes and no are read in the languages of the months', async () => {
  await using room = await openRoom();
  const yes = ['Ja', 'j', 'WAHR', 'Oui', 'VRAI', 'sí', 'SI', 'vero', 'Sim', 'VERDADERO', 'WAAR', 'Tak', 'prawda'];
  const no = ['Nein', 'n', 'FALSCH', 'Non', 'FAUX', 'nee', 'Falso', 'Não', 'ONWAAR', 'nie', 'Fałsz'];
  const { values, tape } = await readColumn(room, 'Auto', 'Co-Borrower', 'co_obligor', [...yes, ...no]);
  assert.deepEqual(values, [...yes.map(() => 'true'), ...no.map(() => 'false')]);
  assert.deepEqual(await tape.issues('UNREADABLE_VALUE'), []);
});

test('the words of ESMA for a new vehicle are read', async () => {
  await using room = await openRoom();
  const { values } = await readColumn(room, 'Auto', 'AUTL56', 'new_used', ['NEWX', 'USED', 'ND5']);
  assert.deepEqual(values, ['NEW', 'USED', null]);
});
