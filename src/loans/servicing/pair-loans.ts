import { commonColumns } from '../analytics/columns.ts';
import { findField } from '../dictionary/dictionary.ts';
import { FLOATING_KINDS, isDeferred } from '../dictionary/statuses.ts';
import { columnsOf } from '../engine/columns-of.ts';
import type { Engine } from '../engine/engine.ts';
import { parquet, sqlText } from '../engine/sql.ts';
import { contentText, fingerprintTexts, identityText, originalAmount, originationDate } from '../identity/identity.ts';
import { NEVER_MOVES } from '../ingest/diff-tapes.ts';
import type { LoanType } from '../types.ts';
import { LIVE_STATES, loanSigns } from '../analytics/loan-state.ts';

export type PairInput = {
  engine: Engine;
  loanType: LoanType;
  /** The loans of the pool as they were before: the pool's own loan table, or the file of an earlier month. */
  previousPath: string;
  /** Numbers of the deals whose tapes had no ids at closing: row numbers stand for them. */
  dealsWithoutIds: readonly number[];
  /** loans.parquet of the tape of the month. */
  tapePath: string;
  /** Whether it has ids; without them row numbers stand for them, which say nothing about a loan. */
  hasIds: boolean;
  /** Lines `place,balance`: balances by schedule of the loans of `previousPath` that perform; null for cards, which have no schedule. */
  scheduledPath: string | null;
  /** SQL of the loans that perform, over `previousPath`. */
  isPerforming: string;
};

/** Columns that the file of a month has beside those of a pool's loan table. */
export const MONTH_COLUMNS = ['month_state', 'charged_total', 'recovered_total'] as const;

/** What is known of an earlier and of a later row of a loan, each by its name in the table of pairs, followed by 0 or 1. */
function sides(type: LoanType, columns: ReadonlySet<string>): Record<string, string> {
  const has = (field: string) => findField(type, field) !== undefined && columns.has(field);
  const or = (field: string, as: string) => (has(field) ? field : `CAST(NULL AS ${as})`);
  const { rate, balance } = commonColumns(type, '2000-01-01');
  const { days, charged } = loanSigns(type, columns);
  return {
    balance,
    rate: `CAST(${rate} AS DOUBLE)`,
    days,
    term: or('remaining_term_months', 'INTEGER'),
    maturity: or('maturity_date', 'DATE'),
    paid_through: or('interest_paid_through_date', 'DATE'),
    charged,
    recovered: has('recovered_amount') ? 'CAST(recovered_amount AS DECIMAL(38,2))' : 'CAST(NULL AS DECIMAL(38,2))',
    modified: `coalesce(${or('modified', 'BOOLEAN')}, false)`,
    deferred: isDeferred(type),
    floating: isFloating(type, has),
    reported: or('reporting_date', 'DATE'),
  };
}

function isFloating(type: LoanType, has: (field: string) => boolean): string {
  const kind = ['amortization_type', 'rate_type'].find(has);
  const named = kind ? [`coalesce(CAST(${kind} AS VARCHAR) IN (${FLOATING_KINDS.map(sqlText).join(', ')}), false)`] : [];
  const indexed = has('index') && has('margin') ? [`("index" IS NOT NULL AND margin IS NOT NULL)`] : [];
  return type === 'Credit Card' || named.length + indexed.length === 0 ? 'false' : `(${[...named, ...indexed].join(' OR ')})`;
}

/** Facts of origination that both tables have. */
const factsOf = (type: LoanType, before: ReadonlySet<string>, now: ReadonlySet<string>): string[] =>
  [...NEVER_MOVES, 'vin', 'property_id'].filter((name) => findField(type, name) && before.has(name) && now.has(name));

/**
 * Puts every loan of a pool beside its row of the month's tape and passes the two tables to `use`: `pairs`, one row for each loan of the
 * pool, and `strangers`, the rows of the tape that are no loan of the pool. A loan is found by its identity, which is its id, or what was
 * said of it at origination where it has none or shares it; one that is not found so, by what else identifies it, if nothing else has that.
 */
export async function withPairs<Result>(
  input: PairInput,
  use: (tables: { pairs: string; strangers: string }) => Promise<Result>,
): Promise<Result> {
  const { engine, previousPath, tapePath } = input;
  const [before, now] = [await columnsOf(engine, previousPath), await columnsOf(engine, tapePath)];
  return await engine.withTable(previousRows(input, before), (old) =>
    engine.withTable(tapeRows(input, now), (fresh) =>
      pair(input, { old, fresh, facts: factsOf(input.loanType, before, now) }, use),
    ),
  );
}

