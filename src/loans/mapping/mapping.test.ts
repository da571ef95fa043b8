import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOAN_TYPES } from '../types.ts';
import { dictionary } from '../dictionary/dictionary.ts';
import { openRoom } from '../testing/take-tape.ts';
import { checkMappingRequests } from './check-requests.ts';

type Room = Awaited<ReturnType<typeof openRoom>>;

async function mapped(room: Room, loanType: (typeof LOAN_TYPES)[number], csv: string, more = {}) {
  const tape = await room.take({ loanType, csv, ...more });
  return { tape, to: Object.fromEntries(tape.mapping.mappings.map(({ source, target }) => [source, target])) };
}

test('headers are matched whatever their case, dots, blanks and usual abbreviations', async () => {
  await using room = await openRoom();
  const { to } = await mapped(room, 'Auto', 'LOAN-ID,Orig. Balance,Curr Bal,int.rate,Rem Term (Mos)\nA1,100,90,5%,12\n');
  assert.deepEqual(to, {
    'LOAN-ID': 'loan_id',
    'Orig. Balance': 'original_balance',
    'Curr Bal': 'current_balance',
    'int.rate': 'interest_rate',
    'Rem Term (Mos)': 'remaining_term_months',
  });
});

test('a column whose values cannot be the field is not mapped, however its header reads, and is shown as a suggestion', async () => {
  await using room = await openRoom();
  const { tape, to } = await mapped(room, 'Auto', 'Loan ID,Amount Financed,State\nA1,100,3571\nA2,200,2793\n');
  assert.equal(to.State, undefined);
  assert.deepEqual(tape.mapping.unmapped, ['State']);
  assert.equal(tape.mapping.suggestions[0].target, 'state');
  assert.ok((tape.mapping.suggestions[0].confidence ?? 1) < 0.7);
});

test('a mortgage column named apr that holds appraised values is not the rate', async () => {
  await using room = await openRoom();
  const { to } = await mapped(room, 'Mortgage', 'Loan Number,loanamt,apr\n1,100,118\n2,200,175\n');
  assert.equal(to.apr, undefined);
});

test('the unpaid balance of a mortgage is the current one, beside the amount lent and alone', async () => {
  await using room = await openRoom();
  const { to } = await mapped(room, 'Mortgage', 'Loan ID,Loan Amount,UPB,Rate\nA1,200000,150000,4.5\nA2,300000,250000,5\n');
  assert.deepEqual(to, {
    'Loan ID': 'loan_id',
    'Loan Amount': 'original_balance',
    UPB: 'current_balance',
    Rate: 'interest_rate',
  });
  const alone = await mapped(room, 'Mortgage', 'Loan ID,UPB,Rate\nA1,150000,4.5\nA2,250000,5\n');
  assert.deepEqual([alone.to.UPB, alone.tape.total_balance], ['current_balance', '400000.00']);
});

test('a balance that is not said to be current serves as it where no column is, and that is told', async () => {
  await using room = await openRoom();
  const csv = 'Loan ID,Amount Financed,Balance\nA1,200,150\nA2,300,250\n';
  const { tape, to } = await mapped(room, 'Auto', csv);
  assert.equal(to.Balance, 'current_balance');
  assert.deepEqual(
    tape.tape_findings.filter(({ rule_id }) => rule_id === 'STAND_IN_COLUMN').map(({ column }) => column),
    ['Balance'],
  );
  const beside = await mapped(room, 'Auto', csv.replace('Balance', 'Balance,Current Balance').replaceAll('0\n', '0,90\n'));
  assert.deepEqual([beside.to.Balance, beside.to['Current Balance']], [undefined, 'current_balance']);
});

test('a column under a name of the sources of its type is not in doubt for one under another name', async () => {
  await using room = await openRoom();
  const header = 'Loan ID,Amount Financed,Current Balance,Ending Balance,Contract Date,Booking Date';
  const csv = `${header}\nA1,200,150,140,2023-01-02,2023-02-03\nA2,300,250,240,2023-03-04,2023-04-05\n`;
  const { tape, to } = await mapped(room, 'Auto', csv);
  assert.deepEqual([to['Current Balance'], to['Contract Date']], ['current_balance', 'origination_date']);
  assert.deepEqual(tape.mapping.unmapped, ['Ending Balance', 'Booking Date']);
  assert.deepEqual(
    tape.tape_findings.filter(({ rule_id }) => rule_id === 'AMBIGUOUS_COLUMN'),
    [],
  );
});

