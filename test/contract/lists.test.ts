import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raiseAlert } from '../../src/events/emit.ts';
import { hasBounds } from '../../src/platform/http/schemas.ts';
import type { Answer } from '../support/gateway.ts';
import { startGateway } from '../support/gateway.ts';
import { listDeal } from '../support/market.ts';
import { nameOf, pagedRoutes, seedWorld } from '../support/seeded.ts';

/** Lists whose rows have no time of their own: rows of a tape or a run, loans of a conflict, the tranches of a deal. */
const WITHOUT_TIME = [
  '/v1/api/originator/loans/:dealId/loans',
  '/v1/api/originator/loans/:dealId/issues',
  '/v1/api/originator/pools/:poolId/tapes/:period/issues',
  '/v1/api/originator/sc/jobs/:scJobId/loans',
  '/v1/api/investor/deals/:dealId/loans',
  '/v1/operator/deals/:dealId/loans',
  '/v1/operator/deals/:dealId/issues',
  '/v1/api/investor/deals/:dealId/tranches',
  '/v1/api/originator/pledge-conflicts/:conflictId/loans',
  '/v1/operator/pledge-conflicts/:conflictId/loans',
];
/** Bounded by the day of the fixing. */
const BY_DATE = ['/v1/operator/fixings'];

const about = (answer: Answer) => answer.body.pagination ?? answer.body.meta;
const withQuery = (path: string, query: string): string => `${path}${path.includes('?') ? '&' : '?'}${query}`;
/** Lists that every request adds to: they are walked up to a moment. */
const OF_REQUESTS = ['/v1/api/requests', '/v1/operator/requests'];

test('every list takes bounds of the time of its rows, where they have one', () => {
  const without = pagedRoutes.filter((route) => !hasBounds(route.query)).map(({ path }) => path);
  assert.deepEqual(without.toSorted(), [...WITHOUT_TIME, ...BY_DATE].toSorted());
});

test('every paged list', async (t) => {
  await using gateway = await startGateway();
  const world = await seedWorld(gateway);
  const listed: { name: string; rows: number }[] = [];
  let foreign: string | null = null;

  for (const route of pagedRoutes) {
    await t.test(nameOf(route), async () => {
      const address = await world.addressOf(route);
      await gateway.deps.requestLog?.flush();
      const until = encodeURIComponent(new Date(Date.now() - 1).toISOString());
      const path = address && OF_REQUESTS.includes(address) ? `${address}?to=${until}` : address;
      if (path === null) return void listed.push({ name: nameOf(route), rows: -1 });
      const get = async (query: string): Promise<Answer> => {
        const answer = await world.get(withQuery(path, query), route);
        assert.equal(answer.status, 200, `${query}: ${answer.text.slice(0, 300)}`);
        return answer;
      };
      const pages = await get('limit=7&page=1');
      const { total, totalPages } = about(pages);
      const numbered = [...pages.body.data];
      for (let page = 2; page <= Math.min(totalPages, 4); page += 1)
        numbered.push(...(await get(`limit=7&page=${page}`)).body.data);
      listed.push({ name: nameOf(route), rows: total });

      const limit = Math.max(1, Math.ceil(numbered.length / 5));
      let answer = await get(`limit=${limit}`);
      const walked = [...answer.body.data];
      while (about(answer).next_cursor !== null && walked.length < numbered.length) {
        const cursor = about(answer).next_cursor;
        assert.equal(typeof cursor, 'string');
        answer = await get(`limit=${limit}&cursor=${encodeURIComponent(cursor)}`);
        walked.push(...answer.body.data);
        const { page, limit: size, total: counted, totalPages: number, next_cursor } = about(answer);
        assert.deepEqual([page, size, counted, number], [null, limit, null, null], 'with a cursor nothing is counted');
        if (answer.body.pagination) {
          const { hasNextPage, hasPrevPage } = answer.body.pagination;
          assert.deepEqual([hasNextPage, hasPrevPage], [next_cursor !== null, true]);
        }
        assert.ok(answer.body.data.length > 0, 'a cursor that is given has rows behind it');
      }
      // Figures that move with the clock, such as accrued interest, are the same within a day.
      assert.deepEqual(walked.slice(0, numbered.length), numbered, 'the rows behind cursors are those of the pages');
      if (total <= 28) assert.equal(about(answer).next_cursor, null, 'the last page says so');
      for (const page of [1_000_000, 10_000_000_000, Number.MAX_SAFE_INTEGER]) {
        const beyond = await get(`page=${page}&limit=100`);
        assert.deepEqual([beyond.body.data, about(beyond).next_cursor], [[], null], 'a page past the end has nothing behind it');
      }

      const refused = async (query: string, field: string): Promise<void> => {
        const wrong = await world.get(withQuery(path, query), route);
        assert.deepEqual(
          [wrong.status, wrong.body.code, wrong.body.errors?.[0]?.field],
          [400, 'VALIDATION_FAILED', field],
          query,
        );
      };
      for (const garbage of ['', 'x', 'a.b', '..', '%00', 'W10.AAAA', 'x'.repeat(9_000)])
        await refused(`cursor=${garbage}`, 'cursor');
      if (foreign) await refused(`cursor=${encodeURIComponent(foreign)}`, 'cursor');
      const { next_cursor: own } = about(await get('limit=1'));
      if (own === null) return;
      foreign = own;
      const text = encodeURIComponent(own);
      await refused(`cursor=${text}&page=1`, 'page');
      await refused(`cursor=${text}A`, 'cursor');
      await refused(`cursor=${text}&cursor=${text}`, 'cursor');
      if (hasBounds(route.query)) await refused(`cursor=${text}&from=2001-01-01`, 'cursor');
      assert.equal(
        (await world.get(withQuery(path, `cursor=${text}&limit=100`), route)).status,
        200,
        'another limit is no other list',
      );
    });
  }

  await t.test('was walked with several rows', () => {
    assert.equal(listed.length, pagedRoutes.length);
    assert.deepEqual(
      listed.filter(({ rows }) => rows < 2).map(({ name }) => name),
      [],
    );
  });
});

