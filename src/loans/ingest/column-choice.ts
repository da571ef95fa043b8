import { roles } from '../dictionary/dictionary.ts';
import type { Engine } from '../engine/engine.ts';
import type { Contest, Match, MatchOutcome } from '../mapping/match-columns.ts';
import type { LoanType, MappingSuggestion, TapeFinding } from '../types.ts';
import { tapeFinding } from '../checks/tape-checks.ts';
import { cellTextSql, missingSql, trimmedSql } from '../values/missing.ts';

/** The matches after the contested fields are settled, and what the originator is told of them. */
export type ColumnChoice = {
  matches: Match[];
  suggestions: MappingSuggestion[];
  decisions: string[];
  findings: TapeFinding[];
};

/** Two columns hold the same values where at most one row in two hundred differs, of the rows in which one of them has a value. */
const SAME = 0.995;

/**
 * Settles the fields that several columns name equally well, over all rows: columns with the same values are one; a balance is the column
 * that stands in the right relation to the others of the tape. An amount, a rate or a date that stays open gets no column.
 */
export async function settleContests(
  engine: Engine,
  from: string,
  loanType: LoanType,
  outcome: MatchOutcome,
): Promise<ColumnChoice> {
  const choice: ColumnChoice = {
    matches: [...outcome.matches],
    suggestions: [...outcome.suggestions],
    decisions: [],
    findings: outcome.contradictions.map(({ match, reason }) => contradicted(match, reason)),
  };
  for (const contest of outcome.contests) {
    const { match, filled, rivals, differing } = await compare(engine, from, contest);
    const index = choice.matches.findIndex(({ target }) => target === contest.match.target);
    if (rivals.length === 0) {
      const [used = contest.match] = filled;
      choice.matches[index] = used;
      const all = filled.length < 2 ? [contest.match, ...contest.rivals] : filled;
      const why = filled.length < 2 ? 'hold values in one column at most' : 'hold the same values';
      choice.decisions.push(`${listed(all)} ${why}; "${used.source}" is used`);
      if (differing > 0) choice.findings.push(ambiguous(all, `"${used.source}" is used`, ` in ${differing} rows`));
      continue;
    }
    const columns = [match, ...rivals];
    const fitting = await fittingBalance(engine, from, loanType, columns, choice.matches);
    if (fitting) {
      choice.matches[index] = fitting.match;
      choice.decisions.push(
        `${listed(columns)} could each be ${contest.match.target}: "${fitting.match.source}" is used, since ${fitting.reason}`,
      );
    } else if (isSensitive(contest.match)) {
      choice.matches.splice(index, 1);
      const reason = `${listed(columns)} name it equally well and hold different values`;
      choice.suggestions.push(...columns.map(({ source, target }) => ({ source, target, confidence: 0.5, reason })));
      choice.findings.push(ambiguous(columns, 'none is used'));
    } else {
      choice.matches[index] = match;
      choice.findings.push(ambiguous(columns, `"${match.source}" is used`));
    }
  }
  choice.findings.push(...choice.matches.flatMap(standingIn));
  return choice;
}

/** Fields in which a wrong column is a wrong amount, rate or date. */
function isSensitive({ field }: Match): boolean {
  return field.type === 'money' || field.type === 'percent' || field.type === 'date';
}

type Comparison = {
  /** The match, or where it has no value the first rival that has one. */
  match: Match;
  /** Columns that have a value at all. */
  filled: Match[];
  /** Rivals that have other values than the match, where both have values. */
  rivals: Match[];
  /** Rows in which a rival that counts as the same column differs. */
  differing: number;
};

async function compare(engine: Engine, from: string, { match, rivals }: Contest): Promise<Comparison> {
  const columns = [match, ...rivals];
  const counts = columns.flatMap((_, index) => [
    `count(v${index}) AS values_${index}`,
    `count(coalesce(v0, v${index})) AS either_${index}`,
    `count(CASE WHEN v0 IS DISTINCT FROM v${index} THEN 1 END) AS differs_${index}`,
  ]);
  const row =
    (await engine.first<Record<string, number>>(`SELECT ${counts.join(', ')} FROM ${comparedRows(from, columns)}`)) ?? {};
  const filled = columns.filter((_, index) => (row[`values_${index}`] ?? 0) > 0);
  const [first = match, ...rest] = filled;
  if (filled.length < 2) return { match, filled, rivals: [], differing: 0 };
  if (first !== match) return compare(engine, from, { match: first, rivals: rest });
  const differs = (rival: Match) => row[`differs_${columns.indexOf(rival)}`] ?? 0;
  const isOther = (rival: Match) => differs(rival) > (1 - SAME) * (row[`either_${columns.indexOf(rival)}`] ?? 0);
  const [others, alike] = [true, false].map((is) => rivals.filter((rival) => filled.includes(rival) && isOther(rival) === is));
  return { match, filled, rivals: others, differing: Math.max(0, ...alike.map(differs)) };
}

/**
 * SQL of the values `v0 …` of columns: the number in a text, however it is written, else the text; null for a missing value. A layer for each
 * step: where the text of the first column stands in a comparison with each of a thousand others, the statement is planned for half a minute.
 */
