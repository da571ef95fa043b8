import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';
import type { MappingRequest } from '../types.ts';
import { personalValueSql } from '../mapping/personal-data.ts';

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room[Symbol.asyncDispose]());

const HEADER = 'Loan ID,Amount Financed,Current Balance,Borrower Name,Street,Zeta,Kappa,Remarks,Customer ID,State';
const NAMES = ['Ada Quoll', 'Ben Wombat', 'Ada Quoll', 'Dee Numbat'];
const row = (index: number, more: Partial<Record<'zeta' | 'kappa' | 'remarks' | 'name', string>> = {}) =>
  [
    `L${index}`,
    1000 + index,
    900,
    more.name ?? NAMES[index % 4],
    `${index} Bilby Lane`,
    more.zeta ?? `quoll${index}@example.com`,
    more.kappa ?? `${100 + index}-55-${1000 + index}`,
    more.remarks ?? 'ok',
    `CUST-${index % 2}`,
    'TX',
  ].join(',');
const csv = (rows: number, change: (index: number) => Parameters<typeof row>[1] = () => ({})) =>
  `${HEADER}\n${Array.from({ length: rows }, (_, index) => row(index, change(index))).join('\n')}\n`;

const raw = (path: string) =>
  room.engine.rows<Record<string, string | null>>(`SELECT * FROM read_parquet('${path}') ORDER BY row_number`);
const sealedNames = (tape: { mapping: { sealed?: { source: string; reason: string }[] } }) =>
  Object.fromEntries((tape.mapping.sealed ?? []).map(({ source, reason }) => [source, reason]));

test('columns are sealed by header, by content and as the obligor; what is left groups by token', async () => {
  const tape = await room.take({ loanType: 'Auto', csv: csv(60) });
  assert.deepEqual(sealedNames(tape), {
    'Borrower Name': 'HEADER',
    Street: 'HEADER',
    Zeta: 'CONTENT',
    Kappa: 'CONTENT',
    'Customer ID': 'OBLIGOR',
  });
  const [first, second, third] = await raw(tape.files.raw);
  assert.deepEqual(
    [first?.c3, first?.c4, first?.c5, first?.c6, first?.c7],
    ['[sealed]', '[sealed]', '[sealed]', '[sealed]', 'ok'],
  );
  assert.match(first?.c8 ?? '', /^obl_[0-9a-f]{24}$/);
  assert.equal(first?.c8, third?.c8);
  assert.notEqual(first?.c8, second?.c8);
  const loans = await tape.loans('obligor_id, loan_id');
  assert.deepEqual([loans[0]?.obligor_id, loans[0]?.loan_id], [first?.c8, 'L0']);
  const [sealed] = await raw(tape.files.sealed ?? '');
  assert.deepEqual(
    [sealed?.c3, sealed?.c4, sealed?.c5, sealed?.c6, sealed?.c8],
    ['Ada Quoll', '0 Bilby Lane', 'quoll0@example.com', '100-55-1000', 'CUST-0'],
  );
  assert.equal(tape.mapping.mappings.find(({ target }) => target === 'obligor_id')?.sealed, true);
});

test('a column is personal by content from 95 % of its values on, blanks apart, over all rows', async () => {
  const share = (personal: number, of: number) =>
    room.take({
      loanType: 'Auto',
      csv: csv(of * 2, (index) => ({ zeta: index % 2 ? '' : index < personal * 2 ? `q${index}@example.com` : 'none of it' })),
    });
  assert.equal(sealedNames(await share(95, 100)).Zeta, 'CONTENT');
  assert.equal(sealedNames(await share(94, 100)).Zeta, undefined);
  // Blank as far as the sample reaches, and personal after it.
  const late = await room.take({
    loanType: 'Auto',
    csv: csv(2_500, (index) => ({ zeta: index < 2_100 ? '' : `q${index}@example.com` })),
  });
  assert.equal(sealedNames(late).Zeta, 'CONTENT');
});

test('a request seals a column and unseals a mistaken one', async () => {
  const overrides: MappingRequest[] = [
    { source: 'Street', target: null, sealed: false },
    { source: 'Remarks', target: null, sealed: true },
  ];
  const tape = await room.take({ loanType: 'Auto', csv: csv(20), overrides });
  const [first] = await raw(tape.files.raw);
  assert.deepEqual([first?.c4, first?.c7, sealedNames(tape).Remarks], ['0 Bilby Lane', '[sealed]', 'REQUEST']);
  const back = await tape.remap([{ source: 'Remarks', target: null, sealed: false }]);
  assert.equal((await raw(back.files.raw))[0]?.c7, 'ok');
  assert.equal(
    back.mapping.sealed?.some(({ source }) => source === 'Remarks'),
    false,
  );
});

