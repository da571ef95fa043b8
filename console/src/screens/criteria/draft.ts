import { useMemo, useState } from 'react';
import type { PoolTest, Rule, SetBody } from './language.ts';

/** A row with a name of its own, which it keeps when its id changes and when it moves. */
export type Row<Item> = { key: string; item: Item };
type Rest = Omit<SetBody, 'loan_rules' | 'pool_tests'>;

const rowsOf = <Item>(items: readonly Item[]): Row<Item>[] => items.map((item) => ({ key: crypto.randomUUID(), item }));

export type RowActs<Item> = {
  rows: readonly Row<Item>[];
  /** The row that was added last, where writing goes on. */
  added: string | null;
  change: (key: string, item: Item) => void;
  add: (item: Item, after?: string) => void;
  remove: (key: string) => void;
  move: (key: string, by: -1 | 1) => void;
};

export type Draft = {
  /** The set as it would be sent. */
  body: SetBody;
  rest: Rest;
  setRest: (rest: Rest) => void;
  rules: RowActs<Rule>;
  tests: RowActs<PoolTest>;
  /** Takes another set in the place of this one. */
  replace: (set: SetBody) => void;
};

/** A set while it is written: its rules and tests as rows, and the same as it would be sent. */
export function useDraft(initial: SetBody): Draft {
  const [state, setState] = useState(() => partsOf(initial));
  const [added, setAdded] = useState<string | null>(null);
  const { rest, rules, tests } = state;
  const body = useMemo(
    () => ({ ...rest, loan_rules: rules.map(({ item }) => item), pool_tests: tests.map(({ item }) => item) }),
    [rest, rules, tests],
  );
  return {
    body,
    rest,
    setRest: (next) => setState((now) => ({ ...now, rest: next })),
    rules: actsOn(rules, (change) => setState((now) => ({ ...now, rules: change(now.rules) })), added, setAdded),
    tests: actsOn(tests, (change) => setState((now) => ({ ...now, tests: change(now.tests) })), added, setAdded),
    replace: (set) => setState(partsOf(set)),
  };
}

const partsOf = ({ loan_rules, pool_tests = [], ...rest }: SetBody) => ({
  rest,
  rules: rowsOf(loan_rules),
  tests: rowsOf(pool_tests),
});

function actsOn<Item>(
  rows: readonly Row<Item>[],
  update: (change: (rows: Row<Item>[]) => Row<Item>[]) => void,
  added: string | null,
  setAdded: (key: string) => void,
): RowActs<Item> {
  return {
    rows,
    added,
    change: (key, item) => update((now) => now.map((row) => (row.key === key ? { key, item } : row))),
    add: (item, after) => {
      const key = crypto.randomUUID();
      setAdded(key);
      update((now) => {
        const at = after === undefined ? now.length : now.findIndex((row) => row.key === after) + 1;
        return now.toSpliced(at, 0, { key, item });
      });
    },
    remove: (key) => update((now) => now.filter((row) => row.key !== key)),
    move: (key, by) =>
      update((now) => {
        const from = now.findIndex((row) => row.key === key);
        const row = now[from];
        const to = from + by;
        return !row || to < 0 || to >= now.length ? now : now.toSpliced(from, 1).toSpliced(to, 0, row);
      }),
  };
}

/** An id that no rule or test of the set has: `R1`, `R2`, …. */
export function freeId(taken: readonly string[], letter: string): string {
  for (let number = taken.length + 1; ; number += 1) {
    const id = `${letter}${number}`;
    if (!taken.includes(id)) return id;
  }
}
