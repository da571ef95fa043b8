import { createHash } from 'node:crypto';
import { readFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { addDays, addMonths } from '../../finance/dates.ts';
import { calendarDates, datesOf } from '../../finance/structure/periods.ts';
import { balanceOf } from '../../finance/structure/structure.ts';
import type { ServicedMonth } from '../../loans/generate/serve-month.ts';
import { servePoolTask } from '../../loans/tasks/tasks.ts';
import { takeLease } from '../../platform/compute/lease.ts';
import type { Deps } from '../../platform/deps.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { findOrganization } from '../keys/queries.ts';
import { findAnyPool, findPool } from '../pools/queries.ts';
import { findHeld, findLastApplied, findRemittanceOfPeriod, type RemittanceWithState } from '../remittances/queries.ts';
import { findMonthUpTo, findPoolTape, type PoolMonth } from '../servicing/queries.ts';
import { asIssued, type IssuedPool, monthsTo } from '../servicing/servicing.ts';
import { advanceSandboxClock, type SandboxActor } from './act-in-sandbox.ts';
import { createMember, type SandboxMember, SandboxStepFailed } from './client.ts';
import { draftReport, type ReportedCash, sendPoolTape } from './servicer.ts';
import { until } from './wait.ts';

/** Loans that a sandbox plays the servicer of. */
const MOST_LOANS = 100_000;
/** Well into the day in every zone. */
const DAY_BEGAN_SECONDS = 36 * 3_600;

export type AdvancedPool = {
  pool_id: Id<'pool'>;
  periods: { period: number; payment_date: string; closing: number }[];
  now: string;
};

/**
 * Runs the next payment periods of an issued pool: its loans pay, prepay and default as loans do, their servicer sends the tape of each
 * period and a report whose figures follow from its cash, and the clock goes on until the report is paid.
 */
export async function advancePool(
  app: FastifyInstance,
  deps: Deps,
  actor: SandboxActor,
  { poolId, periods }: { poolId: Id<'pool'>; periods: number },
): Promise<AdvancedPool> {
  const { pool, owner } = await deps.db.tx({ platform: true }, async (tx) => {
    const found = actor.role === 'operator' ? await findAnyPool(tx, poolId) : await findPool(tx, actor.organization_id, poolId);
    const issued = asIssued(orNotFound(found, 'pool'));
    return { pool: issued, owner: orNotFound(await findOrganization(tx, issued.organization_id), 'organization') };
  });
  if (pool.loan_count > MOST_LOANS)
    throw new ApiError(
      'UNPROCESSABLE',
      `The sandbox plays the servicer of at most ${MOST_LOANS} loans; the pool has ${pool.loan_count}.`,
    );
  const servicer = createMember(app, deps, owner.name, 'originator');
  const done: AdvancedPool['periods'] = [];
  let now = '';
  for (let count = 0; count < periods; count += 1) {
    await using lease = await takeLease(deps.limits, `advance of ${pool.pool_id}`);
    if (!lease) throw overtaken(done);
    const next = await runPeriod(deps, actor, servicer, pool).catch((error: unknown) => {
      throw error instanceof SandboxStepFailed ? notRun(error, done) : error;
    });
    if (!next) break;
    now = await payOn(deps, actor, pool, next);
    done.push(next);
  }
  if (done.length === 0) throw new ApiError('CONFLICT', 'The deal has paid its last period, or its loans have ended.');
  return { pool_id: pool.pool_id, periods: done, now };
}

type Paid = AdvancedPool['periods'][number];

/** The customer knows the advance, not the requests of its servicer: a conflict of one of them is told as one of the advance. */
const notRun = (error: SandboxStepFailed, done: readonly Paid[]): ApiError =>
  error.isConflict ? overtaken(done) : new ApiError('CONFLICT', `The period could not be run: ${error.message}${ranOf(done)}`);

const overtaken = (done: readonly Paid[]): ApiError =>
  new ApiError(
    'CONFLICT',
    `Another advance of this pool, or its servicer, is at the same period: read the pool's performance, and ask again for what is missing.${ranOf(done)}`,
  );

const ranOf = (done: readonly Paid[]): string =>
  done.length === 0 ? '' : ` This one has run ${done.map(({ period }) => `period ${period}`).join(', ')}.`;

/** Sends the tape and the report of the next period, where the owner has not sent its own; null when there is no such period. */
async function runPeriod(deps: Deps, actor: SandboxActor, servicer: SandboxMember, pool: IssuedPool): Promise<Paid | null> {
  const { before, applied, period, own } = await deps.db.tx({ platform: true }, async (tx) => {
    const held = await findHeld(tx, pool);
    if (held) throw new ApiError('REMITTANCE_HELD', undefined, { extra: { remittance_id: held.remittance_id } });
    const last = await findLastApplied(tx, pool.organization_id, pool.pool_id);
    const next = (last?.period ?? 0) + 1;
    return {
      applied: last,
      before: await findMonthUpTo(tx, pool, next - 1),
      period: next,
      own: { tape: await findPoolTape(tx, pool, next), report: await findRemittanceOfPeriod(tx, pool, next) },
    };
  });
  const date = calendarDates(pool.structure, datesOf(pool), period).at(-1);
  if (!date) return null;
  const { served, csv } = await serve(deps, pool, { before, applied, period });
  const last = served.at(-1);
  if (!last || last.opening === 0) return null;
  // The collections of the period are over when its tape comes.
  await advanceTo(deps, actor, addDays(reportedOn(pool, period), 1));
  if (!own.tape) await sendPoolTape(servicer, pool.pool_id, period, csv);
  if (own.report) return { period, payment_date: own.report.payment_date, closing: own.report.performance.pool.pool_balance };
  const openings = new Map(
    pool.structure.tranches.map((each) => [each.tranche, applied?.state.tranches[each.tranche]?.balance ?? balanceOf(each)]),
  );
  const report = await draftReport(servicer, pool, cashOf(period, date, served), { openings, wac: served[0]?.wac ?? 0 });
  await servicer.call('POST', `/v1/api/originator/pools/${pool.pool_id}/remittances`, report);
  return { period, payment_date: date, closing: last.closing / 100 };
}

/** The day of which the tape of a period is: the end of its collections. */
const reportedOn = (pool: IssuedPool, period: number): string => addMonths(pool.cut_off_date, monthsTo(pool, period));

async function serve(
  deps: Deps,
  pool: IssuedPool,
  { before, applied, period }: { before: PoolMonth | null; applied: RemittanceWithState | null; period: number },
): Promise<{ served: ServicedMonth[]; csv: Buffer }> {
  const ofTable = monthsTo(pool, before?.period ?? 0);
  const [start, end] = [monthsTo(pool, period - 1), monthsTo(pool, period)];
  // The next report begins where the one before ended, whether the loans have no tape of that period or one that says otherwise.
  const passed = applied ? { months: start - ofTable, owed: Math.round(applied.state.pool_balance * 100) } : null;
  const workDir = await mkdtemp(join(deps.workDir, 'sandbox-'));
  try {
    const csvPath = join(workDir, 'tape.csv');
    const served = await deps.compute.run(
      servePoolTask,
      {
        workDir,
        loanType: pool.loan_type,
        path: await localFile(deps, before?.loans_key ?? pool.loans_key),
        asOf: addMonths(pool.cut_off_date, ofTable),
        passed,
        reportingDate: reportedOn(pool, period),
        months: Math.max(1, end - start),
        seed: createHash('sha256').update(`${pool.pool_id} ${period}`).digest().readInt32BE(),
        csvPath,
      },
      { owner: pool.organization_id },
    );
    return { served, csv: await readFile(csvPath) };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** The cash of a period as its loans were served. */
function cashOf(period: number, payment_date: string, served: readonly ServicedMonth[]): ReportedCash {
  const sum = (of: (month: ServicedMonth) => number): number => served.reduce((total, month) => total + of(month), 0) / 100;
  const scheduled = sum((month) => month.scheduled - month.grown);
  if (scheduled < 0)
    throw new ApiError('UNPROCESSABLE', 'The loans of this pool grow by more than they pay: a servicer report cannot say so.');
  const [prepaid, interest, recovered] = [
    sum((month) => month.prepaid),
    sum((month) => month.interest),
    sum((month) => month.recovered),
  ];
  const [late30 = 0, late60 = 0, late90 = 0] = (served.at(-1)?.delinquent ?? []).map((cents) => cents / 100);
  return {
    period,
    payment_date,
    collateral: {
      opening: (served[0]?.opening ?? 0) / 100,
      scheduled_principal: Math.round(scheduled * 100) / 100,
      prepayment: prepaid,
      default: sum((month) => month.chargedOff),
      recovery: recovered,
      closing: (served.at(-1)?.closing ?? 0) / 100,
      interest,
      loan_count: served.at(-1)?.count ?? 0,
      delinquent_30_amount: late30,
      delinquent_60_amount: late60,
      delinquent_90_amount: late90,
    },
    available: { interest, principal: Math.round((scheduled + prepaid) * 100) / 100, recoveries: recovered },
  };
}

/** Lets the payment date come; returns the time after it. */
async function payOn(deps: Deps, actor: SandboxActor, pool: IssuedPool, { period, payment_date }: Paid): Promise<string> {
  const now = await advanceTo(deps, actor, payment_date);
  const isApplied = () =>
    deps.db.tx({ platform: true }, async (tx) => {
      const last = await findLastApplied(tx, pool.organization_id, pool.pool_id);
      return (last?.period ?? 0) >= period || (await findHeld(tx, pool)) !== null;
    });
  await until(isApplied, `the payment of period ${period}`);
  return now.toISOString();
}

/** Advances the clock until the day has begun everywhere, unless it has. */
function advanceTo(deps: Deps, actor: SandboxActor, day: string): Promise<Date> {
  const means = { environment: deps.config.environment, jobs: deps.jobs };
  return deps.db.tx({ platform: true }, (tx) => {
    const seconds = (Date.parse(`${day}T00:00:00Z`) - tx.now.getTime()) / 1_000 + DAY_BEGAN_SECONDS;
    return advanceSandboxClock(tx, actor, { seconds: Math.max(0, Math.ceil(seconds)) }, means);
  });
}
