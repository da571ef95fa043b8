import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { openRoom } from '../testing/take-tape.ts';
import { LOAN_TYPES, type LoanType } from '../types.ts';
import { type GeneratedTape, generateTape } from './generate-tape.ts';

const ROWS = 400;

async function bytesOf(tape: GeneratedTape, format: 'csv' | 'xlsx'): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of format === 'csv' ? tape.csv() : tape.xlsx()) parts.push(Buffer.from(part as string));
  return Buffer.concat(parts);
}

async function taken(room: Awaited<ReturnType<typeof openRoom>>, type: LoanType, tape: GeneratedTape, format: 'csv' | 'xlsx') {
  const path = join(await room.newDir(), `tape.${format}`);
  await writeFile(path, await bytesOf(tape, format));
  return await room.take({ loanType: type, path, format });
}

for (const type of LOAN_TYPES) {
  for (const format of ['csv', 'xlsx'] as const) {
    test(`a clean ${type} tape as ${format}: every column is recognised and no row has a finding`, async () => {
      await using room = await openRoom();
      const result = await taken(room, type, generateTape({ type, rows: ROWS, seed: 11 }), format);
      assert.deepEqual(await room.engine.rows(`select * from read_parquet('${result.files.issues}')`), []);
      assert.deepEqual(
        [result.rows, result.accepted, result.mapping.unmapped, result.mapping.missing_required],
        [ROWS, ROWS, [], []],
      );
    });

    test(`a ${type} tape as ${format} with defects: exactly the planted ones are found`, async () => {
      await using room = await openRoom();
      const tape = generateTape({ type, rows: ROWS, defects: true, seed: 11 });
      const result = await taken(room, type, tape, format);
      const found = await result.issues();
      const key = (finding: {
        row_number: number | null;
        line: number | null;
        rule_id: string;
        severity: string;
        field: string | null;
      }) => [finding.row_number, finding.line, finding.rule_id, finding.severity, finding.field].join(' ');
      assert.deepEqual(found.map(key).sort(), tape.findings(format).map(key).sort());
      assert.equal(result.qc_failed, false);
      assert.ok(tape.findings(format).filter((finding) => finding.severity === 'ERROR').length >= 4);
    });
  }
}

test('the same seed gives the same bytes, another seed other loans', async () => {
  const csv = async (seed: number) => await bytesOf(generateTape({ type: 'Auto', rows: 50, defects: true, seed }), 'csv');
  assert.deepEqual(await csv(3), await csv(3));
  assert.notDeepEqual(await csv(3), await csv(4));
});
