import assert from 'node:assert/strict';
import { ROUTES } from '../../src/app.ts';
import { isPaged } from '../../src/platform/http/cursor.ts';
import type { Route } from '../../src/platform/http/route.ts';
import type { Access } from '../../src/platform/http/caller.ts';
import { jobHandlers } from '../../src/worker.ts';
import { raiseAlert } from '../../src/events/emit.ts';
import { addMember } from '../../src/features/members/change-members.ts';
import { platformActor } from '../../src/platform/http/platform-actor.ts';
import { PDF } from './documents.ts';
import type { Answer, Gateway, Holder } from './gateway.ts';
import { type ListedDeal, listDeal } from './market.ts';
import { ServicedLoans } from '../../src/loans/generate/serviced-loans.ts';
import type { LoanType } from '../../src/loans/types.ts';
import { autoTape, CSV, put, sendTape } from './tapes.ts';
import { until } from './until.ts';

/** A seeded sandbox, as the contract tests over all routes walk through it. */
export type SeededWorld = {
  /** A key that may call routes of this access, and whose organization has records. */
  holderOf(access: Access): Holder;
  /** The path of a route with ids of records for which it answers 200; null where there is no such record. */
  addressOf(route: Route): Promise<string | null>;
  get(path: string, route: Route, headers?: Record<string, string>): Promise<Answer>;
};

/** An id; that of a job of checks ends in the version. */
const ID = /\b([a-z]{3,4})_[0-9a-z]{26}(?:_\d+)?\b/g;
const KIND = /`([a-z]+)_…`/;
const MOST_TRIED = 200;

export const nameOf = (route: Route): string => `${route.method} ${route.path}`;
export const pagedRoutes = ROUTES.filter((route) => isPaged(route));

export async function seedWorld(gateway: Gateway): Promise<SeededWorld> {
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  const first = await gateway.key('both', 'Somebody');
  const seeded = await gateway.call('POST', '/v1/sandbox/seed', { as: first, body: { months: 2 } });
  assert.equal(seeded.status, 200, JSON.stringify(seeded.body));
  const { originator, investor } = seeded.body.data.organizations;
  const holders = {
    originator: await gateway.key('originator', originator),
    investor: await gateway.key('investor', investor),
    operator: await gateway.key('operator', 'Platform'),
  };
  const holderOf = (access: Access): Holder => {
    if (access === 'operator' || access === 'investor') return holders[access];
    return holders.originator;
  };
  const get: SeededWorld['get'] = (path, route, headers = {}) =>
    gateway.call('GET', path, { as: holderOf(route.access), headers });
  const known = new Map<Holder, Set<string>>(Object.values(holders).map((holder) => [holder, new Set()]));
  const collect = (holder: Holder, answer: Answer): void => {
    for (const [id] of answer.text.matchAll(ID)) known.get(holder)?.add(id);
  };
  for (const queued of await addRecords(gateway, holders)) collect(holders.originator, queued);
  for (const route of pagedRoutes.filter(({ path }) => !path.includes(':'))) {
    collect(holderOf(route.access), await get(`${route.path}?limit=100`, route));
  }
  const addressOf = async (route: Route): Promise<string | null> => {
    const params = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => String(name));
    const candidates = params.map((name) => {
      const kind = KIND.exec(route.params.properties[name].description ?? '')?.[1];
      return kind ? [...(known.get(holderOf(route.access)) ?? [])].filter((id) => id.startsWith(`${kind}_`)) : ['1'];
    });
    let tried = 0;
    let best: { path: string; rows: number } | null = null;
    for (const ids of product(candidates)) {
      const path = params.reduce((text, name, index) => text.replace(`:${name}`, String(ids[index])), route.path);
      const answer = await get(path, route);
      collect(holderOf(route.access), answer);
      const rows = Array.isArray(answer.body.data) ? answer.body.data.length : 1;
      if (answer.status === 200 && rows > (best?.rows ?? -1)) best = { path, rows };
      if ((best && (!isPaged(route) || best.rows > 2)) || (tried += 1) > MOST_TRIED) break;
    }
    return best?.path ?? null;
  };
  // Records that only lists below another record show.
  for (const route of pagedRoutes) await addressOf(route);
  return { holderOf, addressOf, get };
}

type Holders = Record<'originator' | 'investor' | 'operator', Holder>;

