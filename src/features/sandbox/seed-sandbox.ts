import type { FastifyInstance } from 'fastify';
import { generateTape } from '../../loans/generate/generate-tape.ts';
import type { Deps } from '../../platform/deps.ts';
import { LOAN_TYPES, type LoanType } from '../../loans/types.ts';
import type { Id } from '../../platform/ids.ts';
import { createMember, type SandboxMember, type UploadAddress } from './client.ts';
import { criteriaFor } from './criteria.ts';
import { until } from './wait.ts';
import { type OfferingDates, offeringDates, pricingAt, structureFor } from './structure.ts';

export const ORIGINATOR = 'Harbor Lending (sandbox)';
export const SECOND_ORIGINATOR = 'Prairie Credit (sandbox)';
export const INVESTOR = 'Northgate Capital (sandbox)';
export const SECOND_INVESTOR = 'Old Mill Pension (sandbox)';
export const OPERATOR = 'Platform operator (sandbox)';

const LOANS = '/v1/api/originator/loans';
const POOLS = '/v1/api/originator/pools';
const ROWS = 400;

export type SeededSandbox = {
  organizations: { originator: string; investor: string };
  loan_deals: { deal_id: Id<'deal'>; loan_type: string; status: string; planted_defects: number }[];
  securitization_deal_ids: Id<'deal'>[];
  pool_ids: Id<'pool'>[];
  positions: number;
  created: boolean;
};

type SandboxMembers = Record<'originator' | 'second' | 'investor' | 'pension' | 'operator', SandboxMember>;

/** The fields of a loan deal that the seed reads. */
type LoanDeal = {
  id: Id<'deal'>;
  loan_type: string;
  status: string;
  issue_counts: { error: number; warning: number };
  qc: { state: string };
};

