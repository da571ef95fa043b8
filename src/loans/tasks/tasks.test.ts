import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Cures, Removal } from '../criteria/cure.ts';
import { openEngine } from '../engine/engine.ts';
import type { CriteriaSet } from '../criteria/language.ts';
import { INGEST_STAGES, type IngestProgress, type ReportProgress } from '../ingest/ingest-types.ts';
import { checkTape } from './check-tape.ts';
import { versionDiffTask } from './tasks.ts';
import { evaluateCriteria } from './evaluate-criteria.ts';
import { type IngestTask, runIngestTask } from './ingest-tape.ts';
import { readCollateralFile } from './read-collateral.ts';
import type { RunFiles } from './search-pool.ts';
import { comparisonTask, searchTask } from './tasks.ts';
import { poolTableTask } from './tasks.ts';

/** Directories that go with it. */
async function desk() {
  const root = await mkdtemp(join(tmpdir(), 'tasks-'));
  let count = 0;
  return {
    async dir() {
      count += 1;
      const path = join(root, `dir-${count}`);
      await mkdir(path);
      return path;
    },
    async file(text: string, name = 'tape.csv') {
      const path = join(await this.dir(), name);
      await writeFile(path, text);
      return path;
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

const HEADER = 'Loan ID,Current Balance,Original Amount Financed,LTV,State,APR,Remaining Term';
const ROWS = ['A,1000,2000,90,CA,5,40', 'B,2000,2500,130,TX,6,50', 'C,3000,3500,,NY,7,60', 'D,4000,4500,100,CA,8,70'];
const tapeOf = (...rows: string[]) => [HEADER, ...rows].join('\n');

type Desk = Awaited<ReturnType<typeof desk>>;

async function ingest(at: Desk, text: string, more: Partial<IngestTask> = {}, report?: ReportProgress) {
  const task: IngestTask = {
    path: await at.file(text),
    format: 'csv',
    mode: 'REPLACE',
    loanType: 'Auto',
    rawPath: null,
    bases: [],
    asOf: '2026-11-20',
    overrides: [],
    remembered: [],
    outDir: await at.dir(),
    ...more,
  };
  return await runIngestTask(task, report);
}

async function ingested(at: Desk, text: string, more: Partial<IngestTask> = {}) {
  const reply = await ingest(at, text, more);
  assert.ok('ingested' in reply, JSON.stringify(reply));
  const { loans, raw: rawPath, issues: issuesPath } = reply.ingested.files;
  return { ...reply, loansPath: loans ?? '', rawPath, base: { version: 1, rawPath, issuesPath } };
}

const SET: CriteriaSet = {
  loan_type: 'Auto',
  loan_rules: [{ id: 'LTV', rule: { field: 'ltv', op: 'lte', value: 120, on_missing: 'pass' } }],
  pool_tests: [{ id: 'CA', type: 'share', where: { field: 'state', op: 'eq', value: 'CA' }, op: 'lte', value: 0.5 }],
};

async function evaluated(at: Desk, tape: { loansPath: string; rawPath: string }, set = SET, firstOutcomes = 100) {
  const { loansPath, rawPath } = tape;
  return await evaluateCriteria({ loansPath, rawPath, set, waivers: [], outDir: await at.dir(), firstOutcomes });
}

async function runFiles(at: Desk, text: string, set = SET): Promise<RunFiles> {
  const tape = await ingested(at, text);
  const { result } = await evaluated(at, tape, set);
  return { loansPath: tape.loansPath, raw: { path: tape.rawPath }, outcomesPath: result.outcomesPath, set };
}

test('a tape is ingested with its columns in order', async () => {
  await using at = await desk();
  const { ingested: figures, columns, remembered } = await ingested(at, tapeOf(...ROWS));
  assert.deepEqual([figures.rows, figures.accepted, figures.total_balance], [4, 4, '10000.00']);
  assert.deepEqual(
    columns.map(({ name }) => name),
    HEADER.split(','),
  );
  assert.equal(remembered, false);
});

test('a remembered mapping is said to apply when the tape has one of its columns, and not otherwise', async () => {
  await using at = await desk();
  const with_ = async (source: string) =>
    (await ingested(at, tapeOf(...ROWS), { remembered: [{ source, target: 'credit_score' }] })).remembered;
  assert.deepEqual([await with_('APR'), await with_('Coupon')], [true, false]);
});

test('a mapping that is new reads the raw table again, without the uploaded file', async () => {
  await using at = await desk();
  const first = await ingested(at, tapeOf(...ROWS));
  const again = await ingested(at, '', {
    path: '/nowhere',
    rawPath: first.rawPath,
    overrides: [{ source: 'LTV', target: null }],
  });
  assert.ok(again.ingested.mapping.unmapped.includes('LTV'));
  assert.ok(!first.ingested.mapping.unmapped.includes('LTV'));
  assert.equal(again.ingested.accepted, 4);
});

test('loans sent inline have the names of fields; no mapping is remembered for them', async () => {
  await using at = await desk();
  const loans = JSON.stringify([{ loan_id: 'A', original_balance: 5, ltv: 80 }]);
  const { ingested: figures, remembered } = await ingested(at, loans, {
    format: 'inline',
    remembered: [{ source: 'ltv', target: 'credit_score' }],
  });
  assert.deepEqual([figures.accepted, remembered], [1, false]);
});

test('the file of findings of loans sent inline is merged in canonical units, and its mapping is read again in them', async () => {
  await using at = await desk();
  const loan = (loan_id: string, more: object) => ({ loan_id, original_balance: 5_000, interest_rate: 0.5, ltv: 80, ...more });
  const first = await ingested(at, JSON.stringify([loan('A', {}), loan('B', { interest_rate: 'abc' })]), { format: 'inline' });
  const bases = [{ ...first.base, inline: true }];
  const file = 'loan_id,original_balance,interest_rate,ltv,_row,_rule,_reason\nB,5000,0.75,80,2,UNREADABLE_VALUE,why';
  const remembered = [{ source: 'interest_rate', target: null }];
  const merged = await ingested(at, file, { mode: 'MERGE', bases, remembered });
  assert.equal(merged.remembered, false);
  const again = await ingested(at, '', { path: '/nowhere', rawPath: merged.rawPath, inline: true, remembered });
  await using engine = await openEngine({ workDir: await at.dir(), allowedDirectories: [tmpdir()] });
  for (const { loansPath } of [first, merged, again]) {
    const loans = await engine.rows<{ rate: string | null; ltv: string }>(
      `SELECT CAST(interest_rate AS DOUBLE) AS rate, CAST(ltv AS DOUBLE) AS ltv FROM read_parquet('${loansPath}') ORDER BY row_number`,
    );
    assert.deepEqual(loans, [
      { rate: 0.5, ltv: 80 },
      { rate: loansPath === first.loansPath ? null : 0.75, ltv: 80 },
    ]);
  }
});

test('another file is not merged into loans that were sent inline', async () => {
  await using at = await desk();
  const loans = JSON.stringify([{ loan_id: 'A', original_balance: 5_000, interest_rate: 0.5 }]);
  const first = await ingested(at, loans, { format: 'inline' });
  const text = 'loan_id,original_balance,interest_rate\nA,5000,0.005';
  const reply = await ingest(at, text, { mode: 'MERGE', bases: [{ ...first.base, inline: true }] });
  assert.ok('problem' in reply && reply.problem.includes('sent inline'), JSON.stringify(reply));
});

test('a merge adds to the version before it, and needs one', async () => {
  await using at = await desk();
  const first = await ingested(at, tapeOf(...ROWS));
  const merged = await ingested(at, tapeOf('B,1900,2500,130,TX,6,49', 'E,500,600,80,CA,5,10'), {
    mode: 'MERGE',
    bases: [first.base],
  });
  assert.deepEqual([merged.ingested.accepted, merged.ingested.total_balance], [5, '10400.00']);
  assert.deepEqual(await ingest(at, tapeOf(...ROWS), { mode: 'MERGE' }), {
    problem: 'There is no earlier version to merge into: send the whole tape.',
  });
});

test('a corrected file is merged into the version whose findings it names, by default into the one in force', async () => {
  await using at = await desk();
  const row = (id: string, apr: string) => `${id},1000,2000,90,CA,${apr},40`;
  const old = await ingested(at, tapeOf(row('A', '5'), row('B', 'abc')));
  const now = await ingested(at, tapeOf(row('A', 'xyz'), row('B', '6'), row('C', '7')));
  const bases = [
    { ...now.base, version: 2 },
    { ...old.base, version: 1 },
  ];
  const send = (number: number, rule: string, of: IngestTask['bases'] = bases) =>
    ingested(at, [`${HEADER},_row,_rule,_reason`, `${row('B', '5.5')},${number},${rule},why`].join('\n'), {
      mode: 'MERGE',
      bases: of,
    });
  const codesOf = ({ ingested: { issues_by_rule } }: Awaited<ReturnType<typeof ingested>>) =>
    issues_by_rule.map(({ rule_id }) => rule_id).filter((rule) => rule.startsWith('CORRECTION'));
  const named = await send(2, 'UNREADABLE_VALUE');
  assert.deepEqual([named.merged_into, named.ingested.rows, codesOf(named)], [1, 2, ['CORRECTION_OF_OTHER_VERSION']]);
  const [inForce, silent, criteria] = [
    await send(1, 'UNREADABLE_VALUE'),
    await send(2, ''),
    await send(2, 'A_RULE_OF_MY_CRITERIA'),
  ];
  for (const { merged_into, ingested: figures } of [inForce, silent, criteria])
    assert.deepEqual([merged_into, figures.rows], [2, 3]);
  assert.deepEqual(codesOf(silent), []);
  assert.equal((await send(2, 'UNREADABLE_VALUE', bases.slice(0, 1))).merged_into, 2, 'the only version there is');
});

test('an ingest tells its stages in their order, and within one never goes back', async () => {
  await using at = await desk();
  const told: IngestProgress[] = [];
  await ingest(at, tapeOf(...ROWS), {}, (progress) => told.push(progress));
  const stages = told.map(({ stage }) => stage);
  assert.deepEqual([...new Set(stages)], [...INGEST_STAGES]);
  assert.deepEqual(
    stages,
    stages.toSorted((a, b) => INGEST_STAGES.indexOf(a) - INGEST_STAGES.indexOf(b)),
  );
  for (const { done, total } of told) assert.ok(done >= 0 && done <= total && total > 0, JSON.stringify(told));
  const bytes = Buffer.byteLength(tapeOf(...ROWS));
  assert.deepEqual(told.filter(({ stage }) => stage === 'READING').at(-1), { stage: 'READING', done: bytes, total: bytes });
  assert.equal(told.find(({ stage }) => stage === 'CHECKING')?.total, ROWS.length);
});

test('a merge that the tapes do not allow is a problem in words, not a failure', async () => {
  await using at = await desk();
  const first = await ingested(at, tapeOf(...ROWS));
  const reply = await ingest(at, ['Current Balance,Original Amount Financed', '5,6'].join('\n'), {
    mode: 'MERGE',
    bases: [first.base],
  });
  assert.ok('problem' in reply && reply.problem.length > 20, JSON.stringify(reply));
});

test('a file that is no tape is a problem in words', async () => {
  await using at = await desk();
  for (const text of ['', '\n\n', '%PDF-1.7 …']) {
    const reply = await ingest(at, text);
    assert.ok('problem' in reply && reply.problem !== '', JSON.stringify(text));
  }
});

test('a local file is checked: figures and the issues of its rows, those of the whole tape first', async () => {
  await using at = await desk();
  const text = tapeOf(...ROWS, 'E,5000,,90,ZZ,5,10', 'F,x,y,90,CA,5,10');
  const workDir = await at.dir();
  const checked = await checkTape({ path: await at.file(text), format: 'csv', loanType: 'Auto', workDir, asOf: '2026-11-20' });
  assert.ok(checked.ok);
  const { report } = checked;
  assert.deepEqual([report.loan_type, report.rows, report.rejected], ['Auto', 6, 1]);
  const rows = report.issues.map(({ row_number }) => row_number);
  assert.deepEqual(
    rows,
    rows.toSorted((a, b) => (a ?? 0) - (b ?? 0)),
  );
  assert.ok(report.issues.some(({ row_number, field }) => row_number === 5 && field === 'state'));
  const empty = await checkTape({ path: await at.file(''), format: 'csv', loanType: 'Auto', workDir, asOf: '2026-11-20' });
  assert.equal(empty.ok, false);
});

test('a check lists the first thousand issues and counts all of them', async () => {
  await using at = await desk();
  const rows = Array.from({ length: 6_000 }, (_, index) => `L${index},1000,2000,90,${index % 5 === 0 ? 'ZZ' : 'CA'},5,10`);
  const path = await at.file(tapeOf(...rows));
  const checked = await checkTape({ path, format: 'csv', loanType: 'Auto', workDir: await at.dir(), asOf: '2026-11-20' });
  assert.ok(checked.ok);
  assert.equal(checked.report.issues.length, 1_000);
  assert.ok(checked.report.issue_counts.warning >= 1_200, String(checked.report.issue_counts.warning));
});

test('an evaluation returns as many first outcomes as were asked for, in the order of the tape', async () => {
  await using at = await desk();
  const tape = await ingested(at, tapeOf(...ROWS));
  const outcomes = async (first: number) => {
    const { result, loans } = await evaluated(at, tape, SET, first);
    assert.deepEqual([result.total, result.failed], [4, 1]);
    return loans.map(({ loan_id, outcome }) => `${loan_id} ${outcome}`);
  };
  assert.deepEqual(await outcomes(0), []);
  assert.deepEqual(await outcomes(2), ['A PASSED', 'B FAILED']);
  assert.deepEqual(await outcomes(9), ['A PASSED', 'B FAILED', 'C PASSED', 'D PASSED']);
});

test('a search gives one cure per failed test, or the largest pool', async () => {
  await using at = await desk();
  const files = await runFiles(at, tapeOf(...ROWS));
  // CA has 5,000 of 8,000: without A it has 4,000 of 7,000, without D 1,000 of 4,000
  const { cures } = (await searchTask.run({ files, objective: 'min_removal', workDir: await at.dir() })) as Cures;
  assert.deepEqual(
    cures.map(({ rule_id, loan_ids, pool_balance }) => [rule_id, loan_ids, pool_balance]),
    [['CA', ['D'], '4000.00']],
  );
  const pool = (await searchTask.run({ files, objective: 'max_pool', workDir: await at.dir() })) as Removal;
  assert.deepEqual([pool.loan_ids, pool.pool_balance], [['D'], '4000.00']);
});

test('two runs are compared from their files alone', async () => {
  await using at = await desk();
  const first = await runFiles(at, tapeOf(...ROWS));
  const second = await runFiles(at, tapeOf('A,1000,2000,125,CA,5,40', ...ROWS.slice(1)));
  const compared = await comparisonTask.run({ first, second, workDir: await at.dir() });
  assert.deepEqual([compared.newly_failing.loan_ids, compared.newly_passing.loan_ids, compared.unchanged.loans], [['A'], [], 3]);
});

test('two versions of a tape are compared loan by loan', async () => {
  await using at = await desk();
  const previous = (await ingested(at, tapeOf(...ROWS))).loansPath;
  const next = (await ingested(at, tapeOf(...ROWS.slice(1), 'E,500,600,80,CA,5,10'))).loansPath;
  const diff = await versionDiffTask.run({ previous, next, workDir: await at.dir() });
  assert.deepEqual([diff.added, diff.removed], [1, 1]);
  const same = await versionDiffTask.run({ previous, next: previous, workDir: await at.dir() });
  assert.deepEqual([same.added, same.removed], [0, 0]);
});

const IDENTITIES = { organizationId: 'org_ours', syntheticIds: [], key: '00'.repeat(32) };

test('a pool is written from the loans that passed and read back as collateral', async () => {
  await using at = await desk();
  const files = await runFiles(at, tapeOf(...ROWS));
  const workDir = await at.dir();
  const path = join(workDir, 'pool.parquet');
  const source = {
    deal_id: 'deal_1',
    deal_number: 1,
    tape_version: 1,
    loansPath: files.loansPath,
    outcomesPaths: [files.outcomesPath],
  };
  const { table, identities } = await poolTableTask.run({
    loanType: 'Auto',
    cutOff: '2026-11-30',
    sources: [source],
    condition: "state <> 'NY'",
    path,
    workDir,
    ...IDENTITIES,
    identitiesPath: join(workDir, 'identities'),
  });
  assert.deepEqual([table.loan_count, table.balance, identities.loans], [2, '5000.00', 2]);
  const { loans } = await readCollateralFile(
    { path, workDir: await at.dir() },
    { loanType: 'Auto', cutOff: '2026-11-30', averageRatePercent: 5, averageRemainingMonths: 10 },
  );
  assert.deepEqual(
    [...loans].map(({ balance, ratePercent, remainingMonths }) => [balance, ratePercent, remainingMonths]),
    [
      [1_000, 5, 40],
      [4_000, 8, 70],
    ],
  );
});

test('a task reads no file outside the directories of its own files', async () => {
  await using at = await desk();
  const files = await runFiles(at, tapeOf(...ROWS));
  const elsewhere = await at.file('x', 'secret.csv');
  const condition = `EXISTS (SELECT 1 FROM read_text('${elsewhere}'))`;
  const workDir = await at.dir();
  await assert.rejects(
    poolTableTask.run({
      loanType: 'Auto',
      cutOff: '2026-11-30',
      sources: [{ deal_id: 'd', deal_number: 1, tape_version: 1, loansPath: files.loansPath, outcomesPaths: [] }],
      condition,
      path: join(workDir, 'pool.parquet'),
      workDir,
      ...IDENTITIES,
      identitiesPath: join(workDir, 'identities'),
    }),
    /disabled by configuration|Permission/i,
  );
});
