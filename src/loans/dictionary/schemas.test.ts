import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { LOAN_TYPES } from '../types.ts';
import { dictionary, findField, normalizeHeader } from './dictionary.ts';
import type { Field } from './field.ts';

// the published fields of each loan type: ../shared/data/schemas.json
const SCHEMAS = 'data/schemas.json';

type Published = {
  name: string;
  type: string;
  unit: string | null;
  required: boolean;
  range: string;
  sec: string | null;
  esma: string | null;
  aliases: string[];
};

const path = sharedPath(SCHEMAS);
const schemas: Record<string, { fields: Published[] }> = path ? JSON.parse(readFileSync(path, 'utf8')).types : {};
const skip = skipWithout(SCHEMAS);

/** Every published field beside ours. */
function pairs(): { name: string; published: Published; ours: Field | undefined }[] {
  return LOAN_TYPES.flatMap((loanType) =>
    (schemas[loanType]?.fields ?? []).map((published) => ({
      name: `${loanType} ${published.name}`,
      published,
      ours: findField(loanType, published.name),
    })),
  );
}

const differing = (same: (published: Published, ours: Field) => boolean) =>
  pairs()
    .filter(({ published, ours }) => ours === undefined || !same(published, ours))
    .map(({ name }) => name);

test('every published loan type and field is in the dictionary', { skip }, () => {
  assert.deepEqual(Object.keys(schemas), [...LOAN_TYPES]);
  assert.deepEqual(
    differing(() => true),
    [],
  );
  assert.ok(pairs().length > 150);
});

test('a field has the type that was published for it, and is required where it was', { skip }, () => {
  assert.deepEqual(
    differing((published, ours) => published.type === ours.type),
    [],
  );
  assert.deepEqual(
    differing((published, ours) => published.required === ours.required),
    [],
  );
});

test('every published alias leads to its field', { skip }, () => {
  assert.deepEqual(
    differing((published, ours) => {
      const known = new Set([ours.field, ...ours.aliases].map(normalizeHeader));
      return published.aliases.every((alias) => known.has(normalizeHeader(alias)));
    }),
    [],
  );
});

test('the words of an enum are those that were published', { skip }, () => {
  const listed = (published: Published) => (published.unit ?? '').split('|').filter((word) => /^[A-Z0-9_]+$/.test(word));
  assert.deepEqual(
    differing(
      (published, ours) => published.type !== 'enum' || listed(published).every((word) => (ours.enum ?? []).includes(word)),
    ),
    [],
  );
});

test('a published range of two numbers is the range of the field', { skip }, () => {
  const bounds = (published: Published) => /^(-?\d+(?:\.\d+)?) \.\. (\d+(?:\.\d+)?)(?= *(?:[;(]|$))/.exec(published.range);
  assert.ok(pairs().filter(({ published }) => bounds(published)).length > 25);
  assert.deepEqual(
    differing((published, ours) => {
      const found = bounds(published);
      return !found || (ours.range?.min === Number(found[1]) && ours.range.max === Number(found[2]));
    }),
    [],
  );
});

test('an amount that must be above nothing is, and one that may be nothing may', { skip }, () => {
  assert.deepEqual(
    differing((published, ours) => !published.range.startsWith('> 0') || (ours.range?.min === 0 && ours.range.min_exclusive)),
    [],
  );
  assert.deepEqual(
    differing((published, ours) => !published.range.startsWith('>= 0') || (ours.range?.min === 0 && !ours.range.min_exclusive)),
    [],
  );
});

test('the words of a range state the bounds that are checked', () => {
  const figure = (text: string | undefined) => Number((text ?? '').replaceAll(',', ''));
  let stated = 0;
  for (const loanType of LOAN_TYPES)
    for (const { field, range } of dictionary(loanType)) {
      if (!range) continue;
      const said: Record<string, unknown> = {};
      const least = /^(-?[\d.]+)(?: first)? \.\. /.exec(range.text) ?? /^>=? (-?[\d,]+)/.exec(range.text);
      const most = /^(?:[^;]* \.\.|>[^;]*, <=) ([\d.,]+)(?= *(?:[;(]|$))/.exec(range.text);
      if (least) Object.assign(said, { min: figure(least[1]), min_exclusive: range.text.startsWith('> ') });
      if (most) said.max = figure(most[1]);
      assert.deepEqual({ ...range, ...said }, range, `${loanType} ${field}`);
      stated += Object.keys(said).length;
    }
  assert.ok(stated > 100, String(stated));
});

test('no two fields of a loan type have the same name or the same first alias', () => {
  for (const loanType of LOAN_TYPES) {
    const taken = new Map<string, string>();
    for (const { field, aliases } of dictionary(loanType))
      for (const header of new Set([field, ...aliases.slice(0, 1)].map(normalizeHeader))) {
        assert.equal(taken.get(header), undefined, `${loanType}: ${header} is ${field} too`);
        taken.set(header, field);
      }
  }
});
