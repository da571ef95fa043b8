import type { Engine } from '../engine/engine.ts';
import { BIT_SETS, type BitSet, rulesIn, wordColumns } from './bits.ts';
import { moneyText, toMicro } from './decimal.ts';
import type { CriteriaSet } from './language.ts';

/** Figures of one rule. Waived failures are counted under `waived` only. */
export interface RuleResult {
  rule_id: string;
  name: string;
  severity: 'fail' | 'warn';
  /** Loans that do not pass the rule, whether by breach or because a value is missing. */
  failed: number;
  missing: number;
  failed_balance: string;
  /** Failed loans for which this is the only rule that fails them; 0 for `warn`. */
  only_reason: number;
  waived: number;
}

/** Loans that remain after a rule, in the order of the set; the first step is the whole tape, the last the eligible loans. */
export interface WaterfallStep {
  step: 'TOTAL' | 'RULE' | 'ELIGIBLE';
  rule_id: string | null;
  /** Loans that this rule is the first to remove. */
  removed: number;
  removed_balance: string;
  loans: number;
  balance: string;
}

export interface RuleFigures {
  total: number;
  passed: number;
  failed: number;
  waived: number;
  total_balance: string;
  passed_balance: string;
  failed_balance: string;
  rule_results: RuleResult[];
  waterfall: WaterfallStep[];
}

/** Loans that failed, warned, were undecided and were waived for exactly the same rules. */
interface Pattern extends Record<BitSet, number[]> {
  loans: number;
  balance: bigint;
}

interface Tally {
  failed: number;
  missing: number;
  balance: bigint;
  only: number;
  waived: number;
  first: number;
  firstBalance: bigint;
}

/** Counts every rule in one pass: loans are grouped by the pattern of their results, so a million loans become a few hundred patterns. */
export async function countRules(
  engine: Engine,
  { table, hasWaivers }: { table: string; hasWaivers: boolean },
  set: CriteriaSet,
  signal?: AbortSignal,
): Promise<RuleFigures> {
  const tallies = set.loan_rules.map(
    (): Tally => ({ failed: 0, missing: 0, balance: 0n, only: 0, waived: 0, first: 0, firstBalance: 0n }),
  );
  const sums = { total: 0, failed: 0, waived: 0, balance: 0n, failedBalance: 0n };
  const hasWarnings = set.loan_rules.some(({ severity }) => severity === 'warn');
  const sets = BIT_SETS.filter((bits) => (bits !== 'warn' || hasWarnings) && (bits !== 'waived' || hasWaivers));
  for await (const pattern of patterns(engine, table, sets, set.loan_rules.length)) {
    signal?.throwIfAborted();
    sums.total += pattern.loans;
    sums.balance += pattern.balance;
    if (pattern.fail.length > 0) {
      sums.failed += pattern.loans;
      sums.failedBalance += pattern.balance;
    } else if (pattern.waived.length > 0) sums.waived += pattern.loans;
    addPattern(pattern, tallies);
  }
  return {
    total: sums.total,
    passed: sums.total - sums.failed,
    failed: sums.failed,
    waived: sums.waived,
    total_balance: moneyText(sums.balance),
    passed_balance: moneyText(sums.balance - sums.failedBalance),
    failed_balance: moneyText(sums.failedBalance),
    rule_results: tallies.map((tally, index) => ruleResult(set, index, tally)),
    waterfall: waterfall(set, tallies, sums.total, sums.balance),
  };
}

/** Grouping by a bit set in which no bit can be set would take time for nothing. */
async function* patterns(engine: Engine, table: string, sets: readonly BitSet[], rules: number): AsyncGenerator<Pattern> {
  const columns = sets.flatMap((bits) => wordColumns(bits, rules));
  const query = `SELECT ${columns.join(', ')}, count(*) AS loans, CAST(sum(balance) AS VARCHAR) AS balance FROM ${table} GROUP BY ALL`;
  for await (const batch of engine.stream<Record<string, string | number>>(query)) {
    for (const row of batch) {
      const words = (bits: BitSet) => rulesIn(wordColumns(bits, rules).map((column) => row[column] ?? 0));
      yield {
        fail: words('fail'),
        warn: words('warn'),
        miss: words('miss'),
        waived: words('waived'),
        loans: Number(row.loans),
        balance: toMicro(row.balance ?? 0),
      };
    }
  }
}

function addPattern(pattern: Pattern, tallies: Tally[]): void {
  const { loans, balance, fail, warn, waived } = pattern;
  const missing = new Set(pattern.miss);
  for (const index of [...fail, ...warn]) {
    const tally = tallies[index];
    tally.failed += loans;
    tally.balance += balance;
    if (missing.has(index)) tally.missing += loans;
  }
  for (const index of waived) tallies[index].waived += loans;
  const [first] = fail;
  if (first === undefined) return;
  const tally = tallies[first];
  tally.first += loans;
  tally.firstBalance += balance;
  if (fail.length === 1) tally.only += loans;
}

function ruleResult(set: CriteriaSet, index: number, tally: Tally): RuleResult {
  const rule = set.loan_rules[index];
  return {
    rule_id: rule?.id ?? '',
    name: rule?.description ?? rule?.id ?? '',
    severity: rule?.severity ?? 'fail',
    failed: tally.failed,
    missing: tally.missing,
    failed_balance: moneyText(tally.balance),
    only_reason: tally.only,
    waived: tally.waived,
  };
}

function waterfall(set: CriteriaSet, tallies: readonly Tally[], total: number, totalBalance: bigint): WaterfallStep[] {
  const none = { rule_id: null, removed: 0, removed_balance: '0.00' };
  const steps: WaterfallStep[] = [{ step: 'TOTAL', ...none, loans: total, balance: moneyText(totalBalance) }];
  let loans = total;
  let balance = totalBalance;
  set.loan_rules.forEach((rule, index) => {
    const tally = tallies[index];
    if (!tally || rule.severity === 'warn') return;
    loans -= tally.first;
    balance -= tally.firstBalance;
    const removed = { removed: tally.first, removed_balance: moneyText(tally.firstBalance) };
    steps.push({ step: 'RULE', rule_id: rule.id, ...removed, loans, balance: moneyText(balance) });
  });
  steps.push({ step: 'ELIGIBLE', ...none, loans, balance: moneyText(balance) });
  return steps;
}
