import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { createProjector, type Projector } from '../../finance/parallel.ts';
import { calculate } from '../../finance/structure/calculate.ts';
import { type PricedFlows, pricedFlows } from '../../finance/structure/priced-flows.ts';
import { readCollateralFile } from '../../loans/tasks/read-collateral.ts';
import type { ThreadReply } from '../../platform/compute/threads.ts';
import { withoutValues } from '../../platform/safe-error.ts';
import { KEPT_BYTES, KeptLoans, loansSubject, loanTerms } from './kept-loans.ts';
import type { RunInputs } from './queries.ts';
import { projectedPerformance } from '../remittances/performance.ts';

/**
 * The task of a calculation's thread. `loansPath` is null if the thread keeps the loans of the inputs. `wants`: everything, in files; or what
 * positions are valued by.
 */
export type CalculationTask = { inputs: RunInputs; loansPath: string | null; workDir: string; wants: 'FILES' | 'FLOWS' };

/** The reason why there is no output. */
export type CalculationRefusal = { ok: false; error: string; defect: boolean; timeout?: boolean };

/** Its output in FILES: JSON texts and the names of the files it wrote to `workDir`. */
export type CalculationReply = { ok: true; result: string; projection: string; files: string[] } | CalculationRefusal;

/** Its output as FLOWS: those of each scenario. */
export type FlowsReply = { ok: true; flows: PricedFlows[] } | CalculationRefusal;

/** Errors whose message is for the customer that requested the calculation; every other text stays in the log. */
const OF_INPUTS = new Set(['UnusableInputError', 'MissingCurveError', 'AmountTooLargeError']);

if (parentPort) serve(parentPort);

/** Runs the tasks that arrive on a port, one at a time. Nothing of a task stays but its loans, which later tasks of the same subject read. */
function serve(port: MessagePort): void {
  const kept = new KeptLoans(KEPT_BYTES);
  const projector = createProjector();
  port.on('message', async (task: CalculationTask) => {
    const output = await run(task, kept, projector).catch((error: Error): CalculationRefusal => {
      const ofInputs = OF_INPUTS.has(error.name);
      return { ok: false, error: ofInputs ? error.message : String(withoutValues(error).stack), defect: !ofInputs };
    });
    const { heapTotal, external } = process.memoryUsage();
    port.postMessage({ output, keeps: kept.subjects, memoryBytes: heapTotal + external } satisfies ThreadReply<
      CalculationReply | FlowsReply
    >);
  });
}

/** Calculates over the pool's loans and writes the details of every scenario; none of this runs on the gateway's main thread. */
async function run(
  { inputs, loansPath, workDir, wants }: CalculationTask,
  kept: KeptLoans,
  projector: Projector,
): Promise<CalculationReply | FlowsReply> {
  const { pool, structure, request, opening } = inputs;
  const { loans, segments, warnings } = await kept.get(loansSubject(inputs), () => {
    if (loansPath === null) throw new Error('the thread does not keep the loans of the calculation');
    return readCollateralFile({ path: loansPath, workDir }, loanTerms(inputs));
  });
  const balance = loans.column('balance').reduce((sum, each) => sum + each, 0);
  // A later tape does not have what was paid before it.
  const originalBalance = opening?.tape ? opening.state.pool_original : balance;
  const facts = {
    loans,
    loanType: pool.loan_type,
    originalBalance,
    cutOff: pool.cut_off_date,
    closing: pool.closing_date,
    tapeVersions: pool.tape_versions,
    segments,
    warnings: [...(inputs.warnings ?? []), ...warnings],
    ...(opening ? { opening } : {}),
  };
  const calculated = await calculate(request, facts, structure, {
    project: (table, assumptions, options) => projector.projectTable(table, assumptions, options),
  });
  if (!calculated.ok)
    return { ok: false, error: calculated.faults.map(({ path, message }) => `${path}: ${message}`).join('; '), defect: false };
  if (wants === 'FLOWS') return { ok: true, flows: pricedFlows(calculated.result, calculated.details) };
  const files: string[] = [];
  const write = async (name: string, value: unknown) => {
    await writeFile(join(workDir, name), JSON.stringify(value));
    files.push(name);
  };
  for (const [index, { trace, ...detail }] of calculated.details.entries()) {
    await write(`${index}.json`, detail);
    await write(`${index}.trace.json`, trace);
  }
  const [first] = calculated.details;
  const advances = calculated.result.results[0]?.assumptions.servicer_advances === true;
  const projection = first
    ? projectedPerformance(structure, first, {
        poolOriginal: originalBalance,
        advances,
        ...(opening ? { state: opening.state } : {}),
      })
    : null;
  return { ok: true, result: JSON.stringify(calculated.result), projection: JSON.stringify(projection), files };
}
