import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { readXlsx } from 'hucre/xlsx';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { tableOf } from './testing/read-for-test.ts';

const MANIFEST = 'data/tapes/MANIFEST.json';

interface Tape {
  path: string;
  rows?: number;
  columns?: number;
  header?: string[];
  sheets?: { name: string; rows: number | null; columns: number | null }[];
}

const manifest = sharedPath(MANIFEST);
const tapes: Tape[] = manifest ? JSON.parse(readFileSync(manifest, 'utf8')).tapes : [];

test('the published tapes are here', { skip: skipWithout(MANIFEST) }, () => assert.ok(tapes.length > 0));

for (const tape of tapes.filter((one) => one.path.endsWith('.csv'))) {
  test(`${tape.path}: every row and every column, and nothing to remark`, {
    skip: skipWithout(`data/${tape.path}`),
  }, async () => {
    const seen = await tableOf({ path: sharedPath(`data/${tape.path}`) ?? '' });
    assert.deepEqual([seen.table.rowCount, seen.names], [tape.rows, tape.header]);
    assert.deepEqual([seen.codes, seen.table.malformedRows], [[], []]);
  });
}

for (const tape of tapes.filter((one) => one.path.endsWith('.xlsx'))) {
  test(`${tape.path}: the cells that another reader finds`, { skip: skipWithout(`data/${tape.path}`) }, async () => {
    const path = sharedPath(`data/${tape.path}`) ?? '';
    const seen = await tableOf({ path }, { format: 'xlsx' });
    const other = (await readXlsx(await readFile(path))).sheets[0].rows ?? [];
    const body = other.slice(seen.table.headerLine);
    assert.equal(seen.table.rowCount, body.length);
    const { columns } = seen.table;
    body.forEach((row, index) => {
      for (const { index: column, formats } of columns) {
        const found = seen.rows[index][column];
        assert.ok(
          sameCell(found, row[column], formats?.percent),
          `row ${index + 1}, column ${column}: ${found} and ${String(row[column])}`,
        );
      }
    });
    assert.deepEqual(seen.codes, tape.path.includes('two_header_rows') ? ['SECOND_HEADER_ROW'] : []);
  });
}

function sameCell(found: string | null, other: unknown, isPercent = false): boolean {
  if (other === null || other === undefined || other === '') return found === null;
  if (other instanceof Date) return found === other.toISOString().slice(0, 10);
  if (typeof other === 'boolean') return found === String(other).toUpperCase();
  if (typeof other !== 'number') return found === other;
  return isPercent ? Math.abs(Number(found?.replace('%', '')) - other * 100) < 1e-9 : Number(found) === other;
}
