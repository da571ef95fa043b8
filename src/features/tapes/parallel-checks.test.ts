import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { autoTape, CSV } from '../../../test/support/tapes.ts';

const CHECKS = 12;
/** Of the thread that answers, so that what else the machine does counts for nothing; the most that is seen is 60 ms. */
const LIVE_MS = 1_000;

function workedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

test('twelve tapes that are checked at once leave the gateway free to answer', async () => {
  await using gateway = await startGateway();
  const originator = await gateway.key('originator', 'Originator');
  const raw = autoTape(1_000);
  const check = () =>
    gateway.call('POST', '/v1/api/originator/loans/check?loanType=Auto', {
      as: originator,
      headers: { 'content-type': CSV },
      raw,
    });
  const slow: number[] = [];
  let isOver = false;
  const live = async () => {
    while (!isOver) {
      const asked = workedMs();
      assert.equal((await gateway.call('GET', '/livez')).status, 200);
      const tookMs = workedMs() - asked;
      if (tookMs > LIVE_MS) slow.push(Math.round(tookMs));
      await sleep(20);
    }
  };
  const living = live();
  const answers = await Promise.all(Array.from({ length: CHECKS }, check));
  isOver = true;
  await living;
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.data?.accepted]),
    answers.map(() => [200, 1_000]),
  );
  assert.deepEqual(slow, [], `answers of /livez in whose time the thread had more than ${LIVE_MS} ms of other work`);
});
