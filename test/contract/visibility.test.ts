import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ROUTES } from '../../src/app.ts';
import { dataOf, openDesk } from '../support/desk.ts';
import { type Gateway, type Holder, startGateway } from '../support/gateway.ts';
import { insertPosition } from '../support/market.ts';
import { approvedDeal, formPool, issuedDeal, structureOver } from '../support/pools.ts';
import { nameOf } from '../support/seeded.ts';
import { autoTape } from '../support/tapes.ts';

/** The routes by which loans, structures and figures of one organization reach another. A route under one of these paths has a row below. */
const SCOPE = [
  /^\/v1\/api\/investor\/deals\/:dealId\/(structure|analytics|performance|calculations|disclosure|loans)/,
  /^\/v1\/api\/investor\/portfolio\/(exposures|scenarios|calendar)/,
  /^\/v1\/api\/originator\/pools\/:poolId\/(disclosure|structure$|performance|tapes|reporting)/,
  /^\/v1\/api\/originator\/loans\/:dealId\/loans/,
  /^\/v1\/operator\/deals\/:dealId\/(loans|checks|issues|mapping|strats|vintage|risk|results|documents|tapes)/,
  /^\/v1\/operator\/pools\/:poolId\/(structure|calculations|remittances|tapes)/,
  /^\/v1\/operator\/(jobs|search|access-log)/,
  /^\/v1\/api\/(search|access-log)/,
];

/** Who asks: two investors, one of which holds each deal, the deals' owner, an originator and an organization of both roles beside it, and the operator. */
const READERS = ['investor', 'holder', 'owner', 'rival', 'both', 'operator'] as const;
type Reader = (typeof READERS)[number];
/** Deals in each state; `draft` is a pool that was never issued, at LOAN_LEVEL, and its loan deal. */
const DEALS = ['draft', 'aggregate', 'loan_level', 'withdrawn'] as const;
type DealState = (typeof DEALS)[number];
type Expected = Record<DealState, Partial<Record<Reader, number>>>;

const each = (statuses: Partial<Record<Reader, number>>): Expected => ({
  draft: statuses,
  aggregate: statuses,
  loan_level: statuses,
  withdrawn: statuses,
});
const SEEN = { investor: 200, holder: 200, both: 200, owner: 403, rival: 403, operator: 403 };
const UNSEEN = { ...SEEN, investor: 404, holder: 404, both: 404 };
/** What investors read of every deal on the market; of the others it is not there, whoever holds them. */
const onMarket = (seen: Partial<Record<Reader, number>> = SEEN): Expected => ({
  draft: UNSEEN,
  aggregate: seen,
  loan_level: seen,
  withdrawn: UNSEEN,
});
/** What is there at LOAN_LEVEL alone. */
const disclosed: Expected = { ...onMarket(), aggregate: UNSEEN };
const owners = each({ investor: 403, holder: 403, owner: 200, rival: 404, both: 404, operator: 403 });
/** What the owner's own act does is tested where it is made. */
const OTHERS = { investor: 403, holder: 403, rival: 404, both: 404, operator: 403 };
const others = each(OTHERS);
const operators = each({ investor: 403, holder: 403, owner: 403, rival: 403, both: 403, operator: 200 });
/** What the operator reads, of which the deals have none: the calculations are an investor's. */
const strangers = each({ investor: 403, holder: 403, owner: 403, rival: 403, both: 403, operator: 404 });
const investors = each({ investor: 200, holder: 200, both: 200, owner: 403, rival: 403, operator: 403 });
const customers = each({ investor: 200, holder: 200, both: 200, owner: 200, rival: 200, operator: 403 });

