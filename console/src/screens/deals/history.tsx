import { Timeline } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { When, words } from '../../ui/format.tsx';

/** The moves of a deal, newest first. */
export const History = ({ history }: { history: readonly Records['DealMove'][] }): ReactNode => (
  <Timeline bulletSize={12} lineWidth={2} active={history.length}>
    {history.toReversed().map(({ from, to, at, actor, reason }) => (
      <Timeline.Item key={`${at} ${to}`} title={from ? `${words(from)} → ${words(to)}` : words(to)}>
        <When at={at} /> by <span className="id">{actor}</span>
        {reason && <div>{reason}</div>}
      </Timeline.Item>
    ))}
  </Timeline>
);