test('rows that differ in a sealed value alone are no duplicates, and equal ones are', async () => {
  const line = (name: string) => `L1,1000,900,${name},1 Bilby Lane,q@example.com,100-55-1000,ok,CUST-1,TX`;
  const tape = await room.take({ loanType: 'Auto', csv: `${HEADER}\n${[line('Ada'), line('Ben'), line('Ada')].join('\n')}\n` });
  assert.deepEqual(
    (await tape.issues('DUPLICATE_ROW')).map(({ row_number }) => row_number),
    [3],
  );
});

test('a malformed row is sealed as a whole, since its values may stand anywhere, and opens again for a merge', async () => {
  const damaged = `${HEADER}\n${row(0)}\nL9,1009,900,"Quoll","Ada","x",9 Bilby Lane,q9@example.com,109-55-1009,ok,CUST-1,TX\n`;
  const tape = await room.take({ loanType: 'Auto', csv: damaged });
  const stored = (await raw(tape.files.raw))[1];
  assert.deepEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map((index) => stored?.[`c${index}`])), new Set(['[sealed]']));
  assert.deepEqual(
    (await tape.issues()).filter(({ row_number }) => row_number === 2).map(({ rule_id }) => rule_id),
    ['MALFORMED_ROW'],
  );
  const next = `${HEADER}\n${row(5)}\n`;
  const merged = await room.take({ loanType: 'Auto', csv: next, mergeInto: tape.files.raw, mergeSealed: tape.files.sealed });
  const [, second, third] = await raw(merged.files.sealed ?? '');
  assert.deepEqual([second?.c3, third?.c3], ['Quoll', 'Ben Wombat']);
});

test('a corrected file keeps what its marks and tokens stand for', async () => {
  const tape = await room.take({ loanType: 'Auto', csv: csv(6) });
  const token = (await raw(tape.files.raw))[1]?.c8;
  const corrected = `${HEADER},_row,_rule,_reason,_actual,_expected\nL1,5000,900,[sealed],[sealed],new@example.com,[sealed],ok,${token},TX,2,X,y,,\n`;
  const merge = { loanType: 'Auto' as const, csv: corrected, mergeInto: tape.files.raw };
  const merged = await room.take({ ...merge, mergeSealed: tape.files.sealed });
  const value = (await raw(merged.files.sealed ?? ''))[1];
  assert.deepEqual([value?.c3, value?.c4, value?.c5, value?.c8], ['Ben Wombat', '1 Bilby Lane', 'new@example.com', 'CUST-1']);
  assert.equal((await merged.loans('original_balance'))[1]?.original_balance, '5000.000000');
  const destroyed = await room.take(merge);
  const left = (await raw(destroyed.files.raw))[1];
  assert.deepEqual([left?.c3, left?.c5, left?.c8], ['[destroyed]', '[sealed]', token]);
  assert.equal((await destroyed.loans('obligor_id'))[1]?.obligor_id, token);
});

test('without its sealed values a tape can be mapped anew, and its tokens still serve', async () => {
  const tape = await room.take({ loanType: 'Auto', csv: csv(6) });
  const before = await tape.loans('obligor_id');
  const { remap } = { ...tape, ...(await destroyedOf(tape)) };
  const again = await remap([{ source: 'State', target: null }]);
  const after = await room.engine.rows<{ obligor_id: string; state: string | null }>(
    `SELECT obligor_id, state FROM read_parquet('${again.files.loans}')`,
  );
  assert.deepEqual(
    after.map(({ obligor_id }) => obligor_id),
    before.map(({ obligor_id }) => obligor_id),
  );
  assert.equal(after[0]?.state, null);
});

test('a mapping that would read a sealed column into a shown field is not applied, and said', async () => {
  const overrides: MappingRequest[] = [
    { source: 'Street', target: 'vehicle_make' },
    { source: 'Remarks', target: 'vehicle_model', transform: { concat: { columns: ['Borrower Name'] } } },
  ];
  const tape = await room.take({ loanType: 'Auto', csv: csv(6), remembered: overrides });
  const told = tape.tape_findings.filter(({ rule_id }) => rule_id === 'SEALED_FIELD').map(({ column }) => column);
  assert.deepEqual(told, ['Street', 'Remarks']);
  const loans = await tape.loans('vehicle_make, vehicle_model');
  assert.deepEqual(loans[0], { vehicle_make: null, vehicle_model: null });
});

