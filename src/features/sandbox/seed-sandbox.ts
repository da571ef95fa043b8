import type { FastifyInstance } from 'fastify';
import { localDate } from '../../finance/business-date.ts';
import { addDays } from '../../finance/dates.ts';
import { type GenerateOptions, generateTape } from '../../loans/generate/generate-tape.ts';
import { ServicedLoans } from '../../loans/generate/serviced-loans.ts';
import { CSV } from '../../platform/files/content-types.ts';
import { takeLease } from '../../platform/compute/lease.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { LOAN_TYPES, type LoanType } from '../../loans/types.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { findPolicy } from '../approvals/queries.ts';
import { findOrganizationByName } from '../keys/queries.ts';
import { createMember, type SandboxMember, type UploadAddress } from './client.ts';
import { criteriaFor } from './criteria.ts';
import { allEnded, until } from './wait.ts';
import { addPeople } from './people.ts';
import { findLastAct, SEED_BEGUN, SEEDED, WHOLE_SANDBOX } from './queries.ts';
import { openPast } from './past.ts';
import { serviceDeal } from './service-deal.ts';
import { type OfferingDates, offeringDates, pricingAt, seasonedDates, structureFor } from './structure.ts';

export const ORIGINATOR = 'Harbor Lending (sandbox)';
export const SECOND_ORIGINATOR = 'Prairie Credit (sandbox)';
export const INVESTOR = 'Northgate Capital (sandbox)';
const SECOND_INVESTOR = 'Old Mill Pension (sandbox)';
export const OPERATOR = 'Platform operator (sandbox)';

const LOANS = '/v1/api/originator/loans';
const POOLS = '/v1/api/originator/pools';
const ROWS = 400;
const SEED = 7;
/** A deal is offered in the first days after its cut-off. */
const OFFERED_DAYS_AFTER = 2;

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

/** Payment periods that the sold deal of a sandbox has behind it. */
export const MONTHS = 18;

/**
 * Fills an empty sandbox the way its members would: tapes of all six loan types (clean, and with planted defects), criteria, a deal that was
 * sold to two investors and has been serviced for some months, and one on the market. A sandbox that has deals stays as it is.
 */
export async function seedSandbox(app: FastifyInstance, deps: Deps, { months = MONTHS } = {}): Promise<SeededSandbox> {
  await using _turn = await takeTurn(deps);
  const seeded = await seedOnce(app, deps, months);
  await addPeople(deps, { originator: ORIGINATOR, investor: INVESTOR, operator: OPERATOR });
  return seeded;
}

/** Whoever asks while the sandbox is being filled waits for it: half of it would be of no use. */
async function takeTurn({ limits }: Deps): Promise<AsyncDisposable | null> {
  let turn: AsyncDisposable | null = null;
  await until(async () => (turn = await takeLease(limits, 'sandbox')) !== null, 'the filling of the sandbox');
  return turn;
}

async function seedOnce(app: FastifyInstance, deps: Deps, months: number): Promise<SeededSandbox> {
  const members = createMembers(app, deps);
  await deps.db.tx({ platform: true }, refuseHalfFilled);
  const existing = await members.originator.call<LoanDeal[]>('GET', `${LOANS}?limit=100`);
  if (existing.length > 0) return describe(members, existing, false);
  const today = await deps.db.tx({ platform: true }, async (tx) => {
    await refusePolicy(tx);
    await record(tx, SEED_BEGUN);
    return localDate(tx.now, tx.zone);
  });
  await allEnded([sellSeasonedDeal(app, deps, { today, months }), offerDeal(members, offeringDates(today))]);
  await deps.db.tx({ platform: true }, (tx) => record(tx, SEEDED));
  return describe(members, await members.originator.call<LoanDeal[]>('GET', `${LOANS}?limit=100`), true);
}

/** A filling that was interrupted cannot go on where it was, and what people have sent meanwhile is not emptied unasked. */
async function refuseHalfFilled(tx: Tx): Promise<void> {
  if ((await findLastAct(tx)) !== SEED_BEGUN) return;
  throw new ApiError(
    'CONFLICT',
    'The filling of the sandbox was interrupted, and a part of it is missing. POST /v1/sandbox/reset with an operator’s key empties the sandbox, with everything that is in it; then POST /v1/sandbox/seed fills it.',
  );
}