const DISCLOSURE = { level: 'LOAN_LEVEL', fields: ['state'] };
const TABLE: Record<string, { expected: Expected; query?: string; body?: object }> = {
  'GET /v1/api/investor/deals/:dealId/structure': { expected: onMarket() },
  'GET /v1/api/investor/deals/:dealId/performance': { expected: onMarket() },
  'GET /v1/api/investor/deals/:dealId/analytics/strats': { expected: onMarket(), query: 'by=state' },
  'GET /v1/api/investor/deals/:dealId/analytics/vintage': { expected: onMarket() },
  'GET /v1/api/investor/deals/:dealId/analytics/risk': { expected: onMarket() },
  'GET /v1/api/investor/deals/:dealId/disclosure': { expected: onMarket() },
  'GET /v1/api/investor/deals/:dealId/loans': { expected: disclosed, query: 'limit=500' },
  'GET /v1/api/investor/deals/:dealId/loans/file': { expected: disclosed },
  'GET /v1/api/investor/deals/:dealId/calculations': { expected: onMarket() },
  'POST /v1/api/investor/deals/:dealId/calculations': {
    expected: onMarket({ ...SEEN, investor: 202, holder: 202, both: 202 }),
    body: { type: 'CASHFLOW', assumptions: { cpr: 6 } },
  },
  // The calculation is the holder's own: nobody else has it.
  'GET /v1/api/investor/deals/:dealId/calculations/:calculationId': { expected: onMarket({ ...UNSEEN, holder: 200 }) },
  'GET /v1/api/investor/deals/:dealId/calculations/:calculationId/cashflows': { expected: onMarket({ ...UNSEEN, holder: 200 }) },
  'GET /v1/api/investor/deals/:dealId/calculations/:calculationId/trace': { expected: onMarket({ ...UNSEEN, holder: 200 }) },
  'GET /v1/api/investor/portfolio/calendar': { expected: investors },
  'GET /v1/api/investor/portfolio/scenarios': { expected: investors },
  'POST /v1/api/investor/portfolio/scenarios': {
    expected: each({ investor: 202, holder: 202, both: 202, owner: 403, rival: 403, operator: 403 }),
    body: { scenarios: [{ scenario: 'base' }] },
  },
  // A run of nobody.
  'GET /v1/api/investor/portfolio/scenarios/:calculationId': {
    expected: each({ investor: 404, holder: 404, both: 404, owner: 403, rival: 403, operator: 403 }),
  },
  'GET /v1/api/investor/portfolio/exposures': { expected: investors, query: 'by=obligor' },
  'GET /v1/api/originator/pools/:poolId/disclosure': { expected: owners },
  'PUT /v1/api/originator/pools/:poolId/disclosure': {
    expected: others,
    body: DISCLOSURE,
  },
  'GET /v1/api/originator/pools/:poolId/structure': { expected: owners },
  'PUT /v1/api/originator/pools/:poolId/structure': {
    expected: others,
    body: structureOver(1_000_000),
  },
  'GET /v1/api/originator/pools/:poolId/performance': { expected: owners },
  'GET /v1/api/originator/pools/:poolId/performance/curves': { expected: owners },
  'GET /v1/api/originator/pools/:poolId/reporting': { expected: owners },
  'PUT /v1/api/originator/pools/:poolId/reporting': { expected: others, body: { tape_due_business_day: 3 } },
  'GET /v1/api/originator/pools/:poolId/tapes': { expected: owners },
  'POST /v1/api/originator/pools/:poolId/tapes': {
    expected: others,
    body: { period: 1, fileName: 'month.csv', fileFormat: 'text/csv' },
  },
  'POST /v1/api/originator/pools/:poolId/tapes/:period/complete': { expected: others, body: { fileName: 'month.csv' } },
  'POST /v1/api/originator/pools/:poolId/tapes/:period/confirm': { expected: others },
  // No tape was sent.
  'GET /v1/api/originator/pools/:poolId/tapes/:period': { expected: each({ ...OTHERS, owner: 404 }) },
  'DELETE /v1/api/originator/pools/:poolId/tapes/:period': { expected: others },
  'GET /v1/api/originator/pools/:poolId/tapes/:period/issues': { expected: each({ ...OTHERS, owner: 404 }) },
  'GET /v1/api/originator/pools/:poolId/tapes/:period/diff': { expected: each({ ...OTHERS, owner: 404 }) },
  'PUT /v1/api/originator/pools/:poolId/tapes/:period/mapping': {
    expected: others,
    body: { mappings: [{ source: 'state', target: null }] },
  },
  'GET /v1/api/originator/loans/:dealId/loans': { expected: owners, query: 'limit=500' },
  'GET /v1/api/originator/loans/:dealId/loans/:rowNumber': { expected: owners },
  'GET /v1/api/originator/loans/:dealId/loans/:rowNumber/history': { expected: owners },
  'GET /v1/api/originator/loans/:dealId/loans/file': { expected: owners },
  'GET /v1/operator/deals/:dealId/loans': { expected: operators },
  'GET /v1/operator/deals/:dealId/loans/file': { expected: operators },
  'GET /v1/operator/deals/:dealId/checks': { expected: operators },
  'GET /v1/operator/deals/:dealId/loans/:rowNumber': { expected: operators },
  'GET /v1/operator/deals/:dealId/issues': { expected: operators },
  'GET /v1/operator/deals/:dealId/mapping': { expected: operators },
  'GET /v1/operator/deals/:dealId/strats': { expected: operators, query: 'by=state' },
  'GET /v1/operator/deals/:dealId/vintage': { expected: operators },
  'GET /v1/operator/deals/:dealId/risk': { expected: operators },
  'GET /v1/operator/deals/:dealId/results': { expected: operators },
  'GET /v1/operator/deals/:dealId/documents': { expected: operators },
  // The deals have no document.
  'GET /v1/operator/deals/:dealId/documents/:documentId': { expected: strangers },
  'GET /v1/operator/deals/:dealId/tapes': { expected: operators },
  'GET /v1/operator/pools/:poolId/structure': { expected: operators },
  'GET /v1/operator/pools/:poolId/calculations': { expected: operators },
  'GET /v1/operator/pools/:poolId/calculations/:calculationId': { expected: strangers },
  'GET /v1/operator/pools/:poolId/calculations/:calculationId/cashflows': { expected: strangers },
  'GET /v1/operator/pools/:poolId/remittances': { expected: operators },
  'GET /v1/operator/jobs': { expected: operators },
  'GET /v1/operator/jobs/:jobId': { expected: operators },
  'GET /v1/operator/search': { expected: operators, query: 'q=secretloan' },
  'GET /v1/operator/access-log': { expected: operators },
  'GET /v1/api/search': { expected: customers, query: 'q=secretloan' },
  'GET /v1/api/access-log': { expected: customers },
};

