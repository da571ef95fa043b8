import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGateway } from '../../../test/support/gateway.ts';
import { autoTape, seller } from '../../../test/support/tapes.ts';

test('the history of a loan without an id leaves out versions in which its row may be another loan', async () => {
  await using gateway = await startGateway();
  const ours = await seller(gateway, 'Nameless');
  const withoutIds = (from: number) => {
    const [header = '', ...rows] = autoTape(30, (row, index) => {
      if (index === 4) row.FICO = 'abc';
    })
      .trim()
      .split('\n');
    return [header, ...rows.slice(from), ...rows.slice(0, from)].map((line) => line.slice(line.indexOf(',') + 1)).join('\n');
  };
  const versionsOf = async (row: number) =>
    (await ours.call('GET', `/${dealId}/loans/${row}/history`)).body.data.versions.map(
      ({ version, changes }: { version: number; changes: { field: string }[] }) => [version, changes.map(({ field }) => field)],
    );
  const dealId = await ours.checked(withoutIds(0));
  await ours.version(dealId, withoutIds(3));
  assert.deepEqual(await versionsOf(2), [[2, []]]);
  const issues = (await ours.call('GET', `/${dealId}/issues/file`)).text;
  await ours.version(dealId, issues.replace('abc', '700'));
  assert.deepEqual(
    await versionsOf(2),
    [
      [2, []],
      [3, ['credit_score']],
    ],
    'a correction by row keeps the rows',
  );
});
