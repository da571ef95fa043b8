import type { Engine } from '../engine/engine.ts';
import { parquet } from '../engine/sql.ts';
import { hasBit } from './bits.ts';
import { moneyText, toMicro } from './decimal.ts';
import type { CriteriaSet } from './language.ts';

/** The outcomes of a run, with the tape and the set that produced them. */
export interface ComparedRun {
  loansPath: string;
  outcomesPath: string;
  set: Pick<CriteriaSet, 'loan_rules'>;
}

export interface LoanChange {
  loans: number;
  balance: string;
}

/** One rule in both runs; null where the run's set has no rule of that id. */
export interface RuleChange {
  rule_id: string;
  newly_failing: LoanChange | null;
  newly_passing: LoanChange | null;
}

export interface Comparison {
  /** Loans of both runs that passed in the first and fail in the second, with their balance in the second. */
  newly_failing: LoanChange & { loan_ids: string[] };
  newly_passing: LoanChange & { loan_ids: string[] };
  /** Loans of one run only: another tape version lost or gained them. */
  only_in_first: LoanChange;
  only_in_second: LoanChange;
  unchanged: LoanChange;
  rules: RuleChange[];
}

const IDS_SHOWN = 1_000;

/**
 * Compares two runs loan by loan, matched by loan id (the k-th row of an id against the k-th row of it). At most 1,000 loan ids are
 * listed for each direction, in the order of the tape; counts and balances are of all.
 */
export function compareRuns(engine: Engine, first: ComparedRun, second: ComparedRun): Promise<Comparison> {
  const rules = ruleIds(first, second);
  return engine.withTable(joinedSql(first, second, rules), async (table) => {
    const change = (where: string) => changeOf(engine, table, where);
    return {
      newly_failing: { ...(await change(NEWLY_FAILING)), loan_ids: await loanIds(engine, table, NEWLY_FAILING) },
      newly_passing: { ...(await change(NEWLY_PASSING)), loan_ids: await loanIds(engine, table, NEWLY_PASSING) },
      only_in_first: await change('NOT in_b'),
      only_in_second: await change('NOT in_a'),
      unchanged: await change('in_a AND in_b AND failed_a = failed_b'),
      rules: await ruleChanges(engine, table, rules),
    };
  });
}

const NEWLY_FAILING = 'in_a AND in_b AND NOT failed_a AND failed_b';
const NEWLY_PASSING = 'in_a AND in_b AND failed_a AND NOT failed_b';

interface SharedRule {
  id: string;
  a: number;
  b: number;
}

function ruleIds(first: ComparedRun, second: ComparedRun): SharedRule[] {
  const ids = [...new Set([...first.set.loan_rules, ...second.set.loan_rules].map(({ id }) => id))];
  const indexIn = (run: ComparedRun, id: string) => run.set.loan_rules.findIndex((rule) => rule.id === id);
  return ids.map((id) => ({ id, a: indexIn(first, id), b: indexIn(second, id) }));
}

function joinedSql(first: ComparedRun, second: ComparedRun, rules: readonly SharedRule[]): string {
  const side = (run: ComparedRun, name: 'a' | 'b') => {
    const bits = rules.flatMap((rule, index) =>
      rule[name] < 0 ? [] : [`(${hasBit('fail', rule[name])} OR ${hasBit('warn', rule[name])}) AS ${name}_${index}`],
    );
    const own = [
      'loan_id',
      'row_number',
      'balance',
      "outcome = 'FAILED' AS failed",
      'row_number() OVER (PARTITION BY loan_id ORDER BY row_number) AS nth',
    ];
    const loans = `(SELECT row_number, loan_id FROM ${parquet(run.loansPath)})`;
    return `SELECT ${[...own, ...bits].join(', ')} FROM ${parquet(run.outcomesPath)} JOIN ${loans} USING (row_number)`;
  };
  const bits = rules.flatMap(({ a, b }, index) => [...(a < 0 ? [] : [`a.a_${index}`]), ...(b < 0 ? [] : [`b.b_${index}`])]);
  const columns = [
    'coalesce(b.loan_id, a.loan_id) AS loan_id',
    'coalesce(b.row_number, a.row_number) AS row_number',
    'coalesce(b.balance, a.balance) AS balance',
    'a.loan_id IS NOT NULL AS in_a',
    'b.loan_id IS NOT NULL AS in_b',
    'coalesce(a.failed, false) AS failed_a',
    'coalesce(b.failed, false) AS failed_b',
  ];
  return `SELECT ${[...columns, ...bits].join(', ')} FROM (${side(first, 'a')}) a FULL JOIN (${side(second, 'b')}) b ON a.loan_id = b.loan_id AND a.nth = b.nth`;
}

async function changeOf(engine: Engine, table: string, where: string): Promise<LoanChange> {
  const row = await engine.first<{ loans: number; balance: string }>(
    `SELECT count(*) AS loans, CAST(coalesce(sum(balance), 0) AS VARCHAR) AS balance FROM ${table} WHERE ${where}`,
  );
  return { loans: row?.loans ?? 0, balance: moneyText(toMicro(row?.balance ?? 0)) };
}

async function loanIds(engine: Engine, table: string, where: string): Promise<string[]> {
  const rows = await engine.rows<{ loan_id: string }>(
    `SELECT loan_id FROM ${table} WHERE ${where} ORDER BY row_number LIMIT ${IDS_SHOWN}`,
  );
  return rows.map(({ loan_id }) => loan_id);
}

async function ruleChanges(engine: Engine, table: string, rules: readonly SharedRule[]): Promise<RuleChange[]> {
  const pair = (name: string, where: string) =>
    `count(*) FILTER (${where}) AS ${name}_n, CAST(coalesce(sum(balance) FILTER (${where}), 0) AS VARCHAR) AS ${name}_b`;
  const both = rules.map((rule, index) => ({ ...rule, index })).filter(({ a, b }) => a >= 0 && b >= 0);
  const selects = both.flatMap(({ index }) => [
    pair(`f${index}`, `in_a AND in_b AND NOT a_${index} AND b_${index}`),
    pair(`p${index}`, `in_a AND in_b AND a_${index} AND NOT b_${index}`),
  ]);
  const row =
    selects.length === 0
      ? undefined
      : await engine.first<Record<string, string | number>>(`SELECT ${selects.join(', ')} FROM ${table}`);
  const change = (name: string): LoanChange => ({
    loans: Number(row?.[`${name}_n`] ?? 0),
    balance: moneyText(toMicro(row?.[`${name}_b`] ?? 0)),
  });
  return rules.map(({ id, a, b }, index) => {
    const shared = a >= 0 && b >= 0;
    return {
      rule_id: id,
      newly_failing: shared ? change(`f${index}`) : null,
      newly_passing: shared ? change(`p${index}`) : null,
    };
  });
}
