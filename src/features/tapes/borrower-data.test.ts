import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import type pg from 'pg';
import { startGateway } from '../../../test/support/gateway.ts';
import { autoTape, seller } from '../../../test/support/tapes.ts';
import { until } from '../../../test/support/until.ts';
import { JOB_NAMES } from '../../job-names.ts';
import { openCompute } from '../../platform/compute/compute.ts';
import { openJobs } from '../../platform/jobs/jobs.ts';
import { createLog } from '../../platform/log.ts';
import { jobHandlers } from '../../worker.ts';

const BORROWER = 'Wilhelmina Quackenbush';

test('rows that the engine cannot read get into no line of the log and into no row of the database', async () => {
  await using gateway = await startGateway();
  const ours = await seller(gateway, 'Careful');
  const tape = autoTape(5, (row, index) => {
    if (index === 0) row['Loan ID'] = BORROWER;
  });
  const dealId = await ours.sent(tape);
  const lines: string[] = [];
  const log = createLog('trace', new Writable({ write: (line, _encoding, done) => (lines.push(String(line)), done()) }));
  await using compute = openCompute({ tableUrl: new URL('./testing/unreadable-rows.ts', import.meta.url).href, log });
  await using jobs = await openJobs({
    url: gateway.deps.config.databaseUrl ?? '',
    names: JOB_NAMES,
    onError: (error) => log.error({ err: error }, 'job queue'),
  });
  const owner = await gateway.owner();
  try {
    await jobs.work(jobHandlers({ ...gateway.deps, compute, jobs, log }));
    let output = '';
    await until(async () => (output = await outputOf(owner)) !== '', 120_000, 'the end of the first attempt', 50);
    assert.match(output, /EngineError.*unreadable-rows\.ts/, 'the queue keeps why an attempt failed');
    assert.doesNotMatch(output, /Quackenbush/);
    await until(async () => (await ours.deal(dealId)).qc.state === 'FAILED', 60_000, 'the end of the attempts', 100);
    const logged = lines.join('');
    assert.match(logged, /Conversion Error: line 2 of a text file.*unreadable-rows\.ts/, 'the kind and the places');
    assert.doesNotMatch(logged, /Quackenbush/);
    assert.deepEqual(await tablesWith(owner, 'Quackenbush'), []);
  } finally {
    await owner.end();
  }
});

/** What the queue keeps of the failed attempts at the tape. */
async function outputOf(owner: pg.Client): Promise<string> {
  const { rows } = await owner.query<{ output: string }>(
    `select output::text from pgboss.job where name = 'ingest-tape' and output is not null`,
  );
  return rows.map(({ output }) => output).join('\n');
}

/** The tables with a row that has a text anywhere. */
async function tablesWith(owner: pg.Client, text: string): Promise<string[]> {
  const { rows: tables } = await owner.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
      where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await owner.query(`select 1 from ${name} as t where strpos(t::text, $1) > 0 limit 1`, [text]);
    if (rowCount) found.push(name);
  }
  return found;
}
