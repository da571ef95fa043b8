import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../platform/deps.ts';
import { LOAN_TYPES, type LoanType } from '../../loans/types.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { createMember, type Data, type Member } from './client.ts';
import { criteriaFor } from './criteria.ts';
import { type OfferingDates, offeringDates } from './offering-dates.ts';
import { structureFor } from './structure.ts';
import { tapeFor } from './tapes.ts';
import type { Id } from '../../platform/ids.ts';

export const ORIGINATOR = 'Harbor Lending (sandbox)';
export const SECOND_ORIGINATOR = 'Prairie Credit (sandbox)';
export const INVESTOR = 'Northgate Capital (sandbox)';
export const SECOND_INVESTOR = 'Old Mill Pension (sandbox)';
export const OPERATOR = 'Platform operator (sandbox)';

const ROWS = 400;
const WAIT_MS = 120_000;

export type Seeded = {
  organizations: { originator: string; investor: string };
  loan_deals: { deal_id: Id<'deal'>; loan_type: string; status: string; planted_defects: number }[];
  securitization_deal_ids: Id<'deal'>[];
  pool_ids: Id<'pool'>[];
  positions: number;
  created: boolean;
};

export type Cast = { originator: Member; second: Member; investor: Member; pension: Member; operator: Member };

export function createCast(app: FastifyInstance, deps: Deps): Cast {
  return {
    originator: createMember(app, deps, ORIGINATOR, 'originator'),
    second: createMember(app, deps, SECOND_ORIGINATOR, 'originator'),
    investor: createMember(app, deps, INVESTOR, 'investor'),
    pension: createMember(app, deps, SECOND_INVESTOR, 'investor'),
    operator: createMember(app, deps, OPERATOR, 'operator'),
  };
}

/**
 * Fills an empty sandbox the way its members would: tapes of all six loan types (clean, and with planted defects), criteria, a pool with
 * a structure, an issued deal, two investors with settled positions, and a month of servicing. A sandbox that has deals is left alone.
 */
export async function seed(app: FastifyInstance, deps: Deps): Promise<Seeded> {
  const cast = createCast(app, deps);
  const before = await cast.originator.call('GET', '/v1/api/originator/loans?limit=100');
  if (before.length > 0) return describe(cast, before, false);
  const { now } = await cast.operator.call('POST', '/v1/sandbox/clock', { advance_seconds: 0 });
  const dates = offeringDates(now.slice(0, 10));
  const clean = await Promise.all(LOAN_TYPES.map((type) => sendTape(cast.originator, type, `${type} ${dates.year}-A`, false)));
  await Promise.all(LOAN_TYPES.map((type) => sendTape(cast.second, type, `${type} ${dates.year}-B`, true)));
  const [auto, personal] = clean as [string, string];
  await Promise.all(clean.map((dealId) => untilChecked(cast.originator, dealId)));
  for (const dealId of clean.slice(0, 3)) await cast.operator.call('POST', `/v1/operator/deals/${dealId}/approve`);
  const scJobId = await runCriteria(cast.originator, auto, 'Auto');
  const poolId = await issuePool(cast, `Harbor Auto Receivables Trust ${dates.year}-1`, dates, auto, scJobId);
  await invest(cast, poolId);
  await service(cast, poolId);
  // A second deal stays on the market, for the first subscription of whoever tries the sandbox.
  const personalRun = await runCriteria(cast.originator, personal, 'Personal');
  await issuePool(cast, `Harbor Consumer Loan Trust ${dates.year}-2`, dates, personal, personalRun);
  return describe(cast, await cast.originator.call('GET', '/v1/api/originator/loans?limit=100'), true);
}

async function sendTape(member: Member, type: LoanType, name: string, defects: boolean): Promise<string> {
  const fileName = `${type.toLowerCase().replace(' ', '-')}${defects ? '-with-defects' : ''}.csv`;
  const initiated = await member.call('POST', '/v1/api/originator/loans/initiate', {
    loanType: type,
    fileFormat: 'text/csv',
    fileName,
    name,
  });
  await member.put(initiated, await tapeFor(type, ROWS, defects));
  await member.call('POST', '/v1/api/originator/loans/complete', { dealId: initiated.deal_id, fileName });
  return initiated.deal_id;
}

/** Waits for the worker; the checks are its work, here as anywhere. */
async function untilChecked(member: Member, dealId: string): Promise<void> {
  await until(
    async () => (await member.call('GET', `/v1/api/originator/loans/${dealId}`)).qc.state !== 'RUNNING',
    `the checks of ${dealId}`,
  );
}

async function until(done: () => Promise<boolean>, what: string): Promise<void> {
  for (let waitedMs = 0, stepMs = 250; waitedMs < WAIT_MS; waitedMs += stepMs, stepMs = Math.min(stepMs * 1.5, 5_000)) {
    if (await done()) return;
    await sleep(stepMs);
  }
  throw new ApiError('UNAVAILABLE', `${what} did not end: is a worker running?`, { headers: { 'retry-after': '30' } });
}

async function runCriteria(member: Member, dealId: string, type: LoanType): Promise<string> {
  const criteria = await member.call('POST', '/v1/api/originator/sc/criteria', criteriaFor(type));
  const run = await member.call('POST', `/v1/api/originator/sc/deals/${dealId}/run`, { criteria_id: criteria.criteria_id });
  await until(
    async () =>
      !['PENDING', 'RUNNING'].includes((await member.call('GET', `/v1/api/originator/sc/jobs/${run.sc_job_id}`)).status),
    'the criteria run',
  );
  return run.sc_job_id;
}

