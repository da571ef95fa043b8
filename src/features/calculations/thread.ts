import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { createProjector } from '../../finance/parallel.ts';
import { calculate } from '../../finance/structure/calculate.ts';
import { readCollateralFile } from '../../loans/tasks/read-collateral.ts';
import type { RunInputs } from './queries.ts';
import { segmentationsOf } from './segments.ts';
import { projectedPerformance } from '../remittances/performance.ts';

/** The task of a calculation's thread. */
export type ThreadTask = { inputs: RunInputs; loansPath: string; workDir: string };

/** Its reply: JSON texts and the names of the files it wrote to `workDir`, or the reason of its failure. */
export type ThreadReply =
  | { ok: true; result: string; projection: string; files: string[] }
  | { ok: false; error: string; defect: boolean; timeout?: boolean };

/** Errors whose message is for the customer that requested the calculation; every other text stays in the log. */
const OF_INPUTS = new Set(['UnusableInputError', 'MissingCurveError']);

if (parentPort) {
  const reply = await run(workerData as ThreadTask).catch((error: Error): ThreadReply => {
    const ofInputs = OF_INPUTS.has(error.name);
    return { ok: false, error: ofInputs ? error.message : String(error.stack), defect: !ofInputs };
  });
  parentPort.postMessage(reply);
}

/** Reads the pool's loans, calculates, and writes the details of every scenario; none of this runs on the gateway's main thread. */
async function run({ inputs, loansPath, workDir }: ThreadTask): Promise<ThreadReply> {
  const { pool, structure, request } = inputs;
  const { loans, segments, warnings } = await readCollateralFile(
    { path: loansPath, workDir },
    {
      loanType: pool.loan_type,
      cutOff: pool.cut_off_date,
      useScheduledPayment: inputs.use_scheduled_payment,
      averageRatePercent: pool.wac,
      averageRemainingMonths: pool.wam,
      segmentations: segmentationsOf(request, pool),
    },
  );
  const originalBalance = loans.column('balance').reduce((sum, balance) => sum + balance, 0);
  const facts = {
    loans,
    loanType: pool.loan_type,
    originalBalance,
    cutOff: pool.cut_off_date,
    closing: pool.closing_date,
    tapeVersions: pool.tape_versions,
    segments,
    warnings,
  };
  await using projector = createProjector();
  const calculated = await calculate(request, facts, structure, {
    project: (table, assumptions, options) => projector.projectTable(table, assumptions, options),
  });
  if (!calculated.ok)
    return { ok: false, error: calculated.faults.map(({ path, message }) => `${path}: ${message}`).join('; '), defect: false };
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
  const projection = first ? projectedPerformance(structure, first, originalBalance) : null;
  return { ok: true, result: JSON.stringify(calculated.result), projection: JSON.stringify(projection), files };
}
