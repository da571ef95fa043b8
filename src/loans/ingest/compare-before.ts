import { tapeFinding } from '../checks/tape-checks.ts';
import { parquet } from '../engine/sql.ts';
import type { TapeFinding } from '../types.ts';
import type { LoansBefore } from './ingest-types.ts';
import { acceptedRows, type RowsInput } from './loans-file.ts';
import type { TapePlan } from './plan-tape.ts';

/** A balance that is more than this times the one before, or less than such a part of it, is another unit or another column rather than a month. */
const FACTOR_MAX = 2;

/** Counts of loans, and exact sums as text. */
type Compared = {
  loans_before: number;
  loans_now: number;
  balance_before: string;
  balance_now: string;
  ids_before: number;
  /** Ids that both versions have, and the balances of their loans. */
  shared: number;
  shared_before: string;
  shared_now: string;
};

/**
 * What tells that the loans of a version are not those of the version before, or not in the same unit. The number of loans and a lost balance
 * cannot: ids with a new prefix and amounts in cents lose nothing, and would come into force without a word.
 */
export async function compareBefore(
  plan: TapePlan,
  before: LoansBefore,
  rows: RowsInput,
  workDir: string,
): Promise<TapeFinding[]> {
  const { facts, role, input } = plan;
  const where = await acceptedRows(rows, `${workDir}/malformed-rows.csv`);
  const hasIds = before.hasIds && facts.mapped.has(facts.id);
  const balance = facts.present.has(role.current) ? role.current : (facts.amount ?? role.original);
  const compared = await input.engine.first<Compared>(
    comparison(before.loansPath, rows.typedPath, where, hasIds ? facts.id : null, balance),
  );
  if (!compared || compared.loans_before === 0 || compared.loans_now === 0) return [];
  // Of a version with fewer loans no more ids can be the same; that it loses loans is told otherwise.
  const isSame = hasIds && 2 * compared.shared >= Math.min(compared.ids_before, compared.loans_now);
  return [
    ...(hasIds && !isSame ? [otherIds(compared, before.version, facts.id)] : []),
    ...otherBalances(compared, before.version, isSame, role.current),
  ];
}

/** Loans without an id, and all of a tape without ids, share none. */
function comparison(beforePath: string, typedPath: string, where: string, id: string | null, balance: string): string {
  const sum = (column: string) => `CAST(CAST(coalesce(sum(${column}), 0) AS DECIMAL(38,2)) AS VARCHAR)`;
  const one = (columns: string, table: string) => `(SELECT ${columns} FROM ${table})`;
  return `WITH was AS (SELECT loan_id AS id, current_balance AS balance FROM ${parquet(beforePath)}),
      is_now AS (SELECT ${id ?? 'CAST(NULL AS VARCHAR)'} AS id, ${balance} AS balance FROM ${parquet(typedPath)} WHERE ${where}),
      was_by_id AS (SELECT id, sum(balance) AS balance FROM was GROUP BY id),
      now_by_id AS (SELECT id, sum(balance) AS balance FROM is_now WHERE id IS NOT NULL GROUP BY id)
    SELECT ${one('count(*)', 'was')} AS loans_before, ${one('count(*)', 'is_now')} AS loans_now,
      ${one(sum('balance'), 'was')} AS balance_before, ${one(sum('balance'), 'is_now')} AS balance_now,
      ${one('count(*)', 'was_by_id')} AS ids_before,
      count(*) AS shared, ${sum('w.balance')} AS shared_before, ${sum('n.balance')} AS shared_now
    FROM was_by_id w JOIN now_by_id n USING (id)`;
}

const count = (number: number): string => number.toLocaleString('en-US');

function otherIds(compared: Compared, version: number, field: string): TapeFinding {
  const { shared, ids_before, loans_now, balance_before, balance_now } = compared;
  const message =
    `${count(shared)} of the ${count(ids_before)} loan ids of version ${version} are among the ${count(loans_now)} loans of this one; the balance was ${balance_before} and is ${balance_now}. ` +
    'If these are the same loans, send their ids as before: under other ids they are other loans to waivers, monthly tapes and comparisons';
  return tapeFinding('IDS_UNLIKE_BEFORE', message, {
    field,
    actual: `${count(shared)} of ${count(ids_before)} ids`,
    expected: 'the ids of the version before',
  });
}

/** Of the same loans the balances are compared, of others those of a loan on the average. */
function otherBalances(compared: Compared, version: number, isSame: boolean, field: string): TapeFinding[] {
  const { loans_before, loans_now, balance_before, balance_now, shared, shared_before, shared_now } = compared;
  const [was, is] = isSame
    ? [Number(shared_before), Number(shared_now)]
    : [Number(balance_before) / loans_before, Number(balance_now) / loans_now];
  if (was <= 0 || is <= 0 || (is <= FACTOR_MAX * was && was <= FACTOR_MAX * is)) return [];
  const [loans, before, now] = isSame
    ? [`the ${count(shared)} loans that version ${version} has too`, shared_before, shared_now]
    : ['a loan on the average', was.toFixed(2), is.toFixed(2)];
  const times = is > was ? is / was : was / is;
  const message =
    `${loans} had a balance of ${before} in version ${version} and ${isSame ? 'have' : 'has'} ${now} here, ${Number(times.toPrecision(3))} times as ${is > was ? 'much' : 'little'}; ` +
    `in all it was ${balance_before} and is ${balance_now}. Compare the unit of the amounts and the column of the balance with those of the version before`;
  return [tapeFinding('BALANCES_UNLIKE_BEFORE', message, { field, actual: now, expected: `about ${before}` })];
}
