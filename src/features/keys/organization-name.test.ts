import assert from 'node:assert/strict';
import { test } from 'node:test';
import { normalizeName, skeletonsOf } from './organization-name.ts';

const alike = (one: string, other: string): boolean => skeletonsOf(one).some((look) => skeletonsOf(other).includes(look));

test('a name is kept in one form, without what nobody sees', () => {
  for (const [given, kept] of [
    ['  Acme\u00a0\u200b Inc.\t', 'Acme Inc.'],
    ['Cafe\u0301', 'Caf\u00e9'],
    ['Ac\u00adme\u202e\ufeff\ufe0f', 'Acme'],
    ['\u3164\u2800\u200b ', ''],
    ['日本 債権', '日本 債権'],
  ]) {
    assert.equal(normalizeName(given as string), kept);
  }
});

test('names that differ only in case or look are alike', () => {
  for (const [one, other] of [
    ['Acme Inc', 'ACME INC'],
    ['Acme', '\u0410cme'],
    ['Acme', 'Ａｃｍｅ'],
    ['Capital', 'CapitaI'],
    ['Bank', '\u0412ank'],
    ['bank', '\u0412ANK'],
    ['vest', '\u03bdest'],
    ['nova', '\u0578ova'],
    ['Straße', 'STRASSE'],
    ['Acme–Co', 'Acme-Co'],
    ['Acme', 'Acme\u200d'],
    ['Fund 1', 'Fund I'],
  ] as const) {
    assert.ok(alike(one, other), `${one} ${other}`);
  }
});

test('other names are not', () => {
  for (const [one, other] of [
    ['Ali', 'All'],
    ['Fund 1', 'Fund 2'],
    ['Fund 1', 'Fund 11'],
    ['Société', 'Societe'],
    ['Nova', 'Vova'],
    ['Harbor Lending', 'Harbor Landing'],
  ] as const) {
    assert.ok(!alike(one, other), `${one} ${other}`);
  }
});
