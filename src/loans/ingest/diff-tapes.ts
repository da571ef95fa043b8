import { STATUS_FIELDS } from '../dictionary/statuses.ts';
import { formatCents, parseCents } from '../../finance/money.ts';
import { columnsOf } from '../engine/columns-of.ts';
import type { Engine } from '../engine/engine.ts';
import { parquet } from '../engine/sql.ts';
import { contentText } from '../identity/identity.ts';
import type { LoanType } from '../types.ts';

export type DiffInput = {
  engine: Engine;
  /** loans.parquet of the older and of the newer version. */
  previous: string;
  next: string;
  /** The loan type where one of the versions has no ids: loans are paired by what the tapes say of their origination then. */
  byContentOf?: LoanType;
};

/**
 * Exact decimal text, 2 places: `opening + added - removed - principal - charged_off + adjustment = closing`.
 * `principal` is the decrease of the balances of loans in both versions, `charged_off` the balance of loans that were charged off
 * in between, `adjustment` the increase of balances. Each is rounded from exact balances; the cents by which they miss the closing balance for it
 * are in `adjustment`, or in `principal` where that is too high.
 */
export type RollForward = {
  opening: string;
  added: string;
  removed: string;
  principal: string;
  charged_off: string;
  adjustment: string;
  closing: string;
};

/** A change of a loan between two versions that should not occur. */
export type TapeBreak = {
  loan_id: string;
  field: string;
  rule_id: string;
  previous: string | null;
  next: string | null;
  message: string;
};

/** `breaks` are the first ones, in the order of the older version; `break_count` is that of all. */
type Breaks = { breaks: TapeBreak[]; break_count: number };

export type TapeDiff = { added: number; removed: number; changed: number; roll_forward: RollForward } & Breaks;

/** Largest number of breaks listed; a tape with more has changed its meaning rather than its loans. */
export const BREAKS_MAX = 1_000;

/**
 * Compares two versions of a tape by loan id, or by content. Several rows of one id or content are compared in their order.
 */
export async function diffTapes({ engine, previous, next, byContentOf }: DiffInput): Promise<TapeDiff> {
  const columns = await sharedColumns(engine, previous, next);
  const key = byContentOf ? contentText({ loanType: byContentOf, columns, syntheticIds: true }) : 'loan_id';
  const pairs = pairsQuery(previous, next, key);
  const counts = await engine.first<{ added: number; removed: number; changed: number }>(
    `SELECT count(*) FILTER (o.loan_id IS NULL) AS added, count(*) FILTER (n.loan_id IS NULL) AS removed, ` +
      `count(*) FILTER (o.loan_id IS NOT NULL AND n.loan_id IS NOT NULL AND (${changed(columns)})) AS changed FROM ${pairs}`,
  );
  return {
    added: counts?.added ?? 0,
    removed: counts?.removed ?? 0,
    changed: counts?.changed ?? 0,
    roll_forward: await rollForward(engine, pairs, columns),
    ...(await findBreaks(engine, pairs, columns)),
  };
}

async function sharedColumns(engine: Engine, previous: string, next: string): Promise<ReadonlySet<string>> {
  return (await columnsOf(engine, next)).intersection(await columnsOf(engine, previous));
}

function pairsQuery(previous: string, next: string, key: string): string {
  const numbered = (path: string) =>
    `(SELECT *, ${key} AS pair_key, row_number() OVER (PARTITION BY pair_key ORDER BY row_number) AS nth FROM ${parquet(path)})`;
  return `${numbered(previous)} o FULL JOIN ${numbered(next)} n ON o.pair_key = n.pair_key AND o.nth = n.nth`;
}

const POSITION = new Set(['row_number', 'line', 'loan_id', 'account_id', 'nth']);

function changed(columns: ReadonlySet<string>): string {
  const compared = [...columns].filter((column) => !POSITION.has(column));
  return compared.map((column) => `o.${column} IS DISTINCT FROM n.${column}`).join(' OR ') || 'false';
}

/** SQL that is true where the loan of that side is charged off; by status where there is one, else by the amount charged off. */
function chargedOff(side: 'o' | 'n', columns: ReadonlySet<string>): string {
  const signs = [
    ...STATUS_FIELDS.filter((field) => columns.has(field)).map((field) => `CAST(${side}.${field} AS VARCHAR) = 'CHARGED_OFF'`),
    ...['charged_off_amount', 'charge_off_amount'].filter((field) => columns.has(field)).map((field) => `${side}.${field} > 0`),
  ];
  return `coalesce(${signs.map((sign) => `coalesce(${sign}, false)`).join(' OR ') || 'false'}, false)`;
}

