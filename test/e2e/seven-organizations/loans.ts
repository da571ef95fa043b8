import assert from 'node:assert/strict';
import { vin } from '../../../src/features/pledges/testing/vin.ts';
import { PRIME } from '../../support/criteria.ts';
import { POOL_DATES, structureOver } from '../../support/pools.ts';
import { autoTape, CSV } from '../../support/tapes.ts';
import { type Data, type Market, type Member, upload } from './members.ts';

type Row = Record<string, string>;

/** Loans of an originator: ids begin with its letter, vehicles are numbered from a first one. */
const loansOf =
  (letter: string, firstVehicle: number, more: (row: Row, index: number) => void = () => {}) =>
  (row: Row, index: number): void => {
    row['Loan ID'] = row['Loan ID']?.replace(/^A/, letter) ?? '';
    row.VIN = vin(firstVehicle + index);
    more(row, index);
  };

async function sendTape({ gateway }: Market, member: Member, name: string, bytes: string): Promise<string> {
  const opened = await member.post('originator/loans/initiate', {
    loanType: 'Auto',
    fileFormat: CSV,
    fileName: 'tape.csv',
    name,
  });
  await upload(gateway, opened, bytes);
  await member.post('originator/loans/complete', { dealId: opened.deal_id, fileName: 'tape.csv' }, 'tape.completed');
  return opened.deal_id;
}

async function correctTape({ gateway }: Market, member: Member, dealId: string, bytes: string): Promise<void> {
  const body = { fileName: 'correction.csv', fileFormat: CSV, mode: 'MERGE' };
  await upload(gateway, await member.post(`originator/loans/${dealId}/tapes`, body), bytes);
  await member.post('originator/loans/complete', { dealId, fileName: 'correction.csv' }, 'tape.completed');
}

/** Tapes of three originators: one is corrected by a merge, one is rejected by the checks and one by the operator, one came in bulk. */
export async function sendTapes(market: Market) {
  const { harbor, ridge, twin, platform, gateway } = market;
  const tape = autoTape(
    60,
    loansOf('H', 0, (row, index) => {
      if (index === 59) row['Original Amount Financed'] = row['Current Balance'] = 'see note 4';
    }),
  );
  const harborDeal = await sendTape(market, harbor, 'Harbor autos', tape);
  const ridgeDeal = await sendTape(market, ridge, 'Ridge autos', autoTape(40, loansOf('R', 58)));
  await gateway.runJobs();
  const read = (await harbor.get(`originator/loans/${harborDeal}`)).data;
  assert.deepEqual([read.status, read.loan_count, read.issue_counts.error], ['QC_COMPLETED', 59, 1]);
  const [header = '', ...rows] = autoTape(60, loansOf('H', 0)).split('\n');
  await correctTape(market, harbor, harborDeal, `${header}\n${rows[59]}\n`);
  const spoilt = autoTape(
    20,
    loansOf('S', 500, (row, index) => void (index < 5 && (row['Original Amount Financed'] = row['Current Balance'] = 'n/a'))),
  );
  const failedDeal = await sendTape(market, ridge, 'Ridge autos, unreadable', spoilt);
  const refusedDeal = await sendTape(market, harbor, 'Harbor autos, late', autoTape(5, loansOf('L', 600)));
  const loans = Array.from({ length: 40 }, (_, index) => ({
    loan_id: `T${index}`,
    original_balance: 25_000 + index,
    current_balance: 25_000 + index,
    interest_rate: 9,
    original_term_months: 60,
    remaining_term_months: 60,
    origination_date: '2026-10-01',
    credit_score: 700,
    state: 'TX',
    days_past_due: 0,
  }));
  const bulk = await twin.post(
    'originator/loans/bulk',
    { deals: [{ loanType: 'Auto', name: 'Twin autos', loans }] },
    'bulk.submitted',
  );
  await market.work();
  const twinDeal: string = (await twin.get(`originator/loans/bulk/${bulk.job_id}`)).data.deals[0].id;
  const corrected = (await harbor.get(`originator/loans/${harborDeal}`)).data;
  assert.deepEqual([corrected.status, corrected.loan_count, corrected.issue_counts.error], ['QC_COMPLETED', 60, 0]);
  await platform.post(
    `deals/${refusedDeal}/reject`,
    { reason_code: 'OTHER', reason: 'Too late for this month.' },
    'deal.rejected',
  );
  for (const dealId of [ridgeDeal, twinDeal]) await platform.post(`deals/${dealId}/approve`, undefined, 'deal.approved');
  return { harborDeal, ridgeDeal, twinDeal, failedDeal, refusedDeal, bulkJob: bulk.job_id as string };
}