async function record(tx: Tx, action: string): Promise<void> {
  const { organization_id } = orNotFound(await findOrganizationByName(tx, ORIGINATOR), 'organization');
  audit(tx, { organization_id, actor: 'sandbox', action, entity_type: 'sandbox', entity_id: WHOLE_SANDBOX });
}

/** The operator of the sandbox is a key: what needs several people it cannot do, and half of a sandbox would be of no use. */
async function refusePolicy(tx: Tx): Promise<void> {
  const several = Object.entries(await findPolicy(tx)).flatMap(([act, needed]) => (needed > 1 ? [act] : []));
  if (several.length > 0)
    throw new ApiError(
      'CONFLICT',
      `${several.join(', ')} need several people, and the sandbox fills itself: set them to 1 (PUT /v1/operator/approval-policy), seed, and set them again.`,
    );
}

/** A deal of the past: its loans are those of `sluice tape generate --type Auto --rows 400 --seed 7`. */
async function sellSeasonedDeal(
  app: FastifyInstance,
  deps: Deps,
  { today, months }: { today: string; months: number },
): Promise<void> {
  const dates = seasonedDates(today, months);
  await using past = await openPast(app, deps);
  const members = createMembers(past.app, deps);
  const { originator, operator } = members;
  past.reach(addDays(dates.cutOff, OFFERED_DAYS_AFTER));
  const tape = { type: 'Auto', rows: ROWS, seed: SEED, reportingDate: dates.cutOff } as const;
  const dealId = await sendTape(originator, `Auto ${dates.year}-A`, tape);
  await untilChecked(originator, dealId);
  await operator.call('POST', `/v1/operator/deals/${dealId}/approve`);
  const scJobId = await runCriteria(originator, dealId, 'Auto');
  const poolId = await issuePool(members, `Harbor Auto Receivables Trust ${dates.year}-1`, dates, dealId, scJobId);
  past.reach(dates.closing);
  await invest(members, poolId);
  await serviceDeal({
    servicer: originator,
    operator,
    poolId,
    loans: new ServicedLoans(tape),
    months,
    reach: (day) => past.reach(day),
  });
}

/** The tapes of today, and a deal that stays on the market for the first subscription of a new user. */
async function offerDeal(members: SandboxMembers, dates: OfferingDates): Promise<void> {
  const { originator, second, operator } = members;
  const reportingDate = dates.cutOff;
  const send = (member: SandboxMember, series: string, type: LoanType, defects: boolean) =>
    sendTape(member, `${type} ${dates.year}-${series}`, { type, rows: ROWS, seed: SEED, defects, reportingDate });
  const [personal, mortgage, ...others] = await allEnded([
    send(originator, 'A', 'Personal', false),
    send(originator, 'A', 'Mortgage', false),
    ...(['Student', 'Business', 'Credit Card'] as const).map((type) => send(originator, 'A', type, false)),
  ]);
  await allEnded(LOAN_TYPES.map((type) => send(second, 'B', type, true)));
  await Promise.all([personal, mortgage, ...others].map((dealId) => untilChecked(originator, dealId)));
  for (const dealId of [personal, mortgage]) await operator.call('POST', `/v1/operator/deals/${dealId}/approve`);
  const scJobId = await runCriteria(originator, personal, 'Personal');
  await issuePool(members, `Harbor Consumer Loan Trust ${dates.year}-2`, dates, personal, scJobId);
}

async function sendTape(member: SandboxMember, name: string, tape: GenerateOptions): Promise<string> {
  const fileName = `${tape.type.toLowerCase().replace(' ', '-')}${tape.defects ? '-with-defects' : ''}.csv`;
  const request = { loanType: tape.type, fileFormat: CSV, fileName, name };
  const initiated = await member.call<UploadAddress & { deal_id: string }>('POST', `${LOANS}/initiate`, request);
  const parts: string[] = [];
  for await (const part of generateTape(tape).csv()) parts.push(part);
  await member.put(initiated, parts.join(''));
  await member.call('POST', `${LOANS}/complete`, { dealId: initiated.deal_id, fileName });
  return initiated.deal_id;
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
): Promise<Id<'pool'>> {
  const pool = await originator.call<{ pool_id: Id<'pool'>; balance: number }>('POST', POOLS, {
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
