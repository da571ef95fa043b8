import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Visit } from '../support/console.ts';
import { consoleOfFile, withoutBrowser as skip } from '../support/console.ts';
import type { Gateway, Holder } from '../support/gateway.ts';
import { SC } from '../support/criteria.ts';
import { type SignedIn, signedIn } from '../support/people.ts';
import { lookAtScreen, tooMuchShift, watchShifts } from '../support/screens.ts';
import { seededSandbox } from '../support/sandbox.ts';
import { until } from '../support/until.ts';

let seller: SignedIn;
let operator: SignedIn;
let buyer: SignedIn;
/** A key of the buyer's organization, whose requests count by themselves. */
let investor: Holder;
/** A deal on the market, whose months have been reported. */
let offered: string;
/** The pool behind it, and a report of its servicer. */
let pool: string;
let draft: string;
let certificate: string;
/** A deal of the sandbox, with its findings, and its organization. */
let deal: string;
let organization: string;
/** Criteria, a checked deal of their loan type, and a run of them over it. */
let criteria: string;
let selected: string;
let run: string;

const opened = consoleOfFile({
  prepare: async (gateway) => {
    const sandbox = await seededSandbox(gateway);
    const { seeded, originator: holder, platform } = sandbox;
    investor = sandbox.investor;
    const rights = ['ADMIN', 'EDIT', 'APPROVE', 'VIEW'] as const;
    seller = await signedIn(gateway, holder.organization_id, 'ann@seller.example', [...rights]);
    operator = await signedIn(gateway, platform.organization_id, 'olga@platform.example', [...rights]);
    organization = holder.organization_id;
    buyer = await signedIn(gateway, investor.organization_id, 'bea@buyer.example', [...rights]);
    const market = await gateway.call('GET', '/v1/api/investor/deals?sort=oldest', { as: investor });
    offered = market.body.data[0].deal_id;
    const records = async (path: string) => (await gateway.call('GET', `/v1/operator/${path}`, { as: platform })).body.data;
    [{ pool_id: pool }] = await records('pools?status=ISSUED');
    [{ remittance_id: certificate }] = await records('remittances');
    draft = await draftPool(gateway, holder);
    deal = seeded.loan_deals[0].deal_id;
    const auto = seeded.loan_deals.find(({ loan_type }: { loan_type: string }) => loan_type === 'Auto');
    selected = auto.deal_id;
    const made = await gateway.call('POST', `${SC}/criteria`, { as: holder, body: CRITERIA });
    criteria = made.body.data.criteria_id;
    const queued = await gateway.call('POST', `${SC}/deals/${selected}/run`, { as: holder, body: { criteria_id: criteria } });
    run = queued.body.data.sc_job_id;
    const ended = async () => (await gateway.call('GET', `${SC}/jobs/${run}`, { as: holder })).body.data.status === 'COMPLETED';
    await until(ended, 60_000, 'the run');
  },
});

/** A pool that is not locked yet, with the structure of a template. */
async function draftPool(gateway: Gateway, as: Holder): Promise<string> {
  const get = async (path: string) => (await gateway.call('GET', `/v1/api/originator/${path}`, { as })).body.data;
  const mortgages = await get('loans?status=APPROVED&type=Mortgage');
  const body = { name: 'Draft', deal_ids: [mortgages[0].deal_id], cut_off_date: '2026-11-30', closing_date: '2026-12-15' };
  const { pool_id, balance } = (await gateway.call('POST', '/v1/api/originator/pools', { as, body })).body.data;
  const { templates } = await get('structure-templates');
  const { template } = templates.find(({ loan_type }: { loan_type: string }) => loan_type === 'Mortgage');
  const { structure } = await get(`structure-templates/${template}?balance=${balance}`);
  await gateway.call('PUT', `/v1/api/originator/pools/${pool_id}/structure`, { as, body: structure });
  return pool_id;
}

/** Criteria with what the builder has a form for, and a condition that it edits as text. */
const CRITERIA = {
  name: 'Walked',
  loan_type: 'Auto',
  as_of: '2026-06-30',
  value_sets: { SOUTH: ['TX', 'FL'] },
  loan_rules: [
    { id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 700 } },
    { id: 'RATE', rule: { field: 'interest_rate', op: 'between', value: [2, 12.5] } },
    { id: 'AGE', severity: 'warn', rule: { field: 'origination_date', op: 'on_or_after', value: 'as_of-400d' } },
    { id: 'ADVANCE', rule: { expr: { num: 'original_balance', den: 'vehicle_value', scale: 100 }, op: 'lte', value: 130 } },
    {
      id: 'ANY',
      rule: {
        any: [
          { field: 'state', op: 'not_in', value_set: 'SOUTH' },
          { not: { not: { not: { field: 'new_used', op: 'in', value: ['NEW'] } } } },
        ],
      },
    },
  ],
  pool_tests: [
    { id: 'STATE', type: 'concentration', group_by: ['state'], op: 'lte', value: 0.03, exceptions: { CA: 0.3 } },
    { id: 'LONG', type: 'share', where: { field: 'original_term_months', op: 'gt', value: 60 }, op: 'lte', value: 0.4 },
  ],
};