async function rollForward(engine: Engine, pairs: string, columns: ReadonlySet<string>): Promise<RollForward> {
  const [before, after] = ['coalesce(o.current_balance, 0)', 'coalesce(n.current_balance, 0)'];
  const both = 'o.loan_id IS NOT NULL AND n.loan_id IS NOT NULL';
  const lost = `${both} AND ${chargedOff('n', columns)} AND NOT ${chargedOff('o', columns)}`;
  const kept = `${both} AND NOT (${chargedOff('n', columns)} AND NOT ${chargedOff('o', columns)})`;
  const amount = (value: string, filter: string, name: string) =>
    `CAST(CAST(coalesce(sum(${value}) FILTER (${filter}), 0) AS DECIMAL(38,2)) AS VARCHAR) AS ${name}`;
  const row = await engine.first<RollForward>(
    `SELECT ${[
      amount(before, 'o.loan_id IS NOT NULL', 'opening'),
      amount(after, 'o.loan_id IS NULL', 'added'),
      amount(before, 'n.loan_id IS NULL', 'removed'),
      amount(`${before} - ${after}`, `${kept} AND ${before} > ${after}`, 'principal'),
      amount(`${before} - ${after}`, `${lost} AND ${before} > ${after}`, 'charged_off'),
      amount(`${after} - ${before}`, `${both} AND ${after} > ${before}`, 'adjustment'),
      amount(after, 'n.loan_id IS NOT NULL', 'closing'),
    ].join(', ')} FROM ${pairs}`,
  );
  const zero = '0.00';
  return row
    ? tied(row)
    : { opening: zero, added: zero, removed: zero, principal: zero, charged_off: zero, adjustment: zero, closing: zero };
}

function tied(flow: RollForward): RollForward {
  const [opening, added, removed, principal, chargedOff, adjustment, closing] = [
    flow.opening,
    flow.added,
    flow.removed,
    flow.principal,
    flow.charged_off,
    flow.adjustment,
    flow.closing,
  ].map(parseCents);
  const missing = closing - (opening + added - removed - principal - chargedOff + adjustment);
  if (missing >= 0n) return { ...flow, adjustment: formatCents(adjustment + missing) };
  return { ...flow, principal: formatCents(principal - missing) };
}

type BreakRule = { rule_id: string; field: string; when: string; message: string };

/** Facts of origination: no later tape can have others. */
export const NEVER_MOVES = ['original_balance', 'origination_date', 'approval_date', 'open_date', 'vehicle_model_year'];

function breakRules(columns: ReadonlySet<string>): BreakRule[] {
  const has = (field: string) => columns.has(field);
  const fixed = NEVER_MOVES.filter(has).map((field) => ({
    rule_id: 'ORIGINATION_FACT_CHANGED',
    field,
    when: `o.${field} IS NOT NULL AND n.${field} IS NOT NULL AND o.${field} <> n.${field}`,
    message: `${field} is a fact of origination and differs between the versions`,
  }));
  return [
    ...fixed,
    ...(has('current_balance') && !has('credit_limit')
      ? [
          {
            rule_id: 'BALANCE_ROSE',
            field: 'current_balance',
            when: 'n.current_balance > o.current_balance',
            message: 'the balance rose; a loan that only amortises cannot',
          },
        ]
      : []),
    ...(has('remaining_term_months')
      ? [
          {
            rule_id: 'REMAINING_TERM_GREW',
            field: 'remaining_term_months',
            when: 'n.remaining_term_months > o.remaining_term_months',
            message: 'the remaining term grew without a modification',
          },
        ]
      : []),
    ...STATUS_FIELDS.filter(has).map((field) => ({
      rule_id: 'CAME_BACK',
      field,
      when: `CAST(o.${field} AS VARCHAR) = 'CHARGED_OFF' AND n.${field} IS NOT NULL AND CAST(n.${field} AS VARCHAR) <> 'CHARGED_OFF'`,
      message: 'a loan that was charged off is live again',
    })),
  ];
}

async function findBreaks(engine: Engine, pairs: string, columns: ReadonlySet<string>): Promise<Breaks> {
  const rules = breakRules(columns);
  if (rules.length === 0) return { breaks: [], break_count: 0 };
  const parts = rules.map(
    ({ rule_id, field, when, message }) =>
      `SELECT o.row_number AS position, o.loan_id, '${field}' AS field, '${rule_id}' AS rule_id, CAST(o.${field} AS VARCHAR) AS previous, ` +
      `CAST(n.${field} AS VARCHAR) AS next, '${message}' AS message FROM pairs AS p(o, n) WHERE ${when}`,
  );
  const query = `WITH pairs AS MATERIALIZED (SELECT o, n FROM ${pairs} WHERE o.loan_id IS NOT NULL AND n.loan_id IS NOT NULL) SELECT *, count(*) OVER () AS break_count FROM (${parts.join(' UNION ALL ')}) ORDER BY position, rule_id, field LIMIT ${BREAKS_MAX}`;
  const rows = await engine.rows<TapeBreak & { position: number; break_count: number }>(query);
  const breaks = rows.map(({ position: _position, break_count: _count, ...found }) => found);
  return { breaks, break_count: rows[0]?.break_count ?? 0 };
}
