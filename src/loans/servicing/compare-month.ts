import { addMonths } from '../../finance/dates.ts';
import { ratio } from '../analytics/pool-table.ts';
import { columnsOf } from '../engine/columns-of.ts';
import type { Engine } from '../engine/engine.ts';
import { copyToParquet, parquet, sqlName, sqlText } from '../engine/sql.ts';
import { NEVER_MOVES } from '../ingest/diff-tapes.ts';
import type { RuleCount } from '../types.ts';
import { LIVE_STATES, type LoanState } from '../analytics/loan-state.ts';
import { monthFindings } from './month-findings.ts';
import { MONTH_COLUMNS, type PairInput, withPairs } from './pair-loans.ts';

export type MonthInput = PairInput & {
  /** Months between the two. */
  months: number;
  /** Day of which the loans were before, YYYY-MM-DD. */
  cutOff: string;
  /** Whether a column of the tape says what was recovered. */
  hasRecoveries: boolean;
  /** What the reading of the tape found: issues.parquet. */
  issuesPath: string;
  /** Receives the pool after the month, in the form of a pool's loan table with `MONTH_COLUMNS`. */
  monthPath: string;
  /** Receives the findings of the reading and those of the month together, in the form of issues.parquet. */
  findingsPath: string;
};

/** Exact decimal text with 2 places, but for `wac` and `wam` (6 places), in currency units, percent and months. */
export type MonthFigures = {
  opening: string;
  /** Null for cards, which have no schedule: `principal_collected` has both. */
  scheduled: string | null;
  prepaid: string | null;
  principal_collected: string;
  repurchased: string;
  defaulted: string;
  /** Null where the tape has no column of recoveries. */
  recovered: string | null;
  /** Increases of balances, and balances of loans that had ended. */
  adjustment: string;
  /** opening − principal_collected − repurchased − defaulted + adjustment. */
  closing: string;
  wac: string | null;
  wam: string | null;
  /** Balances of the loans past due; null where the tape does not say of any loan. */
  delinquent_30: string | null;
  delinquent_60: string | null;
  delinquent_90: string | null;
  delinquent_120: string | null;
  /** Loans that owe, before and after. */
  opening_count: number;
  count: number;
  prepaid_count: number;
  defaulted_count: number;
};

/** Loans of one state before and one after the month, with what they owed before. */
export type Roll = { from: LoanState; to: LoanState; count: number; balance: string };

/** The loans of one quarter of origination in a month. */
export type VintageMonth = {
  /** Such as 2025Q3; null for loans without a date. */
  vintage: string | null;
  opening: string;
  closing: string;
  count: number;
  prepaid_count: number;
  defaulted_count: number;
  defaulted: string;
  recovered: string;
  delinquent_60: string;
};

export type MonthReply = {
  figures: MonthFigures;
  rolls: Roll[];
  vintages: VintageMonth[];
  /** Loans of the pool on the tape, and rows of the tape that are no loan of the pool. */
  matched: number;
  strangers: number;
  /** Loans that owed and are not on the tape, or end before their schedule while it says no reason. */
  unexplained: number;
  /** Latest reporting date on the tape, null without one. */
  reported: string | null;
  findings: RuleCount[];
};

/**
 * Follows the loans of a pool through a month: puts each beside its row of the tape, says what became of it, and writes the pool after the
 * month. It reads the month before and this tape alone, so that a month costs what the one before did.
 */
