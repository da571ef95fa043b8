import type { PoolTest } from './language.ts';
import { type Checking, checkNumericField, usableField } from './checking.ts';
import { isNarrow } from './rounded.ts';
import { checkCondition } from './validate-condition.ts';

const GROUPED = new Set(['concentration', 'hhi']);
const WEIGHTED = new Set(['share', 'concentration', 'hhi', 'weighted_average']);
const MEASURED = new Set(['weighted_average', 'average', 'sum', 'min', 'max']);
const SHARE_LIKE = new Set(['share', 'concentration', 'hhi']);

/** Adds every fault of a pool test: keys that do not belong to its type, fields, limits. Unknown keys are found by its schema. */
export function checkPoolTest(test: PoolTest, path: string, checking: Checking): void {
  const add = (key: string, message: string) => checking.add('INVALID_RULE', `${path}.${key}`, message);
  if (test.where !== undefined) checkCondition(test.where, `${path}.where`, checking);
  else if (test.type === 'share') add('where', 'a share needs where: the loans whose share is measured');
  checkField(test, path, checking);
  checkGroups(test, path, checking);
  if (test.weight !== undefined) {
    if (WEIGHTED.has(test.type)) checkNumericField(test.weight, `${path}.weight`, checking);
    else add('weight', `${test.type} has no weight`);
  }
  if (test.missing_as !== undefined && !['weighted_average', 'average', 'sum'].includes(test.type))
    add('missing_as', `missing_as does not go with ${test.type}`);
  else if (test.missing_as !== undefined && !isNarrow(test.missing_as))
    add('missing_as', 'expected a number below 10^12, as the values of loans are');
  checkLimit(test, path, checking);
}

function checkField(test: PoolTest, path: string, checking: Checking): void {
  if (MEASURED.has(test.type)) checkNumericField(test.field, `${path}.field`, checking);
  else if (test.field !== undefined) checking.add('INVALID_RULE', `${path}.field`, `${test.type} measures no field`);
}

function checkGroups(test: PoolTest, path: string, checking: Checking): void {
  const add = (key: string, message: string) => checking.add('INVALID_RULE', `${path}.${key}`, message);
  if (!GROUPED.has(test.type)) {
    for (const key of ['group_by', 'top', 'exceptions', 'rank_limits'] as const)
      if (test[key] !== undefined) add(key, `${key} does not go with ${test.type}`);
    return;
  }
  if (!Array.isArray(test.group_by) || test.group_by.length === 0)
    return add('group_by', `${test.type} needs group_by: the fields whose values make the groups`);
  test.group_by.forEach((name, index) => {
    usableField(name, `${path}.group_by[${index}]`, checking);
  });
  if (test.type === 'hhi') {
    for (const key of ['top', 'exceptions', 'rank_limits'] as const)
      if (test[key] !== undefined) add(key, `${key} does not go with hhi`);
    return;
  }
  if (test.exceptions !== undefined && (test.top ?? 1) !== 1) add('exceptions', 'limits of single groups go with top 1 only');
  if (test.rank_limits !== undefined && (test.exceptions !== undefined || test.top !== undefined))
    add('rank_limits', 'rank_limits go with neither top nor exceptions');
  for (const [key, limit] of Object.entries(test.exceptions ?? {})) if (!isShare(limit)) add(`exceptions.${key}`, SHARE_EXPECTED);
  test.rank_limits?.forEach((limit, index) => {
    if (!isShare(limit)) add(`rank_limits[${index}]`, SHARE_EXPECTED);
  });
  const falling = [...(test.rank_limits ?? []), test.value as number];
  if (test.rank_limits?.some((limit, rank) => limit < (falling[rank + 1] ?? 0)))
    add('rank_limits', 'a lower rank cannot have a higher limit than the one before it, value included');
  if ((test.exceptions ?? test.rank_limits) !== undefined && test.op !== 'lte' && test.op !== 'lt')
    add('op', 'limits of groups and ranks are upper limits: lte or lt');
}

const SHARE_EXPECTED = 'expected a share between 0 and 1: 35 % is 0.35';

function isShare(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

function checkLimit(test: PoolTest, path: string, checking: Checking): void {
  const add = (message: string) => checking.add('INVALID_RULE', `${path}.value`, message);
  const { value } = test;
  const bounds = Array.isArray(value) ? value : [value];
  if (test.op === 'between' ? bounds.length !== 2 || !Array.isArray(value) : Array.isArray(value)) {
    return add(test.op === 'between' ? 'between needs two bounds: [lowest, highest]' : `${test.op} needs one number`);
  }
  if (bounds.some((bound) => typeof bound !== 'number' || !Number.isFinite(bound) || Math.abs(bound) >= 1e20))
    return add('expected a number below 10^20');
  if (SHARE_LIKE.has(test.type) && bounds.some((bound) => !isShare(bound))) return add(SHARE_EXPECTED);
  const [low = 0, high = 0] = bounds;
  if (test.op === 'between' && low > high) add(`the bounds [${low}, ${high}] are reversed`);
}
