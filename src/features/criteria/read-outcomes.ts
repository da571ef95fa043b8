import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { writeExceptions } from '../../loans/criteria/exceptions.ts';
import { idsWithoutFailure, type CriteriaOutcome, type LoanOutcome, readOutcomes } from '../../loans/criteria/outcomes.ts';
import { wireMoney } from '../../loans/criteria/decimal.ts';
import type { RunFiles } from '../../loans/tasks/search-pool.ts';
import { comparisonTask } from '../../loans/tasks/tasks.ts';
import { runForRequest, type WaitingClient } from '../../platform/compute/run-for-request.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, notFound, orNotFound } from '../../platform/http/errors.ts';
import { mapPage, type Page, type PageRequest } from '../../platform/pages.ts';
import type { Caller } from '../../platform/http/caller.ts';
import { findTape } from '../tapes/queries.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { findCriteria } from './queries.ts';
import type { Run } from './run-queries.ts';

/** A run with outcomes; 409 while it has none. */
export function completed(found: Run | null): Run {
  const run = orNotFound(found, 'run');
  if (run.status !== 'COMPLETED')
    throw new ApiError('CONFLICT', `The run is ${run.status}: it has no outcomes.`, { extra: { current_status: run.status } });
  return run;
}

/** The files of a run that has ended and the criteria it ran. */
export async function filesOf(deps: Deps, caller: Caller, run: Run): Promise<RunFiles> {
  const [tape, criteria] = await deps.db.tx({ organization: caller.organization_id }, (tx) =>
    Promise.all([
      findTape(tx, caller.organization_id, run.deal_id, run.tape_version),
      findCriteria(tx, caller.organization_id, run.criteria_id, run.criteria_version),
    ]),
  );
  const loansKey = run.loans_key ?? tape?.loans_key;
  if (!loansKey || !tape?.raw_key || !run.outcomes_key || !criteria) throw notFound('run');
  const [loansPath, rawPath, outcomesPath] = await Promise.all([
    localFile(deps, loansKey),
    localFile(deps, tape.raw_key),
    localFile(deps, run.outcomes_key),
  ]);
  return {
    loansPath,
    raw: { path: rawPath, isDestroyed: tape.keys_destroyed_at !== null },
    outcomesPath,
    set: criteria.definition,
  };
}

export type OutcomeQuery = PageRequest & { outcome?: CriteriaOutcome; rule?: string; row?: number };

/** A page of a run's outcomes in the order of the tape; balances as numbers. */
export async function pageOutcomes(
  deps: Deps,
  caller: Caller,
  run: Run,
  query: OutcomeQuery,
): Promise<Page<Omit<LoanOutcome, 'balance'> & { balance: number }>> {
  const { passed, failed, waived, total } = run;
  const counts = { passed: passed ?? 0, failed: failed ?? 0, waived: waived ?? 0, total: total ?? 0 };
  const found = await readOutcomes({ engine: deps.columns, ...(await filesOf(deps, caller, run)), counts, ...query });
  return mapPage(found, (row) => ({ ...row, balance: wireMoney(row.balance) }));
}

const COMPARE_MS = 60_000;

export async function compareOutcomes(client: WaitingClient, a: Run, b: Run): Promise<Record<string, unknown>> {
  const { deps, caller } = client;
  const [first, second] = await Promise.all([filesOf(deps, caller, a), filesOf(deps, caller, b)]);
  const workDir = await mkdtemp(join(deps.workDir, 'comparison-'));
  try {
    const comparison = await runForRequest(
      client,
      comparisonTask,
      { first, second, workDir },
      { deadlineMs: COMPARE_MS, instead: 'Compare their exception files.' },
    );
    return { first: a.sc_job_id, second: b.sc_job_id, ...(withNumbers(comparison) as Record<string, unknown>) };
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

export async function downloadExceptions(
  deps: Deps,
  caller: Caller,
  run: Run,
  format: 'csv' | 'xlsx' | 'json',
): Promise<Readable> {
  return writeExceptions({ engine: deps.columns, ...(await filesOf(deps, caller, run)), format });
}

/** Refuses loans that a run's exception file does not hold, and names them. */
export async function checkInFile(deps: Deps, caller: Caller, run: Run, loanIds: readonly string[]): Promise<void> {
  const unknown = await idsWithoutFailure({ engine: deps.columns, ...(await filesOf(deps, caller, completed(run))) }, loanIds);
  if (unknown.length === 0) return;
  throw new ApiError('UNKNOWN_LOAN', `The exception file does not hold the loan ${unknown[0]}.`, {
    errors: unknown.map((loanId) => ({
      field: `loan_ids.${loanIds.indexOf(loanId)}`,
      code: 'UNKNOWN_LOAN',
      message: `the exception file does not hold the loan ${loanId}`,
    })),
  });
}

const MONEY = new Set([
  'balance',
  'removed_balance',
  'pool_balance',
  'best_bound',
  'gap',
  'total_balance',
  'eligible_balance',
  'excess_balance',
]);
const FIGURES = new Set(['limit', 'actual', 'headroom']);

/** Converts amounts and the figures of pool tests to numbers, wherever they are in a response. */
export function withNumbers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      typeof each !== 'string' ? withNumbers(each) : MONEY.has(name) ? wireMoney(each) : FIGURES.has(name) ? Number(each) : each,
    ]),
  );
}
