import { afterDay } from '../../finance/business-date.ts';
import { ENGINE_VERSION } from '../../finance/structure/key.ts';
import type { PricedFlows } from '../../finance/structure/priced-flows.ts';
import type { CalculationRequest } from '../../finance/structure/request.ts';
import type { YieldBasis } from '../../finance/bond.ts';
import type { LoanType } from '../../loans/types.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import { storedRecord } from '../../platform/http/stored-record.ts';
import type { Id } from '../../platform/ids.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { deleteInBatches } from '../../platform/retention.ts';
import type { DealFigures, HeldDeal } from './portfolio-figures.ts';
import type { LeftOut, PortfolioRun } from './portfolio-run.ts';

export const PORTFOLIO_RUN_RECORD = storedRecord('portfolio_runs', 'calculation_id', { only: ['status', 'completed_at'] });

/** A position with a balance at the end of a date; decimal text. */
export type BookPosition = {
  deal_id: Id<'deal'>;
  tranche_id: Id<'trn'>;
  tranche: string;
  class: string;
  asset_type: LoanType;
  originator: string;
  face: string;
  factor: string;
  original_balance: string;
  /** The last payment that had been applied by then; 0 before the first. */
  period: number;
  /** Names the pool with its structure, the figures of that payment, and the monthly tape that has its loans then. */
  version: string;
};

/**
 * What an organization holds at the end of a date of the business zone: by positions on a date that has not ended, by the trades that had
 * settled on an earlier one.
 */
export function listBook(tx: Tx, organizationId: Id<'org'>, date: string, today: string): Promise<BookPosition[]> {
  const held =
    date >= today
      ? 'select tranche_id, deal_id, face from positions where organization_id = $1 and face > 0'
      : `select tranche_id, deal_id, sum(face) as face from trades where organization_id = $1 and status = 'SETTLED' and settled_at < $2 group by tranche_id, deal_id`;
  return tx.rows<BookPosition>(
    `select h.deal_id, h.tranche_id, t.tranche, t.class, d.asset_type, d.originator, h.face::text as face, f.factor::text as factor,
       t.original_balance::text as original_balance, coalesce(r.period, 0) as period,
       concat_ws(' ', p.loan_set, p.structure_version, r.remittance_id, r.version, m.loans_key) as version
     from (${held}) h
       join tranches t using (tranche_id) join securitization_deals d on d.deal_id = h.deal_id join pools p on p.pool_id = d.pool_id
       cross join lateral (select factor from tranche_factors x where x.tranche_id = h.tranche_id and x.set_at < $2
         order by set_at desc, entry_id desc limit 1) f
       left join lateral (select r.period, r.remittance_id, r.version from remittances r
         where r.pool_id = d.pool_id and r.status = 'APPLIED' and r.payment_date <= $3 and r.applied_at < $2 order by r.period desc limit 1) r on true
       left join lateral (select m.loans_key from pool_months m where m.pool_id = d.pool_id and m.period <= r.period order by m.period desc limit 1) m on true
     where h.face * f.factor >= 0.005
     order by d.name, h.deal_id, t.seniority, t.tranche`,
    [organizationId, afterDay(date, tx.zone), date],
  );
}

/** The mark of a tranche at the end of a date. */
export type BookMark = {
  deal_id: Id<'deal'>;
  tranche_id: Id<'trn'>;
  tranche: string;
  calculation_id: Id<'calc'>;
  yield: number | null;
  published_at: Date;
  /** Null where its calculation is not there. */
  basis: YieldBasis | null;
  /** The payment after which its calculation starts; 0 for the closing date. */
  period: number;
};

/** The marks of all tranches of deals, the last published first. */
export function listBookMarks(tx: Tx, dealIds: readonly Id<'deal'>[], date: string): Promise<BookMark[]> {
  return tx.rows<BookMark>(
    `select t.deal_id, t.tranche_id, t.tranche, x.calculation_id, x.yield::float8 as yield, x.published_at,
       case when c.calculation_id is not null then coalesce(c.inputs->'request'->>'yield_basis', 'BEY') end as basis,
       coalesce((c.inputs->'opening'->'state'->>'period')::int, 0) as period
     from tranches t
       cross join lateral (select calculation_id, yield, published_at from mark_publications x
         where x.tranche_id = t.tranche_id and x.published_at < $2 order by published_at desc limit 1) x
       left join calculations c using (calculation_id)
     where t.deal_id = any($1) order by x.published_at desc, t.tranche_id`,
    [dealIds, afterDay(date, tx.zone)],
  );
}

/** A deal of a run: what is held of it, and by which marks it is valued. */
export type RunHolding = HeldDeal & {
  /** The payment from which its calculation starts; 0 for the closing date. */
  period: number;
  /** The calculation behind the latest mark: what a scenario does not say is as there. */
  mark: Id<'calc'>;
};

