import { parentPort } from 'node:worker_threads';
import { compileBehaviour } from './behaviour.ts';
import { chunkCount, projectChunk } from './collateral.ts';
import { flowLength } from './collateral-flows.ts';
import type { LoanTable } from './loan-table.ts';
import type { ProjectionReply, ProjectionTask } from './parallel.ts';
import { UnusableInputError } from './unusable-input.ts';

parentPort?.on('message', (task: ProjectionTask) => parentPort?.postMessage(run(task)));

/** Table of the task before, for one that comes without. */
let known: LoanTable | null = null;

function run({ table: given, assumptions, options, next, flows }: ProjectionTask): ProjectionReply {
  try {
    known = given ?? known;
    const table = known as LoanTable;
    const behaviour = compileBehaviour(assumptions, table.periods);
    const length = flowLength(table.periods);
    for (let chunk = take(next); chunk < chunkCount(table); chunk = take(next)) {
      flows.set(projectChunk(table, chunk, behaviour, options), chunk * length);
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
