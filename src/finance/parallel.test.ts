import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { projectCollateral, projectTable } from './collateral.ts';
import { packLoans } from './loan-table.ts';
import { createProjector } from './parallel.ts';
import { aLoan, assuming, SOFR_CURVE } from './test-support.ts';
import type { Collateral, CollateralLoan } from './types.ts';

const loans = Array.from({ length: 20_000 }, (_, index) =>
  aLoan({
    balance: 1000 + index / 3,
    ratePercent: 3 + (index % 700) / 100,
    remainingMonths: 12 + (index % 97),
    ageMonths: index % 50,
    ...(index % 11 === 0 ? { interestOnlyMonths: 6 } : {}),
  }),
);

const KINDS: Partial<CollateralLoan>[] = [
  {},
  { deferMonths: 5 },
  { balloonMonth: 9 },
  { steps: [{ fromMonth: 4, ratePercent: 9 }] },
  { floating: { index: 'SOFR', marginPercent: 2, resetMonths: 6, firstResetMonth: 3 } },
  { scheduledPayment: 100 },
];

const speeds = assuming({
  prepayment: { measure: 'psa', values: [150, 200] },
  default: { measure: 'sda', values: [300] },
  severityPercent: 40,
  recoveryLagMonths: 5,
});

test('a pool projected on one, two or three threads is the same to the bit', async () => {
  const alone = projectCollateral(loans, speeds);
  const late = { ...speeds, keepsLateDefaults: true };
  const aloneLate = projectCollateral(loans, late);
  equal(aloneLate.periods, alone.periods + speeds.recoveryLagMonths);
  for (const threads of [1, 2, 3]) {
    await using projector = createProjector({ threads, parallelFrom: 0 });
    deepEqual(flowsOf(await projector.project(loans, speeds)), flowsOf(alone));
    deepEqual(flowsOf(await projector.projectTable(packLoans(loans), speeds)), flowsOf(alone));
    deepEqual(flowsOf(await projector.project(loans, late)), flowsOf(aloneLate));
  }
});

test('loans of every kind are the same to the bit on threads, with advances and without', async () => {
  const mixed = loans.slice(0, 9_000).map((loan, index) => ({ ...loan, ...KINDS[index % KINDS.length] }));
  await using projector = createProjector({ threads: 2, parallelFrom: 0 });
  for (const servicerAdvances of [false, true]) {
    const assumptions = { ...speeds, servicerAdvances };
    deepEqual(
      flowsOf(await projector.project(mixed, assumptions, SOFR_CURVE)),
      flowsOf(projectCollateral(mixed, assumptions, SOFR_CURVE)),
    );
  }
});

test('threads keep the table of a pool between scenarios, and take another when the pool is another', async () => {
  await using projector = createProjector({ threads: 2, parallelFrom: 0 });
  const slow = assuming({ prepayment: { measure: 'cpr', values: [2] } });
  const whole = packLoans(loans);
  const half = packLoans(loans.slice(0, 9000));
  for (const table of [whole, whole, half, whole]) {
    for (const speed of [speeds, slow]) {
      deepEqual(flowsOf(await projector.projectTable(table, speed)), flowsOf(projectTable(table, speed)));
    }
  }
});

test('pools asked for at once do not mix', async () => {
  await using projector = createProjector({ threads: 2, parallelFrom: 0 });
  const half = loans.slice(0, 9000);
  const [whole, part] = await Promise.all([projector.project(loans, speeds), projector.project(half, speeds)]);
  deepEqual(flowsOf(whole), flowsOf(projectCollateral(loans, speeds)));
  deepEqual(flowsOf(part), flowsOf(projectCollateral(half, speeds)));
});

test('a failure in a thread is the failure of the projection, and the next pool is projected', async () => {
  await using projector = createProjector({ threads: 2, parallelFrom: 0 });
  const floaters = [...loans, aLoan({ floating: { index: 'SOFR', marginPercent: 2 } })];
  // By the name of the error a calculation knows that its message is for whoever requested it.
  await rejects(projector.project(floaters, speeds), { name: 'UnusableInputError', message: 'no curve for index SOFR' });
  equal((await projector.project(loans, speeds)).periods, 108);
});

test('a thread that ends is replaced, and it alone', async () => {
  const started: Worker[] = [];
  const note = (worker: Worker) => void started.push(worker);
  process.on('worker', note);
  try {
    await using projector = createProjector({ threads: 3, parallelFrom: 0 });
    await projector.project(loans, speeds);
    await started[0]?.terminate();
    deepEqual(flowsOf(await projector.project(loans, speeds)), flowsOf(projectCollateral(loans, speeds)));
    equal(started.length, 4);
  } finally {
    process.off('worker', note);
  }
});

function flowsOf(collateral: Collateral): number[][] {
  return Object.values(collateral)
    .filter((flow) => flow instanceof Float64Array)
    .map((flow) => [...flow]);
}