export type RunDeal = {
  calculation_id: Id<'calc'>;
  place: number;
  organization_id: Id<'org'>;
  deal_id: Id<'deal'>;
  holding: RunHolding;
  run: number;
  attempts: number;
};

/** Writes a run, unless the organization has one of the same key; false then. */
export async function insertPortfolioRun(
  tx: Tx,
  run: Omit<PortfolioRun, 'result' | 'completed_at' | 'status'> & { run_key: string },
  deals: readonly Pick<RunDeal, 'deal_id' | 'holding'>[],
): Promise<boolean> {
  const written = await tx.exec(
    `insert into portfolio_runs (calculation_id, organization_id, run_key, status, as_of, scenarios, deals, positions, left_out, created_at)
     values ($1, $2, $3, 'RUNNING', $4, $5, $6, $7, $8, $9) on conflict on constraint portfolio_runs_once do nothing`,
    [
      run.calculation_id,
      run.organization_id,
      run.run_key,
      run.as_of,
      JSON.stringify(run.scenarios),
      run.deals,
      run.positions,
      JSON.stringify(run.left_out),
      run.created_at,
    ],
  );
  if (written === 0) return false;
  await tx.exec(
    `insert into portfolio_run_deals (calculation_id, place, organization_id, deal_id, holding)
     select $1, d.place, $2, d.deal_id, d.holding from json_to_recordset($3) as d (place integer, deal_id text, holding json)`,
    [run.calculation_id, run.organization_id, JSON.stringify(deals.map((deal, place) => ({ ...deal, place })))],
  );
  return true;
}

const RUN = `r.calculation_id, r.organization_id, r.status, r.as_of::text as as_of, r.scenarios, r.deals, r.positions, r.left_out, r.created_at, r.completed_at`;
const RUN_WITH_RESULT = `${RUN}, r.result`;
/** Deals of a run that are done; those of one that is COMPLETED are all. */
const DONE = `case when r.status = 'COMPLETED' then r.deals else
  (select count(*)::int from portfolio_run_deals d where d.calculation_id = r.calculation_id and d.done_at is not null) end as deals_done`;

/** A run with its progress. */
export type PortfolioRunRow = Omit<PortfolioRun, 'result'> & { deals_done: number };

export function findPortfolioRun(
  tx: Tx,
  organizationId: Id<'org'>,
  calculationId: Id<'calc'>,
): Promise<(PortfolioRunRow & Pick<PortfolioRun, 'result'>) | null> {
  return tx.one(
    `select ${RUN_WITH_RESULT}, ${DONE} from portfolio_runs r where r.organization_id = $1 and r.calculation_id = $2`,
    [organizationId, calculationId],
  );
}

export async function findRunOfKey(tx: Tx, organizationId: Id<'org'>, key: string): Promise<Id<'calc'> | null> {
  const sql = 'select calculation_id from portfolio_runs where organization_id = $1 and run_key = $2';
  return (await tx.one<{ calculation_id: Id<'calc'> }>(sql, [organizationId, key]))?.calculation_id ?? null;
}

/** Takes the key from a completed run whose figures are another engine's than this one; false when there is none. */
export async function releaseRunKey(tx: Tx, organizationId: Id<'org'>, key: string): Promise<boolean> {
  const released = await tx.exec(
    `update portfolio_runs set run_key = null where organization_id = $1 and run_key = $2 and status = 'COMPLETED'
       and result->>'engine_version' is distinct from $3`,
    [organizationId, key, ENGINE_VERSION],
  );
  return released > 0;
}

export function listPortfolioRuns(
  tx: Tx,
  organizationId: Id<'org'>,
  filter: PageRequest & Between & { status?: string },
): Promise<Page<PortfolioRunRow>> {
  const filters: Filter[] = [
    ['r.organization_id = ?', organizationId],
    ['r.status = ?', filter.status],
    ...between('r.created_at', filter),
  ];
  const order = newestFirst('r.created_at', 'r.calculation_id');
  return selectPage<PortfolioRunRow>(tx, { select: `${RUN}, ${DONE}`, from: 'portfolio_runs r', filters, order }, filter);
}

export function lockPortfolioRun(tx: Tx, organizationId: Id<'org'>, calculationId: Id<'calc'>): Promise<PortfolioRun | null> {
  return tx.one<PortfolioRun>(
    `select ${RUN_WITH_RESULT} from portfolio_runs r where r.organization_id = $1 and r.calculation_id = $2 for update`,
    [organizationId, calculationId],
  );
}

type PlaceOfRun = Pick<RunDeal, 'organization_id' | 'calculation_id' | 'place'>;

/** Starts the work on a deal under the next number, so that an earlier start can no longer end it; null where it is done. */
export function startRunDeal(tx: Tx, { organization_id, calculation_id, place }: PlaceOfRun): Promise<RunDeal | null> {
  return tx.one<RunDeal>(
    `update portfolio_run_deals set run = run + 1, attempts = attempts + 1
     where organization_id = $1 and calculation_id = $2 and place = $3 and done_at is null
     returning calculation_id, place, organization_id, deal_id, holding, run, attempts`,
    [organization_id, calculation_id, place],
  );
}

