import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../test/support/property.ts';
import { cutToSize, sizeOf } from './cut-to-size.ts';
import { chooseFields, readFields } from './fields.ts';

const BYTES = 2_000;
/** Lists, texts and records, some of them long, with names that have the signs of a path. */
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom(0, -1.5, true, null, 'short', 'ä"\\ö🙂'),
    fc.integer({ min: 0, max: 3_000 }).map((length) => 'text🙂'.repeat(length / 5)),
    fc.array(tie('value'), { maxLength: 60 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'long_name', 'a.b', 'c[0]', '"', 'Zoë'), tie('value')),
    fc.integer({ min: 0, max: 300 }).map((count) => Array.from({ length: count }, (_none, id) => ({ id, name: `n${id}` }))),
  ),
})).value;

test('whatever is cut has at most the wanted size, and each cut names what it left out', () => {
  fc.assert(
    fc.property(values, (value) => {
      const { value: fitted, cuts } = cutToSize(value, BYTES);
      assert.ok(sizeOf(fitted) <= BYTES);
      if (cuts.length === 0) assert.deepEqual(fitted, value);
      else assert.ok(sizeOf(value) > BYTES);
      assert.ok(JSON.stringify(fitted).isWellFormed());
      for (const { path, shown, of, unit } of cuts) {
        assert.ok(shown < of);
        const at = readFields([`value${path === '' || path.startsWith('[') ? path : `.${path}`}`]);
        const [part] = Object.values(chooseFields({ value }, at).data as Record<string, object | string>);
        const found = unit === 'fields' ? Object.keys(part ?? {}).length : (part as string | unknown[]).length;
        assert.equal(found, of, path);
      }
    }),
    { numRuns: 300 },
  );
});

test('small fields stay whole beside one that is cut, and the path of the rest leads to it', () => {
  const data = { status: 'DONE', totals: { balance: 12.5 }, rows: Array.from({ length: 500 }, (_none, id) => ({ id })) };
  const { value, cuts } = cutToSize(data, BYTES);
  const { rows, ...others } = value as typeof data;
  assert.deepEqual(others, { status: 'DONE', totals: { balance: 12.5 } });
  assert.deepEqual(cuts, [{ path: 'rows', shown: rows.length, of: 500, unit: 'items' }]);
  assert.ok(rows.length > 100);
  const rest = chooseFields(data, [`rows[${rows.length}:500]`]).data as Record<string, unknown[]>;
  assert.deepEqual([...rows, ...(Object.values(rest)[0] ?? [])], data.rows);
});