test('an id that is made of several columns gives the token of the made text', async () => {
  const overrides: MappingRequest[] = [
    { source: 'Borrower Name', target: 'obligor_id', transform: { concat: { columns: ['Street'], separator: '/' } } },
  ];
  const tape = await room.take({ loanType: 'Auto', csv: csv(5), overrides });
  const other = await room.take({
    loanType: 'Auto',
    csv: csv(5).replaceAll(/Ada Quoll,(\d) Bilby Lane/g, 'Ada Quoll/$1 Bilby Lane,'),
    overrides: [{ source: 'Borrower Name', target: 'obligor_id' }],
  });
  const [made, whole] = [await tape.loans('obligor_id'), await other.loans('obligor_id')];
  assert.match(String(made[0]?.obligor_id), /^obl_/);
  assert.equal(made[0]?.obligor_id, whole[0]?.obligor_id);
  assert.deepEqual(tape.mapping.mappings.find(({ target }) => target === 'obligor_id')?.transform, overrides[0]?.transform);
});

test('nothing that an ingest writes or says beside the sealed file holds a sealed value', async () => {
  const spoilt = csv(40, (index) => (index === 7 ? { remarks: 'call 212-555-0199' } : {})).replace('L3,1003', 'L3,x');
  const footed = `${spoilt}Total Quoll Wine LLC,2000,,,,,,,,\n`;
  const tape = await room.take({ loanType: 'Auto', csv: footed });
  const told = JSON.stringify([tape.result, await tape.issues(), await tape.loans()]);
  const files = await Promise.all(
    [tape.files.raw, tape.files.loans ?? '', tape.files.issues].map((path) => readFile(path, 'latin1')),
  );
  for (const secret of ['Quoll', 'Wombat', 'Bilby', 'example.com', '103-55-1003', 'CUST-']) {
    assert.ok(!told.includes(secret), `${secret} is told`);
    assert.ok(!files.some((bytes) => bytes.includes(secret)), `${secret} is in a file`);
    const values = JSON.stringify(await raw(tape.files.raw));
    assert.ok(!values.includes(secret), `${secret} is in raw.parquet`);
  }
});

test('numbers of persons in a field that is shown are reported', async () => {
  const tape = await room.take({
    loanType: 'Auto',
    csv: `Loan ID,Amount Financed\n${[1, 2, 3].map((n) => `12${n}-45-678${n},100${n}`).join('\n')}\n`,
  });
  const [finding] = tape.tape_findings.filter(({ rule_id }) => rule_id === 'PERSONAL_DATA_IN_FIELD');
  assert.deepEqual([finding?.column, finding?.actual], ['Loan ID', null]);
});

test('amounts that are padded with zeros are no telephone numbers', async () => {
  const tape = await room.take({
    loanType: 'Auto',
    csv: `Loan ID,Amount Financed,APR\n${[1, 2, 3].map((n) => `L${n},+0000002000${n}.00,+005.250${n}`).join('\n')}\n`,
  });
  assert.deepEqual(
    tape.tape_findings.filter(({ rule_id }) => rule_id === 'PERSONAL_DATA_IN_FIELD'),
    [],
  );
});

/** The tape as it is once its data key is destroyed. */
async function destroyedOf(tape: Awaited<ReturnType<typeof room.take>>) {
  const { remapTape } = await import('./ingest.ts');
  const outDir = await room.newDir();
  return {
    remap: (overrides: MappingRequest[]) =>
      remapTape({ engine: room.engine, loanType: 'Auto', outDir, asOf: '2026-11-20', rawPath: tape.files.raw, overrides }),
  };
}

test('personal values are looked for in the columns that have values, and not in blank ones', async (context) => {
  const first = context.mock.method(room.engine, 'first');
  const lines = Array.from({ length: 20 }, (_, index) => `L${index},1000,,quoll${index}@example.com,`);
  const tape = await room.take({ loanType: 'Auto', csv: `Loan ID,Amount Financed,Remarks,Zeta,Kappa\n${lines.join('\n')}\n` });
  assert.deepEqual(sealedNames(tape), { Zeta: 'CONTENT' });
  const counted = first.mock.calls.map(({ arguments: [sql] }) => sql).filter((sql) => sql.includes(personalValueSql('t3')));
  assert.equal(counted.length, 1);
  for (const blank of ['t2', 't4']) assert.ok(!counted.some((sql) => sql.includes(personalValueSql(blank))), blank);
});
