import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from '../../../test/support/property.ts';
import { nameColumns } from '../reading/header.ts';
import { Notices } from '../reading/notices.ts';
import { findSource } from '../reading/source-name.ts';
import { sourceFinder } from './source-finder.ts';

test('many look-ups find the columns that single ones find', () => {
  const name = fc.constantFrom('', 'a', 'A', 'a_2', 'a b', 'A-B', 'a_b', 'ä', 'column_1', 'column_2', ' ');
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 8 }), fc.array(name, { maxLength: 12 }), (header, sources) => {
      const columns = nameColumns(header, [], 1, new Notices(), false);
      const find = sourceFinder(columns);
      for (const source of sources) assert.equal(find(source)?.index, findSource(source, columns)?.index, source);
    }),
  );
});