/** Values of the owner's tapes that are disclosed to nobody: ids, an undisclosed field, the obligors of the tape. */
const SECRETS = /SECRETLOAN|SECRETMODEL|SECRETOBLIGOR/;

test('what each organization sees of the deals of another', async (t) => {
  const routes = ROUTES.filter(({ path }) => SCOPE.some((pattern) => pattern.test(path)));
  assert.deepEqual(
    Object.keys(TABLE).toSorted(),
    routes.map(nameOf).toSorted(),
    'a route has no row in the table above, or a row no route: say who sees what by it',
  );
  await using gateway = await startGateway();
  const { readers, deals } = await furnish(gateway);
  for (const route of routes) {
    const { expected, query, body } = TABLE[nameOf(route)] as (typeof TABLE)[string];
    await t.test(nameOf(route), async () => {
      for (const state of DEALS) {
        for (const reader of READERS) {
          const status = expected[state][reader];
          if (status === undefined) continue;
          const { pool_id, loan_deal, deal_id, calculation_id, job_id } = deals[state];
          const ofLoans = !route.path.startsWith('/v1/api/investor/');
          const path = route.path
            .replace(':poolId', pool_id)
            .replace(':dealId', ofLoans ? loan_deal : deal_id)
            .replace(':calculationId', calculation_id)
            .replace(':rowNumber', '1')
            .replace(':period', '1')
            .replace(':jobId', job_id);
          const answer = await gateway.call(route.method, query ? `${path}?${query}` : path, {
            as: readers[reader],
            ...(body ? { body } : {}),
          });
          assert.deepEqual([state, reader, answer.status], [state, reader, status], answer.text.slice(0, 200));
          if (reader === 'owner' || reader === 'operator') continue;
          assert.doesNotMatch(answer.text, SECRETS, `${state} ${reader}`);
          assert.ok(!answer.text.includes(loan_deal) || status === 404, `${state} ${reader} sees the loan deal`);
        }
      }
    });
  }
});

