// Processor time of a calculation over a pool of 100,000 loans through the API: the first one of the pool, and later ones.
// npm run bench -- calculation [LOANS]
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Gateway, type Holder, startGateway } from '../test/support/gateway.ts';
import { formPool, structureOver } from '../test/support/pools.ts';
import { dealOfLoans, writeLoans } from './gen-loans.ts';

const LOANS = 100_000;
/** Seconds of processor time that a calculation may take after the first one of its pool. */
const LIMIT_CPU_SECONDS = 0.35;
const LATER = 7;

export async function run(args: string[]): Promise<void> {
  const loans = Number(args[0] ?? LOANS);
  const workDir = await mkdtemp(join(tmpdir(), 'sluice-bench-'));
  await using gateway = await startGateway();
  try {
    const operator = await gateway.key('operator', 'Platform');
    const as = await gateway.key('originator', 'Harbor');
    const path = await structuredPool(
      gateway,
      as,
      await dealOfLoans(gateway, as, operator, await writeLoans(workDir, 'Harbor', loans)),
    );
    const costs: Cost[] = [];
    for (let index = 0; index <= LATER; index += 1) costs.push(await calculate(gateway, as, path, index));
    const [first, ...later] = costs;
    const median = later.toSorted((a, b) => a.cpuSeconds - b.cpuSeconds)[Math.floor(LATER / 2)];
    console.table(
      costs.map(({ cpuSeconds, seconds }, index) => ({
        calculation: index === 0 ? 'first' : 'later',
        cpu_seconds: round(cpuSeconds),
        limit_cpu_seconds: index === 0 ? null : LIMIT_CPU_SECONDS,
        seconds: round(seconds),
      })),
    );
    console.log(
      JSON.stringify({
        bench: 'calculation',
        ratio: round((median?.cpuSeconds ?? 0) / LIMIT_CPU_SECONDS),
        loans,
        first_cpu_seconds: round(first?.cpuSeconds ?? 0),
        later_cpu_seconds: round(median?.cpuSeconds ?? 0),
        limit_cpu_seconds: LIMIT_CPU_SECONDS,
      }),
    );
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** The address of a STRUCTURED pool's calculations. */
async function structuredPool(gateway: Gateway, as: Holder, dealId: string): Promise<string> {
  const { pool_id, balance } = dataOf(await formPool(gateway, as, [dealId]));
  const body = structureOver(balance);
  dataOf(await gateway.call('PUT', `/v1/api/originator/pools/${pool_id}/structure`, { as, body }));
  return `/v1/api/originator/analytics/pools/${pool_id}/calculations`;
}

type Cost = { cpuSeconds: number; seconds: number };

/** From the request to the result: time of every thread of this process, which serves the request and runs the job. */
async function calculate(gateway: Gateway, as: Holder, path: string, index: number): Promise<Cost> {
  const assumptions = { cpr: 6 + index / 4, cdr: 1.5, severity: 45, recovery_lag_months: 6 };
  const before = process.cpuUsage();
  const began = performance.now();
  const { calculation_id } = dataOf(await gateway.call('POST', path, { as, body: { type: 'CASHFLOW', assumptions } }));
  await gateway.runJobs();
  const { status } = dataOf(await gateway.call('GET', `${path}/${calculation_id}`, { as }));
  const { user, system } = process.cpuUsage(before);
  if (status !== 'COMPLETED') throw new Error(`the calculation is ${status}`);
  return { cpuSeconds: (user + system) / 1e6, seconds: (performance.now() - began) / 1_000 };
}

function dataOf({ status, body }: Awaited<ReturnType<Gateway['call']>>) {
  if (status >= 400) throw new Error(JSON.stringify(body));
  return body.data;
}
