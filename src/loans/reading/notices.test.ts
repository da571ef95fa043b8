import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Notices, shortText } from './notices.ts';
import { tapeLimits, type ReadNotice } from './raw-table.ts';
import { asOutcome, damagedWorkbook, TapeProblem, workbookTooLarge } from './read-problem.ts';

const notice = (more: Partial<ReadNotice> = {}): ReadNotice => ({
  code: 'STRAY_QUOTE',
  severity: 'WARNING',
  message: 'a quote',
  ...more,
});

test('the first thousand notices of each code are kept, and all of them are counted', () => {
  const notices = new Notices();
  for (let line = 1; line <= 1_001; line += 1) notices.add(notice({ line }));
  notices.add(notice({ code: 'NUL_BYTES', line: 5 }));
  assert.equal(notices.list.length, 1_001);
  assert.deepEqual([notices.list[999].line, notices.list[1_000].code], [1_000, 'NUL_BYTES']);
  assert.deepEqual(notices.counts, { STRAY_QUOTE: 1_001, NUL_BYTES: 1 });
});

test('what was seen is cut to 200 characters, the last of them a sign that it was', () => {
  const notices = new Notices();
  notices.add(notice({ actual: 'x'.repeat(200) }));
  notices.add(notice({ actual: 'x'.repeat(201) }));
  notices.add(notice());
  assert.equal(notices.list[0].actual, 'x'.repeat(200));
  assert.equal(notices.list[1].actual, `${'x'.repeat(199)}…`);
  assert.equal('actual' in notices.list[2], false);
  assert.equal(shortText(''), '');
});

test('a problem of the tape is a value, a fault is thrown', async () => {
  assert.deepEqual(await asOutcome(async () => ({ ok: true as const, rows: 1 })), { ok: true, rows: 1 });
  const problem = new TapeProblem('NO_LOAN_ROWS', 'no loans');
  assert.deepEqual(await asOutcome(() => Promise.reject(problem)), {
    ok: false,
    problem: { code: 'NO_LOAN_ROWS', message: 'no loans' },
  });
  await assert.rejects(
    asOutcome(() => Promise.reject(new Error('the disk is gone'))),
    /the disk is gone/,
  );
});

test('problems of a workbook say what is wrong and what to send in its place', () => {
  assert.deepEqual([damagedWorkbook('x').code, workbookTooLarge('x').code], ['UNREADABLE_FILE', 'TOO_LARGE']);
  assert.match(damagedWorkbook('the end is missing').message, /the end is missing\. Save it again/);
  assert.match(workbookTooLarge('it is huge').message, /it is huge\. Send the loans alone/);
});

test('the limits of a tape are those of the contract', () => {
  const mib = 1024 * 1024;
  const csv = tapeLimits('csv');
  const xlsx = tapeLimits('xlsx');
  assert.deepEqual([csv.maxBytes, csv.maxRows], [512 * mib, 5_000_000]);
  assert.deepEqual([xlsx.maxBytes, xlsx.maxRows], [100 * mib, 1_048_576]);
  for (const { maxColumns, maxRowBytes, maxExpandedBytes, maxExpansion } of [csv, xlsx])
    assert.deepEqual([maxColumns, maxRowBytes, maxExpandedBytes, maxExpansion], [2_000, mib / 2, 2_048 * mib, 150]);
});