/** Criteria over Harbor's loans: one waiver is approved and one denied, and the loans that then pass enter its pool. */
export async function runCriteria(market: Market, dealId: string): Promise<string> {
  const { harbor, platform, gateway } = market;
  const { criteria_id } = await harbor.post('originator/sc/criteria', PRIME);
  const run = async (): Promise<Data> => {
    const { sc_job_id } = await harbor.post(`originator/sc/deals/${dealId}/run`, { criteria_id });
    await gateway.runJobs();
    return (await harbor.get(`originator/sc/jobs/${sc_job_id}`)).data;
  };
  const first = await run();
  assert.deepEqual([first.passed, first.failed, first.total], [40, 20, 60]);
  const ask = (ids: string[]): Promise<Data> =>
    harbor.post(
      `originator/sc/exceptions/${first.exception_file_id}/waivers`,
      { loan_ids: ids, rule_id: 'SCORE', reason: 'Co-signer.' },
      'waiver.requested',
    );
  const approved = await ask(['H000001', 'H000002', 'H000003']);
  const denied = await ask(['H000004']);
  await platform.post(`waivers/${approved.waiver_id}/approve`, { reason: 'Seen.' }, 'waiver.approved');
  await platform.post(`waivers/${denied.waiver_id}/deny`, { reason: 'No co-signer.' }, 'waiver.denied');
  const second = await run();
  assert.deepEqual([second.passed, second.failed], [43, 17]);
  await platform.post(`deals/${dealId}/approve`, undefined, 'deal.approved');
  return second.sc_job_id;
}

export type Issue = { deal_id: string; pool_id: string; pool: Data; tranches: Data[] };

async function formPool(member: Member, name: string, dealId: string, more: object = {}): Promise<Data> {
  return member.post('originator/pools', { name, deal_ids: [dealId], ...POOL_DATES, ...more }, 'pool.formed');
}

const PAYMENT = { first_payment_date: '2027-01-15', business_day: 'FOLLOWING', dated_date: '2026-12-01' };

const floating = (balance: number) => {
  const share = (fraction: number) => Math.floor((balance * fraction) / 1_000) * 1_000;
  const terms = { denomination: 1_000, increment: 1_000 };
  return {
    payment: PAYMENT,
    tranches: [
      {
        tranche: 'F',
        class: 'F',
        balance: share(0.6),
        coupon: { type: 'FLOATING', index: 'SOFR_1M', margin_bp: 150 },
        day_count: 'ACT/360',
        seniority: 1,
        ...terms,
      },
      {
        tranche: 'M',
        class: 'M',
        balance: share(0.25),
        coupon: { type: 'FIXED', rate: 6.5 },
        day_count: '30/360',
        seniority: 2,
        ...terms,
      },
      { tranche: 'R', class: 'RESIDUAL', balance: 0, seniority: 9 },
    ],
    waterfall: [
      { pay: 'INTEREST', to: ['F', 'M'] },
      { pay: 'PRINCIPAL', to: ['F', 'M'] },
      { pay: 'RESIDUAL', to: ['R'] },
    ],
  };
};