function createMembers(app: FastifyInstance, deps: Deps): SandboxMembers {
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
 * a structure, an issued deal, two investors with settled positions, and a month of servicing. A sandbox that has deals stays as it is.
 */
export async function seedSandbox(app: FastifyInstance, deps: Deps): Promise<SeededSandbox> {
  const members = createMembers(app, deps);
  const { originator, second, operator } = members;
  const existing = await originator.call<LoanDeal[]>('GET', `${LOANS}?limit=100`);
  if (existing.length > 0) return describe(members, existing, false);
  const { now } = await operator.call<{ now: string }>('POST', '/v1/sandbox/clock', { advance_seconds: 0 });
  const dates = offeringDates(now.slice(0, 10));
  const clean = await Promise.all(LOAN_TYPES.map((type) => sendTape(originator, type, `${type} ${dates.year}-A`, false)));
  await Promise.all(LOAN_TYPES.map((type) => sendTape(second, type, `${type} ${dates.year}-B`, true)));
  const [auto, personal] = clean as [string, string];
  await Promise.all(clean.map((dealId) => untilChecked(originator, dealId)));
  for (const dealId of clean.slice(0, 3)) await operator.call('POST', `/v1/operator/deals/${dealId}/approve`);
  const scJobId = await runCriteria(originator, auto, 'Auto');
  const poolId = await issuePool(members, `Harbor Auto Receivables Trust ${dates.year}-1`, dates, auto, scJobId);
  await invest(members, poolId);
  await service(members, poolId);
  // A second deal stays on the market, for the first subscription of a new user.
  const personalRun = await runCriteria(originator, personal, 'Personal');
  await issuePool(members, `Harbor Consumer Loan Trust ${dates.year}-2`, dates, personal, personalRun);
  return describe(members, await originator.call<LoanDeal[]>('GET', `${LOANS}?limit=100`), true);
}

async function sendTape(member: SandboxMember, type: LoanType, name: string, defects: boolean): Promise<string> {
  const fileName = `${type.toLowerCase().replace(' ', '-')}${defects ? '-with-defects' : ''}.csv`;
  const request = { loanType: type, fileFormat: 'text/csv', fileName, name };
  const initiated = await member.call<UploadAddress & { deal_id: string }>('POST', `${LOANS}/initiate`, request);
  await member.put(initiated, await tapeFor(type, ROWS, defects));
  await member.call('POST', `${LOANS}/complete`, { dealId: initiated.deal_id, fileName });
  return initiated.deal_id;
}

/** A generated tape, the same at every call. */
async function tapeFor(type: LoanType, rows: number, defects: boolean): Promise<Buffer> {
  const parts: string[] = [];
  for await (const part of generateTape({ type, rows, defects, seed: 7 }).csv()) parts.push(part);
  return Buffer.from(parts.join(''));
}

/** Waits for a worker to check the tape. */
async function untilChecked(member: SandboxMember, dealId: string): Promise<void> {
  await until(
    async () => (await member.call<LoanDeal>('GET', `${LOANS}/${dealId}`)).qc.state !== 'RUNNING',
    `the checks of ${dealId}`,
  );
}

const isLive = ({ status }: { status: string }): boolean => ['PENDING', 'RUNNING'].includes(status);

async function runCriteria(member: SandboxMember, dealId: string, type: LoanType): Promise<string> {
  const path = '/v1/api/originator/sc';
  const { criteria_id } = await member.call<{ criteria_id: string }>('POST', `${path}/criteria`, criteriaFor(type));
  const run = await member.call<{ sc_job_id: string }>('POST', `${path}/deals/${dealId}/run`, { criteria_id });
  await until(async () => !isLive(await member.call('GET', `${path}/jobs/${run.sc_job_id}`)), 'the criteria run');
  return run.sc_job_id;
}

async function issuePool(
  { originator, operator }: SandboxMembers,
  name: string,
  dates: OfferingDates,
  dealId: string,
  scJobId: string,
): Promise<string> {
  const pool = await originator.call<{ pool_id: string; balance: number }>('POST', POOLS, {
    name,
    deal_ids: [dealId],
    sc_job_ids: [scJobId],
    cut_off_date: dates.cutOff,
    closing_date: dates.closing,
  });
  const path = `${POOLS}/${pool.pool_id}`;
  await originator.call('PUT', `${path}/structure`, structureFor(pool.balance, dates));
  const calculations = calculationsOf(pool.pool_id);
  const { calculation_id } = await originator.call<{ calculation_id: string }>('POST', calculations, pricingAt(dates.closing));
  await until(async () => !isLive(await originator.call('GET', `${calculations}/${calculation_id}`)), 'the calculation');
  await originator.call('POST', `${path}/lock`);
  await originator.call('POST', `${path}/issue`);
  await operator.call('POST', `/v1/operator/pools/${pool.pool_id}/issue`);
  await operator.call('POST', `/v1/operator/calculations/${calculation_id}/publish`);
  return pool.pool_id;
}

const calculationsOf = (poolId: string): string => `/v1/api/originator/analytics/pools/${poolId}/calculations`;

type OfferedTranche = { tranche_id: string; denomination: number; increment: number; balance: number };

async function invest({ originator, investor, pension, operator }: SandboxMembers, poolId: string): Promise<void> {
  const { deal_id: dealId } = await originator.call<{ deal_id: string }>('GET', `${POOLS}/${poolId}`);
  const path = `/v1/api/investor/deals/${dealId}`;
  const { tranches } = await investor.call<{ tranches: OfferedTranche[] }>('GET', path);
  const [senior, junior] = tranches as [OfferedTranche, OfferedTranche];
  await investor.call('POST', `${path}/ioi`, { interest_amount: senior.denomination * 100 });
  for (const [member, tranche] of [
    [investor, senior],
    [pension, senior],
    [investor, junior],
  ] as const) {
    const { subscription_id } = await member.call<{ subscription_id: string }>('POST', `${path}/subscribe`, {
      subscription_amount: Math.floor((tranche.balance * 0.3) / tranche.increment) * tranche.increment,
      tranche_id: tranche.tranche_id,
    });
    await operator.call('POST', `/v1/operator/subscriptions/${subscription_id}/confirm`);
  }
  await operator.call('POST', `/v1/operator/deals/${dealId}/allocations`, { method: 'PRO_RATA' });
  for (const member of [investor, pension]) {
    for (const each of await member.call<{ allocation_id: string }[]>('GET', '/v1/api/investor/allocations')) {
      await member.call('POST', `/v1/api/investor/allocations/${each.allocation_id}/accept`);
    }
  }
  for (const each of await operator.call<{ trade_id: string }[]>('GET', `/v1/operator/trades?deal_id=${dealId}`)) {
    await operator.call('POST', `/v1/operator/trades/${each.trade_id}/settle`);
  }
}

type TranchePeriod = Record<'opening' | 'interest_due' | 'interest_paid' | 'principal' | 'closing', number>;
type CollateralPeriod = { date: string } & Record<
  'opening' | 'scheduled_principal' | 'prepayment' | 'default' | 'recovery' | 'loss' | 'interest' | 'closing',
  number
>;

/** One month of servicing: the first projected period, reported ahead of its payment date. Advance the clock to have it applied. */
async function service({ originator }: SandboxMembers, poolId: string): Promise<void> {
  const [calculation] = await originator.call<{ calculation_id: string }[]>('GET', calculationsOf(poolId));
  const path = `${calculationsOf(poolId)}/${calculation?.calculation_id}/cashflows`;
  const firstPeriod = async <Period>(tranche: string): Promise<Period> =>
    (await originator.call<[Period]>('GET', `${path}?tranche=${encodeURIComponent(tranche)}`))[0];
  const { date, opening, scheduled_principal, prepayment, recovery, loss, interest, closing, ...rest } =
    await firstPeriod<CollateralPeriod>('collateral');
  const { structure } = await originator.call<{ structure: { tranches: { tranche: string; class: string }[] } }>(
    'GET',
    `${POOLS}/${poolId}`,
  );
  const tranches: ({ tranche: string } & TranchePeriod)[] = [];
  for (const { tranche } of structure.tranches.filter((each) => each.class !== 'RESIDUAL')) {
    const row = await firstPeriod<TranchePeriod>(tranche);
    const { interest_due, interest_paid, principal } = row;
    tranches.push({ tranche, opening: row.opening, interest_due, interest_paid, principal, closing: row.closing });
  }
  await originator.call('POST', `${POOLS}/${poolId}/remittances`, {
    period: 1,
    payment_date: date,
    tranches,
    collateral: {
      opening,
      scheduled_principal,
      prepayment,
      default: rest.default,
      recovery,
      loss,
      interest,
      closing,
    },
  });
}

async function describe(members: SandboxMembers, deals: LoanDeal[], created: boolean): Promise<SeededSandbox> {
  const [second, pools, positions] = await Promise.all([
    members.second.call<LoanDeal[]>('GET', `${LOANS}?limit=100`),
    members.originator.call<{ pool_id: Id<'pool'>; deal_id: Id<'deal'> | null }[]>('GET', POOLS),
    members.investor.call<unknown[]>('GET', '/v1/api/investor/portfolio/positions'),
  ]);
  return {
    organizations: { originator: ORIGINATOR, investor: INVESTOR },
    loan_deals: [...deals, ...second].map((deal) => ({
      deal_id: deal.id,
      loan_type: deal.loan_type,
      status: deal.status,
      planted_defects: deal.issue_counts.error + deal.issue_counts.warning,
    })),
    securitization_deal_ids: pools.flatMap((pool) => (pool.deal_id ? [pool.deal_id] : [])),
    pool_ids: pools.map((pool) => pool.pool_id),
    positions: positions.length,
    created,
  };
}
