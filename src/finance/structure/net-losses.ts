import { formatDollars, toCents } from '../money.ts';
import { type SolvedNetLoss, solveNetLoss } from '../net-loss.ts';
import { UnusableInputError } from '../unusable-input.ts';
import { type CalculationJob, projectionOptions, type RequestJob, scenarioJob } from './job.ts';
import type { NormalScenario } from './normal-request.ts';
import { monthsPaid } from './opening.ts';
import { KEEP_SCHEDULES_OF, keepTable } from './paths.ts';

/** The job with a default vector in place of every curve of net losses. Throws UnusableInputError where the pool cannot lose that much. */
export function solveNetLosses(job: RequestJob): RequestJob {
  const warnings = [...job.warnings];
  const scenarios = job.request.scenarios.map((scenario) => solveScenario(scenarioJob(job, scenario), scenario, warnings));
  return { ...job, request: { ...job.request, scenarios }, warnings };
}

function solveScenario(job: CalculationJob, scenario: NormalScenario, warnings: string[]): NormalScenario {
  const { netLoss, assumptions } = scenario;
  if (!netLoss) return scenario;
  const owner = `scenario "${scenario.scenario}": cnl`;
  if (assumptions.servicerAdvances && job.table.count > KEEP_SCHEDULES_OF) {
    throw new UnusableInputError(
      `${owner} with servicer_advances is solved for at most ${KEEP_SCHEDULES_OF} loans, and there are ${job.table.count}: request granularity REPLINE`,
    );
  }
  const { pool } = job;
  const schedules = keepTable(job.table, assumptions, projectionOptions({ request: job.request }, assumptions));
  const state = pool.opening?.state;
  const deal = {
    originalBalance: pool.originalBalance,
    ageMonths: state ? monthsPaid(job.structure, pool, state.period) : 0,
    bookedLoss: state?.cumulative_net_loss_amount ?? 0,
  };
  const solved = solveNetLoss(schedules, assumptions, netLoss, deal);
  if (!solved.ok) throw new UnusableInputError(`${owner}: ${whyNot(solved, netLoss.percent)}`);
  if (deal.bookedLoss > 0 && solved.remaining < LEAST)
    warnings.push(`${owner}: the deal has lost as much already: nothing more defaults`);
  const lag = assumptions.recoveryLagMonths;
  if (solved.deferred >= LEAST) {
    warnings.push(
      `${owner}: nothing is liquidated in the first ${lag} months (recovery_lag_months), so their loss of ` +
        `${formatDollars(toCents(solved.deferred))} is booked in month ${lag + 1}`,
    );
  }
  return { ...scenario, assumptions: { ...assumptions, default: solved.default } };
}

/** Less than a cent is not an amount. */
const LEAST = 0.005;

function whyNot(failed: SolvedNetLoss & { ok: false }, percent: number): string {
  const dollars = (amount: number) => formatDollars(toCents(amount));
  if (failed.reason === 'TIMING_ENDED') {
    return `its timing has ended, and ${dollars(failed.remaining)} of the loss is not booked yet: give a longer timing or a smaller percent`;
  }
  return (
    `the pool cannot lose ${percent} % of its original balance at these times: month ${failed.month} books ${dollars(failed.due)}, ` +
    `and at most ${dollars(failed.possible)} can be lost in it; with this timing the most is ${failed.mostPercent} %`
  );
}