export async function compareMonth(input: MonthInput): Promise<MonthReply> {
  const { engine } = input;
  return await withPairs(input, async ({ pairs, strangers }) => {
    await engine.run(`CREATE TABLE flows AS ${flowsOf(pairs)}`);
    try {
      await writeMonth(input);
      const figures = await measure(input);
      const findings = await writeFindings(input, strangers);
      const [known] = await engine.rows<Pick<MonthReply, 'matched' | 'strangers' | 'unexplained' | 'reported'>>(
        `SELECT (SELECT count(*) FROM flows WHERE tape_row IS NOT NULL) AS matched, (SELECT count(*) FROM ${strangers}) AS strangers,
           (SELECT count(*) FROM flows WHERE ${UNEXPLAINED}) AS unexplained,
           (SELECT CAST(max(reported1) AS VARCHAR) FROM flows) AS reported`,
      );
      return {
        figures,
        rolls: await rollsOf(engine),
        vintages: await vintagesOf(engine),
        ...(known ?? { matched: 0, strangers: 0, unexplained: 0, reported: null }),
        findings,
      };
    } finally {
      await engine.run('DROP TABLE IF EXISTS flows');
    }
  });
}

const UNEXPLAINED = "live0 AND (tape_row IS NULL OR (month_state = 'PREPAID' AND NOT ended AND NOT bought))";

const LIVE = LIVE_STATES.map(sqlText).join(', ');

/** What became of each loan. Amounts are DECIMAL(38,2); `scheduled` is NULL without a schedule. */
function flowsOf(pairs: string): string {
  const isMatched = 'tape_row IS NOT NULL';
  // A loan that leaves when its schedule ends is paid; one that leaves before is prepaid.
  const gone = `CASE WHEN expected <= 0 THEN 'PAID' ELSE 'PREPAID' END`;
  const state = `CASE WHEN ${isMatched} AND state1 = 'DEFAULTED' THEN 'DEFAULTED'
      WHEN ${isMatched} AND state1 <> 'ENDED' AND (balance1 IS NOT NULL OR state0 IN (${LIVE})) THEN state1
      WHEN state0 IN (${LIVE}) THEN ${gone} ELSE state0 END`;
  const money = (sql: string) => `CAST(${sql} AS DECIMAL(38,2))`;
  // Nobody has paid what stands as a balance beside a charge-off: what a charge-off of a part leaves, or the amount charged off once more.
  const isPart = `charged + tape_balance <= balance0 + 0.01 AND (tape_balance <> charged OR charged + tape_balance >= balance0 - 0.01)`;
  const unpaid = `CASE WHEN tape_balance > 0 AND ${isPart} THEN charged + tape_balance ELSE greatest(charged, tape_balance) END`;
  return `SELECT *, live0 AND NOT live1 AND repurchased AND month_state <> 'DEFAULTED' AS bought,
      ${money(`CASE WHEN bought THEN balance0 ELSE 0 END`)} AS repurchased_amount,
      ${money(`CASE WHEN live0 THEN greatest(balance0 - balance1 - lost - repurchased_amount, 0) ELSE 0 END`)} AS fell,
      ${money('least(fell, greatest(balance0 - expected, 0))')} AS scheduled,
      ${money('fell - scheduled')} AS prepaid,
      ${money('CASE WHEN live1 THEN greatest(balance1 - balance0, 0) ELSE 0 END')} AS grew,
      CASE WHEN state0 = 'DEFAULTED' THEN CASE WHEN charged_total > 0 THEN charged_total ELSE coalesce(charged, 0) END
        WHEN month_state = 'DEFAULTED' THEN lost ELSE 0 END AS charged_after,
      CASE WHEN month_state = 'DEFAULTED' THEN coalesce(recovered, 0) ELSE 0 END AS recovered_now,
      recovered_total + recovered_now AS recovered_after
    FROM (SELECT * EXCLUDE (balance0, balance1), state0 IN (${LIVE}) AS live0, ${state} AS month_state, month_state IN (${LIVE}) AS live1,
        ${money('CASE WHEN live0 THEN balance0 ELSE 0 END')} AS balance0,
        ${money('CASE WHEN live1 THEN coalesce(balance1, balance0) ELSE 0 END')} AS balance1,
        ${money(`CASE WHEN live0 AND month_state = 'DEFAULTED' THEN least(CASE WHEN charged > 0 THEN ${unpaid} ELSE balance0 END, balance0) ELSE 0 END`)} AS lost
      FROM (SELECT * REPLACE (coalesce(balance0, 0) AS balance0), coalesce(balance1, 0) AS tape_balance,
        tape_row IS NOT NULL AND balance1 IS NULL AS is_silent FROM ${pairs}))`;
}

