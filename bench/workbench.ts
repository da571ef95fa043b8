// The investor's workbench: a table of prices beside one pricing of the same scenarios, a book under scenarios, and the summary of a large book.
// npm run bench -- workbench [table|scenarios|summary]…
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jobHandlers } from '../src/worker.ts';
import { type Gateway, type Holder, startGateway } from '../test/support/gateway.ts';
import { insertListedDeal, insertPosition } from '../test/support/market.ts';
import { formPool, issuedDeal, structureOver } from '../test/support/pools.ts';
import { until } from '../test/support/until.ts';
import { dealOfLoans, writeLoans } from './gen-loans.ts';
import { quantile } from '../test/support/quantile.ts';

type Part = { measured: Record<string, number>; ratio: number };

const PARTS: Record<string, (workDir: string) => Promise<Part>> = { table, scenarios, summary };

/** Each part is beside its limit: a ratio above 1 is over it. */
export async function run(args: string[]): Promise<void> {
  const names = args.length > 0 ? args : Object.keys(PARTS);
  const ratios: Record<string, number> = {};
  const measured: Record<string, number> = {};
  for (const name of names) {
    const workDir = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
    try {
      const part = await PARTS[name]?.(workDir);
      if (!part) throw new Error(`${name} is no part; expected ${Object.keys(PARTS).join(', ')}`);
      ratios[name] = round(part.ratio);
      Object.assign(measured, part.measured);
      console.table(part.measured);
    } finally {
      await rm(workDir, { recursive: true, force: true });
    }
  }
  console.log(JSON.stringify({ bench: 'workbench', ratio: Math.max(...Object.values(ratios)), ...ratios, ...measured }));
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

type Answer = Awaited<ReturnType<Gateway['call']>>;

function dataOf({ status, body }: Answer) {
  if (status >= 400) throw new Error(JSON.stringify(body));
  return body.data;
}

const MARK = {
  type: 'PRICING',
  purpose: 'MARK',
  assumptions: { cpr: 6, cdr: 1.5, severity: 45, recovery_lag_months: 6 },
};

const TABLE = { loans: 100_000, prices: 41, scenarios: 12, rounds: 3, limit: 3 };

/** 41 prices under 12 scenarios, beside a pricing of these scenarios. */
async function table(workDir: string): Promise<Part> {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const as = await gateway.key('originator', 'Harbor');
  const dealId = await dealOfLoans(gateway, as, operator, await writeLoans(workDir, 'Harbor', TABLE.loans));
  const { pool_id, balance } = dataOf(await formPool(gateway, as, [dealId]));
  dataOf(await gateway.call('PUT', `/v1/api/originator/pools/${pool_id}/structure`, { as, body: structureOver(balance) }));
  const path = `/v1/api/originator/analytics/pools/${pool_id}/calculations`;
  const seconds = async (body: object): Promise<number> => {
    const began = performance.now();
    const { calculation_id } = dataOf(await gateway.call('POST', path, { as, body }));
    await gateway.runJobs();
    const { status } = dataOf(await gateway.call('GET', `${path}/${calculation_id}`, { as }));
    if (status !== 'COMPLETED') throw new Error(`the calculation is ${status}`);
    return (performance.now() - began) / 1_000;
  };
  const asked = (round: number) => ({
    assumptions: { cdr: 1 + round / 10, severity: 45, recovery_lag_months: 6 },
    scenarios: Array.from({ length: TABLE.scenarios }, (_, index) => ({ scenario: `s${index}`, cpr: 3 + index })),
  });
  const prices = Array.from({ length: TABLE.prices }, (_, index) => 90 + index / 2);
  await seconds({ type: 'PRICING', ...asked(0) });
  const ratios: number[] = [];
  const [pricing, tables]: [number[], number[]] = [[], []];
  for (let index = 1; index <= TABLE.rounds; index += 1) {
    pricing.push(await seconds({ type: 'PRICING', ...asked(index) }));
    tables.push(await seconds({ type: 'PRICE_TABLE', tranche: 'A-1', prices, ...asked(index) }));
    ratios.push((tables.at(-1) ?? 0) / (pricing.at(-1) ?? 1));
  }
  return {
    measured: {
      pricing_seconds: round(quantile(pricing, 0.5)),
      table_seconds: round(quantile(tables, 0.5)),
      table_to_pricing: round(quantile(ratios, 0.5)),
      limit_table_to_pricing: TABLE.limit,
    },
    ratio: quantile(ratios, 0.5) / TABLE.limit,
  };
}

const BOOK = { deals: 40, tranches: 5, loans: 5_000, scenarios: 3, rounds: 3, limitSeconds: 5 };

/** Three scenarios of 200 positions in 40 deals of 5,000 loans, from the request to the results, in a process of two workers that has their loans. */
async function scenarios(workDir: string): Promise<Part> {
  await using gateway = await startGateway();
  const operator = await gateway.key('operator', 'Platform');
  const investor = await gateway.key('investor', 'Fund');
  for (let deal = 0; deal < BOOK.deals; deal += 1) await heldDeal(gateway, operator, investor, { workDir, number: deal });
  await gateway.deps.jobs.work(jobHandlers(gateway.deps));
  const path = '/v1/api/investor/portfolio/scenarios';
  const seconds = async (round: number): Promise<number> => {
    const asked = Array.from({ length: BOOK.scenarios }, (_, index) => ({ scenario: `s${index}`, cpr: 3 + round + index / 10 }));
    const began = performance.now();
    const { calculation_id } = dataOf(await gateway.call('POST', path, { as: investor, body: { scenarios: asked } }));
    const read = async () =>
      (
        await gateway.deps.db.tx({ organization: investor.organization_id }, (tx) =>
          tx.one<{ done: boolean }>(`select status = 'COMPLETED' as done from portfolio_runs where calculation_id = $1`, [
            calculation_id,
          ]),
        )
      )?.done ?? false;
    await until(read, 300_000, 'the scenarios');
    const taken = (performance.now() - began) / 1_000;
    const { results, left_out, position_count } = dataOf(
      await gateway.call('GET', `${path}/${calculation_id}`, { as: investor }),
    );
    if (left_out.length > 0 || position_count !== BOOK.deals * BOOK.tranches || results.length !== BOOK.scenarios)
      throw new Error(JSON.stringify({ left_out, position_count }));
    return taken;
  };
  const first = await seconds(0);
  const later: number[] = [];
  for (let index = 1; index <= BOOK.rounds; index += 1) later.push(await seconds(index));
  return {
    measured: {
      first_seconds: round(first),
      warm_seconds: round(quantile(later, 0.5)),
      warm_seconds_worst: round(Math.max(...later)),
      limit_seconds: BOOK.limitSeconds,
    },
    ratio: quantile(later, 0.5) / BOOK.limitSeconds,
  };
}

/** An issued and marked deal of five notes, each of which the investor holds a part of. */
async function heldDeal(
  gateway: Gateway,
  operator: Holder,
  investor: Holder,
  { workDir, number }: { workDir: string; number: number },
): Promise<void> {
  const name = `Seller ${number}`;
  const as = await gateway.key('originator', name);
  const dealId = await dealOfLoans(gateway, as, operator, await writeLoans(workDir, name, BOOK.loans, { shares: false }));
  const { pool_id, balance } = dataOf(await formPool(gateway, as, [dealId], { name }));
  const plain = structureOver(balance) as { tranches: Record<string, unknown>[] };
  const [model = {}] = plain.tranches;
  const names = Array.from({ length: BOOK.tranches }, (_, index) => `N-${index + 1}`);
  const notes = names.map((tranche, index) => ({
    ...model,
    tranche,
    class: tranche,
    balance: Math.floor((balance * 0.17) / 1_000) * 1_000,
    seniority: index + 1,
  }));
  const structure = {
    ...plain,
    tranches: [...notes, plain.tranches.at(-1)],
    waterfall: [
      { pay: 'FEE', to: ['servicing'] },
      { pay: 'INTEREST', to: names },
      { pay: 'PRINCIPAL', to: names },
      { pay: 'RESERVE', to: ['reserve'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  };
  dataOf(await gateway.call('PUT', `/v1/api/originator/pools/${pool_id}/structure`, { as, body: structure }));
  const deal_id = await issuedDeal(gateway, as, operator, pool_id);
  const base = `/v1/api/originator/analytics/pools/${pool_id}/calculations`;
  const { calculation_id } = dataOf(await gateway.call('POST', base, { as, body: MARK }));
  await gateway.runJobs();
  dataOf(await gateway.call('POST', `/v1/operator/calculations/${calculation_id}/publish`, { as: operator }));
  const tranches = await gateway.deps.db.tx({ platform: true }, (tx) =>
    tx.rows<{ tranche_id: string }>('select tranche_id from tranches where deal_id = $1 and offered order by seniority', [
      deal_id,
    ]),
  );
  for (const { tranche_id } of tranches.slice(0, BOOK.tranches)) await insertPosition(gateway, investor, tranche_id, 10_000);
}

const SUMMARY = { deals: 200, tranches: 50, marks: 6, requests: 200, limitMs: 40 };

/** `GET /v1/api/investor/portfolio/summary` of 10,000 positions, one request after the other. */
async function summary(): Promise<Part> {
  await using gateway = await startGateway();
  const seller = await gateway.key('originator', 'Harbor');
  const investor = await gateway.key('investor', 'Fund');
  await gateway.deps.db.tx({ platform: true }, async (tx) => {
    for (let deal = 0; deal < SUMMARY.deals; deal += 1)
      await insertListedDeal(tx, seller.organization_id, {
        name: `Deal ${deal}`,
        asset_type: ['Auto', 'Equipment', 'Mortgage'][deal % 3] as string,
        tranches: Array.from({ length: SUMMARY.tranches }, (_, index) => ({ tranche: `T-${index}`, class: `C${index % 5}` })),
      });
    for (let mark = 0; mark < SUMMARY.marks; mark += 1)
      await tx.exec(
        `insert into marks (tranche_id, calculation_id, deal_id, organization_id, price, yield, spread_bp, wal, duration, as_of, published_at)
         select tranche_id, 'calc_' || $1::int, deal_id, organization_id, 95 + $1::int + seniority / 100.0, 5 + $1::int / 10.0, 120, 3, 2.5, '2026-11-30',
           clock_timestamp() - make_interval(days => 30 * (10 - $1::int)) from tranches`,
        [mark],
      );
    await tx.exec(
      `insert into positions (position_id, organization_id, deal_id, tranche_id, face, paid, trade_date, created_at)
       select 'pos_' || tranche_id, $1, deal_id, tranche_id, 10000, 9900, '2026-11-20', clock_timestamp() from tranches`,
      [investor.organization_id],
    );
  });
  const owner = await gateway.owner();
  // As autovacuum leaves the tables soon after.
  await owner.query('vacuum analyze');
  await owner.end();
  const times: number[] = [];
  for (let index = 0; index < SUMMARY.requests; index += 1) {
    const began = performance.now();
    const { position_count } = dataOf(await gateway.call('GET', '/v1/api/investor/portfolio/summary', { as: investor }));
    times.push(performance.now() - began);
    if (position_count !== SUMMARY.deals * SUMMARY.tranches) throw new Error(`${position_count} positions`);
  }
  return {
    measured: {
      summary_ms_median: round(quantile(times, 0.5)),
      summary_ms_p95: round(quantile(times, 0.95)),
      limit_ms_p95: SUMMARY.limitMs,
    },
    ratio: quantile(times, 0.95) / SUMMARY.limitMs,
  };
}