async function issuePool(
  { originator, operator }: Cast,
  name: string,
  dates: OfferingDates,
  dealId: string,
  scJobId: string,
): Promise<string> {
  const pool = await originator.call('POST', '/v1/api/originator/pools', {
    name,
    deal_ids: [dealId],
    sc_job_ids: [scJobId],
    cut_off_date: dates.cutOff,
    closing_date: dates.closing,
  });
  const path = `/v1/api/originator/pools/${pool.pool_id}`;
  await originator.call('PUT', `${path}/structure`, structureFor(pool.balance, dates));
  const calculation = await originator.call('POST', `/v1/api/originator/analytics/pools/${pool.pool_id}/calculations`, {
    type: 'PRICING',
    purpose: 'MARK',
    as_of: dates.closing,
    settlement_date: dates.closing,
    assumptions: { abs: 1.3, cdr: 2, severity: 50, recovery_lag_months: 4 },
    benchmark_curve: {
      as_of: dates.closing,
      kind: 'PAR',
      points: [
        { years: 0.5, rate: 3.9 },
        { years: 2, rate: 4 },
        { years: 5, rate: 4.2 },
      ],
    },
  });
  const calculationPath = `/v1/api/originator/analytics/pools/${pool.pool_id}/calculations/${calculation.calculation_id}`;
  await until(
    async () => !['PENDING', 'RUNNING'].includes((await originator.call('GET', calculationPath)).status),
    'the calculation',
  );
  await originator.call('POST', `${path}/lock`);
  await originator.call('POST', `${path}/issue`);
  await operator.call('POST', `/v1/operator/pools/${pool.pool_id}/issue`);
  await operator.call('POST', `/v1/operator/calculations/${calculation.calculation_id}/publish`);
  return pool.pool_id;
}

async function invest(cast: Cast, poolId: string): Promise<void> {
  const { deal_id: dealId } = await cast.originator.call('GET', `/v1/api/originator/pools/${poolId}`);
  const deal = await cast.investor.call('GET', `/v1/api/investor/deals/${dealId}`);
  const [senior, junior] = deal.tranches as Data[];
  await cast.investor.call('POST', `/v1/api/investor/deals/${dealId}/ioi`, { interest_amount: senior.denomination * 100 });
  for (const [member, tranche] of [
    [cast.investor, senior],
    [cast.pension, senior],
    [cast.investor, junior],
  ] as const) {
    const amount = Math.floor((tranche.balance * 0.3) / tranche.increment) * tranche.increment;
    const subscription = await member.call('POST', `/v1/api/investor/deals/${dealId}/subscribe`, {
      subscription_amount: amount,
      tranche_id: tranche.tranche_id,
    });
    await cast.operator.call('POST', `/v1/operator/subscriptions/${subscription.subscription_id}/confirm`);
  }
  await cast.operator.call('POST', `/v1/operator/deals/${dealId}/allocations`, { method: 'PRO_RATA' });
  for (const member of [cast.investor, cast.pension]) {
    for (const allocation of await member.call('GET', '/v1/api/investor/allocations')) {
      await member.call('POST', `/v1/api/investor/allocations/${allocation.allocation_id}/accept`);
    }
  }
  for (const trade of await cast.operator.call('GET', `/v1/operator/trades?deal_id=${dealId}`)) {
    await cast.operator.call('POST', `/v1/operator/trades/${trade.trade_id}/settle`);
  }
}

/** One month of servicing: what the first projected period says, reported as it happened. */
async function service({ originator }: Cast, poolId: string): Promise<void> {
  const calculations = await originator.call('GET', `/v1/api/originator/analytics/pools/${poolId}/calculations`);
  const path = `/v1/api/originator/analytics/pools/${poolId}/calculations/${calculations[0].calculation_id}/cashflows`;
  const [collateral] = await originator.call('GET', `${path}?tranche=collateral`);
  const { structure } = await originator.call('GET', `/v1/api/originator/pools/${poolId}`);
  const tranches: Data[] = [];
  for (const each of (structure?.tranches ?? []).filter((tranche: Data) => tranche.class !== 'RESIDUAL')) {
    const [row] = await originator.call('GET', `${path}?tranche=${encodeURIComponent(each.tranche)}`);
    tranches.push({
      tranche: each.tranche,
      opening: row.opening,
      interest_due: row.interest_due,
      interest_paid: row.interest_paid,
      principal: row.principal,
      closing: row.closing,
    });
  }
  await originator.call('POST', `/v1/api/originator/pools/${poolId}/remittances`, {
    period: 1,
    payment_date: collateral.date,
    tranches,
    collateral: {
      opening: collateral.opening,
      scheduled_principal: collateral.scheduled_principal,
      prepayment: collateral.prepayment,
      default: collateral.default,
      recovery: collateral.recovery,
      loss: collateral.loss,
      interest: collateral.interest,
      closing: collateral.closing,
    },
  });
}

async function describe(cast: Cast, deals: Data[], created: boolean): Promise<Seeded> {
  const [second, pools, positions] = await Promise.all([
    cast.second.call('GET', '/v1/api/originator/loans?limit=100'),
    cast.originator.call('GET', '/v1/api/originator/pools'),
    cast.investor.call('GET', '/v1/api/investor/portfolio/positions'),
  ]);
  const row = (deal: Data) => ({
    deal_id: deal.id,
    loan_type: deal.loan_type,
    status: deal.status,
    planted_defects: deal.issue_counts.error + deal.issue_counts.warning,
  });
  return {
    organizations: { originator: ORIGINATOR, investor: INVESTOR },
    loan_deals: [...deals, ...second].map(row),
    securitization_deal_ids: pools.flatMap((pool: Data) => (pool.deal_id ? [pool.deal_id] : [])),
    pool_ids: pools.map((pool: Data) => pool.pool_id),
    positions: positions.length,
    created,
  };
}