const decimal = (sql: string, name: string) => `CAST(CAST(coalesce(${sql}, 0) AS DECIMAL(38,2)) AS VARCHAR) AS ${name}`;

const LATE_STATES = ['30', '60', '90', '120'] as const;
const AVERAGES = ['rate', 'term'] as const;

type Measured = MonthFigures &
  Record<(typeof AVERAGES)[number] | `${(typeof AVERAGES)[number]}_weight`, string | null> &
  Record<'has_days' | 'has_schedule', boolean>;

async function measure({ engine, hasRecoveries }: MonthInput): Promise<MonthFigures> {
  const sums = [
    decimal('sum(balance0)', 'opening'),
    decimal('sum(scheduled)', 'scheduled'),
    decimal('sum(prepaid)', 'prepaid'),
    decimal('sum(fell)', 'principal_collected'),
    decimal('sum(repurchased_amount)', 'repurchased'),
    decimal('sum(lost)', 'defaulted'),
    decimal('sum(recovered_now)', 'recovered'),
    decimal('sum(grew)', 'adjustment'),
    decimal('sum(balance1)', 'closing'),
    ...LATE_STATES.map((state) => decimal(`sum(balance1) FILTER (month_state = '${state}')`, `delinquent_${state}`)),
    'count(*) FILTER (live0) AS opening_count',
    'count(*) FILTER (live1) AS count',
    `count(*) FILTER (live0 AND month_state = 'PREPAID' AND NOT bought) AS prepaid_count`,
    `count(*) FILTER (live0 AND month_state = 'DEFAULTED') AS defaulted_count`,
    ...AVERAGES.flatMap((name) => [
      `CAST(sum(balance1 * ${name}1) FILTER (live1) AS VARCHAR) AS ${name}`,
      `CAST(sum(balance1) FILTER (live1 AND ${name}1 IS NOT NULL) AS VARCHAR) AS ${name}_weight`,
    ]),
    // Without a loan of which it could be said, nothing is unknown.
    'coalesce(bool_or(days1 IS NOT NULL) FILTER (live1), true) AS has_days',
    'coalesce(bool_or(expected IS NOT NULL) FILTER (live0), true) AS has_schedule',
  ];
  const { has_days, has_schedule, rate, rate_weight, term, term_weight, ...figures } = (await engine.first<Measured>(
    `SELECT ${sums.join(', ')} FROM flows`,
  )) as Measured;
  const late = Object.fromEntries(
    LATE_STATES.map((state) => [`delinquent_${state}`, has_days ? figures[`delinquent_${state}`] : null]),
  );
  return {
    ...figures,
    ...late,
    scheduled: has_schedule ? figures.scheduled : null,
    prepaid: has_schedule ? figures.prepaid : null,
    recovered: hasRecoveries ? figures.recovered : null,
    wac: ratio(rate, rate_weight),
    wam: ratio(term, term_weight),
  };
}

function rollsOf(engine: Engine): Promise<Roll[]> {
  return engine.rows<Roll>(
    `SELECT state0 AS "from", month_state AS "to", count(*) AS count, ${decimal('sum(balance0)', 'balance')} FROM flows WHERE live0 GROUP BY ALL ORDER BY 1, 2`,
  );
}

