import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { createProjector } from '../../finance/parallel.ts';
import { calculate } from '../../finance/structure/calculate.ts';
import { readCollateral } from '../../loans/analytics/collateral-loans.ts';
import { openEngine } from '../../loans/engine/engine.ts';
import type { CalculationInputs } from './queries.ts';
import { projectedPerformance } from '../remittances/performance.ts';

/** What a calculation's thread is given. */
export type ThreadTask = { inputs: CalculationInputs; loansPath: string; workDir: string };

/** What it gives back: JSON texts and the names of the files it left in `workDir`, or why it could not. */
export type ThreadReply =
  | { ok: true; result: string; projection: string; files: string[] }
  | { ok: false; error: string; defect: boolean; timeout?: boolean };

/** Errors whose message is written for whoever requested the calculation; every other text stays in the log. */
const OF_INPUTS = new Set(['UnusableInputError', 'MissingCurveError']);

if (parentPort) {
  const reply = await run(workerData as ThreadTask).catch((error: Error): ThreadReply => {
    const ofInputs = OF_INPUTS.has(error.name);
    return { ok: false, error: ofInputs ? error.message : String(error.stack), defect: !ofInputs };
  });
  parentPort.postMessage(reply);
}

/** Reads the pool's loans, calculates, and writes the details of every scenario; nothing of it runs on the gateway's own thread. */
async function run({ inputs, loansPath, workDir }: ThreadTask): Promise<ThreadReply> {
  const { pool, structure, request } = inputs;
  const { loans, warnings } = await readLoans(inputs, loansPath, workDir);
  const originalBalance = loans.column('balance').reduce((sum, balance) => sum + balance, 0);
  const facts = {
    loans,
    loanType: pool.loan_type,
    originalBalance,
    cutOff: pool.cut_off_date,
    closing: pool.closing_date,
    tapeVersions: pool.tape_versions,
    warnings,
  };
  await using projector = createProjector();
  const calculated = await calculate(request, facts, structure, {
    project: (table, assumptions, options) => projector.projectTable(table, assumptions, options),
  });
  if (!calculated.ok)
    return { ok: false, error: calculated.faults.map(({ path, message }) => `${path}: ${message}`).join('; '), defect: false };
  const files: string[] = [];
  const keep = async (name: string, value: unknown) => {
    await writeFile(join(workDir, name), JSON.stringify(value));
    files.push(name);
  };
  for (const [index, { trace, ...detail }] of calculated.details.entries()) {
    await keep(`${index}.json`, detail);
    await keep(`${index}.trace.json`, trace);
  }
  const [first] = calculated.details;
  const projection = first ? projectedPerformance(structure, first, originalBalance) : null;
  return { ok: true, result: JSON.stringify(calculated.result), projection: JSON.stringify(projection), files };
}

async function readLoans({ pool, use_scheduled_payment }: CalculationInputs, loansPath: string, workDir: string) {
  await using engine = await openEngine({ workDir, allowedDirectories: [dirname(loansPath)], memoryLimit: '512MB' });
  return await readCollateral({
    engine,
    path: loansPath,
    loanType: pool.loan_type,
    cutOff: pool.cut_off_date,
    useScheduledPayment: use_scheduled_payment,
    averageRatePercent: pool.wac,
    averageRemainingMonths: pool.wam,
  });
}