async function walk(visited: Visit, paths: readonly string[]): Promise<void> {
  const { page, complaints } = visited;
  await watchShifts(page);
  const base = new URL(page.url()).origin;
  const wrong: string[] = [];
  for (const path of paths) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${base}/console${path}`);
    await page.locator('h1').waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await page.waitForLoadState('networkidle').catch(() => undefined);
    const shift = await tooMuchShift(page);
    if (shift !== null) wrong.push(`${path} moves by ${shift} while it is read`);
    wrong.push(...(await lookAtScreen(page)).map((each) => `${path} ${each}`));
    assert.match(await page.title(), / · Sluice$/, path);
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(complaints, []);
}

test('the door and the choice of a person are read by everybody, at every width, in both colours', { skip }, async () => {
  await using visited = await opened.enter(null);
  const { page, complaints } = visited;
  const wrong = await lookAtScreen(page);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Who are you?' }).waitFor();
  assert.deepEqual([...wrong, ...(await lookAtScreen(page)), ...complaints], []);
});

test('every screen of an originator is read by everybody, at every width, in both colours', { skip }, async () => {
  await using visited = await opened.enter(seller);
  const tabs = ['tape', 'findings', 'mapping', 'versions', 'analytics', 'documents', 'history'].map(
    (tab) => `/deals/${deal}?tab=${tab}`,
  );
  const looks = ['&measure=wac', '&by=days_past_due', '&look=vintages', '&look=risk'].map(
    (look) => `/deals/${deal}?tab=analytics${look}`,
  );
  await walk(visited, [
    '/',
    '/deals',
    '/deals?status=DRAFT',
    ...tabs,
    ...looks,
    `/deals/${deal}/loans`,
    `/deals/${deal}/loans/1`,
    '/alerts',
    '/notifications',
    '/members',
    '/audit',
  ]);
});

test('every screen of pools is read by everybody, at every width, in both colours', { skip }, async () => {
  await using visited = await opened.enter(seller);
  const views = ['form', 'json', 'terms'].map((view) => `/pools/${draft}?view=${view}`);
  const tabs = [
    'structure',
    'loans',
    'loans&look=risk',
    'liability',
    'disclosure',
    'demand',
    'reports',
    'tapes',
    'performance',
    'documents',
  ].map((tab) => `/pools/${pool}?tab=${tab}`);
  await walk(visited, ['/pools', '/pools/new', '/pledges', '/payments', ...views, ...tabs]);
});

test('every screen of criteria is read by everybody, at every width, in both colours', { skip }, async () => {
  await using visited = await opened.enter(seller);
  const tab = `/deals/${selected}?tab=criteria`;
  const views = ['summary', 'loans', 'cure', 'compare', 'waivers'].map((view) => `${tab}&run=${run}&view=${view}`);
  await walk(visited, [
    '/criteria',
    '/criteria?tab=templates&templates=C001',
    '/criteria/new',
    '/criteria/new?type=Auto&templates=C001,C025',
    `/criteria/${criteria}?deal=${selected}`,
    `/criteria/${criteria}?tab=json`,
    `/criteria/${criteria}?tab=versions`,
    tab,
    `${tab}&view=exceptions`,
    `${tab}&view=waivers`,
    ...views,
    `/deals/${selected}/loans/1`,
  ]);
});

test('every screen of engineers is read by everybody, at every width, in both colours', { skip }, async () => {
  await using visited = await opened.enter(seller);
  await walk(visited, ['/keys', '/webhooks', '/deliveries', '/requests', '/events', '/sandbox', '/access-log', '/nowhere']);
});

test('every screen of the operator is read by everybody, at every width, in both colours', { skip }, async () => {
  await using visited = await opened.enter(operator);
  const organizations = ['/organizations', `/organizations/${organization}`];
  await walk(visited, [
    '/',
    '/deals',
    `/deals/${deal}`,
    `/deals/${deal}?tab=analytics&look=vintages`,
    '/approvals',
    ...organizations,
    '/jobs',
    '/audit',
    '/access-log',
    '/keys',
  ]);
});

test('every screen of the market is read by everybody who runs it, at every width, in both colours', { skip }, async () => {
  await using visited = await opened.enter(operator);
  const tabs = ['book', 'allocate', 'subscriptions', 'trades', 'payments'].map((tab) => `/offerings/${offered}?tab=${tab}`);
  const settlement = ['trades', 'subscriptions', 'payments'].map((tab) => `/settlement?tab=${tab}`);
  const pools = ['structure', 'marks', 'certificates'].map((tab) => `/platform-pools/${pool}?tab=${tab}`);
  const lists = ['/offerings', '/platform-pools', '/platform-pledges', '/certificates', '/waivers', '/conflicts', '/fixings'];
  await walk(visited, [...tabs, ...settlement, ...pools, ...lists, `/certificates/${certificate}`]);
});

test('every screen of an investor is read by everybody, at every width, in both colours', { skip }, async () => {
  await using visited = await opened.enter(buyer);
  const deal_tabs = [
    'tranches',
    'collateral',
    'collateral&look=vintages',
    'collateral&look=risk',
    'loans',
    'structure',
    'performance',
    'analytics',
    'documents',
    'comparable',
  ];
  const tabs = deal_tabs.map((tab) => `/market/${offered}?tab=${tab}`);
  const commitments = ['orders', 'subscriptions', 'trades', 'indications'].map((tab) => `/commitments?tab=${tab}`);
  const portfolio = ['exposures', 'scenarios', 'calendar', 'history', 'payments', 'statements', 'reports'].map(
    (tab) => `/portfolio?tab=${tab}`,
  );
  await walk(visited, [
    '/',
    '/market',
    `/market?compare=${offered}`,
    ...tabs,
    '/commitments',
    ...commitments,
    '/portfolio',
    ...portfolio,
    '/profile',
  ]);
});

test('every record of an investor is read by everybody, at every width, in both colours', { skip }, async () => {
  const { gateway } = opened;
  const read = async (path: string) => (await gateway.call('GET', `/v1/api/investor/${path}`, { as: investor })).body.data;
  const scenarios = '/v1/api/investor/portfolio/scenarios';
  const body = { scenarios: [{ scenario: 'as marked' }, { scenario: 'stress', cdr: [20, 8] }] };
  const { calculation_id } = (await gateway.call('POST', scenarios, { as: investor, body })).body.data;
  await until(async () => (await read(`portfolio/scenarios/${calculation_id}`)).status === 'COMPLETED', 60_000, 'the scenarios');
  const [position] = await read('portfolio/positions');
  const held = ['payments', 'calendar', 'trades', 'tranche', 'pool'].map(
    (tab) => `/portfolio/${position.deal_id}/${position.tranche_id}?tab=${tab}`,
  );
  const book = `/portfolio?tab=scenarios&run=${calculation_id}`;
  const [allocation] = await read('allocations');
  const [subscription] = await read('subscriptions');
  const [trade] = await read('trades');
  const disclosed = { level: 'LOAN_LEVEL', fields: ['state', 'current_balance'] };
  await gateway.call('PUT', `/v1/api/originator/pools/${pool}/disclosure`, { headers: seller.headers, body: disclosed });
  await using visited = await opened.enter(buyer);
  await walk(visited, [
    book,
    `${book}&rows=by_class&measure=writedown&cash=interest`,
    `${book}&part=earlier`,
    ...held,
    `/commitments/allocations/${allocation.allocation_id}`,
    `/commitments/subscriptions/${subscription.subscription_id}`,
    `/commitments/trades/${trade.trade_id}`,
    `/market/${position.deal_id}?tab=loans`,
    '/market?tab=watched',
    '/portfolio?tab=exposures&by=state',
  ]);
});

test('every view of a calculation is read by everybody, at every width, in both colours', { skip }, async () => {
  const { gateway } = opened;
  const ask = async (body: object): Promise<string> => {
    const path = `/v1/api/investor/deals/${offered}/calculations`;
    const { calculation_id } = (await gateway.call('POST', path, { as: investor, body })).body.data;
    const read = () => gateway.call('GET', `${path}/${calculation_id}`, { as: investor });
    await until(async () => (await read()).body.data.status === 'COMPLETED', 60_000, 'the calculation');
    return `/market/${offered}?tab=analytics&run=${calculation_id}`;
  };
  const base = { scenario: 'base', cpr: 6, cdr: 1, severity: 40 };
  const scenarios = [base, { ...base, scenario: 'stress', cdr: [8, 4] }];
  const { tranches } = (await gateway.call('GET', `/v1/api/investor/deals/${offered}`, { as: investor })).body.data;
  const priced = await ask({ type: 'PRICING', purpose: 'ANALYSIS', scenarios });
  const ladder = { type: 'PRICE_TABLE', purpose: 'ANALYSIS', tranche: tranches[0].tranche, prices: [99, 100, 101], scenarios };
  const risk = { type: 'RISK', purpose: 'ANALYSIS', scenarios: [base], risk: { paths: 50, factors: { cdr: { sigma: 0.4 } } } };
  await using visited = await opened.enter(buyer);
  await walk(visited, [
    priced,
    `${priced}&show=cash`,
    `${priced}&show=trace&at=2`,
    `${await ask(ladder)}&show=ladder`,
    `${await ask(risk)}&show=losses`,
    `${await ask({ type: 'BREAKEVEN', purpose: 'ANALYSIS', scenarios })}&show=break-even`,
    `/market/${offered}?tab=analytics&part=earlier`,
  ]);
});
