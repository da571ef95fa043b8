import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOCUMENTS, dealRoom, PDF } from '../../../test/support/documents.ts';
import { type Answer, type Holder, startGateway, codeOf } from '../../../test/support/gateway.ts';
import { planning } from '../../../test/support/many.ts';
import { listDeal } from '../../../test/support/market.ts';
import type { Id } from '../../platform/ids.ts';
import { listDocuments, listInvestorDocuments } from './queries.ts';

test('the versions of a document', async (t) => {
  await using gateway = await startGateway();

  await t.test('are those of one name in the room of one deal of one organization', async () => {
    const [ours, theirs] = [await dealRoom(gateway, 'Versions'), await dealRoom(gateway, 'Namesake')];
    const [first, second] = [await listDeal(gateway, ours.as), await listDeal(gateway, ours.as, { name: 'Second' })];
    const version = async (room: typeof ours, more: object = {}) => (await room.register('memo.pdf', more)).version;
    assert.deepEqual([await version(ours), await version(ours)], [1, 2]);
    assert.equal(await version(ours, { dealId: first.deal_id }), 1);
    assert.equal(await version(ours, { dealId: second.deal_id }), 1);
    assert.equal(await version(ours, { dealId: first.deal_id }), 2);
    assert.equal(await version(theirs), 1);
    assert.equal((await ours.register('Memo.pdf')).version, 1, 'a name is its letters');
    assert.equal(await version(ours), 3);
    const [composed, decomposed] = ['café.pdf', 'cafe\u0301.pdf'];
    const told = [await ours.register(composed), await ours.register(decomposed)].map((each) => [each.file_name, each.version]);
    assert.deepEqual(
      told,
      [composed, composed].map((name, before) => [name, before + 1]),
      'spelled in either form of Unicode',
    );
  });

  await t.test('are numbered each, when uploads of one name are completed at once', async () => {
    const { send, complete, call } = await dealRoom(gateway, 'At once');
    const uploads = await Promise.all([1, 2, 3, 4].map(() => send('same.pdf')));
    const answers = await Promise.all(uploads.map(({ body }) => complete(body)));
    assert.deepEqual(answers.map((answer) => answer.body.data.version).sort(), [1, 2, 3, 4]);
    const listed = await call('GET', '');
    assert.deepEqual([listed.body.pagination.total, listed.body.data[0].version], [1, 4]);
  });

  await t.test('are read with any of them, newest first, each with its own bytes', async () => {
    const { as, register, call } = await dealRoom(gateway, 'Reader');
    const deal = await listDeal(gateway, as);
    const more = { dealId: deal.deal_id, documentType: 'OFFERING_MEMORANDUM' };
    const first = await register('memo.pdf', more);
    const second = await register('memo.pdf', more, Buffer.concat([PDF, PDF]));
    await register('other.pdf', more);
    await register('memo.pdf');
    const { data } = (await call('GET', `/${first.document_id}`)).body;
    assert.deepEqual([data.document_id, data.version, data.document_type], [first.document_id, 1, 'OFFERING_MEMORANDUM']);
    assert.deepEqual(
      data.versions.map((row: Record<string, unknown>) => [row.document_id, row.version, row.size]),
      [
        [second.document_id, 2, 2 * PDF.length],
        [first.document_id, 1, PDF.length],
      ],
    );
  });

  await t.test('are read with a document up to a hundred, and listed all', async () => {
    const { as, register, call } = await dealRoom(gateway, 'Many');
    const deal = await listDeal(gateway, as);
    const { document_id } = await register('memo.pdf', { dealId: deal.deal_id });
    await register('other.pdf', { dealId: deal.deal_id });
    const unlike = await register('memo.pdf');
    await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.exec(
        `insert into documents select made.* from documents d, generate_series(2, 150) as n, jsonb_populate_record(d,
           jsonb_build_object('document_id', 'doc_many' || n, 'file_key', 'key_' || n, 'version', n)) as made where d.document_id = $1`,
        [document_id],
      ),
    );
    const versionsOf = (rows: { version: number }[]) => rows.map((row) => row.version);
    const down = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);
    const read = await call('GET', `/${document_id}`);
    assert.deepEqual(versionsOf(read.body.data.versions), down(150, 51));
    const listed: number[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const { body } = await call('GET', `?versionsOf=${document_id}&limit=60${next && `&cursor=${encodeURIComponent(next)}`}`);
      if (next === '') assert.equal(body.pagination.total, 150);
      listed.push(...versionsOf(body.data));
      next = body.pagination.next_cursor;
    }
    assert.deepEqual(listed, down(150, 1));
    assert.deepEqual(versionsOf((await call('GET', `?versionsOf=${unlike.document_id}`)).body.data), [1]);
    assert.deepEqual((await call('GET', '?versionsOf=doc_none')).body.data, []);
    const theirs = await dealRoom(gateway, 'Other reader');
    assert.deepEqual((await theirs.call('GET', `?versionsOf=${document_id}`)).body.data, []);
  });

  await t.test('are listed by the newest, newest document first, by deal and by time, and only the own', async () => {
    const ours = await dealRoom(gateway, 'Lister');
    const deal = await listDeal(gateway, ours.as);
    const inDeal = { dealId: deal.deal_id };
    await ours.register('a.pdf', inDeal);
    const b = (await ours.register('b.pdf')).document_id;
    const a = (await ours.register('a.pdf', inDeal)).document_id;
    const ids = async (query: string, as: Holder = ours.as) =>
      (await gateway.call('GET', `${DOCUMENTS}?${query}`, { as })).body.data.map(
        (row: { document_id: string }) => row.document_id,
      );
    assert.deepEqual(await ids(''), [a, b]);
    assert.deepEqual(await ids(`dealId=${deal.deal_id}`), [a]);
    assert.deepEqual(await ids('dealId=deal_none'), []);
    assert.deepEqual(await ids('limit=1&page=2'), [b]);
    assert.deepEqual([await ids('to=2020-01-01'), await ids('from=2999-01-01'), await ids('from=2020-01-01')], [[], [], [a, b]]);
    assert.deepEqual(codeOf(await ours.call('GET', '?from=2021-01-02&to=2021-01-01')), [422, 'RANGE_REVERSED']);
    const theirs = await dealRoom(gateway, 'Stranger');
    assert.deepEqual([await ids('', theirs.as), await ids(`dealId=${deal.deal_id}`, theirs.as)], [[], []]);
  });

  await t.test('keep the visibility of the one before', async () => {
    const { as, register, show } = await dealRoom(gateway, 'Shown');
    const dealId = (await listDeal(gateway, as)).deal_id;
    const first = await register('terms.pdf', { dealId });
    assert.equal((await show(first.document_id)).body.data.visibility, 'INVESTORS');
    const second = await register('terms.pdf', { dealId });
    assert.equal(second.visibility, 'INVESTORS');
    assert.equal((await register('memo.pdf', { dealId })).visibility, 'PRIVATE');
    await show(second.document_id, 'PRIVATE');
    assert.equal((await register('terms.pdf', { dealId })).visibility, 'PRIVATE', 'of the newest before it');
  });
});