/** Three records or more of the kinds of which a seeded sandbox has none or one. The answers name jobs, which no list shows. */
async function addRecords(gateway: Gateway, { originator, investor, operator }: Holders): Promise<Answer[]> {
  const call = async (as: Holder, method: string, path: string, body?: object) => {
    const answer = await gateway.call(method, `/v1/${path}`, { as, ...(body ? { body } : {}) });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer;
  };
  const read = async (as: Holder, path: string) => (await call(as, 'GET', path)).body.data;
  const upload = async (as: Holder, path: string, body: { fileName: string; dealId?: string }) => {
    const initiated = await call(as, 'POST', `${path}/initiate`, body);
    await put(gateway, initiated, PDF);
    const { file_key } = initiated.body.data;
    return (await call(as, 'POST', `${path}/complete`, { ...body, fileKey: file_key })).body.data;
  };
  const [sold] = await read(investor, 'api/investor/deals');
  type Pool = { pool_id: string; loan_type: LoanType; status: string; deal_id: string | null };
  const pools = (await read(originator, 'api/originator/pools')) as Pool[];
  const pool = pools.find(({ status }) => status !== 'DRAFT' && status !== 'CANCELLED');
  const soldPool = pools.find(({ deal_id }) => deal_id === sold.deal_id);
  const disclosure = { level: 'LOAN_LEVEL', fields: ['state', 'current_balance'] };
  await call(originator, 'PUT', `api/originator/pools/${soldPool?.pool_id}/disclosure`, disclosure);
  for (const _reading of [1, 2, 3]) await read(investor, `api/investor/deals/${sold.deal_id}/loans`);
  const [file] = await read(originator, 'api/originator/sc/exceptions');
  const [run] = await read(originator, `api/originator/sc/deals/${file.deal_id}/results`);
  const failed = await read(originator, `api/originator/sc/jobs/${file.sc_job_id}/loans?outcome=FAILED`);
  /** The whole tape, of which the criteria let only a part into the pool: the rest are findings. */
  const sendMonthlyTape = async () => {
    const loans = new ServicedLoans({ type: pool?.loan_type ?? 'Auto', rows: 400, seed: 7 });
    loans.advance();
    const tapes = `api/originator/pools/${pool?.pool_id}/tapes`;
    const opened = await call(originator, 'POST', tapes, { period: 1, fileName: 'month.csv', fileFormat: CSV });
    await put(gateway, opened, loans.csv());
    await call(originator, 'POST', `${tapes}/1/complete`, { fileName: 'month.csv' });
    await until(async () => (await read(originator, `${tapes}/1`)).state === 'DONE', 120_000, 'the monthly tape');
  };
  for (const name of ['warehouse', 'notebook', 'reports']) await call(originator, 'POST', 'api/share-recipients', { name });
  const open: ListedDeal[] = [];
  for (const n of [1, 2, 3]) open.push(await listDeal(gateway, originator, { name: `Open ${n}` }));

  const tape = autoTape(20, (row, index) => {
    if (index % 3 === 0) row['Original Amount Financed'] = 'see note';
  });
  const { completed } = await sendTape(gateway, originator, { loanType: 'Auto', bytes: tape });
  const bulk = await call(originator, 'POST', 'api/originator/loans/bulk', {
    deals: [{ loanType: 'Auto', loans: [{ loan_id: '1', original_balance: 5 }] }],
  });
  await call(operator, 'PUT', 'operator/approval-policy', { acts: { KEY_ISSUE: 2 } });
  for (const organization of ['One', 'Two', 'Three'])
    await call(operator, 'POST', 'operator/keys', {
      organization,
      role: 'both',
      environment: 'development',
      requester: 'Ada',
      use_case: 'Trade',
    });
  await call(operator, 'PUT', 'operator/approval-policy', { acts: {} });
  for (const n of [1, 2, 3]) {
    await call(operator, 'PUT', 'operator/fixings', {
      index: `INDEX-${n}`,
      date: n === 3 ? '2026-02-02' : '2026-02-03',
      rate: 4,
    });
    await upload(investor, 'api/investor/profile/documents', { fileName: `w${n}.pdf` });
    const document = await upload(originator, 'api/deals/documents', { fileName: `memo-${n}.pdf`, dealId: sold.id });
    await call(originator, 'PUT', `api/deals/documents/${document.document_id}/visibility`, { visibility: 'INVESTORS' });
    for (const as of [originator, originator, originator])
      await call(as, 'POST', `api/deals/documents/${document.document_id}/download`);
    // The id under which the log of requests has one for certain.
    for (const [as, path] of [
      [originator, 'api/alerts'],
      [operator, 'operator/alerts'],
    ] as const)
      await gateway.call('GET', `/v1/${path}`, { as, headers: { 'x-request-id': '1' } });
    const deal = open[n - 1] as ListedDeal;
    await call(investor, 'PUT', `api/investor/watchlist/${deal.deal_id}`);
    await call(investor, 'POST', `api/investor/deals/${deal.deal_id}/ioi`, { interest_amount: 100_000 * n });
    await call(investor, 'POST', `api/investor/deals/${deal.deal_id}/orders`, { tranche_id: deal.tranches[0], amount: 100_000 });
    await call(originator, 'POST', `api/originator/sc/exceptions/${file.exception_file_id}/waivers`, {
      loan_ids: [failed[n - 1].loan_id],
      rule_id: failed[n - 1].failures[0].rule_id,
      reason: `reason ${n}`,
    });
    await call(originator, 'POST', `api/originator/analytics/pools/${pool?.pool_id}/calculations`, {
      type: 'CASHFLOW',
      assumptions: { cpr: n },
    });
    await call(investor, 'POST', `api/investor/deals/${sold.deal_id}/calculations`, {
      type: 'CASHFLOW',
      assumptions: { cpr: n },
    });
    await call(investor, 'POST', 'api/investor/portfolio/scenarios', { scenarios: [{ scenario: 'base', cpr: n }] });
    for (const [as, base] of [
      [originator, 'api'],
      [operator, 'operator'],
    ] as const) {
      const url = `http://127.0.0.1:${2_000 + n}/hook`;
      const { id } = (await call(as, 'POST', `${base}/webhooks/subscriptions`, { url, events: ['deal.status_changed'] })).body
        .data;
      await call(as, 'POST', `${base}/webhooks/subscriptions/${id}/test`, { event: 'deal.status_changed' });
      await gateway.deps.db.tx({ platform: true }, (tx) => raiseAlert(tx, as.organization_id, 'loan.mapping_needed', NOTICE));
    }
    const again = await call(originator, 'POST', `api/originator/sc/deals/${file.deal_id}/run`, { criteria_id: run.criteria_id });
    const job = `api/originator/sc/jobs/${again.body.data.sc_job_id}`;
    await until(async () => (await read(originator, job)).status === 'COMPLETED', 120_000, 'the run');
  }
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    for (const { organization_id } of [originator, operator])
      for (const n of [1, 2, 3])
        await addMember(tx, platformActor('test'), {
          organization_id,
          email: `p${n}@example.com`,
          name: `P ${n}`,
          rights: ['VIEW'],
        });
  });
  await sendMonthlyTape();
  const dealOfFile = await read(originator, `api/originator/loans/${file.deal_id}`);
  for (const pledgee of ['First Bank', 'Second Bank', 'Third Bank']) {
    const pledge = { pledgee, loan_type: dealOfFile.loan_type, as_of: '2026-11-20', deal_id: file.deal_id };
    await call(originator, 'POST', 'api/originator/pledges', pledge);
  }
  await call(originator, 'PUT', 'api/notification-preferences', { emails: ['desk@example.com'] });
  await call(operator, 'PUT', 'operator/notification-preferences', { emails: ['desk@example.com'] });
  const [paid] = open as [ListedDeal];
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    for (const [holder, { organization_id }] of [['OF_RECORD', investor] as const, ['RETAINED', originator] as const])
      for (const period of [1, 2, 3])
        await tx.exec(
          `insert into payments (payment_id, organization_id, holder, deal_id, tranche_id, remittance_id, version, period, payment_date, record_date,
             face, interest, principal, writedown, accreted, factor_before, factor_after, created_at)
           values ($1, $2, $3, $4, $5, $6, 1, $7, '2027-01-15', '2027-01-14', 1000, 5, 10, 0, 0, 1, 0.99, $8)`,
          [tx.newId('pay'), organization_id, holder, paid.deal_id, paid.tranches[0], `rem_${period}`, period, tx.now],
        );
  });
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    const none = { cpr: null, cdr: null, severity: null, loan_count: null, wac: null, wam: null };
    for (const period of [1, 2, 3]) {
      const pool_after = { ...none, delinquent_30: null, delinquent_60: null, delinquent_90: null, pool_balance: 1_000 };
      const row = { period, date: `2027-0${period}-15` };
      const performance = { pool: { ...row, ...pool_after, cumulative_net_loss: 0 }, tranches: [] };
      await tx.exec(
        `insert into remittances (remittance_id, pool_id, period, organization_id, deal_id, payment_date, report, performance, triggers, state_after, verification, status, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, '{}', $7, '[]', '{}', '{"status": "DIFFERS", "lines": [], "missing": []}', 'HELD', $8, $8)`,
        [
          tx.newId('rem'),
          paid.pool_id,
          period,
          originator.organization_id,
          paid.deal_id,
          row.date,
          JSON.stringify(performance),
          tx.now,
        ],
      );
    }
  });
  const calculations = `api/originator/analytics/pools/${pool?.pool_id}/calculations`;
  const live = ({ status }: { status: string }): boolean => status === 'PENDING' || status === 'RUNNING';
  await until(async () => !(await read(originator, calculations)).some(live), 120_000, 'the calculations');
  const own = `api/investor/deals/${sold.deal_id}/calculations`;
  await until(async () => !(await read(investor, own)).some(live), 120_000, 'the calculations of the investor');
  const books = 'api/investor/portfolio/scenarios?status=RUNNING';
  await until(async () => (await read(investor, books)).length === 0, 120_000, 'the scenarios of the portfolio');
  await until(
    async () => (await read(originator, 'api/originator/loans?status=IN_REVIEW')).length === 0,
    120_000,
    'the checks of the tape',
  );
  return [completed, bulk];
}

const NOTICE = {
  category: 'deal',
  priority: 'LOW',
  title: 'A title',
  message: 'A message',
  entity_type: 'deal',
  entity_id: 'deal_1',
} as const;

/** Every choice of one value from each list. */
function* product(lists: readonly (readonly string[])[]): Generator<string[], void> {
  const [first, ...rest] = lists;
  if (!first) return yield [];
  for (const value of first) for (const others of product(rest)) yield [value, ...others];
}
