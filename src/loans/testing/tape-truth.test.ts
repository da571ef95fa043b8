import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedPath, skipWithout } from '../../../test/support/shared.ts';
import { offenders, scoreTapes, sumOf, TAPE_FILES } from './score-mapping.ts';
import { openRoom } from './take-tape.ts';

test('real tapes: 99 % of the columns that are taken are right, 90 % of the fields are found, and no wrong amount, rate or date is silent', {
  skip: skipWithout(...TAPE_FILES),
}, async () => {
  await using room = await openRoom();
  const scores = await scoreTapes(room, sharedPath);
  const { silent, precision, recall } = sumOf(scores);
  const named = scores.flatMap(offenders).join('\n');
  assert.equal(silent, 0, named);
  assert.ok(precision >= 0.99, `precision ${precision}\n${named}`);
  assert.ok(recall >= 0.9, `recall ${recall}\n${named}`);
});