test('a document is its organization’s alone: to others it is not there, with every act', async () => {
  await using gateway = await startGateway();
  const [owner, rival] = [await dealRoom(gateway, 'Owner'), await dealRoom(gateway, 'Rival')];
  const investor = await gateway.key('investor', 'Investor');
  const { document_id } = await owner.register('private.pdf');
  const acts = (as: Holder, id = document_id): Promise<Answer>[] =>
    (
      [
        ['GET', `/${id}`, undefined],
        ['GET', `/${id}/access-log`, undefined],
        ['PUT', `/${id}/visibility`, { visibility: 'INVESTORS' }],
        ['POST', `/${id}/download`, undefined],
      ] as const
    ).map(([method, path, body]) => gateway.call(method, `${DOCUMENTS}${path}`, { as, ...(body ? { body } : {}) }));
  for (const answer of await Promise.all(acts(rival.as))) assert.deepEqual(codeOf(answer), [404, 'NOT_FOUND']);
  for (const answer of await Promise.all(acts(owner.as, 'doc_none'))) assert.deepEqual(codeOf(answer), [404, 'NOT_FOUND']);
  for (const answer of await Promise.all(acts(investor))) assert.deepEqual(codeOf(answer), [403, 'ROLE_FORBIDDEN']);
  assert.equal((await owner.call('GET', `/${document_id}`)).body.data.visibility, 'PRIVATE');
  assert.equal((await owner.call('GET', `/${document_id}/access-log`)).body.pagination.total, 0);
  assert.deepEqual(codeOf(await owner.call('PUT', `/${document_id}/visibility`, { visibility: 'PUBLIC' })), [
    400,
    'VALIDATION_FAILED',
  ]);
});

test('the documents of a large room are counted without looking for a newer version of each', async () => {
  await using gateway = await startGateway();
  const { as, register } = await dealRoom(gateway, 'Large room');
  const deal = await listDeal(gateway, as);
  const dealId = deal.deal_id as Id<'deal'>;
  const { document_id } = await register('memo.pdf', { dealId });
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    // Two versions of each of a thousand names, of which investors see the first, beside one document that they do not see.
    await tx.exec(
      `insert into documents select made.* from documents d, generate_series(2, 2001) as n, jsonb_populate_record(d,
         jsonb_build_object('document_id', 'doc_many' || n, 'file_key', 'key_' || n, 'file_name', 'file ' || n / 2, 'version', 1 + n % 2,
           'visibility', case n % 2 when 0 then 'INVESTORS' else 'PRIVATE' end)) as made where d.document_id = $1`,
      [document_id],
    );
    await tx.exec('analyze documents');
    const lists = [
      (on: typeof tx) => listDocuments(on, as.organization_id, { page: 1, limit: 10 }),
      (on: typeof tx) => listDocuments(on, as.organization_id, { page: 1, limit: 10, dealId }),
      (on: typeof tx) => listInvestorDocuments(on, dealId, { page: 1, limit: 10 }),
    ];
    for (const [at, list] of lists.entries()) {
      const { seen, planned } = planning(tx, /^select count/);
      assert.equal((await list(planned)).total, at === 2 ? 1_000 : 1_001, `list ${at}`);
      assert.ok(seen.blocks < 1_500, `list ${at}: ${seen.blocks} blocks`);
    }
  });
});
