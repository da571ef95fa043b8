import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { compileBehaviour } from './behaviour.ts';
import { chunkCount, openingBalance, projectCollateral, projectTable } from './collateral.ts';
import { addInto, collateralFromFlows, flowLength } from './collateral-flows.ts';
import { packLoans } from './loan-table.ts';
import type { LoanTable } from './loan-table.ts';
import type { Assumptions, Collateral, CollateralLoan, ProjectionOptions } from './types.ts';

/** Work for a thread: chunks of `table` are taken from the counter in `next` and written to their place in `flows`. */
export type ProjectionTask = {
  table: LoanTable;
  assumptions: Assumptions;
  options: ProjectionOptions;
  next: Int32Array;
  flows: Float64Array;
};

/** Answer of a thread: nothing, or the message of what was thrown. */
export type ProjectionReply = { error?: string };

/** Projects pools on several threads; owns them until disposed. */
export type Projector = AsyncDisposable & {
  /** As `projectCollateral`, and the same to the bit; the event loop stays free. Pools below a size run at once on this thread. */
  project(loans: readonly CollateralLoan[], assumptions: Assumptions, options?: ProjectionOptions): Promise<Collateral>;
  /** As `projectTable`: many scenarios of one pool pack its loans once. */
  projectTable(table: LoanTable, assumptions: Assumptions, options?: ProjectionOptions): Promise<Collateral>;
};

/** Loan-months below which starting threads costs more than it saves (some 20 ms of work). */
const PARALLEL_FROM_LOAN_MONTHS = 4_000_000;

/** Starts no thread before the first large pool. `threads` defaults to the cores of the machine. */
export function createProjector({ threads = availableParallelism(), parallelFrom = PARALLEL_FROM_LOAN_MONTHS } = {}): Projector {
  const workers: Worker[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  const project = async (table: LoanTable, assumptions: Assumptions, options: ProjectionOptions) => {
    if (threads < 2 || table.count * table.periods < parallelFrom) return projectTable(table, assumptions, options);
    // One pool at a time: every thread works on it, and a thread listens for one reply.
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
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

async function projectOn(
  workers: Worker[],
  table: LoanTable,
  assumptions: Assumptions,
  options: ProjectionOptions,
): Promise<Collateral> {
  const chunks = chunkCount(table);
  const length = flowLength(table.periods);
  const flows = new Float64Array(new SharedArrayBuffer(8 * chunks * length));
  const task: ProjectionTask = { table, assumptions, options, next: new Int32Array(new SharedArrayBuffer(4)), flows };
  // All of them settle before the next pool may listen, even when one fails.
  const outcomes = await Promise.allSettled(workers.map((worker) => runTask(worker, task)));
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  const total = new Float64Array(length);
  for (let chunk = 0; chunk < chunks; chunk++) addInto(total, flows.subarray(chunk * length, (chunk + 1) * length));
  return collateralFromFlows(total, openingBalance(table), compileBehaviour(assumptions, table.periods));
}

/** A thread that leaves `workers` when it ends, so that the next pool gets a new one. */
function startWorker(workers: Worker[]): Worker {
  const worker = new Worker(new URL('./parallel-worker.ts', import.meta.url));
  worker.once('exit', () => workers.splice(workers.indexOf(worker), 1));
  worker.unref();
  return worker;
}

function runTask(worker: Worker, task: ProjectionTask): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => {
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      worker.unref();
      finish();
    };
    const onMessage = (reply: ProjectionReply) =>
      settle(() => (reply.error === undefined ? resolve() : reject(new RangeError(reply.error))));
    const onError = (error: Error) => settle(() => reject(error));
    const onExit = (code: number) => settle(() => reject(new Error(`projection thread ended with code ${code}`)));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    // A thread at work keeps the process alive; an idle one does not.
    worker.ref();
    worker.postMessage(task);
  });
}