/** Uncounts an attempt that ended through no fault of the deal. */
export async function returnRunDealAttempt(tx: Tx, started: RunDeal): Promise<void> {
  await tx.exec(
    `update portfolio_run_deals set attempts = greatest(attempts - 1, 0)
     where organization_id = $1 and calculation_id = $2 and place = $3 and run = $4 and done_at is null`,
    [started.organization_id, started.calculation_id, started.place, started.run],
  );
}

/** Figures with the engine that calculated them; those of a worker of an earlier build do not say it. */
export type MadeFigures = DealFigures & { engine_version?: string };

/** What came of a deal: its figures by scenario, or why there are none. */
export type DealOutcome = { figures: MadeFigures[] } | { left_out: LeftOut };

/** Ends the work on a deal; false when another worker has taken it over. */
export async function endRunDeal(tx: Tx, started: RunDeal, outcome: DealOutcome): Promise<boolean> {
  const ended = await tx.exec(
    `update portfolio_run_deals set figures = $5, left_out = $6, done_at = $7
     where organization_id = $1 and calculation_id = $2 and place = $3 and run = $4 and done_at is null`,
    [
      started.organization_id,
      started.calculation_id,
      started.place,
      started.run,
      'figures' in outcome ? JSON.stringify(outcome.figures) : null,
      'left_out' in outcome ? JSON.stringify(outcome.left_out) : null,
      tx.now,
    ],
  );
  return ended === 1;
}

export async function countOpenDeals(tx: Tx, calculationId: Id<'calc'>): Promise<number> {
  const sql = 'select count(*)::int as count from portfolio_run_deals where calculation_id = $1 and done_at is null';
  return (await tx.one<{ count: number }>(sql, [calculationId]))?.count ?? 0;
}

/** Takes what came of the deals of a run, in their order: the rows go. */
export async function takeRunDeals(
  tx: Tx,
  calculationId: Id<'calc'>,
): Promise<{ deal_id: Id<'deal'>; holding: RunHolding; figures: MadeFigures[] | null; left_out: LeftOut | null }[]> {
  return tx.rows(
    `with taken as (delete from portfolio_run_deals where calculation_id = $1 returning place, deal_id, holding, figures, left_out)
     select deal_id, holding, figures, left_out from taken order by place`,
    [calculationId],
  );
}

/** The first deal that is not done of each lane of every run: what a job is queued for. */
export function listOpenPlaces(tx: Tx, lanes: number): Promise<PlaceOfRun[]> {
  return tx.rows<PlaceOfRun>(
    `select organization_id, calculation_id, min(place) as place from portfolio_run_deals where done_at is null
     group by organization_id, calculation_id, place % $1`,
    [lanes],
  );
}

/** What the calculation behind a mark assumed. */
export type MarkTerms = {
  request: CalculationRequest;
  use_scheduled_payment: boolean;
  /** The payment after which it starts; 0 for the closing date. */
  period: number;
};

export function findMarkTerms(tx: Tx, calculationId: Id<'calc'>): Promise<MarkTerms | null> {
  return tx.one<MarkTerms>(
    `select inputs->'request' as request, coalesce((inputs->>'use_scheduled_payment')::boolean, false) as use_scheduled_payment,
       coalesce((inputs->'opening'->'state'->>'period')::int, 0) as period from calculations where calculation_id = $1`,
    [calculationId],
  );
}

/** The stored flows of a pool by key. In the platform's scope: no organization sees whose they were. */
export async function listScenarioFlows(tx: Tx, poolId: Id<'pool'>, keys: readonly string[]): Promise<Map<string, PricedFlows>> {
  const rows = await tx.rows<{ scenario_key: string; flows: PricedFlows }>(
    'select scenario_key, flows from scenario_flows where pool_id = $1 and scenario_key = any($2)',
    [poolId, keys],
  );
  return new Map(rows.map((row) => [row.scenario_key, row.flows]));
}

export async function storeScenarioFlows(
  tx: Tx,
  poolId: Id<'pool'>,
  flows: readonly { scenario_key: string; flows: PricedFlows }[],
): Promise<void> {
  await tx.exec(
    `insert into scenario_flows (pool_id, scenario_key, flows, made_at)
     select $1, f.scenario_key, f.flows, $3 from json_to_recordset($2) as f (scenario_key text, flows json) on conflict do nothing`,
    [poolId, JSON.stringify(flows), tx.now],
  );
}

/** Flows are as of a date: later runs have others. */
const OLD_FLOWS = `delete from scenario_flows where (pool_id, scenario_key) in (
  select pool_id, scenario_key from scenario_flows where made_at < sluice_now() - interval '7 days' order by made_at limit $1 for update skip locked)`;

export const deleteOldFlows = (db: Database): Promise<number> => deleteInBatches(db, OLD_FLOWS);