const LIVE = LIVE_STATES.map(sqlText).join(', ');

function previousRows(
  { loanType, previousPath, dealsWithoutIds, scheduledPath, isPerforming }: PairInput,
  columns: ReadonlySet<string>,
): string {
  // A loan that has been given an id since has it here.
  const isNumbered = `deal_number IN (${['-1', ...dealsWithoutIds].join(', ')}) AND loan_id = CAST(row_number AS VARCHAR)`;
  const signs = loanSigns(loanType, columns);
  const [state, charged, recovered] = columns.has('month_state')
    ? MONTH_COLUMNS
    : [
        `CASE WHEN ${signs.state} = 'ENDED' THEN 'PAID' ELSE ${signs.state} END`,
        `CASE WHEN ${signs.defaulted} THEN ${signs.charged} ELSE 0 END`,
        'CAST(0 AS DECIMAL(38,2))',
      ];
  const values = Object.entries(sides(loanType, columns)).map(([name, value]) => `${value} AS ${name}`);
  const placed = `row_number() OVER (ORDER BY NOT coalesce(${isPerforming}, false), deal_number, row_number)`;
  const scheduled = scheduledPath
    ? `LEFT JOIN read_csv(${sqlText(scheduledPath)}, auto_detect=false, header=false, columns={'place': 'BIGINT', 'amount': 'DOUBLE'}) s USING (place)`
    : '';
  return `SELECT p.*, ${scheduledPath ? `CASE WHEN p.performs THEN CAST(amount AS DECIMAL(38,2)) END` : 'CAST(NULL AS DECIMAL(38,2))'} AS expected
    FROM (SELECT deal_number, row_number AS row_no, loan_id AS id, ${identityOf(loanType, columns, isNumbered)}, ${values.join(', ')}, ${state} AS state,
        ${charged} AS charged_total, ${recovered} AS recovered_total, ${vintageOf(loanType)} AS vintage,
        ${facts(loanType, columns)}, coalesce(${isPerforming}, false) AS performs, ${placed} AS place FROM ${parquet(previousPath)}) p ${scheduled}`;
}

function tapeRows({ loanType, tapePath, hasIds }: PairInput, columns: ReadonlySet<string>): string {
  // Of a loan that its tape leaves without a balance, what it owes is not known; at closing it is 0.
  const balance = columns.has('current_balance') ? 'CAST(current_balance AS DECIMAL(38,6))' : 'CAST(NULL AS DECIMAL(38,6))';
  const signs = loanSigns(loanType, columns, balance);
  const values = Object.entries({ ...sides(loanType, columns), balance }).map(([name, value]) => `${value} AS ${name}`);
  return `SELECT row_number AS row_no, line, loan_id AS id, ${identityOf(loanType, columns, String(!hasIds))}, ${values.join(', ')}, ${signs.state} AS state,
      ${signs.ended} AS ended, ${signs.repurchased} AS repurchased, ${facts(loanType, columns)} FROM ${parquet(tapePath)}`;
}

const facts = (type: LoanType, columns: ReadonlySet<string>): string =>
  [...NEVER_MOVES, 'vin', 'property_id']
    .filter((name) => findField(type, name))
    .map((name) => (columns.has(name) ? name : `CAST(NULL AS VARCHAR) AS ${name}`))
    .join(', ');

const vintageOf = (type: LoanType): string => {
  const { originated } = commonColumns(type, '2000-01-01');
  return `CASE WHEN ${originated} IS NOT NULL THEN year(${originated}) || 'Q' || quarter(${originated}) END`;
};

/** What finds a loan again: its identity, what its tape says of it at origination, and one text by which a loan with another id is known. */
function identityOf(loanType: LoanType, columns: ReadonlySet<string>, isNumbered: string): string {
  const source = { loanType, columns, syntheticIds: false };
  const content = contentText(source);
  const prints = Object.values(fingerprintTexts(source));
  const whole = `CASE WHEN ${originalAmount(source)} IS NOT NULL AND ${originationDate(source)} IS NOT NULL THEN ${content} END`;
  const identity = `CASE WHEN ${isNumbered} THEN ${identityText({ ...source, syntheticIds: true })} ELSE ${identityText(source)} END`;
  return `${identity} AS identity, ${content} AS content, coalesce(${[...prints, whole].join(', ')}) AS likeness`;
}

