import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codeOf, startGateway } from '../../../test/support/gateway.ts';
import { autoTape, type Seller, seller } from '../../../test/support/tapes.ts';

/** The small tape with amounts under headers that say nothing. */
const unnamed = (rows = 6): string =>
  autoTape(rows).replace('Original Amount Financed', 'Alpha').replace('Current Balance', 'Beta');

const mapped = async (ours: Seller, dealId: string, ...entries: unknown[]): Promise<string> => {
  const answer = await ours.map(dealId, ...entries);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return answer.body.data.mapping_id;
};
const sourceOf = async (ours: Seller, dealId: string, target: string): Promise<string | null> => {
  const { mappings } = (await ours.call('GET', `/${dealId}/mapping`)).body.data;
  return mappings.find((each: { target: string }) => each.target === target)?.source ?? null;
};

test('the memory of mappings', async (t) => {
  await using gateway = await startGateway();
  const alpha = { source: 'Alpha', target: 'original_balance' };
  const beta = { source: 'Beta', target: 'original_balance' };
  const notAlpha = { source: 'Alpha', target: null };

  await t.test(
    'is looked up for the key that sends a tape first, and for what that says nothing of, for its organization',
    async () => {
      const [ann, bob] = [await seller(gateway, 'Two desks'), await seller(gateway, 'Two desks')];
      assert.notEqual(ann.as.key_id, bob.as.key_id);
      const anns = await mapped(ann, await ann.checked(unnamed()), alpha, { source: 'FICO', target: null });
      await gateway.runJobs();
      const bobs = await mapped(bob, await bob.checked(unnamed()), beta, notAlpha);
      await gateway.runJobs();
      const [hers, his] = [await ann.checked(unnamed()), await bob.checked(unnamed())];
      assert.deepEqual([await sourceOf(ann, hers, 'original_balance'), (await ann.deal(hers)).mapping_id], ['Alpha', anns]);
      assert.deepEqual([await sourceOf(bob, his, 'original_balance'), (await bob.deal(his)).mapping_id], ['Beta', bobs]);
      assert.equal(await sourceOf(bob, his, 'credit_score'), null, 'she said of FICO what he says nothing of');
    },
  );

  await t.test(
    'is forgotten for the key or for the organization, twice without a fault, with an entry in the audit log',
    async () => {
      const [ann, bob] = [await seller(gateway, 'Forgetting'), await seller(gateway, 'Forgetting')];
      const forget = (who: Seller, query = '') => who.call('DELETE', `/${dealId}/mapping/memory${query}`);
      const dealId = await ann.checked(unnamed());
      await mapped(ann, dealId, alpha);
      await gateway.runJobs();
      await mapped(bob, await bob.checked(unnamed()), beta, notAlpha);
      await gateway.runJobs();
      const before = (await ann.call('GET', `/${dealId}/mapping`)).body.data;
      assert.deepEqual((await forget(ann)).body.data, { deal_id: dealId, loan_type: 'Auto', scope: 'own', forgotten: 1 });
      assert.equal((await forget(ann, '?scope=own')).body.data.forgotten, 0);
      assert.equal(await sourceOf(ann, await ann.checked(unnamed()), 'original_balance'), 'Beta', 'the organization remembers');
      assert.equal((await forget(ann, '?scope=organization')).body.data.forgotten, 2);
      for (const who of [ann, bob]) assert.equal((await who.deal(await who.checked(unnamed()))).qc.state, 'NEEDS_MAPPING');
      assert.equal((await forget(ann, '?scope=organization')).body.data.forgotten, 0);
      assert.deepEqual((await ann.call('GET', `/${dealId}/mapping`)).body.data, before, 'a tape that was read keeps its mapping');
      const entries = (await ann.audited(dealId)).filter(({ action }) => action === 'mapping.forgotten');
      assert.deepEqual(
        entries.map(({ actor, after }) => [actor, after.scope, after.forgotten]),
        [
          [ann.as.key_id, 'organization', 0],
          [ann.as.key_id, 'organization', 2],
          [ann.as.key_id, 'own', 0],
          [ann.as.key_id, 'own', 1],
        ],
      );
    },
  );

  await t.test('of one loan type and one organization is not touched by another', async () => {
    const [ours, theirs] = [await seller(gateway, 'Keeping'), await seller(gateway, 'Meddling')];
    const investor = await gateway.key('investor', 'Looking');
    const auto = await ours.checked(unnamed());
    await mapped(ours, auto, alpha);
    await gateway.runJobs();
    const personal = await ours.checked(unnamed(), 'Personal');
    assert.equal((await ours.call('DELETE', `/${personal}/mapping/memory?scope=organization`)).body.data.forgotten, 0);
    const foreign = await theirs.call('DELETE', `/${auto}/mapping/memory?scope=organization`);
    assert.deepEqual(codeOf(foreign), [404, 'NOT_FOUND']);
    const path = `/v1/api/originator/loans/${auto}/mapping/memory`;
    assert.equal((await gateway.call('DELETE', path, { as: investor })).status, 403);
    assert.deepEqual(codeOf(await ours.call('DELETE', `/${auto}/mapping/memory?scope=everyone`)), [400, 'VALIDATION_FAILED']);
    assert.equal(await sourceOf(ours, await ours.checked(unnamed()), 'original_balance'), 'Alpha');
    const seen = await gateway.deps.db.tx({ organization: theirs.as.organization_id }, (tx) =>
      tx.rows('select mapping_id from mappings'),
    );
    assert.deepEqual(seen, [], 'row-level security hides what another organization remembers');
  });

  await t.test(
    'of transforms survives a tape without a column that they read: told, not applied, and back with the column',
    async () => {
      const ours = await seller(gateway, 'Lacking');
      const full = 'Loan ID,Month,Year,Amount Financed,Worth\nA1,04,2021,1000.00,2000\nA2,05,2021,3000.00,4000\n';
      const dealId = await ours.checked(full);
      await mapped(
        ours,
        dealId,
        { source: 'Month', target: 'origination_date', transform: { concat: { columns: ['Year'], separator: '/' } } },
        { source: 'LTV made', target: 'ltv', transform: { formula: { num: 'Amount Financed', den: 'Worth', scale: 100 } } },
      );
      await gateway.runJobs();
      const loans = async (id: string) => (await ours.call('GET', `/${id}/loans`)).body.data;
      const of = (rows: Record<string, unknown>[]) => rows.map(({ origination_date, ltv }) => [origination_date, ltv]);
      const made = [
        ['2021-04-01', 50],
        ['2021-05-01', 75],
      ];
      assert.deepEqual(of(await loans(dealId)), made);
      assert.deepEqual(of(await loans(await ours.checked(full.replaceAll('Loan ID', 'LoanID')))), made);
      const lacking = await ours.checked('Loan ID,Month,Amount Financed\nA1,04,1000.00\n');
      assert.deepEqual(of(await loans(lacking)), [[null, null]]);
      const told = (await ours.call('GET', `/${lacking}/issues?rule=MAPPING_NOT_APPLIED`)).body.data;
      assert.deepEqual(told.map(({ field, actual }: Record<string, string>) => [field, actual]).sort(), [
        ['ltv', 'no column "Worth"'],
        ['origination_date', 'no column "Year"'],
      ]);
      assert.deepEqual((await ours.call('GET', `/${lacking}/mapping`)).body.data.unmapped, ['Month']);
      const version = await ours.version(dealId, full.replace('A1,04', 'A1,06'));
      assert.equal(version.tape_version, 2);
      assert.deepEqual(of(await loans(dealId)), [
        ['2021-06-01', 50],
        ['2021-05-01', 75],
      ]);
    },
  );
});
