import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailable } from '../files/store.ts';
import { judgeFailure, MAX_ATTEMPTS, returnAttempt } from './attempts.ts';
import { WorkerStopping } from './stopping.ts';

const going = new AbortController().signal;
const stopping = AbortSignal.abort(new WorkerStopping());
const taken = AbortSignal.abort(new Error("the job is no longer active under this worker's claim"));
const coded = (code: string): Error => Object.assign(new Error('it failed'), { code });

test('an attempt that fails of its own work counts, and the third is the last', () => {
  const defect = new TypeError('no such column');
  assert.deepEqual(judgeFailure(defect, going, { number: 1, last: false }), { counts: true, final: false });
  assert.deepEqual(judgeFailure(defect, going, { number: MAX_ATTEMPTS, last: false }), { counts: true, final: true });
});

test('an attempt that lacked something which comes back does not count, until the queue makes no other', () => {
  const lacking = [coded('ECONNREFUSED'), coded('57P03'), coded('ENOSPC'), coded('EMFILE'), new StoreUnavailable('silent')];
  for (const error of lacking) {
    assert.deepEqual(judgeFailure(error, going, { number: MAX_ATTEMPTS, last: false }), { counts: false, final: false });
    assert.deepEqual(judgeFailure(error, going, { number: 1, last: true }), { counts: false, final: true });
  }
});

test('an attempt whose job was taken from its living worker counts only where the queue makes no other', () => {
  const error = coded('57P01');
  assert.deepEqual(judgeFailure(error, taken, { number: MAX_ATTEMPTS, last: false }), { counts: false, final: false });
  assert.deepEqual(judgeFailure(error, taken, { number: MAX_ATTEMPTS, last: true }), { counts: true, final: false });
});

test('a count is taken back again and again while the database is away', async () => {
  let tries = 0;
  await returnAttempt(going, async () => {
    tries += 1;
    if (tries < 3) throw coded('ECONNREFUSED');
  });
  assert.equal(tries, 3);
});

test('a count is tried to be taken back once where waiting is of no use: the worker stops, or the statement is refused', async () => {
  for (const [signal, error] of [[stopping, coded('ECONNREFUSED')] as const, [going, coded('42501')] as const]) {
    let tries = 0;
    await returnAttempt(signal, async () => {
      tries += 1;
      throw error;
    });
    assert.equal(tries, 1);
  }
});
