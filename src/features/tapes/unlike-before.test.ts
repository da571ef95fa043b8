import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Gateway, startGateway } from '../../../test/support/gateway.ts';
import { autoTape, type Seller, seller } from '../../../test/support/tapes.ts';

type Finding = { rule_id: string; severity: string; field: string | null; message: string; actual: string; expected: string };

const RULES = ['IDS_UNLIKE_BEFORE', 'BALANCES_UNLIKE_BEFORE'];

/** A deal of 40 loans, and what is found of a further version of it beside the one before. */
async function versionOf(
  gateway: Gateway,
  ours: Seller,
  change: (row: Record<string, string>, index: number) => void,
  rows = 40,
): Promise<{ state: string; version: number; found: Finding[]; dealId: string }> {
  const dealId = await ours.checked(autoTape(40));
  const deal = await ours.version(dealId, autoTape(rows, change));
  return { state: deal.qc.state, version: deal.tape_version, found: await foundOf(gateway, ours, dealId), dealId };
}

async function foundOf(gateway: Gateway, ours: Seller, dealId: string): Promise<Finding[]> {
  const issues = await gateway.call('GET', `/v1/api/originator/loans/${dealId}/issues?limit=100`, { as: ours.as });
  return issues.body.data.filter(({ rule_id }: Finding) => RULES.includes(rule_id));
}

const renamed = (row: Record<string, string>): void => {
  row['Loan ID'] = `SVC-${row['Loan ID']}`;
};

const inCents = (row: Record<string, string>): void => {
  for (const name of ['Original Amount Financed', 'Current Balance']) row[name] = String(Math.round(Number(row[name]) * 100));
};

test('a further version of a tape', async (t) => {
  await using gateway = await startGateway();
  const ours = await seller(gateway, 'Resender');

  await t.test('whose ids are all others comes into force, and says how many ids are the same', async () => {
    const { state, version, found } = await versionOf(gateway, ours, renamed);
    assert.deepEqual([state, version], ['DONE', 2]);
    const [finding, ...more] = found;
    assert.deepEqual(more, []);
    assert.deepEqual(
      [finding?.rule_id, finding?.severity, finding?.field, finding?.actual],
      ['IDS_UNLIKE_BEFORE', 'WARNING', 'loan_id', '0 of 40 ids'],
    );
    assert.match(finding?.message ?? '', /^0 of the 40 loan ids of version 1 .* 40 loans .* was 727800\.00 and is 727800\.00/);
  });

  await t.test('whose amounts are a hundred times as large says so, with the balances of both', async () => {
    const { state, version, found } = await versionOf(gateway, ours, inCents);
    assert.deepEqual([state, version], ['DONE', 2]);
    assert.deepEqual(
      found.map(({ rule_id, severity, field, actual }) => [rule_id, severity, field, actual]),
      [['BALANCES_UNLIKE_BEFORE', 'WARNING', 'current_balance', '72780000.00']],
    );
    assert.match(
      found[0]?.message ?? '',
      /the 40 loans .* 727800\.00 in version 1 and have 72780000\.00 here, 100 times as much/,
    );
  });

  await t.test('with both says both', async () => {
    const { found } = await versionOf(gateway, ours, (row) => {
      renamed(row);
      inCents(row);
    });
    assert.deepEqual(found.map(({ rule_id }) => rule_id).sort(), [...RULES].sort());
    assert.match(
      found.map(({ message }) => message).join(),
      /a loan on the average .* 18195\.00 in version 1 and has 1819500\.00/,
    );
  });

  await t.test('keeps its finding when its mapping is changed', async () => {
    const { dealId } = await versionOf(gateway, ours, renamed);
    assert.equal((await ours.map(dealId, { source: 'FICO', target: null })).status, 202);
    await gateway.runJobs();
    assert.deepEqual(
      (await foundOf(gateway, ours, dealId)).map(({ rule_id }) => rule_id),
      ['IDS_UNLIKE_BEFORE'],
    );
  });

  await t.test('with the same loans a month later, some gone and many new, says nothing', async () => {
    const later = (row: Record<string, string>, index: number): void => {
      row['Loan ID'] = `A${String(index + 15).padStart(6, '0')}`;
      row['Current Balance'] = String(Number(row['Current Balance']) * 0.97);
    };
    assert.deepEqual((await versionOf(gateway, ours, later, 90)).found, []);
  });

  await t.test('without ids is compared by what a loan owes on the average', async () => {
    const { found } = await versionOf(gateway, ours, (row) => {
      delete row['Loan ID'];
      inCents(row);
    });
    assert.deepEqual(
      found.map(({ rule_id }) => rule_id),
      ['BALANCES_UNLIKE_BEFORE'],
    );
  });
});
