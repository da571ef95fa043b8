import { TagsInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { PoolTest } from './language.ts';
import { asFraction, inPercent } from './percent.ts';

type Props = { test: PoolTest; change: (test: PoolTest) => void };

const WRITTEN = /^(.+)=\s*([\d.]+)\s*%?$/;

/** Groups that have a limit of their own, as `CA=19.74`. */
export function GroupLimits({ test, change }: Props): ReactNode {
  const [wrong, setWrong] = useState<string | null>(null);
  const { exceptions = {} } = test;
  return (
    <TagsInput
      size="xs"
      w={300}
      maw="100%"
      label="Groups with their own limit (%)"
      placeholder="CA=19.74"
      error={wrong}
      value={Object.entries(exceptions).map(([group, limit]) => `${group}=${inPercent(limit)}`)}
      onChange={(next) => {
        const pairs = next.map((each) => WRITTEN.exec(each));
        const bad = next.find((_, at) => !pairs[at] || Number.isNaN(Number(pairs[at]?.[2])));
        setWrong(bad === undefined ? null : `Write a group and its limit in percent, such as CA=19.74, in place of ${bad}.`);
        if (bad !== undefined) return;
        const limits = pairs.flatMap((pair) => (pair ? [[pair[1]?.trim() ?? '', asFraction(Number(pair[2]))]] : []));
        const { exceptions: _before, ...rest } = test;
        change(limits.length === 0 ? rest : { ...rest, exceptions: Object.fromEntries(limits) });
      }}
    />
  );
}

/** Limits of the largest group, the second largest and so on, in percent. */
export function RankLimits({ test, change }: Props): ReactNode {
  const [wrong, setWrong] = useState<string | null>(null);
  return (
    <TagsInput
      size="xs"
      w={260}
      label="Limits by rank, the largest first (%)"
      placeholder="30"
      allowDuplicates
      error={wrong}
      value={(test.rank_limits ?? []).map((limit) => String(inPercent(limit)))}
      onChange={(next) => {
        const bad = next.find((each) => each.trim() === '' || Number.isNaN(Number(each)));
        setWrong(bad === undefined ? null : `${bad} is no number.`);
        if (bad !== undefined) return;
        const { rank_limits: _before, ...rest } = test;
        change(next.length === 0 ? rest : { ...rest, rank_limits: next.map((each) => asFraction(Number(each))) });
      }}
    />
  );
}
