import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dictionary, roles } from '../dictionary/dictionary.ts';
import { LOAN_TYPES } from '../types.ts';
import { defectsFor } from './defects.ts';
import { drawTerms } from './loan-terms.ts';
import { type CellKind, cellText, idDigits, monthText, type TapeProfile } from './profile.ts';
import { AUTO, CREDIT_CARD, PERSONAL, STUDENT } from './profiles-consumer.ts';
import { BUSINESS, MORTGAGE } from './profiles-property.ts';
import { Random } from './random.ts';

const PROFILES = [AUTO, PERSONAL, MORTGAGE, STUDENT, BUSINESS, CREDIT_CARD];
const US: TapeProfile = { ...AUTO, dateStyle: 'US', monthStyle: 'MM/YYYY', moneyStyle: 'DOLLARS', percentStyle: 'SIGN' };
const ISO: TapeProfile = { ...AUTO, dateStyle: 'ISO', monthStyle: 'MON-YYYY', moneyStyle: 'PLAIN', percentStyle: 'PLAIN' };

test('a cell is written as its originator writes it', () => {
  const cases: [CellKind, string | number, string, string][] = [
    ['date', '2026-03-05', '03/05/2026', '2026-03-05'],
    ['month', '2026-03-05', '03/2026', 'Mar-2026'],
    ['month', '2026-12-31', '12/2026', 'Dec-2026'],
    ['money', 5, '$0.05', '0.05'],
    ['money', 99_999, '$999.99', '999.99'],
    ['money', 100_000, '$1,000.00', '1000.00'],
    ['money', 123_456_789, '$1,234,567.89', '1234567.89'],
    ['percent', 7.25, '7.25%', '7.25'],
    ['integer', 1_200, '1200', '1200'],
    ['number', 12.5, '12.5', '12.5'],
    ['text', ' 007 ', ' 007 ', ' 007 '],
  ];
  for (const [kind, value, us, iso] of cases) {
    assert.equal(cellText({ kind, value }, US), us, `${kind} ${value}`);
    assert.equal(cellText({ kind, value }, ISO), iso, `${kind} ${value}`);
  }
  assert.equal(cellText(null, US), '');
  assert.equal(monthText('2026-01-01', 'MON-YYYY'), 'Jan-2026');
});

test('ids have their length and are never given twice', () => {
  const ids = Array.from({ length: 50_000 }, (_, index) => idDigits(index + 1, 5));
  assert.equal(new Set(ids).size, 50_000);
  assert.ok(ids.every((id) => /^\d{5}$/.test(id)));
  assert.equal(idDigits(1, 12).length, 12);
});

test('each loan type has a profile with every field that it requires, each column once', () => {
  assert.deepEqual(PROFILES.map(({ type }) => type).sort(), [...LOAN_TYPES].sort());
  for (const { type, columns } of PROFILES) {
    const known = new Set(dictionary(type).map(({ field }) => field));
    const fields = columns.map(({ field }) => field);
    for (const field of fields) assert.ok(known.has(field), `${type} ${field}`);
    assert.equal(new Set(fields).size, fields.length, `${type}: a field twice`);
    assert.equal(new Set(columns.map(({ header }) => header.toLowerCase())).size, columns.length, `${type}: a header twice`);
    const { id, original, current } = roles(type);
    for (const role of [id, original, current]) assert.ok(fields.includes(role), `${type} ${role}`);
    for (const { field, required } of dictionary(type)) if (required) assert.ok(fields.includes(field), `${type} ${field}`);
  }
});

test('a clean loan has values of the kind of each column', () => {
  const forms: Record<CellKind, (value: string | number) => boolean> = {
    text: (value) => typeof value === 'string' && value !== '',
    date: (value) => /^\d{4}-\d{2}-\d{2}$/.test(String(value)),
    month: (value) => /^\d{4}-\d{2}-\d{2}$/.test(String(value)),
    money: (value) => Number.isInteger(value) && Number(value) >= 0,
    percent: (value) => Number(value) >= 0 && Number(value) <= 200,
    integer: Number.isInteger,
    number: Number.isFinite,
  };
  for (const profile of PROFILES) {
    const random = new Random(9);
    for (let number = 1; number <= 200; number += 1) {
      const loan = drawTerms(random, number, profile.terms);
      for (const { header, kind, value } of profile.columns) {
        const drawn = value(loan, random);
        assert.ok(drawn !== null && forms[kind](drawn), `${profile.type} ${header}: ${drawn}`);
      }
    }
  }
});

test('a profile is asked only for defects whose columns it has', () => {
  for (const profile of PROFILES) {
    const has = new Set(profile.columns.map(({ field }) => field));
    const defects = defectsFor(profile);
    assert.ok(defects.length >= 10, `${profile.type}: ${defects.length}`);
    for (const { needs } of defects) for (const field of needs) assert.ok(has.has(field), `${profile.type} ${field}`);
    const none = defectsFor({ ...profile, columns: [] });
    assert.ok(none.every(({ needs }) => needs.length === 0));
  }
});