function vintagesOf(engine: Engine): Promise<VintageMonth[]> {
  return engine.rows<VintageMonth>(
    `SELECT vintage, ${decimal('sum(balance0)', 'opening')}, ${decimal('sum(balance1)', 'closing')}, count(*) FILTER (live1) AS count,
       count(*) FILTER (live0 AND month_state = 'PREPAID' AND NOT bought) AS prepaid_count,
       count(*) FILTER (live0 AND month_state = 'DEFAULTED') AS defaulted_count, ${decimal('sum(lost)', 'defaulted')},
       ${decimal('sum(recovered_now)', 'recovered')}, ${decimal(`sum(balance1) FILTER (month_state IN ('60', '90', '120'))`, 'delinquent_60')}
     FROM flows GROUP BY vintage ORDER BY vintage NULLS LAST`,
  );
}

/** Fields that say how a loan stands in a month: of a loan that the tape does not have, nothing is known. */
const MONTHLY = [
  'days_past_due',
  'loan_status',
  'status',
  'account_status',
  'zero_balance_code',
  'charged_off_amount',
  'charge_off_amount',
  'defaulted_amount',
  'recovered_amount',
  'arrears_balance',
  'months_in_status',
  'interest_paid_through_date',
  'next_rate_reset_date',
  'reporting_date',
  'modified',
];
/** Fields that count months down from the month of the tape, and those that count them up. */
const COUNTED_DOWN = ['remaining_term_months', 'interest_only_months', 'deferment_months'];
const COUNTED_UP = ['loan_age_months'];
/** What stays as it was when the pool was formed. */
const KEYS = ['deal_id', 'tape_version', 'deal_number', 'row_number'];

/** Writes the pool after the month: what this tape does not say of a loan is as it was, months counted on. */
async function writeMonth({ engine, previousPath, tapePath, hasIds, monthPath, months }: MonthInput): Promise<void> {
  const [before, now] = [await columnsOf(engine, previousPath), await columnsOf(engine, tapePath)];
  const columns = [...before, ...[...now].filter((name) => !before.has(name))].filter(
    (name) => !MONTH_COLUMNS.some((own) => own === name),
  );
  const values = columns.map((name) => {
    const [was, is] = [`p.${sqlName(name)}`, `n.${sqlName(name)}`];
    if (name === 'current_balance') return 'CAST(f.balance1 AS DECIMAL(18,6)) AS current_balance';
    if (KEYS.includes(name) || !now.has(name)) return was;
    if (!before.has(name)) return is;
    if (name === 'loan_id')
      return !hasIds
        ? was
        : `CASE WHEN n.loan_id IS NULL OR n.loan_id = 'row-' || n.row_number THEN ${was} ELSE ${is} END AS loan_id`;
    if (MONTHLY.includes(name)) return `CASE WHEN f.tape_row IS NULL THEN NULL ELSE ${is} END AS ${sqlName(name)}`;
    if (COUNTED_DOWN.includes(name)) return `coalesce(${is}, greatest(${was} - ${months}, 0)) AS ${sqlName(name)}`;
    if (COUNTED_UP.includes(name)) return `coalesce(${is}, ${was} + ${months}) AS ${sqlName(name)}`;
    return `coalesce(${NEVER_MOVES.includes(name) ? `${was}, ${is}` : `${is}, ${was}`}) AS ${sqlName(name)}`;
  });
  await engine.run(
    copyToParquet(
      `SELECT ${values.join(', ')}, f.month_state, f.charged_after AS charged_total, f.recovered_after AS recovered_total
       FROM ${parquet(previousPath)} p JOIN flows f ON f.deal_number = p.deal_number AND f.old_row = p.row_number
         LEFT JOIN ${parquet(tapePath)} n ON n.row_number = f.tape_row ORDER BY p.deal_number, p.row_number`,
      monthPath,
    ),
  );
}

/** Least number of loans whose balances tell whether a tape repeats another, and the share of them that must be unchanged. */
const TELLING_LOANS = 20;
const REPEATED_SHARE = 0.99;
const OWING = 'live0 AND live1 AND NOT is_silent';
/** Times by which the balances of a pool of cards do not change from one tape to the next. */
const GROWTH_MAX = 2;