/** Pools of the three: a structure is changed, an issue is requested again after it was withdrawn, and two hold the same vehicles. */
export async function issuePools(
  market: Market,
  deals: { harborDeal: string; ridgeDeal: string; twinDeal: string },
  run: string,
) {
  const { harbor, ridge, twin, platform, gateway } = market;
  const pools = {
    harbor: await formPool(harbor, 'Harbor Auto 2026-1', deals.harborDeal, { sc_job_ids: [run] }),
    ridge: await formPool(ridge, 'Ridge Auto 2026-1', deals.ridgeDeal),
    twin: await formPool(twin, 'Twin Floating 2026-1', deals.twinDeal),
  };
  assert.equal(pools.harbor.loan_count, 43);
  const path = (pool: Data) => `originator/pools/${pool.pool_id}`;
  const structure = (member: Member, pool: Data, body: object) => member.put(`${path(pool)}/structure`, body, 'pool.structured');
  await structure(
    harbor,
    pools.harbor,
    structureOver(pools.harbor.balance, { payment: PAYMENT, fees: [{ fee: 'servicing', percent: 2, of: 'POOL_BEGINNING' }] }),
  );
  await structure(harbor, pools.harbor, structureOver(pools.harbor.balance, { payment: PAYMENT }));
  await structure(ridge, pools.ridge, structureOver(pools.ridge.balance, { payment: PAYMENT }));
  await structure(twin, pools.twin, floating(pools.twin.balance));
  const sellers = [
    [harbor, pools.harbor],
    [ridge, pools.ridge],
    [twin, pools.twin],
  ] as const;
  for (const [member, pool] of sellers) {
    await member.post(`${path(pool)}/lock`, undefined, 'pool.locked');
    await member.post(`${path(pool)}/issue`, undefined, 'pool.issue_requested');
  }
  await harbor.post(`${path(pools.harbor)}/withdraw-issue-request`, undefined, 'pool.issue_request_withdrawn');
  await platform.refused(['POST', `pools/${pools.harbor.pool_id}/issue`], [409, 'CONFLICT']);
  await harbor.post(`${path(pools.harbor)}/issue`, undefined, 'pool.issue_requested');
  await platform.refused(['POST', `pools/${pools.harbor.pool_id}/issue`], [409, 'PLEDGE_CONFLICT']);
  const [conflict] = (await platform.get('pledge-conflicts?status=OPEN')).data;
  assert.deepEqual([conflict.count, conflict.met], [2, ['vin']]);
  await platform.post(`pledge-conflicts/${conflict.conflict_id}/resolve`, { reason: 'A take-out.' }, [
    'pledge_conflict.resolved',
    'pledge_conflict.resolved',
  ]);
  const issue = async (pool: Data): Promise<Issue> => {
    const { deal_id } = await platform.post(`pools/${pool.pool_id}/issue`, undefined, 'pool.issued');
    const { tranches } = (await market.northgate.get(`investor/deals/${deal_id}`)).data;
    return { deal_id, pool_id: pool.pool_id, pool, tranches };
  };
  const issued = { harbor: await issue(pools.harbor), ridge: await issue(pools.ridge), twin: await issue(pools.twin) };
  await gateway.runJobs();
  return issued;
}

/** Calculates a mark of a pool and publishes it; the published marks. */
export async function publishMark(
  market: Market,
  member: Member,
  { pool_id }: Issue,
  cpr: number,
  prices: Record<string, number>,
): Promise<Data> {
  const { calculation_id } = await member.post(`originator/analytics/pools/${pool_id}/calculations`, {
    type: 'PRICING',
    purpose: 'MARK',
    prices,
    assumptions: { cpr, cdr: 1.5, severity: 45, recovery_lag_months: 6 },
    index_curves: { SOFR_1M: [{ period: 1, rate: 4.3 }] },
  });
  await market.gateway.runJobs();
  return market.platform.post(`calculations/${calculation_id}/publish`, undefined, 'calculation.published');
}
