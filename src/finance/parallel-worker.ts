import { type MessagePort, parentPort } from 'node:worker_threads';
import { compileBehaviour } from './behaviour.ts';
import { chunkCount, projectChunk } from './collateral.ts';
import { flowLength } from './collateral-flows.ts';
import type { LoanTable } from './loan-table.ts';
import type { ProjectionReply, ProjectionTask } from './parallel.ts';
import { UnusableInputError } from './unusable-input.ts';
import { Workspace } from './workspace.ts';

if (parentPort) serve(parentPort);

/** Projects the tasks that arrive on a port. A task without a table means the table of the task before it. */
function serve(port: MessagePort): void {
  let table: LoanTable | null = null;
  port.on('message', (task: ProjectionTask) => {
    table = task.table ?? table;
    port.postMessage(runTask(table, task));
  });
}

function runTask(table: LoanTable | null, { assumptions, options, next, flows }: ProjectionTask): ProjectionReply {
  try {
    if (table === null) throw new Error('the first task of a thread carries no table');
    const behaviour = compileBehaviour(assumptions, table.periods);
    const workspace = new Workspace(table, options);
    const length = flowLength(behaviour.periods, options.series);
    for (let chunk = take(next); chunk < chunkCount(table); chunk = take(next)) {
      flows.set(projectChunk(table, chunk, behaviour, workspace), chunk * length);
    }
    return {};
  } catch (error) {
    const ofInputs = error instanceof UnusableInputError;
    return { error: error instanceof Error ? error.message : String(error), ofInputs };
  }
}

function take(next: Int32Array): number {
  return Atomics.add(next, 0, 1);
}
