import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';

export type Result = Records['PortfolioScenarioResult'];

type FigureProps = { of: number | null; from: number | null; format: (value: number) => string };

/** A figure, and how far it is from that of the first scenario. */
export function Figure({ of, from, format }: FigureProps): ReactNode {
  if (of === null) return '–';
  return (
    <>
      {format(of)}
      {from !== null && of !== from && (
        <Text size="xs" c="dimmed">
          {of > from ? '+' : '−'}
          {format(differenceOf(of, from))}
        </Text>
      )}
    </>
  );
}

/** Rounded to what doubles of this size can say, so that cents are exact. */
const DIGITS = 1e6;
const differenceOf = (a: number, b: number): number => Math.round(Math.abs(a - b) * DIGITS) / DIGITS;
