import { parquet, sqlName, sqlText } from '../engine/sql.ts';
import { noBits, wordColumns } from './bits.ts';
import { type Compiling, compileWhere, compiling } from './compile.ts';
import { criteriaFields } from './fields.ts';
import type { CriteriaSet } from './language.ts';
import { fieldColumn, fieldOperand } from './operand.ts';
import { groupColumn, measuresAll, MISSING_GROUP, valueColumn, weightOf } from './pool-result.ts';
import { loanRelation, type TapeFiles } from './relation.ts';

/** The outcomes of a run, with the tape and the set that produced them. */
export interface PoolInput extends TapeFiles {
  outcomesPath: string;
  set: CriteriaSet;
}

/** So many loans are looked at for how many groups they make. */
export const FIRST_ROWS = 20_000;

/**
 * SQL of the loans that the pool tests of a set measure: the eligible ones, and all others too if a test measures the whole tape. Columns are `row_number,
 * loan_id, balance`, the words `fail_k`, and the inputs of the tests: `where_i`, groups and values by the names of their fields. `first` are the
 * first loans of the tape, whatever became of them in the run, with the inputs of the tests.
 */
export async function poolSql(input: PoolInput): Promise<{ pool: string; first: string }> {
  const { set, outcomesPath } = input;
  const context = compiling(set, criteriaFields(set));
  const columns = [...poolColumns(set, context)].map(([name, sql]) => `${sql} AS ${sqlName(name)}`);
  const relation = await loanRelation(input, context);
  const rules = set.loan_rules.length;
  const judged = ['row_number', 'balance', ...wordColumns('fail', rules)].join(', ');
  const loans = `(SELECT ${['row_number', 'loan_id', ...columns].join(', ')} FROM (${relation.sql}))`;
  const eligible = `(SELECT ${judged} FROM ${parquet(outcomesPath)} WHERE ${measuresAll(set) ? 'true' : noBits('fail', rules)})`;
  return {
    pool: `(SELECT * FROM ${loans} JOIN ${eligible} USING (row_number))`,
    first: `(SELECT * FROM ${loans} WHERE row_number <= ${FIRST_ROWS})`,
  };
}

/** Columns of a pool that its tests read. */
export function measuredColumns(set: CriteriaSet): string[] {
  const words = measuresAll(set) ? wordColumns('fail', set.loan_rules.length) : [];
  return ['row_number', ...words, ...poolColumns(set, compiling(set, criteriaFields(set))).keys()];
}

function poolColumns(set: CriteriaSet, context: Compiling): Map<string, string> {
  const columns = new Map<string, string>();
  (set.pool_tests ?? []).forEach((test, index) => {
    if (test.where) columns.set(`where_${index}`, compileWhere(test.where, context));
    if (test.group_by) columns.set(groupColumn(test), groupKey(test.group_by, context));
    for (const name of [test.field, weightOf(test, set)])
      if (name !== undefined) columns.set(valueColumn(name), numeric(name, context));
  });
  return columns;
}

function numeric(name: string, context: Compiling): string {
  const field = context.fields.get(name);
  if (!field) throw new Error(`the pool test names the field "${name}", which the set was not checked against`);
  context.used.add(name);
  return fieldColumn(field);
}

function groupKey(names: readonly string[], context: Compiling): string {
  const parts = names.map((name) => {
    const field = context.fields.get(name);
    if (!field) throw new Error(`the pool test groups by "${name}", which the set was not checked against`);
    context.used.add(name);
    const { shown } = fieldOperand(field);
    const text = field.kind === 'number' ? `rtrim(rtrim(${shown}, '0'), '.')` : shown;
    return `coalesce(${text}, ${sqlText(MISSING_GROUP)})`;
  });
  return parts.join(` || ' | ' || `);
}