function comparedRows(from: string, columns: readonly Match[]): string {
  const layer = (of: (match: Match, index: number) => string) => `(SELECT ${columns.map(of).join(', ')} FROM `;
  const texts = layer(({ column }, index) => `c${column.index}, ${cellTextSql(`c${column.index}`)} AS t${index}`);
  const values = layer(
    (match, index) =>
      `CASE WHEN NOT ${missingSql(`t${index}`)} THEN coalesce(CAST(${numberOf(match)} AS VARCHAR), lower(t${index})) END AS v${index}`,
  );
  return `${values}${texts}${from}))`;
}

function numberOf({ column }: Match): string {
  return `TRY_CAST(regexp_replace(${trimmedSql(`c${column.index}`)}, '[$,% ]', '', 'g') AS DOUBLE)`;
}

/** The share of rows in which a balance must keep its relation, and below which it is broken. */
const [KEPT, BROKEN] = [0.98, 0.9];
/** How far the balance may be off the schedule of its loan, as a share of the original balance, in the median row. */
const [ON_SCHEDULE, OFF_SCHEDULE] = [0.03, 0.1];

/** The one column that can be the balance: not above the original, on the schedule that rate and terms give; undefined when that is open. */
async function fittingBalance(
  engine: Engine,
  from: string,
  loanType: LoanType,
  columns: readonly Match[],
  matches: readonly Match[],
): Promise<{ match: Match; reason: string } | undefined> {
  const { original, current } = roles(loanType);
  const target = columns[0]?.target;
  const by = (name: string) => matches.find((match) => match.target === name);
  const other = target === current ? by(original) : target === original ? by(current) : undefined;
  if (!other || loanType === 'Credit Card') return undefined;
  const above = (column: Match) =>
    target === current
      ? `${numberOf(column)} <= 1.001 * ${numberOf(other)}`
      : `${numberOf(other)} <= 1.001 * ${numberOf(column)}`;
  const [rate, term, remaining] = [by('interest_rate'), by('original_term_months'), by('remaining_term_months')];
  const scheduled = target === current && rate && term && remaining ? scheduledShare(rate, term, remaining) : null;
  const figures = columns.flatMap((column, index) => [
    `avg(CASE WHEN ${above(column)} THEN 1 WHEN ${numberOf(column)} IS NOT NULL THEN 0 END) AS kept${index}`,
    `${scheduled ? `median(abs(${numberOf(column)} / nullif(${numberOf(other)}, 0) - ${scheduled}))` : 'NULL'} AS off${index}`,
  ]);
  const row = await engine.first<Record<string, number | null>>(`SELECT ${figures.join(', ')} FROM ${from}`);
  const kept = columns.map((_, index) => row?.[`kept${index}`] ?? 0);
  const off = columns.map((_, index) => row?.[`off${index}`] ?? null);
  const relation = only(
    columns,
    (index) => (kept[index] ?? 0) >= KEPT,
    (index) => (kept[index] ?? 0) < BROKEN,
  );
  if (relation) return { match: relation, reason: `${current} is not above ${original} with it alone` };
  const onSchedule = only(
    columns,
    (index) => (off[index] ?? 1) <= ON_SCHEDULE,
    (index) => (off[index] ?? 0) > OFF_SCHEDULE,
  );
  return onSchedule && { match: onSchedule, reason: 'it alone follows from the original balance, the rate and the terms' };
}

/** The share of the original balance that a level payment leaves at the remaining term. */
function scheduledShare(rate: Match, term: Match, remaining: Match): string {
  const fraction = `(CASE WHEN ${numberOf(rate)} < 1 THEN ${numberOf(rate)} ELSE ${numberOf(rate)} / 100 END / 12)`;
  const [n, left] = [numberOf(term), numberOf(remaining)];
  return `(CASE WHEN ${fraction} = 0 THEN ${left} / nullif(${n}, 0) ELSE (1 - pow(1 + ${fraction}, -${left})) / nullif(1 - pow(1 + ${fraction}, -${n}), 0) END)`;
}

/** The one column for which the first condition holds while the second holds for every other. */
function only(
  columns: readonly Match[],
  holds: (index: number) => boolean,
  fails: (index: number) => boolean,
): Match | undefined {
  const index = columns.findIndex((_, each) => holds(each));
  return index >= 0 && columns.every((_, each) => each === index || fails(each)) ? columns[index] : undefined;
}

function listed(columns: readonly Match[]): string {
  return columns.map(({ source }) => `"${source}"`).join(' and ');
}

function ambiguous(columns: readonly Match[], consequence: string, where = ''): TapeFinding {
  const target = columns[0]?.target ?? '';
  const message = `${listed(columns)} could each be ${target} and hold different values${where}; ${consequence}. Map the right one to ${target}`;
  return tapeFinding('AMBIGUOUS_COLUMN', message, {
    field: target,
    column: columns[0]?.source ?? null,
    actual: columns.map(({ source }) => source).join(', '),
    expected: `one column for ${target}`,
  });
}

function standingIn({ source, target, field, standIn }: Match): TapeFinding[] {
  if (standIn === null) return [];
  const message = `"${source}" is ${standIn}; it serves as ${target}, since no column gives that. Map the column that is ${target} if the tape has one`;
  return [
    tapeFinding('STAND_IN_COLUMN', message, { field: target, column: source, actual: standIn, expected: field.description }),
  ];
}

function contradicted(match: Match, reason: string): TapeFinding {
  const message = `"${match.source}" is named like ${match.target}, but ${reason}; it is not used. Map it to ${match.target} if it is that all the same`;
  return tapeFinding('CONTENT_CONTRADICTS_HEADER', message, {
    field: match.target,
    column: match.source,
    expected: match.field.description,
  });
}
