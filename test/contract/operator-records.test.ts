import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { otherId, startGateway } from '../support/gateway.ts';
import { nameOf, pagedRoutes, seedWorld } from '../support/seeded.ts';

/** Its rows have no id. */
const WITHOUT_ID = ['/v1/operator/fixings', '/v1/operator/access-log'];

const lists = pagedRoutes.filter(({ path }) => path.startsWith('/v1/operator/') && !path.includes(':'));

test('everything that the operator lists it reads by its id, in the same shape', async (t) => {
  await using gateway = await startGateway();
  const world = await seedWorld(gateway);
  assert.ok(lists.length > 12);
  for (const list of lists.filter(({ path }) => !WITHOUT_ID.includes(path))) {
    await t.test(nameOf(list), async () => {
      const twin = ROUTES.find(({ method, path }) => method === 'GET' && path.replace(/:\w+$/, '') === `${list.path}/`);
      assert.ok(twin, 'there is a path for one record');
      const { data } = (await world.get(list.path, list)).body;
      const [row] = data;
      const param = /:(\w+)$/.exec(twin.path)?.[1] ?? '';
      const id = row.id ?? row[param.replace(/Id$/, '_id')];
      const read = await world.get(`${list.path}/${id}`, twin);
      assert.equal(read.status, 200, read.text.slice(0, 300));
      for (const [name, value] of Object.entries(row)) assert.deepEqual(read.body.data[name], value, name);
      const absent = await world.get(`${list.path}/${otherId(String(id))}`, twin);
      assert.deepEqual([absent.status, absent.body.code], [404, 'NOT_FOUND']);
    });
  }
});