async function pair<Result>(
  { engine }: PairInput,
  { old, fresh, facts: compared }: { old: string; fresh: string; facts: readonly string[] },
  use: (tables: { pairs: string; strangers: string }) => Promise<Result>,
): Promise<Result> {
  const shared = [old, fresh]
    .map((table) => `SELECT identity FROM ${table} GROUP BY identity HAVING count(*) > 1`)
    .join(' UNION ');
  return await engine.withTable(shared, async (twice) => {
    // Loans that share an id are told apart by their origination, then by their order; those that have ended come after those that owe.
    const key = `CASE WHEN identity IN (SELECT identity FROM ${twice}) THEN identity || chr(31) || content ELSE identity END`;
    const keyed = (table: string, more: string) =>
      `(SELECT ${more}row_no, key, row_number() OVER (PARTITION BY key ORDER BY state IN (${LIVE}) DESC, ${more}row_no) AS nth, likeness FROM (SELECT *, ${key} AS key FROM ${table}))`;
    const byIdentity = `SELECT o.deal_number, o.row_no AS old_row, n.row_no AS tape_row, o.likeness, 'ID' AS how
      FROM ${keyed(old, 'deal_number, ')} o LEFT JOIN ${keyed(fresh, '')} n ON o.key = n.key AND o.nth = n.nth`;
    return await engine.withTable(byIdentity, async (found) => {
      const lone = (query: string) => `(SELECT * FROM (${query}) QUALIFY count(*) OVER (PARTITION BY likeness) = 1)`;
      const lost = `SELECT f.deal_number, f.old_row, f.likeness FROM ${found} f JOIN ${old} o ON o.deal_number = f.deal_number AND o.row_no = f.old_row
        WHERE f.tape_row IS NULL AND f.likeness IS NOT NULL AND o.state IN (${LIVE})`;
      const left = `SELECT row_no AS tape_row, likeness FROM ${fresh} WHERE likeness IS NOT NULL AND row_no NOT IN (SELECT tape_row FROM ${found} WHERE tape_row IS NOT NULL)`;
      await engine.run(
        `UPDATE ${found} SET tape_row = l.tape_row, how = 'LIKENESS' FROM (SELECT o.deal_number, o.old_row, n.tape_row FROM ${lone(lost)} o JOIN ${lone(left)} n USING (likeness)) l
         WHERE ${found}.deal_number = l.deal_number AND ${found}.old_row = l.old_row`,
      );
      return await engine.withTable(pairsOf({ old, fresh, found }, compared), (pairs) =>
        engine.withTable(strangersOf({ old, fresh, found }), (strangers) => use({ pairs, strangers })),
      );
    });
  });
}

type Tables = { old: string; fresh: string; found: string };

const CARRIED = [
  'balance',
  'rate',
  'days',
  'term',
  'maturity',
  'paid_through',
  'reported',
  'deferred',
  'floating',
  'state',
  'modified',
];

function pairsOf({ old, fresh, found }: Tables, compared: readonly string[]): string {
  const both = CARRIED.flatMap((name) => [`o.${name} AS ${name}0`, `n.${name} AS ${name}1`]);
  const differing = compared.map(
    (name) =>
      `CASE WHEN o.${name} IS NOT NULL AND n.${name} IS NOT NULL AND o.${name} <> n.${name}
        THEN {'field': ${sqlText(name)}, 'was': CAST(o.${name} AS VARCHAR), 'is': CAST(n.${name} AS VARCHAR)} END`,
  );
  const none = `CAST([] AS STRUCT(field VARCHAR, was VARCHAR, "is" VARCHAR)[])`;
  return `SELECT f.deal_number, f.old_row, f.tape_row, n.line, o.id AS id0, n.id AS id1, f.how, ${both.join(', ')}, o.expected, o.vintage,
      o.charged_total, o.recovered_total, n.charged, n.recovered, coalesce(n.ended, false) AS ended, coalesce(n.repurchased, false) AS repurchased,
      ${differing.length > 0 ? `list_filter([${differing.join(', ')}], lambda fact: fact IS NOT NULL)` : none} AS changed
    FROM ${found} f JOIN ${old} o ON o.deal_number = f.deal_number AND o.row_no = f.old_row LEFT JOIN ${fresh} n ON n.row_no = f.tape_row`;
}

/** The rows of the tape without a loan of the pool, and whether their id is that of one. */
function strangersOf({ old, fresh, found }: Tables): string {
  return `SELECT n.row_no AS tape_row, n.line, n.id, n.balance, n.identity IN (SELECT identity FROM ${old}) AS repeated FROM ${fresh} n
    WHERE n.row_no NOT IN (SELECT tape_row FROM ${found} WHERE tape_row IS NOT NULL)`;
}
