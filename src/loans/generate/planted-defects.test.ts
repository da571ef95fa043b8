import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOAN_TYPES } from '../types.ts';
import { generateTape, type GenerateOptions } from './generate-tape.ts';

async function lines(options: GenerateOptions): Promise<string[]> {
  let text = '';
  for await (const piece of generateTape(options).csv()) text += piece;
  return text.split('\r\n').slice(0, -1);
}

test('a clean tape is its header and its loans, no line more', async () => {
  for (const type of LOAN_TYPES) {
    const tape = generateTape({ type, rows: 25, seed: 2 });
    const text = await lines({ type, rows: 25, seed: 2 });
    assert.equal(text.length, 26);
    assert.equal(text[0]?.split(',').length, tape.header.length);
    assert.deepEqual(tape.findings(), []);
  }
});

test('a tape may have no loans and no room for defects', async () => {
  assert.equal((await lines({ type: 'Auto', rows: 0, seed: 1 })).length, 1);
  for (const rows of [1, 7]) {
    const planted = generateTape({ type: 'Auto', rows, seed: 1, defects: true }).findings();
    assert.deepEqual(
      planted.map(({ rule_id, row_number }) => [rule_id, row_number]),
      [
        ['BANNER_LINES', null],
        ['TOTALS_ROW', null],
      ],
      `${rows} rows`,
    );
  }
});

test('defects are spread over the tape: at most one in eight loans, never in neighbouring ones', () => {
  for (const type of LOAN_TYPES) {
    for (const rows of [80, 400, 1_000]) {
      const rowNumbers = generateTape({ type, rows, seed: 4, defects: true })
        .findings()
        .filter(({ rule_id }) => rule_id !== 'DUPLICATE_LOAN_ID')
        .flatMap(({ row_number }) => row_number ?? []);
      const distinct = [...new Set(rowNumbers)].sort((a, b) => a - b);
      assert.ok(distinct.length <= rows / 8, `${type}: ${distinct.length} of ${rows}`);
      const gaps = distinct.slice(1).map((row, index) => row - (distinct[index] ?? 0));
      assert.ok(Math.min(...gaps) > 1, `${type}: ${gaps.join(' ')}`);
      assert.ok((distinct.at(-1) ?? 0) <= rows);
    }
  }
});

test('more loans have more defects of each kind', () => {
  const count = (rows: number) => generateTape({ type: 'Auto', rows, seed: 1, defects: true }).findings().length;
  const [few, many] = [count(400), count(4_000)];
  assert.ok(many > 8 * few, `${few} and ${many}`);
});

test('the findings name the physical lines of each format: a banner stands above the header of a CSV file only', async () => {
  const options = { type: 'Personal', rows: 400, seed: 3, defects: true } as const;
  const tape = generateTape(options);
  const text = await lines(options);
  const ofCsv = tape.findings('csv').filter(({ row_number }) => row_number !== null);
  for (const { line, row_number } of ofCsv) assert.equal(line, (row_number ?? 0) + 3, 'two banner lines and the header');
  const ofSheet = tape.findings('xlsx').filter(({ row_number }) => row_number !== null);
  for (const { line, row_number } of ofSheet) assert.equal(line, (row_number ?? 0) + 1);
  assert.ok(!ofSheet.some(({ rule_id }) => rule_id === 'MALFORMED_ROW'), 'a workbook has no row of too many fields');
  assert.ok(!tape.findings('xlsx').some(({ rule_id }) => rule_id === 'BANNER_LINES'));
  const malformed = ofCsv.find(({ rule_id }) => rule_id === 'MALFORMED_ROW');
  assert.match(text[(malformed?.line ?? 0) - 1] ?? '', /one field,too many$/);
  const totals = tape.findings('csv').find(({ rule_id }) => rule_id === 'TOTALS_ROW');
  assert.match(text[(totals?.line ?? 0) - 1] ?? '', /^Total,/);
  assert.equal(totals?.line, text.length);
});

test('the line of totals adds up the amounts of the rows above it', async () => {
  const options = { type: 'Personal', rows: 100, seed: 6, defects: true } as const;
  const text = await lines(options);
  const amount = generateTape(options).header.indexOf('funded_amnt');
  const cents = (line: string) => Math.round(Number(line.split(',')[amount]) * 100) || 0;
  const [total, rows] = [text.at(-1) ?? '', text.slice(3, -1)];
  assert.equal(rows.length, 100);
  assert.equal(
    cents(total),
    rows.reduce((sum, line) => sum + cents(line), 0),
  );
});

test('a large tape comes in pieces of bounded size', async () => {
  const sizes: number[] = [];
  for await (const piece of generateTape({ type: 'Auto', rows: 3_000, seed: 1 }).csv()) sizes.push(piece.length);
  assert.ok(sizes.length > 5);
  assert.ok(
    sizes.slice(0, -1).every((size) => size >= 64 * 1024 && size < 66 * 1024),
    sizes.join(' '),
  );
});
