import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { SECOND_ORIGINATOR } from '../../src/features/sandbox/seed-sandbox.ts';
import { consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import type { Holder } from '../support/gateway.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { comparePicture, incomparable, makerOf, pictureOf } from '../support/pictures.ts';

type Who = 'seller' | 'second' | 'operator' | 'buyer';
type Look = { name: string; path: string; size?: 'desk' | 'phone'; colors?: 'light' | 'dark'; ready?: string };

type Loans = { loan_type: string; status: string; planted_defects: number };

const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
const RIGHTS = ['ADMIN', 'EDIT', 'APPROVE', 'VIEW'] as const;
const NAMES = { seller: 'an originator', second: 'an originator with findings', operator: 'the operator', buyer: 'an investor' };
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
    const second = await gateway.key('originator', SECOND_ORIGINATOR);
    people.set('second', await signedIn(gateway, second.organization_id, 'per@prairie.example', [...RIGHTS]));
    people.set('buyer', await signedIn(gateway, buyer.organization_id, 'iris@northgate.example', [...RIGHTS]));
    people.set('operator', await signedIn(gateway, operator.organization_id, 'olga@platform.example', [...RIGHTS]));
    const auto = loan_deals.find(({ loan_type, status }: Loans) => loan_type === 'Auto' && status === 'APPROVED').deal_id;
    const faulty = loan_deals.find(
      ({ loan_type, planted_defects }: Loans) => loan_type === 'Auto' && planted_defects > 0,
    ).deal_id;
    const records = async (path: string, as: Holder) => (await gateway.call('GET', path, { as })).body.data;
    const pools = await records('/v1/api/originator/pools?status=ISSUED', seller);
    const seasoned = pools.at(-1).pool_id;
    const [certificate] = await records('/v1/operator/remittances', operator);
    const [offered] = await records('/v1/api/investor/deals?sort=newest', buyer);
    looks.set('seller', [
      { name: 'waiting', path: '/' },
      { name: 'deals', path: '/deals?type=Auto' },
      {
        name: 'loans',
        path: `/deals/${auto}/loans?columns=current_balance,original_balance,interest_rate,state,original_term_months,vehicle_make`,
        ready: '[role=gridcell] a',
      },
      { name: 'criteria-builder', path: '/criteria/new?type=Auto&templates=C001,C025' },
      { name: 'map', path: `/deals/${auto}?tab=analytics` },
      { name: 'structure', path: `/pools/${seasoned}?tab=structure` },
      { name: 'performance', path: `/pools/${seasoned}?tab=performance` },
    ]);
    looks.set('second', [
      { name: 'findings', path: `/deals/${faulty}?tab=findings` },
      { name: 'findings-phone', path: `/deals/${faulty}?tab=findings`, size: 'phone', colors: 'dark' },
    ]);
    looks.set('operator', [
      { name: 'decision', path: `/deals/${faulty}` },
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

for (const who of ['seller', 'second', 'operator', 'buyer'] as const)
  test(`the main screens of ${NAMES[who]} look as in docs/console`, { skip }, (context) => compareAll(context, who));

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
