import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import fc from '../../../test/support/property.ts';
import { toYaml } from './yaml.ts';

const VERSIONS = ['1.1', '1.2'] as const;

test('data is the same as YAML, for readers of both versions', () => {
  const data = {
    on: [],
    y: {},
    null: null,
    'a: b': ['- c', ['d', [1, -2.5]]],
    '': '# no comment',
    tape: { list: [{ yes: true }, []] },
  };
  for (const version of VERSIONS) assert.deepEqual(parse(toYaml(data), { version }), data);
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const version of VERSIONS) assert.deepEqual(parse(toYaml(value), { version }), JSON.parse(JSON.stringify(value)));
    }),
  );
});