async function writeFindings(
  { engine, loanType, months, cutOff, issuesPath, findingsPath }: MonthInput,
  strangers: string,
): Promise<RuleCount[]> {
  const whole = (
    when: string,
    rule: string,
    field: string,
    message: string,
    actual: string,
    expected: string,
    severity = 'ERROR',
  ) =>
    `SELECT NULL, NULL, NULL, '${field}', '${rule}', '${severity}', ${message}, ${actual}, ${expected} FROM whole WHERE ${when}`;
  const next = `DATE ${sqlText(addMonths(cutOff, months + 1))}`;
  const ofTape = `WITH whole AS (SELECT max(reported0) AS was, max(reported1) AS is_now,
        count(*) FILTER (live0 AND live1 AND expected < balance0) AS telling,
        count(*) FILTER (live0 AND live1 AND expected < balance0 AND balance1 = balance0) AS same,
        count(*) FILTER (${OWING}) AS owing, sum(balance0) FILTER (${OWING}) AS owed, sum(balance1) FILTER (${OWING}) AS owes FROM flows)
    ${whole('is_now <= was', 'TAPE_DATE', 'reporting_date', `'the tape is of a date that is not after that of the tape before'`, 'CAST(is_now AS VARCHAR)', `'after ' || was`)}
    UNION ALL ${whole(`is_now >= ${next}`, 'TAPE_DATE', 'reporting_date', `'the tape is of a date that is a month or more after that of its period: it may be the tape of a later one'`, 'CAST(is_now AS VARCHAR)', `'before ' || ${next}`)}
    UNION ALL ${whole(
      `telling >= ${TELLING_LOANS} AND same >= ${REPEATED_SHARE} * telling`,
      'TAPE_REPEATED',
      'current_balance',
      `same || ' of ' || telling || ' loans with principal due owe what they owed before: this may be the tape of the month before'`,
      'CAST(same AS VARCHAR)',
      'NULL',
    )}
    UNION ALL ${whole(
      // Every other loan is compared with its schedule.
      `${loanType === 'Credit Card'} AND owing >= ${TELLING_LOANS} AND (owes > ${GROWTH_MAX} * owed OR owed > ${GROWTH_MAX} * owes)`,
      'BALANCES_UNLIKE_BEFORE',
      'current_balance',
      `'the ' || owing || ' loans that owed before and owe now have a balance of ' || owes || ', and had ' || owed || ': the amounts may be in another unit'`,
      'CAST(owes AS VARCHAR)',
      `'about ' || owed`,
      'WARNING',
    )}`;
  const columns = 'row_number, line, column_name, field, rule_id, severity, message, actual, expected';
  // Of a loan that has ended, a tape need not say how it stands; and what runs down to nothing is in no other unit for being small.
  // A balance beside a code of its end is told by what the month makes of it.
  const reading = `SELECT ${columns} FROM ${parquet(issuesPath)} WHERE rule_id <> 'ZERO_BALANCE_CODE_WITH_BALANCE' AND NOT (rule_id = 'MISSING_VALUE'
    AND coalesce(row_number IN (SELECT tape_row FROM flows WHERE tape_row IS NOT NULL AND NOT live1), false))
    AND NOT (rule_id = 'MIXED_UNITS' AND coalesce(field IN ('current_balance', 'previous_balance', 'min_payment_due'), false))`;
  const all = `SELECT ${columns} FROM (${reading} UNION ALL (${ofTape}) UNION ALL (${monthFindings(loanType, months, strangers)}))`;
  await engine.run(copyToParquet(`${all} ORDER BY row_number NULLS FIRST, rule_id, field, message`, findingsPath));
  return await engine.rows<RuleCount>(
    `SELECT rule_id, severity, count(*) AS count FROM ${parquet(findingsPath)} GROUP BY rule_id, severity ORDER BY severity, count DESC, rule_id`,
  );
}
