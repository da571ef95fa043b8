import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import type { Holder } from '../support/gateway.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { comparePicture, incomparable, makerOf, pictureOf } from '../support/pictures.ts';

type Who = 'seller' | 'operator' | 'buyer';
type Look = { name: string; path: string; size?: 'desk' | 'phone'; colors?: 'light' | 'dark'; ready?: string };

const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const RIGHTS = ['ADMIN', 'EDIT', 'APPROVE', 'VIEW'] as const;
const NOW = '2026-11-16T15:00:00Z';

const people = new Map<Who, SignedIn>();
const looks = new Map<Who, Look[]>();

const opened = consoleOfFile({
  prepare: async (gateway) => {
    await gateway.setClock(NOW);
    const first = await gateway.key('both', 'Somebody');
    const seeded = await gateway.call('POST', '/v1/sandbox/seed', { as: first, body: { months: 3 } });
    assert.equal(seeded.status, 200, JSON.stringify(seeded.body));
    const { organizations, loan_deals } = seeded.body.data;
    const seller = await gateway.key('originator', organizations.originator);
    const buyer = await gateway.key('investor', organizations.investor);
    const operator = await gateway.key('operator', 'Platform');
    people.set('seller', await signedIn(gateway, seller.organization_id, 'ada@harbor.example', [...RIGHTS]));
    people.set('buyer', await signedIn(gateway, buyer.organization_id, 'iris@northgate.example', [...RIGHTS]));
    people.set('operator', await signedIn(gateway, operator.organization_id, 'olga@platform.example', [...RIGHTS]));
    const auto = loan_deals.find(({ loan_type }: { loan_type: string }) => loan_type === 'Auto').deal_id;
    const records = async (path: string, as: Holder) => (await gateway.call('GET', path, { as })).body.data;
    const [pool] = await records('/v1/operator/pools?status=ISSUED', operator);
    const [certificate] = await records('/v1/operator/remittances', operator);
    const waiting = await records('/v1/operator/deals?status=IN_REVIEW', operator);
    const [offered] = await records('/v1/api/investor/deals?sort=newest', buyer);
    looks.set('seller', [
      { name: 'waiting', path: '/' },
      { name: 'deals', path: '/deals' },
      { name: 'findings', path: `/deals/${auto}?tab=findings` },
      { name: 'loans', path: `/deals/${auto}/loans`, ready: '[role=gridcell] a' },
      { name: 'criteria-builder', path: '/criteria/new?type=Auto&templates=C001,C025' },
      { name: 'structure', path: `/pools/${pool.pool_id}?tab=structure` },
      { name: 'findings-phone', path: `/deals/${auto}?tab=findings`, size: 'phone', colors: 'dark' },
    ]);
    looks.set('operator', [
      { name: 'decision', path: `/deals/${waiting[0]?.deal_id ?? auto}` },
      { name: 'book', path: `/offerings/${offered.deal_id}?tab=book` },
      { name: 'certificate', path: `/certificates/${certificate.remittance_id}` },
    ]);
    looks.set('buyer', [
      { name: 'market', path: `/market?compare=${offered.deal_id}` },
      { name: 'deal', path: `/market/${offered.deal_id}` },
      { name: 'ticket', path: `/market/${offered.deal_id}?tab=ticket` },
      { name: 'portfolio', path: '/portfolio' },
      { name: 'portfolio-dark', path: '/portfolio', colors: 'dark' },
      { name: 'market-phone', path: '/market', size: 'phone' },
    ]);
  },
});

for (const who of ['seller', 'operator', 'buyer'] as const)
  test(`the main screens of the ${who} look as in docs/console`, { skip }, (context) => compareAll(context, who));

async function compareAll(context: TestContext, who: Who): Promise<void> {
  await using visited = await opened.enter(people.get(who) ?? null);
  const { page } = visited;
  const reason = incomparable(await makerOf(page));
  if (reason) return context.skip(reason);
  await page.clock.setFixedTime(NOW);
  const base = new URL(page.url()).origin;
  const wrong: string[] = [];
  for (const { name, path, size = 'desk', colors = 'light', ready = 'h1' } of looks.get(who) ?? []) {
    await page.setViewportSize(SIZES[size]);
    await page.emulateMedia({ colorScheme: colors, reducedMotion: 'reduce' });
    await page.goto(`${base}/console${path}`);
    await page.locator(ready).first().waitFor();
    try {
      comparePicture(name, await pictureOf(page));
    } catch (error) {
      wrong.push(String(error));
    }
  }
  assert.deepEqual(wrong, []);
}