test('a German tape is read as it is', async () => {
  await using room = await openRoom();
  const csv = [
    'Darlehensnummer;Kreditbetrag;Restschuld;Sollzins;Laufzeit;Restlaufzeit;Vertragsbeginn;Fälligkeit;Fahrzeugmarke',
    '4711;"25.000,00";"21.345,67";"3,95 %";60;48;15.03.2024;15.03.2029;BMW',
    '4712;"18.500,00";"9.250,00";"4,25 %";48;24;01.12.2023;01.12.2027;Opel',
  ].join('\n');
  const { tape } = await mapped(room, 'Auto', csv);
  assert.deepEqual(tape.mapping.unmapped, []);
  assert.deepEqual([tape.accepted, tape.total_balance], [2, '30595.67']);
});

test('the Rate of a German tape is the instalment, whatever its size', async () => {
  await using room = await openRoom();
  const rows = (rate: string) => `4711;25.000,00;21.345,67;60;${rate};3,95\n4712;18.500,00;9.250,00;48;${rate};4,25\n`;
  const header = 'Vertragsnummer;Darlehensbetrag;Restschuld;Laufzeit;';
  for (const name of ['Rate', 'RATE (EUR)', ' Rate €'])
    for (const rate of ['45,50', '480,25']) {
      const { tape, to } = await mapped(room, 'Personal', `${header}${name};Zinssatz\n${rows(rate)}`);
      assert.deepEqual([to[name.trim()], to.Zinssatz, tape.mapping.unmapped], ['scheduled_payment', 'interest_rate', []], name);
    }
  // Business loans have no field for an instalment: it is left out there, and never a rate of interest.
  const business = await mapped(room, 'Business', `${header}Rate;Zinssatz\n${rows('45,50')}`);
  assert.deepEqual([business.to.Rate, business.to.Zinssatz], [undefined, 'interest_rate']);
  const percent = await mapped(room, 'Business', `${header}Rate (%);x\n${rows('4,25')}`);
  assert.equal(percent.to['Rate (%)'], 'interest_rate');
  const english = await mapped(room, 'Business', 'Loan ID,Laufzeit,Current Balance,Rate\n1,60,100,4.25\n2,60,200,5\n');
  assert.equal(english.to.Rate, 'interest_rate');
});

test('a column named Rate whose values are above 100 is not used, and that is told', async () => {
  await using room = await openRoom();
  const csv = (name: string, rate: (i: number) => string) =>
    `Loan ID;Original Balance;Current Balance;${name}\n${Array.from({ length: 40 }, (_, i) => `L${i};20000;15000;${rate(i)}`).join('\n')}`;
  for (const rate of [(i: number) => `${250 + i}.75`, (i: number) => `1.${250 + i},50`, (i: number) => `${525 + i}`]) {
    const { tape, to } = await mapped(room, 'Auto', csv('Rate', rate));
    assert.equal(to.Rate, undefined);
    const [told] = await tape.issues('CONTENT_CONTRADICTS_HEADER');
    assert.match(told?.message ?? '', /above 100, such as .*, as instalments are, or rates in basis points/);
    assert.deepEqual(
      tape.mapping.suggestions.map(({ source, target }) => [source, target]),
      [['Rate', 'interest_rate']],
    );
  }
  for (const rate of [() => '5 1/4', (i: number) => `SOFR + ${350 + i}`]) {
    const { tape } = await mapped(room, 'Auto', csv('Rate', rate));
    const [told] = await tape.issues('CONTENT_CONTRADICTS_HEADER');
    assert.match(told?.message ?? '', /0 % of the sampled values fit/, 'what is no number is not above 100');
  }
  // A sign, a unit, a fuller name, decimals of three digits, or a few values: what they say is what they are.
  for (const [name, rate] of [
    ['Rate', (i: number) => `${391 + i}%`],
    ['Rate (bps)', (i: number) => `${525 + i}`],
    ['APR', (i: number) => `${391 + i}.5`],
    ['Rate', (i: number) => `5,${250 + i}`],
    ['Rate', (i: number) => (i < 4 ? '5250' : '5.25')],
  ] as const)
    assert.equal((await mapped(room, 'Auto', csv(name, rate))).to[name], 'interest_rate', `${name} ${rate(1)}`);
});

