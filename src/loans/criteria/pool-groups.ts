import { sqlName, sqlText } from '../engine/sql.ts';
import { MICRO, quotientText, toMicro } from './decimal.ts';
import type { PoolTest } from './language.ts';
import { comparableText } from './operand.ts';
import { describeResult, type GroupFigure, groupColumn, type Offender, type PoolTestResult } from './pool-result.ts';
import { judgeFigure, type PoolVerdict } from './pool-verdict.ts';

const GROUPS_SHOWN = 25;
/** Most groups over their limit that a result lists: with a limit of 0.1 % and more there cannot be more of them. */
const OFFENDERS_SHOWN = 1_000;

interface Group {
  key: string;
  label: string;
  weight: bigint;
  loans: number;
}

/** A measured group: its weight in exact decimal text. */
export type MeasuredGroup = Omit<Group, 'weight'> & { weight: string };

/** Shares of groups: the largest `top` together, or every group against its own limit. */
export function concentration(test: PoolTest, measured: readonly MeasuredGroup[], weight: string | null): PoolTestResult {
  const total = toMicro(weight ?? 0);
  const groups = measured.map((group) => ({ ...group, weight: toMicro(group.weight) }));
  if (total <= 0n) return describeResult(test, null, judgeFigure(test, null));
  if (groups.length === 0) return describeResult(test, null, judgeFigure(test, { n: 0n, d: total }));
  return test.exceptions || test.rank_limits ? ownLimits(test, groups, total) : topGroups(test, groups, total);
}

/** Compares every group with its own limit; the one with the least headroom decides. */
function ownLimits(test: PoolTest, groups: Group[], total: bigint): PoolTestResult {
  const limitOf = groupLimits(test);
  const judged = groups.map((group, rank) => {
    const limit = limitOf(group.key, rank);
    return { group, limit, verdict: judgeFigure({ ...test, value: limit }, { n: group.weight, d: total }) };
  });
  const headroom = ({ verdict }: (typeof judged)[number]) => toMicro(verdict.headroom ?? 0);
  const worst = judged.reduce((a, b) => (headroom(b) < headroom(a) ? b : a));
  const shown = judged.map(({ group, limit, verdict }) => groupFigure(group, total, limit, verdict.passed === true));
  return {
    ...describeResult(test, worst.group.label, worst.verdict, worst.limit),
    groups: breachesFirst(shown),
    ...offendersOf(judged),
  };
}

/** Compares the largest groups together with the limit; with `top` 1 every group by itself. */
function topGroups(test: PoolTest, groups: Group[], total: bigint): PoolTestResult {
  const top = test.top ?? 1;
  const sum = groups.slice(0, top).reduce((weight, group) => weight + group.weight, 0n);
  const verdict = judgeFigure(test, { n: sum, d: total });
  const each = limitOfEach(test, groups[0], total);
  const alone = groups.map((group) => ({
    group,
    limit: test.value,
    verdict: judgeFigure(each, { n: group.weight, d: total }),
  }));
  const shown = groups.slice(0, GROUPS_SHOWN).map((group, rank) => {
    const own = top === 1 ? alone[rank].verdict.passed : rank >= top || verdict.passed;
    return groupFigure(group, total, top === 1 && typeof test.value === 'number' ? test.value : null, own === true);
  });
  const result = {
    ...describeResult(test, top === 1 ? (groups[0]?.label ?? null) : null, verdict),
    groups: breachesFirst(shown),
  };
  if (verdict.passed !== false) return result;
  if (top > 1) return { ...result, offenders: groups.slice(0, top).map((group) => together(group, total)) };
  return { ...result, ...offendersOf(alone) };
}

/** The limit of a test between two against which every group stands: the lower one where the largest group does not reach it, else the upper one. */
function limitOfEach(test: PoolTest, largest: Group | undefined, total: bigint): PoolTest {
  if (!Array.isArray(test.value)) return test;
  const [low, high] = test.value;
  const lower = { ...test, op: 'gte' as const, value: low };
  const isLow = largest !== undefined && judgeFigure(lower, { n: largest.weight, d: total }).passed === false;
  return isLow ? lower : { ...test, op: 'lte', value: high };
}

type Judged = { group: Group; limit: Offender['limit']; verdict: PoolVerdict };

/** The groups that break their limit, by headroom; equal ones stay in the order of their size. */
function offendersOf(judged: readonly Judged[]): Pick<PoolTestResult, 'offenders' | 'more_offenders'> {
  const broken = judged.filter(({ verdict }) => verdict.passed === false);
  const offenders = broken
    .map(({ group, limit, verdict: { actual, excess_balance, headroom } }) => ({
      group: group.label,
      limit,
      actual: actual ?? '',
      excess_balance,
      headroom,
    }))
    .toSorted((a, b) => Number(a.headroom) - Number(b.headroom));
  return { offenders: offenders.slice(0, OFFENDERS_SHOWN), more_offenders: offenders.length > OFFENDERS_SHOWN };
}

const together = (group: Group, total: bigint): Offender => ({
  group: group.label,
  limit: null,
  actual: quotientText(group.weight, total, 8),
  excess_balance: null,
  headroom: null,
});

