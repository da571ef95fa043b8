import type { Engine } from '../engine/engine.ts';
import { sqlText } from '../engine/sql.ts';
import { moneyText, toMicro } from './decimal.ts';
import { type LoadedPool, poolLoader } from './cure/load.ts';
import { modelOf } from './cure/model.ts';
import { impossible, type PossibleRemoval, type RemovalPlan, planRemoval } from './cure/plan.ts';
import { enlarge } from './cure/enlarge.ts';
import { noBits } from './bits.ts';
import type { CriteriaSet, PoolTest } from './language.ts';
import type { PoolTestResult } from './pool-result.ts';
import { type PoolInput, poolSql } from './pool-sql.ts';
import { judgePoolTests } from './pool-tests.ts';

/** Loans to remove, the cost of removing them, and the quality of the solution. Amounts are exact decimal text. */
export interface Removal {
  feasible: boolean;
  /** The reason why no removal is possible; null when one was found. */
  reason: string | null;
  method: string;
  /** Loans to remove, in the order of the tape. */
  loan_ids: string[];
  loans: number;
  removed_balance: string;
  /** Lower bound: no removal that reaches the objective has a smaller balance. */
  best_bound: string;
  /** removed_balance − best_bound: the most that a better choice could save. */
  gap: string;
  /** Proved to be the smallest; where no removal was found, that there is none. */
  optimal: boolean;
  pool_loans: number;
  pool_balance: string;
  /** Every pool test on the remaining loans. */
  pool_tests: PoolTestResult[];
}

export interface Cure extends Removal {
  rule_id: string;
}

export interface Cures {
  eligible_loans: number;
  eligible_balance: string;
  /** One per failed pool test, in the order of the set; none when all hold. */
  cures: Cure[];
}

/**
 * For each failed pool test the smallest balance of loans whose removal makes that test hold.
 * Shares, averages, sums and counts are a min-knapsack: exact for up to 24 loans that count against the limit and wherever the bound of
 * the linear relaxation is met, else within `gap`. Group limits are the largest fixed point of the group caps (exact where each
 * group's subset is); the largest N together and the Herfindahl index cut the groups to one level. Minimum and maximum are exact.
 */
export function curePoolTests(input: PoolInput): Promise<Cures> {
  return withPool(input, (table) => cureEach(input, table));
}

async function cureEach(input: PoolInput, table: string): Promise<Cures> {
  const { engine, set } = input;
  const results = await judgePoolTests(engine, { pool: table }, set);
  const whole = await poolSize(engine, table, set);
  const loader = poolLoader(engine, table, set);
  const found: Cure[] = [];
  for (const [index, result] of results.entries()) {
    if (result.passed !== false) continue;
    const pool = await loader.load(index);
    const cured = (plan: RemovalPlan) => describe(input, table, plan, pool, results);
    const passes = (removal: Removal) => (removal.feasible ? removal.pool_tests[index].passed : false);
    const test = set.pool_tests?.[index] as PoolTest;
    let cure = await cured(planRemoval(modelOf(test, pool.loans, isAbove(test, result)), pool.loans));
    // The cheapest way back within one bound may break the other.
    if (cure.feasible && passes(cure) === false) cure = await cured(enlarge([{ test, result, pool }]));
    if (passes(cure) === null) cure = await cured(NOTHING_MEASURED);
    found.push({ rule_id: result.rule_id, ...cure });
  }
  return { eligible_loans: whole.loans, eligible_balance: whole.balance, cures: found };
}

/**
 * The largest eligible pool under all pool tests at once. The linear relaxation of all tests together gives `best_bound` and says which loans
 * go; around its break whole loans are removed until every test holds, and taken back where they need not go. Where one test alone decides, and
 * in pools of at most 20,000 loans, each failed test is also cured in turn, and the cheaper removal is taken. Small pools are searched completely.
 * Tests over the whole tape are excluded, since no choice of eligible loans changes them.
 */
export function largestPool(input: PoolInput): Promise<Removal> {
  return withPool(input, (table) => enlargeIn(input, table));
}

