import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runDrill } from './ledger/drill.ts';

/** Once each; `npm run bench -- ledger` has all there are, again and again for five minutes. */
const FAULTS = [
  'an API process is killed',
  'the worker is killed',
  'the database is killed',
  'the database is silent',
  'the disk is full',
];

test('what was acknowledged is there once, and told of, after processes and the database were killed and silenced', async (t) => {
  const seed = Number(process.env.LEDGER_SEED ?? Date.now() % 2 ** 31);
  t.diagnostic(`seed ${seed}: LEDGER_SEED=${seed} npm test -- faults/ledger`);
  const verdict = await runDrill({ extent: { faults: FAULTS }, seed, log: (line) => t.diagnostic(line) });
  if (verdict.skipped.length > 0) t.diagnostic(`skipped here: ${verdict.skipped.join()}`);
  const told = `seed ${seed}, ${JSON.stringify(verdict.faults)}`;
  assert.deepEqual(
    verdict.lines.flatMap(({ lost }) => lost),
    [],
    `lost, ${told}`,
  );
  assert.deepEqual(
    verdict.lines.flatMap(({ twice }) => twice),
    [],
    `made twice, ${told}`,
  );
  assert.deepEqual(verdict.refused, [], `refused, ${told}`);
  const { repeated, missing, undelivered, logged } = verdict.events;
  assert.deepEqual({ repeated, missing, undelivered }, { repeated: [], missing: [], undelivered: [] }, told);
  assert.deepEqual([verdict.ledger.valid, verdict.auditValid], [true, true], told);
  assert.ok(verdict.acknowledged > 50 && logged > 10 && verdict.unanswered > 0, JSON.stringify(verdict));
});
