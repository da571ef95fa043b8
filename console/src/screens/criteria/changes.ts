import { words } from '../../ui/format.tsx';
import { type Fields, isRecord, type PoolTest, type Rule, type SetBody } from './language.ts';
import { sayCondition, sayTest } from './say.ts';

/** One difference between two versions of a set, in words. */
export type Change = {
  what: string;
  kind: 'Added' | 'Removed' | 'Changed' | 'Moved';
  before: string | null;
  after: string | null;
};

/** The same text for the same value, whatever the order of its names. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1))) : each,
  );
}

const DEFAULTS = { missing_policy: 'fail', weight_field: 'current_balance', value_sets: {}, custom_fields: {} };

/** A set with what the API takes where nothing is said, so that saying it is no change. */
const filled = ({ loan_rules: _rules, pool_tests: _tests, ...rest }: SetBody): Record<string, unknown> => ({
  ...DEFAULTS,
  ...rest,
});

/** What of a set is different in another one. */
export function changesBetween(before: SetBody, after: SetBody, fields: Fields): Change[] {
  return [
    ...settingChanges(filled(before), filled(after)),
    ...rowChanges('Rule', before.loan_rules, after.loan_rules, (rule) => sayRule(rule, fields)),
    ...rowChanges('Test', before.pool_tests ?? [], after.pool_tests ?? [], (test) => sayPoolTest(test, fields)),
  ];
}

function settingChanges(before: Record<string, unknown>, after: Record<string, unknown>): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .filter((name) => canonical(before[name]) !== canonical(after[name]))
    .map((name) => ({
      what: words(name),
      kind: before[name] === undefined ? 'Added' : after[name] === undefined ? 'Removed' : 'Changed',
      before: shown(before[name]),
      after: shown(after[name]),
    }));
}

const shown = (value: unknown): string | null =>
  value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);

function rowChanges<Item extends { id: string }>(
  noun: string,
  before: readonly Item[],
  after: readonly Item[],
  say: (item: Item) => string,
): Change[] {
  const known = new Map(before.map((item) => [item.id, item]));
  const left = new Set(after.map(({ id }) => id));
  const changed = after.flatMap((item): Change[] => {
    const old = known.get(item.id);
    const what = `${noun} ${item.id}`;
    if (!old) return [{ what, kind: 'Added', before: null, after: say(item) }];
    if (canonical(old) === canonical(item)) return [];
    const [from, to] = [say(old), say(item)];
    return [
      { what, kind: 'Changed', before: from === to ? JSON.stringify(old) : from, after: from === to ? JSON.stringify(item) : to },
    ];
  });
  const removed = before
    .filter(({ id }) => !left.has(id))
    .map((item): Change => ({ what: `${noun} ${item.id}`, kind: 'Removed', before: say(item), after: null }));
  return [...changed, ...removed, ...moved(noun, before, after)];
}

/** Rules that both have stand in another order: the waterfall then removes loans by other rules. */
function moved(noun: string, before: readonly { id: string }[], after: readonly { id: string }[]): Change[] {
  const both = (of: readonly { id: string }[], in_: readonly { id: string }[]): string[] =>
    of.map(({ id }) => id).filter((id) => in_.some((each) => each.id === id));
  const [from, to] = [both(before, after), both(after, before)];
  if (from.join('\n') === to.join('\n')) return [];
  return [{ what: `Order of the ${noun.toLowerCase()}s`, kind: 'Moved', before: from.join(', '), after: to.join(', ') }];
}

const sayRule = ({ rule, description, severity, waivable }: Rule, fields: Fields): string =>
  [
    sayCondition(rule, fields),
    severity === 'warn' ? 'warns only' : '',
    waivable === false ? 'cannot be waived' : '',
    description ? `“${description}”` : '',
  ]
    .filter((part) => part !== '')
    .join(' · ');

const sayPoolTest = (test: PoolTest, fields: Fields): string =>
  [sayTest(test, fields), test.severity === 'warn' ? 'warns only' : '', test.description ? `“${test.description}”` : '']
    .filter((part) => part !== '')
    .join(' · ');
