// A gateway under mixed load: small tapes, checks, dry runs, reads. Memory, descriptors and connections by half minute.
// npm run bench -- soak [MINUTES] [TAPES]: ends after the minutes (default 8) or after so many tapes.
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, createMachine, issueKey, readDeal, type Running, sendTape } from '../test/faults/processes.ts';
import { commandOf, isTaskProcess, processesBelow, procText } from '../test/support/process-tree.ts';
import { autoTape } from '../test/support/tapes.ts';

const MINUTES = 8;
const ROWS = 500;
const ORIGINATORS = 3;
const EVERY_MS = 30_000;
/** Later levels are compared with the one after this many tapes, or after a quarter of the time. */
const WARM_TAPES = 500;
const GROWTH_MAX_MB = 60;
const LOANS = '/v1/api/originator/loans';
const BODY = autoTape(ROWS);
const RULES = {
  name: 'soak',
  loan_type: 'Auto',
  loan_rules: [{ id: 'SCORE', rule: { field: 'credit_score', op: 'gte', value: 620 } }],
};

type Counts = { tapes: number; checks: number; dryRuns: number; reads: number; refused: number; failed: number };
type Sample = Counts & {
  seconds: number;
  gatewayMb: number;
  childrenMb: number;
  children: number;
  databaseMb: number;
  descriptors: number;
  connections: number;
};

type Load = { gateway: Running; token: string; counts: Counts; isOver(): boolean };

/** `ratio`: memory of gateway and children at the end over the memory after warm-up; `growth_mb` is the difference. */
export async function run(args: string[]): Promise<void> {
  const minutes = Number(args[0] ?? MINUTES);
  const mostTapes = Number(args[1] ?? Number.POSITIVE_INFINITY);
  await using machine = createMachine({ LOG_LEVEL: 'error' });
  const gateway = await machine.start(['serve']);
  const tokens: string[] = [];
  for (let index = 0; index < ORIGINATORS; index += 1) tokens.push(await issueKey(machine, 'originator', `Originator ${index}`));
  const counts: Counts = { tapes: 0, checks: 0, dryRuns: 0, reads: 0, refused: 0, failed: 0 };
  const began = Date.now();
  const isOver = () => Date.now() - began >= minutes * 60_000 || counts.tapes >= mostTapes;
  const look = () => ({
    ...counts,
    seconds: Math.round((Date.now() - began) / 1_000),
    ...measure(gateway.pid, machine.postmaster()),
  });
  const samples: Sample[] = [];
  let warm: Sample | undefined;
  process.stdout.write(`${Object.keys(look()).join('\t')}\n`);
  const working = Promise.all(
    tokens.flatMap((token) => [originate, read].map((play) => play({ gateway, token, counts, isOver }))),
  );
  for (let next = began; !isOver(); await sleep(250)) {
    const isWarm = counts.tapes >= WARM_TAPES || Date.now() - began >= (minutes * 60_000) / 4;
    if (!warm && isWarm) warm = look();
    if (Date.now() < next) continue;
    next += EVERY_MS;
    samples.push(look());
    print(samples.at(-1) as Sample);
  }
  await working;
  const last = look();
  print(last);
  report(warm ?? last, last, samples);
}

function report(warm: Sample, last: Sample, samples: readonly Sample[]): void {
  const level = ({ gatewayMb, childrenMb }: Sample) => gatewayMb + childrenMb;
  const most = (pick: (sample: Sample) => number) => Math.max(...samples.map(pick), pick(last));
  process.stdout.write(
    `${JSON.stringify({
      bench: 'soak',
      ratio: Number((level(last) / level(warm)).toFixed(3)),
      growth_mb: level(last) - level(warm),
      limit_mb: GROWTH_MAX_MB,
      warm_after_tapes: warm.tapes,
      tapes: last.tapes,
      reads: last.reads,
      failed: last.failed,
      most_mb: most(level),
      most_descriptors: most(({ descriptors }) => descriptors),
      most_connections: most(({ connections }) => connections),
    })}\n`,
  );
}

function print(sample: Sample): void {
  process.stdout.write(`${Object.values(sample).join('\t')}\n`);
}

/** One tape after the other; some of them are first checked without being kept, and criteria run when their checks have ended. */
async function originate({ gateway, token, counts, isOver }: Load): Promise<void> {
  const criteria = await ask(gateway, 'POST', '/v1/api/originator/sc/criteria', { token, body: RULES });
  for (let round = 0; !isOver(); round += 1) {
    await counted(counts, async () => {
      const deal = await sendTape(gateway, token, BODY);
      while ((await readDeal(gateway, token, deal)).qc.state === 'RUNNING') await sleep(100);
      counts.tapes += 1;
      if (round % 20 === 0) await check(gateway, token, counts);
      if (round % 20 !== 10) return;
      const body = { criteria_id: criteria.body.data.criteria_id, dry_run: true };
      tally(counts, 'dryRuns', (await ask(gateway, 'POST', `/v1/api/originator/sc/deals/${deal}/run`, { token, body })).status);
    });
  }
}

async function check(gateway: Running, token: string, counts: Counts): Promise<void> {
  const headers = { 'content-type': 'text/csv' };
  tally(counts, 'checks', (await ask(gateway, 'POST', `${LOANS}/check?loanType=Auto`, { token, headers, bytes: BODY })).status);
}

async function read({ gateway, token, counts, isOver }: Load): Promise<void> {
  while (!isOver()) {
    await counted(counts, async () => {
      const deals = await ask(gateway, 'GET', `${LOANS}?limit=5`, { token });
      tally(counts, 'reads', deals.status);
      for (const { id } of deals.body.data ?? [])
        tally(counts, 'reads', (await ask(gateway, 'GET', `${LOANS}/${id}/loans?limit=20`, { token })).status);
    });
    await sleep(50);
  }
}

function tally(counts: Counts, name: 'checks' | 'dryRuns' | 'reads', status: number): void {
  if (status < 400) counts[name] += 1;
  else if (status === 429 || status === 503) counts.refused += 1;
  else if (status >= 500) counts.failed += 1;
}

async function counted(counts: Counts, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    counts.failed += 1;
    process.stderr.write(`${(error as Error).message}\n`);
  }
}

/** Shared pages are divided among their users, so that the figures add up. */
function measure(launcher: number, postmaster: number | null) {
  const tree = processesBelow(launcher);
  const database = new Set(postmaster ? [postmaster, ...processesBelow(postmaster)] : []);
  const children = tree.filter(isTaskProcess);
  const serving = tree.filter((pid) => !database.has(pid) && commandOf(pid).includes('src/cli.ts'));
  const megabytes = (pids: Iterable<number>) => Math.round([...pids].reduce((sum, pid) => sum + kilobytesOf(pid), 0) / 1024);
  return {
    gatewayMb: megabytes(serving),
    childrenMb: megabytes(children),
    children: children.length,
    databaseMb: megabytes(database),
    descriptors: [...serving, ...children].reduce((sum, pid) => sum + descriptorsOf(pid), 0),
    connections: [...database].filter((pid) => commandOf(pid).includes('127.0.0.1')).length,
  };
}

const kilobytesOf = (pid: number): number => Number(/^Pss:\s+(\d+)/m.exec(procText(pid, 'smaps_rollup'))?.[1] ?? 0);

function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
