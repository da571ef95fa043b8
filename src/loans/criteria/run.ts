import { copyToParquet, parquet, sqlText } from '../engine/sql.ts';
import { BIT_SETS, noBits, ruleBit, withBits, wordColumns, wordCount } from './bits.ts';
import { compileRule, compiling } from './compile.ts';
import { criteriaFields } from './fields.ts';
import type { CriteriaSet } from './language.ts';
import type { PoolTestResult } from './pool-result.ts';
import { poolSql } from './pool-sql.ts';
import { judgePoolTests } from './pool-tests.ts';
import { loanRelation, type TapeFiles } from './relation.ts';
import { countRules, type RuleFigures } from './rule-figures.ts';

export interface RuleWaiver {
  loan_id: string;
  rule_id: string;
}

export interface RunInput extends TapeFiles {
  /** A set that `validateCriteria` found sound. */
  set: CriteriaSet;
  /** Approved waivers; those of unknown, `warn` or not waivable rules have no effect. */
  waivers?: readonly RuleWaiver[];
  /** Directory that the engine may write; `outcomes.parquet` is put there. */
  outDir: string;
  signal?: AbortSignal;
}

/** Result of a run. Balances are exact decimal text in the tape's currency; waived loans are counted among `passed`. */
export interface RunResult extends RuleFigures {
  pool_tests: PoolTestResult[];
  /** Declared columns that the tape does not have: every rule on them fails with MISSING. */
  absent_columns: string[];
  /** How declared columns were read where nothing on the tape decides it. */
  assumptions: string[];
  outcomesPath: string;
}

/** Whole numbers as differences. */
const LAYOUT = ', PARQUET_VERSION v2';

/**
 * Runs a criteria set over the accepted loans of a tape. One statement decides every rule on every loan; the outcomes are
 * written per loan (`row_number, balance, outcome PASSED|FAILED|WAIVED` and the words `fail_k, warn_k, miss_k, waived_k`, a bit per rule
 * in the order of `loan_rules`), in the order of the tape; everything else of a loan stays in the tape's own files. An aborted signal
 * interrupts the engine and throws.
 */
export async function runCriteria(input: RunInput): Promise<RunResult> {
  const { engine, set, signal } = input;
  const context = compiling(set, criteriaFields(set));
  const truths = set.loan_rules.map((rule) => compileRule(rule.rule, context));
  const relation = await loanRelation(input, context);
  const outcomesPath = `${input.outDir}/outcomes.parquet`;
  const outcomes = parquet(outcomesPath);
  const order = relation.ordered && !input.waivers?.length ? '' : ' ORDER BY row_number';
  const query = `${outcomesSql(set, judgedSql(set, truths, relation.sql, input.waivers ?? []))}${order}`;
  await engine.run(copyToParquet(query, outcomesPath, LAYOUT), [], signal);
  const pool = await poolSql({ ...input, outcomesPath });
  const [figures, pool_tests] = await Promise.all([
    countRules(engine, { table: outcomes, hasWaivers: Boolean(input.waivers?.length) }, set, signal),
    judgePoolTests(engine, pool, set, signal),
  ]);
  return { ...figures, pool_tests, absent_columns: relation.absent, assumptions: relation.assumptions, outcomesPath };
}

function judgedSql(set: CriteriaSet, truths: string[], relation: string, waivers: readonly RuleWaiver[]): string {
  const own = ['row_number', 'loan_id', 'coalesce(current_balance, 0) AS balance'];
  const judged = withBits(relation, own, set.loan_rules, truths);
  const rules = set.loan_rules.length;
  const words = waiverWords(set, waivers);
  if (words === null) {
    const none = wordColumns('waived', rules).map((column) => `0::UBIGINT AS ${column}`);
    return `SELECT *, ${none.join(', ')} FROM (${judged})`;
  }
  const masks = Array.from({ length: wordCount(rules) }, (_, word) => `coalesce(w.mask_${word}, 0::UBIGINT)`);
  const kept = masks.map((mask, word) => `j.fail_${word} & ~(${mask}) AS fail_${word}`);
  const waived = masks.map((mask, word) => `j.fail_${word} & ${mask} AS waived_${word}`);
  return `SELECT j.* REPLACE (${kept.join(', ')}), ${waived.join(', ')} FROM (${judged}) j LEFT JOIN (${words}) w ON j.loan_id = w.loan_id`;
}

/** One mask per loan with a waiver, or null when none has an effect. */
function waiverWords(set: CriteriaSet, waivers: readonly RuleWaiver[]): string | null {
  const waivable = new Map(
    set.loan_rules.map((rule, index) => [rule.id, rule.severity !== 'warn' && rule.waivable !== false ? index : -1]),
  );
  const masks = new Map<string, bigint[]>();
  for (const { loan_id, rule_id } of waivers) {
    const index = waivable.get(rule_id) ?? -1;
    if (index < 0) continue;
    const words = masks.get(loan_id) ?? Array.from({ length: wordCount(set.loan_rules.length) }, () => 0n);
    const { word, bit } = ruleBit(index);
    words[word] = (words[word] ?? 0n) | bit;
    masks.set(loan_id, words);
  }
  if (masks.size === 0) return null;
  const rows = [...masks].map(([loan, words]) => `(${sqlText(loan)}, ${words.map((word) => `${word}::UBIGINT`).join(', ')})`);
  const names = Array.from({ length: wordCount(set.loan_rules.length) }, (_, word) => `mask_${word}`);
  return `SELECT * FROM (VALUES ${rows.join(', ')}) AS v(loan_id, ${names.join(', ')})`;
}

const OUTCOMES = ['PASSED', 'FAILED', 'WAIVED'].map(sqlText).join(', ');

/** Outcomes are an enumeration: written as texts they would cost more than all words together. */
function outcomesSql(set: CriteriaSet, judged: string): string {
  const rules = set.loan_rules.length;
  const words = BIT_SETS.flatMap((bits) => wordColumns(bits, rules));
  const named = (outcome: string) => `CAST(${sqlText(outcome)} AS ENUM (${OUTCOMES}))`;
  const outcome = `CASE WHEN NOT ${noBits('fail', rules)} THEN ${named('FAILED')} WHEN ${noBits('waived', rules)} THEN ${named('PASSED')} ELSE ${named('WAIVED')} END`;
  return `SELECT row_number, balance, ${words.join(', ')}, ${outcome} AS outcome FROM (${judged})`;
}