type World = {
  readers: Record<Reader, Holder>;
  deals: Record<DealState, Record<'pool_id' | 'loan_deal' | 'deal_id' | 'calculation_id' | 'job_id', string>>;
};

async function furnish(gateway: Gateway): Promise<World> {
  const desk = await openDesk(gateway);
  const [investor, holder] = [await desk.investor(), await desk.investor()];
  const [rival, both] = [await gateway.key('originator', 'Rival'), await gateway.key('both', 'Both')];
  const make = async (state: DealState) => {
    const bytes = autoTape(30, (row, index) => {
      row['Loan ID'] = `SECRETLOAN-${state}-${index}`;
      row['Vehicle Model'] = `SECRETMODEL${index}`;
      row['Obligor ID'] = `SECRETOBLIGOR${index % 6}`;
    });
    const loan_deal = await approvedDeal(gateway, desk.seller, desk.operator, { bytes, name: `Tape ${state}` });
    const { pool_id, balance } = dataOf(await formPool(gateway, desk.seller, [loan_deal], { name: `Pool ${state}` }));
    const path = `/v1/api/originator/pools/${pool_id}`;
    dataOf(await desk.send('PUT', `${path}/structure`, desk.seller, structureOver(balance)));
    const level = state === 'aggregate' ? 'AGGREGATE' : 'LOAN_LEVEL';
    const fields = ['state', 'obligor_id', 'current_balance'];
    dataOf(await desk.send('PUT', `${path}/disclosure`, desk.seller, { level, fields }));
    const made = { pool_id, loan_deal, deal_id: loan_deal, calculation_id: 'calc_none', job_id: `job_${loan_deal.slice(5)}_1` };
    if (state === 'draft') return made;
    const deal_id = await issuedDeal(gateway, desk.seller, desk.operator, pool_id);
    const asked = await desk.send('POST', `/v1/api/investor/deals/${deal_id}/calculations`, holder, {
      type: 'CASHFLOW',
      assumptions: { cpr: 5 },
    });
    const { calculation_id } = dataOf(asked);
    await gateway.runJobs();
    const [tranche] = await gateway.deps.db.tx({ platform: true }, (tx) =>
      tx.rows<{ tranche_id: string }>("select tranche_id from tranches where deal_id = $1 and tranche = 'A-1'", [deal_id]),
    );
    await insertPosition(gateway, holder, tranche?.tranche_id ?? '', 10_000);
    if (state === 'withdrawn') {
      await gateway.deps.db.tx({ platform: true }, (tx) => tx.exec('delete from positions where deal_id = $1', [deal_id]));
      dataOf(await desk.send('POST', `/v1/api/investor/deals/${deal_id}/ioi`, holder, { interest_amount: 100_000 }));
      dataOf(await desk.operate('POST', `deals/${deal_id}/withdraw`, { reason: 'A reason.' }));
    }
    return { ...made, deal_id, calculation_id };
  };
  const deals = {
    draft: await make('draft'),
    aggregate: await make('aggregate'),
    loan_level: await make('loan_level'),
    withdrawn: await make('withdrawn'),
  };
  return { readers: { investor, holder, owner: desk.seller, rival, both, operator: desk.operator }, deals };
}
