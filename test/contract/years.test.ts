import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import type { Route } from '../../src/platform/http/route.ts';
import { codeOf, type Holder, startGateway } from '../support/gateway.ts';
import { approvedDeal, formPool, structureOver } from '../support/pools.ts';

const DATES = ['date', 'date-time', 'date-or-instant'];
const INSTANTS = ['0000-06-01T00:00:00Z', '0001-01-01T00:00:00%2B14:00', '9999-12-31T23:59:59-14:00'];

/** The parameters of a query that are dates. */
const datesOf = ({ query }: Route): [name: string, format: string][] =>
  Object.entries<{ format?: string }>(query?.properties ?? {}).flatMap(([name, { format }]) =>
    format !== undefined && DATES.includes(format) ? [[name, format]] : [],
  );
/** A path whose parameters are accepted; there need not be such a record. */
const addressOf = ({ path, params }: Route): string =>
  path.replace(/:(\w+)/g, (_, name: string) => params.properties[name].enum?.[0] ?? '1');

test('years that the calendar does not have', async (t) => {
  await using gateway = await startGateway();
  const [both, operator] = [await gateway.key('both'), await gateway.key('operator')];
  const as = ({ access }: Route): Holder => (access === 'operator' ? operator : both);
  const dated = ROUTES.filter((route) => datesOf(route).length > 0);

  await t.test('are 400 in every query, and the answer says what is expected', async () => {
    assert.ok(dated.length > 50, String(dated.length));
    for (const route of dated)
      for (const [name, format] of datesOf(route))
        for (const value of ['0000-01-01', '0000-12-31', ...(format === 'date' ? [] : INSTANTS)]) {
          const path = `${addressOf(route)}?${name}=${value}`;
          const answer = await gateway.call('GET', path, { as: as(route) });
          assert.deepEqual([...codeOf(answer), answer.body.errors?.[0]?.field], [400, 'VALIDATION_FAILED', name], path);
          assert.match(answer.body.message ?? '', /expected a date|is not a date/i, path);
        }
  });

  await t.test('are not reached from the first and the last that there are', async () => {
    for (const route of dated)
      for (const [name] of datesOf(route))
        for (const value of ['0001-01-01', '9999-06-01', '9999-12-31']) {
          const path = `${addressOf(route)}?${name}=${value}`;
          const { status, text } = await gateway.call('GET', path, { as: as(route) });
          assert.ok(status < 500, `${path}: ${text.slice(0, 300)}`);
        }
  });

  await t.test('are 400 in bodies', async () => {
    const pool = { name: 'P', deal_ids: ['deal_x'], cut_off_date: '2026-11-30', closing_date: '2026-12-15' };
    const bodies: [method: string, path: string, as: Holder, body: object, field: string][] = [
      ['PUT', '/v1/operator/fixings', operator, { index: 'SOFR', date: '0000-01-01', rate: 4 }, 'date'],
      ['POST', '/v1/api/originator/pools', both, { ...pool, cut_off_date: '0000-01-01' }, 'cut_off_date'],
      ['POST', '/v1/api/originator/pools', both, { ...pool, closing_date: '0000-12-15' }, 'closing_date'],
      [
        'POST',
        '/v1/api/originator/pledges',
        both,
        { pledgee: 'B', loan_type: 'Auto', as_of: '0000-01-01', loans: [{ loan_id: '1' }] },
        'as_of',
      ],
      ['POST', '/v1/api/alerts/mark', both, { before: '0000-01-01', status: 'READ' }, 'before'],
      ['POST', '/v1/api/alerts/mark', both, { before: '0001-01-01T00:00:00+14:00', status: 'READ' }, 'before'],
      ['POST', '/v1/api/webhooks/subscriptions/whs_x/recover', both, { since: '0000-01-01' }, 'since'],
      ['POST', '/v1/api/investor/portfolio/scenarios', both, { as_of: '0000-01-01', scenarios: [{ scenario: 'a' }] }, 'as_of'],
    ];
    for (const [method, path, as, body, field] of bodies) {
      const answer = await gateway.call(method, path, { as, body });
      assert.deepEqual([answer.status, answer.body.code], [400, 'VALIDATION_FAILED'], `${path} ${answer.text}`);
      assert.ok(
        answer.body.errors?.some((each) => each.field === field),
        `${path} ${answer.text}`,
      );
    }
  });

  await t.test('are no months of a statement', async () => {
    const path = '/v1/api/investor/portfolio/statement?month=';
    assert.deepEqual(codeOf(await gateway.call('GET', `${path}0000-01`, { as: both })), [400, 'VALIDATION_FAILED']);
    assert.equal((await gateway.call('GET', `${path}0001-01`, { as: both })).status, 200);
  });

  await t.test('have no calendar of payments: it ends with the year 9999', async () => {
    const read = (query: string) => gateway.call('GET', `/v1/api/investor/portfolio/calendar?${query}`, { as: both });
    for (const query of ['from=9999-06-01', 'from=9999-12-31', 'from=9999-06-01&to=9999-12-31', 'from=0001-01-01'])
      assert.equal((await read(query)).status, 200, query);
  });

  await t.test('are not reached by the payments of a pool: one that closes so late is 422', async () => {
    const deal = await approvedDeal(gateway, both, operator, { rows: 5 });
    for (const closing_date of ['9000-01-01', '9999-12-31']) {
      const refused = await formPool(gateway, both, [deal], { closing_date });
      assert.deepEqual([...codeOf(refused), refused.body.errors?.[0]?.field], [422, 'UNPROCESSABLE', 'closing_date']);
    }
    const formed = await formPool(gateway, both, [deal], { closing_date: '8999-12-31' });
    assert.equal(formed.status, 201, formed.text);
    const structure = structureOver(formed.body.data.balance, { payment: {} });
    const path = `/v1/api/originator/pools/${formed.body.data.pool_id}/structure`;
    assert.equal((await gateway.call('PUT', path, { as: both, body: structure })).status, 200);
  });
});
