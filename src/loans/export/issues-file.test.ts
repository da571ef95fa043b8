import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { writeIssuesFile } from './issues-file.ts';
import { openRoom } from '../testing/take-tape.ts';

type Room = Awaited<ReturnType<typeof openRoom>>;
type Files = { raw: string; issues: string };

async function writeTo(room: Room, files: Files, format: 'csv' | 'xlsx'): Promise<string> {
  const path = join(await room.newDir(), `issues.${format}`);
  const stream = writeIssuesFile({ engine: room.engine, rawPath: files.raw, issuesPath: files.issues, format });
  await pipeline(stream, createWriteStream(path));
  return path;
}

const CSV =
  'Loan ID,Original Balance,note,FICO\n' +
  '00123,100,fine,700\n' +
  'A2,-5,=HYPERLINK("x"),1200\n' +
  '@SUM,0,-12.50,700\n' +
  'A4,100,"-2+3 ""quoted"", with\ntwo lines",50\n';

test('the issues file has the original columns in their order and one row for each row with issues', async () => {
  await using room = await openRoom();
  const tape = await room.take({ loanType: 'Auto', csv: CSV });
  const text = await readFile(await writeTo(room, tape.files, 'csv'), 'utf8');
  const [header, ...lines] = text.replace(/^\ufeff/, '').split('\r\n');
  assert.equal(header, 'Loan ID,Original Balance,note,FICO,_row,_rule,_reason,_actual,_expected');
  assert.match(lines[0], /^A2,-5,"'=HYPERLINK\(""x""\)",1200,2,AMOUNT_NOT_POSITIVE; OUT_OF_RANGE,/);
  assert.match(lines[1], /^'@SUM,0,-12\.50,700,3,AMOUNT_NOT_POSITIVE,/);
  assert.match(lines[2], /^A4,100,"'-2\+3 ""quoted"", with\ntwo lines",50,4,OUT_OF_RANGE,/);
  assert.equal(lines.length, 4);
});

for (const format of ['csv', 'xlsx'] as const) {
  test(`a corrected ${format} issues file comes back as a tape of the original columns and texts`, async () => {
    await using room = await openRoom();
    const first = await room.take({ loanType: 'Auto', csv: CSV });
    const path = await writeTo(room, first.files, format);
    if (format === 'csv') await writeFile(path, (await readFile(path, 'utf8')).replace('A2,-5', 'A2,5'));
    const second = await room.take({ loanType: 'Auto', path, format });
    assert.deepEqual(second.mapping, first.mapping);
    assert.deepEqual([second.rows, second.accepted], format === 'csv' ? [3, 2] : [3, 1]);
    const notes = (raw: string) => room.engine.rows<{ c2: string }>(`SELECT c2 FROM read_parquet('${raw}')`);
    assert.deepEqual(await notes(second.files.raw), (await notes(first.files.raw)).slice(1));
  });
}