test('Japanese, Chinese and Korean tapes are read as they are', async () => {
  await using room = await openRoom();
  for (const header of [
    '契約番号,当初融資額,残高,金利,返済期間,契約日',
    '贷款编号,贷款金额,贷款余额,贷款利率,贷款期限,贷款发放日',
    '대출번호,대출금액,대출잔액,대출금리,대출기간,대출일',
  ]) {
    const csv = `${header}\nK1,3000000,2500000,4.25,420,2020年4月1日\nK2,2000000,1500000,4.75,360,2021年5月2日\n`;
    const { tape, to } = await mapped(room, 'Mortgage', csv);
    assert.deepEqual(
      header.split(',').map((name) => to[name]),
      ['loan_id', 'original_balance', 'current_balance', 'interest_rate', 'original_term_months', 'origination_date'],
    );
    assert.equal(tape.total_balance, '4000000.00');
  }
  const units = await mapped(
    room,
    'Mortgage',
    '契約番号,当初融資額(千円),残高（万円）,返済期間\nK1,30000,2500,35年\nK2,20000,1500,360ヶ月\n',
  );
  assert.deepEqual(await units.tape.loans('original_balance, current_balance, original_term_months'), [
    { original_balance: '30000000.000000', current_balance: '25000000.000000', original_term_months: '420.000000' },
    { original_balance: '20000000.000000', current_balance: '15000000.000000', original_term_months: '360.000000' },
  ]);
});

test('the pattern of dates in a header settles which number is the day, where the dates have its form', async () => {
  await using room = await openRoom();
  const of = async (pattern: string, ...dates: string[]) => {
    const name = `Origination Date ${pattern}`;
    const { tape, to } = await mapped(
      room,
      'Auto',
      `Loan ID;Current Balance;${name}\n${dates.map((date, at) => `L${at};100;${date}`).join('\n')}`,
    );
    assert.equal(to[name], 'origination_date', name);
    const loans = await tape.loans('origination_date');
    return [loans.map(({ origination_date }) => origination_date), (await tape.issues('DATE_ORDER_ASSUMED')).length];
  };
  assert.deepEqual(await of('(DD/MM/YYYY)', '03/04/2024', '01/02/2024'), [['2024-04-03', '2024-02-01'], 0]);
  assert.deepEqual(await of('(mm/dd/yyyy)', '03/04/2024', '01/02/2024'), [['2024-03-04', '2024-01-02'], 0]);
  assert.deepEqual(await of('[DD-MON-YYYY]', '03-Apr-2024', '01-Feb-2024'), [['2024-04-03', '2024-02-01'], 0]);
  assert.deepEqual(await of('(YYYYMMDD)', '20240403', '20240201'), [['2024-04-03', '2024-02-01'], 0]);
  // Dates of another form are read as they show themselves to be.
  assert.deepEqual(await of('(MM/DD/YYYY)', '2024-04-03', '2024-02-01'), [['2024-04-03', '2024-02-01'], 0]);
  assert.deepEqual(await of('(MM/YYYY)', '25.04.2024', '01.02.2024'), [['2024-04-25', '2024-02-01'], 0]);
});

test('two columns cannot fill one field: the better one does, the other stays unmapped and kept', async () => {
  await using room = await openRoom();
  const { tape, to } = await mapped(room, 'Personal', 'id,funded_amnt,loan_amnt,amount\n1,90,100,95\n');
  assert.equal(to.funded_amnt, 'original_balance');
  assert.equal(to.loan_amnt, 'requested_amount');
  assert.deepEqual(tape.mapping.unmapped, ['amount']);
});

test('the amount asked for is the amount where a tape has no other', async () => {
  await using room = await openRoom();
  const { tape, to } = await mapped(room, 'Personal', 'id,loan_amnt,term\n1,100,36 months\n2,150,60 months\n');
  assert.equal(to.loan_amnt, 'original_balance');
  assert.deepEqual([tape.needs_mapping, tape.total_balance], [false, '250.00']);
});

test('a column of state codes is the state even under a header that says nothing', async () => {
  await using room = await openRoom();
  const states = ['NC', 'SC', 'TX', 'AL', 'VA', 'GA', 'FL', 'NY', 'CA', 'WA'];
  const rows = Array.from({ length: 30 }, (_, index) => `A${index},${100 + index},${states[index % 10]}`).join('\n');
  const { tape, to } = await mapped(room, 'Auto', `Loan ID,Amount Financed,geo_x\n${rows}\n`);
  assert.equal(to.geo_x, 'state');
  assert.ok((tape.mapping.mappings.find((entry) => entry.source === 'geo_x')?.confidence ?? 1) < 0.8);
});

