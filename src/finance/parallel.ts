import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { compileBehaviour } from './behaviour.ts';
import { chunkCount, openingBalance, projectCollateral, projectTable } from './collateral.ts';
import { addInto, collateralFromFlows, flowLength } from './collateral-flows.ts';
import { type LoanTable, packLoans } from './loan-table.ts';
import { OTHER } from './special-terms.ts';
import type { Assumptions, Collateral, CollateralLoan, ProjectionOptions } from './types.ts';
import { UnusableInputError } from './unusable-input.ts';

/** Work for a thread: it takes the numbers of chunks from the counter in `next` and writes each chunk to its section of `flows`. */
export type ProjectionTask = {
  /** Null to reuse the table of the previous task, so that it is not copied for every scenario. */
  table: LoanTable | null;
  assumptions: Assumptions;
  options: ProjectionOptions;
  next: Int32Array;
  flows: Float64Array;
};

/** Reply of a thread: empty, or the error that it caught. */
export type ProjectionReply = {
  error?: string;
  /** True when the error is a fault of the inputs; the message is then for the user. */
  ofInputs?: boolean;
};

/** Projects pools on several threads; owns them until disposed. */
export type Projector = AsyncDisposable & {
  /** As `projectCollateral`, and the same to the bit; the event loop stays free. Small pools run immediately on the calling thread. */
  project(loans: Iterable<CollateralLoan>, assumptions: Assumptions, options?: ProjectionOptions): Promise<Collateral>;
  /** As `projectTable`: many scenarios of one pool pack its loans once. */
  projectTable(table: LoanTable, assumptions: Assumptions, options?: ProjectionOptions): Promise<Collateral>;
};

/** Loan-months below which starting threads costs more than it saves (some 20 ms of work). */
const PARALLEL_FROM_LOAN_MONTHS = 4_000_000;

/** Starts no thread before the first large pool. `threads` defaults to the cores of the machine. */
export function createProjector({ threads = availableParallelism(), parallelFrom = PARALLEL_FROM_LOAN_MONTHS } = {}): Projector {
  const workers: ProjectionThread[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  const project = async (table: LoanTable, assumptions: Assumptions, options: ProjectionOptions) => {
    if (threads < 2 || table.count * table.periods < parallelFrom) return projectTable(table, assumptions, options);
    // One pool at a time: all threads work on it, and each thread handles one task at a time.
    const projected = queue.then(() => {
      while (workers.length < threads) workers.push(startWorker(workers));
      return projectOn(workers, table, assumptions, options);
    });
    queue = projected.catch(() => undefined);
    return projected;
  };
  return {
    project: async (loans, assumptions, options = {}) =>
      assumptions.card ? projectCollateral(loans, assumptions, options) : project(packLoans(loans), assumptions, options),
    projectTable: async (table, assumptions, options = {}) => project(table, assumptions, options),
    async [Symbol.asyncDispose]() {
      await queue;
      await Promise.all(workers.map(({ worker }) => worker.terminate()));
    },
  };
}

/** A thread and the table that it received last. */
type ProjectionThread = { worker: Worker; table: LoanTable | null };

async function projectOn(
  workers: readonly ProjectionThread[],
  table: LoanTable,
  assumptions: Assumptions,
  options: ProjectionOptions,
): Promise<Collateral> {
  const chunks = chunkCount(table);
  const behaviour = compileBehaviour(assumptions, table.periods);
  const length = flowLength(behaviour.periods, options.series);
  const flows = new Float64Array(new SharedArrayBuffer(8 * chunks * length));
  const task = { assumptions, options, next: new Int32Array(new SharedArrayBuffer(4)), flows };
  // All tasks settle before the next pool starts, even when one fails.
  const outcomes = await Promise.allSettled(workers.map((thread) => runTask(thread, table, task)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  const total = new Float64Array(length);
  for (let chunk = 0; chunk < chunks; chunk++) addInto(total, flows.subarray(chunk * length, (chunk + 1) * length));
  return collateralFromFlows(total, openingBalance(table), behaviour, options.series);
}

/** Starts a thread that removes itself from `workers` when it exits, so that the next pool starts a new one. */
function startWorker(workers: ProjectionThread[]): ProjectionThread {
  const worker = new Worker(new URL('./parallel-worker.ts', import.meta.url));
  const thread = { worker, table: null };
  worker.once('exit', () => workers.splice(workers.indexOf(thread), 1));
  worker.unref();
  return thread;
}

function runTask(thread: ProjectionThread, table: LoanTable, task: Omit<ProjectionTask, 'table'>): Promise<void> {
  const { worker } = thread;
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      worker.unref();
      finish();
    };
    const onMessage = (reply: ProjectionReply) =>
      settle(() => (reply.error === undefined ? resolve() : reject(asError(reply.error, reply.ofInputs))));
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = (code: number) => settle(() => reject(new Error(`projection thread ended with code ${code}`)));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    // A busy thread keeps the process alive; an idle one does not.
    worker.ref();
    worker.postMessage({ ...task, table: thread.table === table ? null : withoutTerms(table) } satisfies ProjectionTask);
    thread.table = table;
  });
}

/** The table with those loans that are not in its columns: the others' objects would be copied for every thread. */
function withoutTerms(table: LoanTable): LoanTable {
  const { kind, rows } = table.terms;
  const numbers = Array.from(kind.keys()).filter((number) => kind[number] === OTHER);
  const others = numbers.flatMap((number) => {
    const loan = table.special.get(rows[number]);
    return loan ? [[rows[number], loan] as const] : [];
  });
  return { ...table, special: new Map(others) };
}

const asError = (message: string, ofInputs = false): Error =>
  ofInputs ? new UnusableInputError(message) : new Error(`a projection failed: ${message}`);
