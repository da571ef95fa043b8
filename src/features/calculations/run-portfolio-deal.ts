import { randomUUID } from 'node:crypto';
import { rm, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { assumptionsLater, assumptionsOver, indexCurvesLater } from '../../finance/structure/assumptions-over.ts';
import { ENGINE_VERSION } from '../../finance/structure/key.ts';
import { normalizeRequest } from '../../finance/structure/normalize.ts';
import { monthsPaid } from '../../finance/structure/opening.ts';
import { datesOf } from '../../finance/structure/periods.ts';
import type { PricedFlows } from '../../finance/structure/priced-flows.ts';
import type { CalculationRequest, WireScenario } from '../../finance/structure/request.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { GAVE_UP, type GaveUp, judgeFailure, MAX_ATTEMPTS, returnAttempt } from '../../platform/jobs/attempts.ts';
import { withoutValues } from '../../platform/safe-error.ts';
import { unavailableReason } from '../../platform/unavailable.ts';
import { findPoolOfDeal } from '../pools/queries.ts';
import { runInThread } from './in-thread.ts';
import { findOpening, paymentDatesUpTo } from './opening.ts';
import { dealFigures, portfolioResults } from './portfolio-figures.ts';
import { completePortfolioRun, FAILURES, type LeftOut, type LeftOutCode } from './portfolio-run.ts';
import {
  countOpenDeals,
  type DealOutcome,
  endRunDeal,
  findMarkTerms,
  findPortfolioRun,
  listScenarioFlows,
  lockPortfolioRun,
  type MarkTerms,
  returnRunDealAttempt,
  type RunDeal,
  startRunDeal,
  storeScenarioFlows,
  takeRunDeals,
} from './portfolio-run-queries.ts';
import type { RunInputs } from './queries.ts';
import { calculable, type CalculablePool, factsOf, inputsOf, keyOf } from './request-calculation.ts';
import { LANES } from './request-portfolio-run.ts';
import type { FlowsReply } from './thread.ts';

export type QueuedPortfolioDeal = { organization_id: Id<'org'>; calculation_id: Id<'calc'>; place: number };

const SOMETHING_WRONG = 'something went wrong on our side: quote the calculation id to the operator';
const INTERRUPTED = `its calculation was interrupted ${MAX_ATTEMPTS} times and is not retried`;

/**
 * Calculates one deal of a run and queues the next one of its lane; the last deal ends the run. A deal that cannot be calculated is left out
 * with the reason. The attempt is counted before it starts.
 */
export async function runPortfolioDeal(
  deps: Deps,
  job: QueuedPortfolioDeal,
  signal: AbortSignal,
  last = false,
): Promise<GaveUp | undefined> {
  const scope = { market: [job.organization_id] };
  const started = await deps.db.tx(scope, (tx) => startRunDeal(tx, job));
  if (!started) return;
  const end = async (outcome: DealOutcome): Promise<GaveUp | undefined> => {
    await deps.db.tx(scope, (tx) => endDeal(tx, deps, started, outcome));
    return 'left_out' in outcome && FAILURES.includes(outcome.left_out.code) ? GAVE_UP : undefined;
  };
  if (started.attempts > MAX_ATTEMPTS) return end(leftOut(started, 'CALCULATION_INTERRUPTED', INTERRUPTED));
  try {
    const prepared = await deps.db.tx(scope, (tx) => prepareDeal(tx, started));
    if ('left_out' in prepared) return await end(prepared);
    const flows = await calculateDeal(deps, started, prepared, signal);
    if ('left_out' in flows) return await end(flows);
    return await end({
      figures: flows.map(({ tranches, warnings }) => ({
        ...dealFigures(started.holding, { tranches, warnings: [...prepared.warnings, ...warnings] }),
        engine_version: ENGINE_VERSION,
      })),
    });
  } catch (error) {
    const failure = judgeFailure(error, signal, { number: started.attempts, last });
    if (!failure.counts) await returnAttempt(signal, () => deps.db.tx(scope, (tx) => returnRunDealAttempt(tx, started)));
    if (!failure.final) throw error;
    logFailure(deps, started, String(withoutValues(error).stack));
    return await end(leftOut(started, 'CALCULATION_FAILED', SOMETHING_WRONG));
  }
}

function logFailure(deps: Deps, { calculation_id, deal_id }: RunDeal, error: string): void {
  deps.log.error({ calculation_id, deal_id, error }, 'calculation failed');
}

function leftOut({ deal_id, holding }: RunDeal, code: LeftOutCode, reason: string): { left_out: LeftOut } {
  return { left_out: { deal_id, tranche_ids: holding.positions.map(({ tranche_id }) => tranche_id), code, reason } };
}

async function endDeal(tx: Tx, { jobs }: Pick<Deps, 'jobs'>, started: RunDeal, outcome: DealOutcome): Promise<void> {
  if (!(await endRunDeal(tx, started, outcome))) return;
  const { organization_id, calculation_id, place } = started;
  const run = await lockPortfolioRun(tx, organization_id, calculation_id);
  if (run?.status !== 'RUNNING') return;
  if (place + LANES < run.deals)
    await jobs.enqueue(tx, 'run-calculation', { organization_id, calculation_id, place: place + LANES }, { accepted: true });
  if ((await countOpenDeals(tx, calculation_id)) > 0) return;
  const deals = await takeRunDeals(tx, calculation_id);
  const results = portfolioResults(
    run.scenarios.map(({ scenario }) => scenario),
    deals.flatMap(({ deal_id, holding, figures }) => (figures ? [{ deal_id, holding, figures }] : [])),
  );
  const warnings = deals.flatMap(({ deal_id, figures }) => {
    const each = [...new Set((figures ?? []).flatMap((scenario) => scenario.warnings))];
    return each.length > 0 ? [{ deal_id, warnings: each }] : [];
  });
  const left_out = [...run.left_out, ...deals.flatMap((each) => each.left_out ?? [])];
  const isOurs = deals.every(({ figures }) => (figures ?? []).every(({ engine_version }) => engine_version === ENGINE_VERSION));
  await completePortfolioRun(tx, run, {
    result: { results, warnings, engine_version: isOurs ? ENGINE_VERSION : null },
    left_out,
  });
}

/** A deal under each scenario: what each is stored by, and what calculates those that are not; and what to say of all of them. */
type PreparedDeal = { pool_id: Id<'pool'>; keys: string[]; inputs: RunInputs; scenarios: WireScenario[]; warnings: string[] };

async function prepareDeal(tx: Tx, started: RunDeal): Promise<PreparedDeal | { left_out: LeftOut }> {
  const { organization_id, calculation_id, deal_id, holding } = started;
  const [run, found, mark] = [
    await findPortfolioRun(tx, organization_id, calculation_id),
    await findPoolOfDeal(tx, deal_id),
    await findMarkTerms(tx, holding.mark),
  ];
  if (!run || !found || !mark) throw new Error(`${deal_id} of ${calculation_id} is not there any more`);
  const pool = calculableOrReason(found);
  if (typeof pool === 'string') return leftOut(started, 'CANNOT_RUN', pool);
  const request = requestOf(pool, holding, mark, run.as_of);
  const { opening, structure, faults } = await findOpening(tx, pool, request);
  const facts = { ...factsOf(pool), ...(opening ? { opening } : {}) };
  const scenarios = run.scenarios.map((scenario) => scenarioOf(mark, scenario));
  const inputs = inputsOf({ ...pool, structure }, request, { useScheduledPayment: mark.use_scheduled_payment, opening });
  const keys: string[] = [];
  for (const scenario of scenarios) {
    const normalized = normalizeRequest({ ...request, scenarios: [scenario] }, facts, structure);
    const [fault] = normalized.ok ? faults : [...faults, ...normalized.faults];
    if (fault) return leftOut(started, 'CANNOT_RUN', `${fault.path} ${fault.message}`);
    if (normalized.ok) keys.push(keyOf(pool, normalized.request, inputs));
  }
  return { pool_id: pool.pool_id, keys, inputs, scenarios, warnings: unreported(pool, holding.period, run.as_of) };
}

/** Payments up to a date that no applied report has: flows begin after the date, and balances are those before these payments. */
function unreported(pool: CalculablePool, period: number, as_of: string): string[] {
  const dates = paymentDatesUpTo(pool, period, as_of);
  if (dates.length === 0) return [];
  return [
    `no report of the payment on ${dates.join(', ')} is applied: what it pays is in no figure, and the market value is of the balance before it`,
  ];
}

function calculableOrReason(pool: Parameters<typeof calculable>[0]): CalculablePool | string {
  try {
    return calculable(pool);
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

/** The calculation of the mark, from the last payment before the date and as of it, at the yields of the marks. */
function requestOf(
  pool: CalculablePool,
  { period, yields }: RunDeal['holding'],
  mark: MarkTerms,
  as_of: string,
): CalculationRequest {
  const { yield_basis, granularity, assumptions = {}, scenarios } = mark.request;
  const [{ scenario: _name, call: _call, ...first } = { scenario: '' }] = scenarios ?? [];
  const passed = (until: number): number => (until === 0 ? 0 : monthsPaid(pool.structure, datesOf(pool), until));
  const elapsed = { months: passed(period) - passed(mark.period), periods: period - mark.period };
  const index_curves = indexCurvesLater(mark.request, elapsed);
  return {
    type: 'PRICING',
    from: period === 0 ? 'CUT_OFF' : period,
    as_of,
    settlement_date: period === 0 && as_of < pool.closing_date ? pool.closing_date : as_of,
    assumptions: assumptionsLater(assumptionsOver(assumptions, first), elapsed),
    yields,
    ...(yield_basis ? { yield_basis } : {}),
    ...(granularity ? { granularity } : {}),
    ...(index_curves ? { index_curves } : {}),
  };
}

/** A scenario as it is stored: whoever asks for it under whatever name has the same. */
const SCENARIO = 'scenario';

function scenarioOf(mark: MarkTerms, { scenario: _name, ...own }: WireScenario): WireScenario {
  const call = own.call ?? mark.request.scenarios?.[0]?.call;
  return { ...own, scenario: SCENARIO, ...(call === undefined ? {} : { call }) };
}

/** The flows of each scenario: those that are stored, and the others calculated together. */
async function calculateDeal(
  deps: Deps,
  started: RunDeal,
  { pool_id, keys, inputs, scenarios }: PreparedDeal,
  signal: AbortSignal,
): Promise<PricedFlows[] | { left_out: LeftOut }> {
  const known = await deps.db.tx({ platform: true }, (tx) => listScenarioFlows(tx, pool_id, keys));
  const missing = new Map(keys.flatMap((key, index) => (known.has(key) ? [] : [[key, scenarios[index]]])));
  if (missing.size > 0) {
    const asked = [...missing.values()].map((scenario, place) => ({ ...scenario, scenario: `${SCENARIO} ${place + 1}` }));
    const reply = await inWorkDir(deps, (workDir) => {
      const request = { ...inputs.request, scenarios: asked };
      return runInThread<FlowsReply>(deps, { inputs: { ...inputs, request }, workDir, wants: 'FLOWS' }, signal);
    });
    if (!reply.ok) {
      if (!reply.defect) return leftOut(started, 'CANNOT_RUN', reply.error);
      const error = new Error(reply.error);
      if (unavailableReason(error) !== null) throw error;
      logFailure(deps, started, reply.error);
      return leftOut(started, 'CALCULATION_FAILED', SOMETHING_WRONG);
    }
    const made = [...missing.keys()].map((scenario_key, place) => ({ scenario_key, flows: flowsAt(reply.flows, place) }));
    await deps.db.tx({ platform: true }, (tx) => storeScenarioFlows(tx, pool_id, made));
    for (const { scenario_key, flows } of made) known.set(scenario_key, flows);
  }
  return keys.map((key) => {
    const flows = known.get(key);
    if (!flows) throw new Error('a scenario was not calculated');
    return flows;
  });
}

function flowsAt(flows: readonly PricedFlows[], place: number): PricedFlows {
  const found = flows[place];
  if (!found) throw new Error(`the calculation has no scenario ${place}`);
  return found;
}

async function inWorkDir<Result>({ workDir }: Pick<Deps, 'workDir'>, work: (path: string) => Promise<Result>): Promise<Result> {
  const path = join(workDir, `calculation-${randomUUID()}`);
  try {
    await mkdir(path);
    return await work(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}