async function enlargeIn(input: PoolInput, table: string): Promise<Removal> {
  const { engine, set } = input;
  const results = await judgePoolTests(engine, { pool: table }, set);
  const loader = poolLoader(engine, table, set);
  const pools: LoadedPool[] = [];
  for (const index of (set.pool_tests ?? []).keys()) pools.push(await loader.load(index));
  const tests = (set.pool_tests ?? []).map((test, index) => ({
    test,
    result: results[index],
    pool: pools[index],
  }));
  const measured = tests.filter(({ test }) => test.population !== 'all');
  const [first] = measured;
  const plan = first ? enlarge(measured) : NOTHING_TO_DO;
  return describe(input, table, plan, first?.pool ?? null, results);
}

/** Stores the pool in a table, since a cure reads it many times. */
async function withPool<Result>(input: PoolInput, work: (table: string) => Promise<Result>): Promise<Result> {
  const { pool } = await poolSql(input);
  return input.engine.withTable(`SELECT * FROM ${pool} ORDER BY row_number`, work);
}

const NOTHING_TO_DO: RemovalPlan = {
  removed: [],
  reason: null,
  bound: 0,
  optimal: true,
  method: 'no pool test measures the eligible loans',
};

/** The cheapest removal leaves no loan that the test measures: then every loan that it measures is on the wrong side of the limit. */
const NOTHING_MEASURED = impossible('no loan that the test measures would be left');

/** Whether a failed test exceeds its upper limit. */
function isAbove(test: PoolTest, { actual }: Pick<PoolTestResult, 'actual'>): boolean {
  if (test.op === 'between') return toMicro(actual ?? 0) > toMicro((test.value as [number, number])[1]);
  return test.op === 'lte' || test.op === 'lt';
}

async function describe(
  input: PoolInput,
  table: string,
  plan: RemovalPlan,
  pool: LoadedPool | null,
  before: PoolTestResult[],
): Promise<Removal> {
  if (plan.removed === null) {
    const whole = await poolSize(input.engine, table, input.set);
    const nothing = { loan_ids: [], loans: 0, removed_balance: '0.00', best_bound: '0.00', gap: '0.00', optimal: plan.proved };
    return {
      feasible: false,
      reason: plan.reason,
      method: plan.method,
      ...nothing,
      pool_loans: whole.loans,
      pool_balance: whole.balance,
      pool_tests: before,
    };
  }
  return describeRemoval(input, table, plan, pool);
}

function describeRemoval(
  { engine, set }: PoolInput,
  table: string,
  plan: PossibleRemoval,
  pool: LoadedPool | null,
): Promise<Removal> {
  const rows = plan.removed.map((position) => pool?.rowNumbers[position]);
  const bound = BigInt(plan.bound) * (pool?.loans.unit ?? 1n);
  // One text, since the planner reads a list of constants one by one.
  const rowsSql = `SELECT CAST(unnest(string_split(${sqlText(rows.join(' '))}, ' ')) AS INTEGER) AS row_number WHERE ${rows.length > 0}`;
  return engine.withTable(rowsSql, async (removedRows) => {
    const removedLoans = await engine.rows<{ loan_id: string; balance: string }>(
      `SELECT loan_id, CAST(balance AS VARCHAR) AS balance FROM ${table} WHERE row_number IN (SELECT row_number FROM ${removedRows}) ORDER BY row_number`,
    );
    const removed = removedLoans.reduce((sum, { balance }) => sum + toMicro(balance), 0n);
    const rest = `SELECT * FROM ${table} WHERE row_number NOT IN (SELECT row_number FROM ${removedRows})`;
    return engine.withTable(rest, async (restTable) => {
      const size = await poolSize(engine, restTable, set);
      return {
        feasible: true,
        reason: null,
        method: plan.method,
        loan_ids: removedLoans.map(({ loan_id }) => loan_id),
        loans: removedLoans.length,
        removed_balance: moneyText(removed),
        best_bound: moneyText(bound < removed ? bound : removed),
        gap: moneyText(bound < removed ? removed - bound : 0n),
        optimal: plan.optimal,
        pool_loans: size.loans,
        pool_balance: size.balance,
        pool_tests: await judgePoolTests(engine, { pool: restTable }, set),
      };
    });
  });
}

async function poolSize(engine: Engine, table: string, set: CriteriaSet): Promise<{ loans: number; balance: string }> {
  const row = await engine.first<{ loans: number; balance: string }>(
    `SELECT count(*) AS loans, CAST(coalesce(sum(balance), 0) AS VARCHAR) AS balance FROM ${table} WHERE ${noBits('fail', set.loan_rules.length)}`,
  );
  return { loans: row?.loans ?? 0, balance: moneyText(toMicro(row?.balance ?? 0)) };
}