test('a list that is walked by cursors repeats and skips no row while rows are added', async () => {
  await using gateway = await startGateway();
  const as = await gateway.key('both', 'Reader');
  const seller = await gateway.key('originator', 'Seller');
  const raise = (title: string) =>
    gateway.deps.db.tx({ platform: true }, (tx) =>
      raiseAlert(tx, as.organization_id, 'loan.mapping_needed', {
        category: 'deal',
        priority: 'LOW',
        title,
        message: 'M',
        entity_type: 'deal',
        entity_id: 'deal_1',
      }),
    );
  const walk = async (path: string, add: () => Promise<unknown>): Promise<string[]> => {
    const ids: string[] = [];
    let next: string | null = null;
    do {
      const query = next === null ? 'limit=3' : `limit=3&cursor=${encodeURIComponent(next)}`;
      const answer: Answer = await gateway.call('GET', withQuery(path, query), { as });
      ids.push(...answer.body.data.map((row: { id: string }) => row.id));
      next = about(answer).next_cursor;
      await add();
    } while (next !== null);
    return ids;
  };
  const idsOf = async (path: string): Promise<string[]> =>
    (await gateway.call('GET', `${path}?limit=100`, { as })).body.data.map((row: { id: string }) => row.id);

  for (let count = 0; count < 10; count += 1) await raise(`before ${count}`);
  const alerts = await idsOf('/v1/api/alerts');
  assert.equal(alerts.length, 10);
  assert.deepEqual(await walk('/v1/api/alerts', () => raise('added')), alerts);

  for (let count = 0; count < 7; count += 1) await listDeal(gateway, seller);
  const deals = await idsOf('/v1/api/investor/deals');
  assert.equal(deals.length, 7);
  assert.deepEqual(await walk('/v1/api/investor/deals', () => listDeal(gateway, seller)), deals);
});

test('a cursor is the reader’s own and that of its filters', async () => {
  await using gateway = await startGateway();
  const seller = await gateway.key('originator', 'Seller');
  const [one, other] = [await gateway.key('investor', 'One'), await gateway.key('investor', 'Other')];
  for (let count = 0; count < 3; count += 1) await listDeal(gateway, seller);
  const deals = (query: string, as = one) => gateway.call('GET', `/v1/api/investor/deals?${query}`, { as });
  for (const sort of ['wa_yield', '-wa_yield', 'wal', '-wal', 'name', '-dealSize', 'oldest', 'closing_date']) {
    const whole = (await deals(`sort=${sort}`)).body.data;
    const first = await deals(`sort=${sort}&limit=1`);
    const cursor = encodeURIComponent(about(first).next_cursor);
    const rest = (await deals(`sort=${sort}&cursor=${cursor}`)).body.data;
    assert.deepEqual([...first.body.data, ...rest], whole, sort);
    assert.equal((await deals(`sort=newest&cursor=${cursor}`)).status, 400, sort);
    assert.equal((await deals(`sort=${sort}&cursor=${cursor}`, other)).status, 400, sort);
  }
});
