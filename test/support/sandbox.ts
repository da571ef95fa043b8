import type { Gateway, Holder } from './gateway.ts';

/** The organizations of a seeded sandbox, each by a key, and the record of the seed. */
export async function seededSandbox(gateway: Gateway) {
  const first = await gateway.key('both', 'Somebody');
  const seeded = await gateway.call('POST', '/v1/sandbox/seed', { as: first, body: { months: 1 } });
  const { organizations } = seeded.body.data;
  const holder = (role: 'originator' | 'investor'): Promise<Holder> => gateway.key(role, organizations[role]);
  return {
    seeded: seeded.body.data,
    originator: await holder('originator'),
    investor: await holder('investor'),
    platform: await gateway.key('operator', 'Platform'),
  };
}