/** Limit of a group by its key and rank: its own by name, the one of its rank, else the limit of the test. The names are read once for all groups. */
export function groupLimits(test: PoolTest): (key: string, rank: number) => number {
  const general = test.value as number;
  const { rank_limits, exceptions = {} } = test;
  if (rank_limits) return (_, rank) => rank_limits[rank] ?? general;
  const own = new Map<string, number>();
  for (const [name, limit] of Object.entries(exceptions)) {
    const key = exceptionKey(test, name);
    // Of two spellings of a name the first counts.
    if (!own.has(key)) own.set(key, limit);
  }
  return (key) => own.get(key) ?? general;
}

/** A group name as groups are compared: trimmed, lower case, and where several fields make the groups, blanks around `|` as in a joined key. */
function exceptionKey({ group_by = [] }: Pick<PoolTest, 'group_by'>, name: string): string {
  return group_by.length > 1 ? name.split('|').map(comparableText).join(' | ') : comparableText(name);
}

function groupFigure(group: Group, total: bigint, limit: number | null, passed: boolean): GroupFigure {
  return {
    group: group.label,
    balance: quotientText(group.weight, MICRO, 2),
    loans: group.loans,
    actual: quotientText(group.weight, total, 8),
    limit,
    passed,
  };
}

function breachesFirst(groups: GroupFigure[]): GroupFigure[] {
  return [...groups.filter((group) => !group.passed), ...groups.filter((group) => group.passed)].slice(0, GROUPS_SHOWN);
}

/** SQL of a list: the largest groups of `groups`, as many as the test needs, and every group with its own limit. */
export function largestGroups(test: PoolTest, groups: string): string {
  const named = Object.keys(test.exceptions ?? {}).map((name) => sqlText(exceptionKey(test, name)));
  const single = (test.top ?? 1) === 1 ? OFFENDERS_SHOWN + 1 : 1;
  const wanted = Math.max(test.top ?? 1, (test.rank_limits?.length ?? 0) + 1, GROUPS_SHOWN, single) + named.length;
  // A list in place would be compared with each group; the names of a query are looked up.
  const also = named.length === 0 ? '' : ` OR key IN (SELECT unnest([${named.join(', ')}]))`;
  return `SELECT list({key: key, label: label, weight: CAST(weight AS VARCHAR), loans: loans} ORDER BY rank)
    FROM ${groups} WHERE rank <= ${wanted}${also}`;
}

/**
 * SQL of the groups of a test: `key, label, weight, loans, rank`. They are sorted here, once for all tests of the same groups: a
 * hundred sorts of a hundred thousand groups in one statement have no room in memory. Names are summed first, so that few of them
 * are turned into keys.
 */
export function groupsSql(test: PoolTest, relation: string, { weight, loans }: Record<'weight' | 'loans', string>): string {
  const named = `SELECT ${sqlName(groupColumn(test))} AS label, ${weight} AS weight, ${loans} AS loans FROM ${relation} GROUP BY label HAVING ${loans} > 0`;
  const groups =
    'SELECT lower(label) AS key, min(label) AS label, coalesce(sum(weight), 0) AS weight, CAST(sum(loans) AS BIGINT) AS loans ' +
    `FROM (${named}) GROUP BY lower(label)`;
  return `SELECT *, row_number() OVER (ORDER BY weight DESC, key) AS rank FROM (${groups})`;
}

const MICRO_WEIGHT = 'CAST(CAST(weight AS DECIMAL(38,6)) * 1000000 AS HUGEINT)';

/** SQL of one figure of `groups`: the sum of the squared weights; in parts, the sums of the squares and products of a high and a low part. */
export function squaresOf(groups: string, inParts: boolean): string {
  if (!inParts) return `SELECT CAST(sum(${MICRO_WEIGHT} * ${MICRO_WEIGHT}) AS VARCHAR) FROM ${groups}`;
  const [high, low] = [`(${MICRO_WEIGHT} // ${LOW_PART})`, `(${MICRO_WEIGHT} % ${LOW_PART})`];
  return `SELECT sum(${high} * ${high}) || ' ' || sum(${high} * ${low}) || ' ' || sum(${low} * ${low}) FROM ${groups}`;
}

const LOW_PART = 1_000_000_000n;

function readSquares(text: string | null): bigint {
  const [first = 0n, mixed, low = 0n] = (text ?? '0').split(' ').map(BigInt);
  return mixed === undefined ? first : (first * LOW_PART + 2n * mixed) * LOW_PART + low;
}

/** SQL of one figure of `groups`: the sum of the weights, in whole millionths as the squares are. */
export function weightOfAll(groups: string): string {
  return `SELECT CAST(sum(${MICRO_WEIGHT}) AS VARCHAR) FROM ${groups}`;
}

/** Herfindahl-Hirschman index: the sum of the squared shares of the groups, 1 for a single group. */
export function herfindahl(test: PoolTest, squares: string | null, weight: string | null): PoolTestResult {
  const total = BigInt(weight ?? 0);
  return describeResult(test, null, judgeFigure(test, total > 0n ? { n: readSquares(squares), d: total * total } : null));
}