test('a remembered mapping is applied, the user’s word wins over it, null unmaps', async () => {
  await using room = await openRoom();
  const csv = 'key,amt,other,Amount Financed\nA1,100,5,7\n';
  const remembered = [
    { source: 'key', target: 'loan_id' },
    { source: 'amt', target: 'original_balance' },
    { source: 'absent', target: 'state' },
  ];
  const first = await mapped(room, 'Auto', csv, { remembered });
  assert.deepEqual(first.to, { key: 'loan_id', amt: 'original_balance' });
  const second = await mapped(room, 'Auto', csv, {
    remembered,
    overrides: [{ source: 'Amount Financed', target: 'original_balance' }],
  });
  assert.deepEqual(second.to, { key: 'loan_id', 'Amount Financed': 'original_balance' });
  const third = await mapped(room, 'Auto', csv, { overrides: [{ source: 'Amount Financed', target: null }] });
  assert.equal(third.to['Amount Financed'], undefined);
  assert.equal(third.tape.needs_mapping, true);
});

test('duplicate headers are distinguished by position', async () => {
  await using room = await openRoom();
  const { tape } = await mapped(room, 'Auto', 'Loan ID,Amount Financed,Note,Note\nA1,100,x,y\n');
  assert.deepEqual(tape.mapping.unmapped, ['Note', 'note_2']);
});

test('an amount of a mortgage below 1,000 in every row is in thousands, which is assumed aloud', async () => {
  await using room = await openRoom();
  const { tape } = await mapped(room, 'Mortgage', 'Loan Number,loanamt,Current UPB\n1,89,80\n2,128,100\n');
  assert.equal(tape.statistics.original_balance?.sum, '217000.000000');
  assert.equal(tape.total_balance, '180000.00');
  assert.equal(tape.tape_findings.filter((finding) => finding.rule_id === 'SCALE_ASSUMED').length, 2);
  const settled = await tape.remap([{ source: 'loanamt', target: 'original_balance', transform: { scale: 1 } }]);
  assert.equal(settled.statistics.original_balance?.sum, '217.000000');
});

test('a mapping that cannot be applied is refused with its place and its reason', () => {
  const columns = ['a', 'b', 'c'].map((name, index) => ({ index, name, normalized: name }));
  const problems = checkMappingRequests(
    [
      { source: 'a', target: 'ltv', transform: { date: 'MM/YYYY', scale: -1 } },
      { source: 'b', target: 'ltv' },
      { source: 'nowhere', target: 'state' },
      { source: 'c', target: 'nothing' },
      { source: 'A', target: null },
    ],
    { columns, mappings: [] },
    'Auto',
  );
  assert.deepEqual(
    problems.map(({ index, code }) => [index, code]),
    [
      [0, 'INVALID_TRANSFORM'],
      [0, 'INVALID_TRANSFORM'],
      [1, 'DUPLICATE_TARGET'],
      [2, 'UNKNOWN_SOURCE'],
      [3, 'UNKNOWN_TARGET'],
      [4, 'DUPLICATE_SOURCE'],
    ],
  );
  assert.deepEqual(
    checkMappingRequests(
      [{ source: 'a', target: 'origination_date', transform: { date: 'MMYYYY' } }],
      { columns, mappings: [] },
      'Auto',
    ),
    [],
  );
});

test('the dictionary names each field once per type, with an enum where the type says so and words that lead into it', () => {
  for (const type of LOAN_TYPES) {
    const fields = dictionary(type);
    assert.equal(new Set(fields.map((field) => field.field)).size, fields.length, type);
    assert.ok(fields.length < 62, 'a bit per field fits a BIGINT');
    for (const field of fields) {
      assert.equal(field.enum !== null, field.type === 'enum', `${type}.${field.field}`);
      for (const word of Object.values(field.codes))
        if (field.enum && word !== null) assert.ok(field.enum.includes(word), `${type}.${field.field} ${word}`);
      for (const key of Object.keys(field.codes)) assert.equal(key, key.toUpperCase());
    }
  }
});
