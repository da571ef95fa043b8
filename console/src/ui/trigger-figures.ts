import { percent } from './format-market.ts';
import { numbers } from './intl.ts';

const money = numbers({ style: 'currency', currency: 'USD' });

const AMOUNTS = ['INTEREST_SHORTFALL', 'PRINCIPAL_SHORTFALL', 'NOTE_BALANCE'];
const isAmount = (metric: string): boolean => AMOUNTS.includes(metric.replace(/_AVG3$/, ''));
const MS_PER_DAY = 86_400_000;

/** Whether the figures of a test are drawn over time: a period and a date count what the axis does. */
export const isDrawn = (metric: string): boolean => metric !== 'PERIOD' && metric !== 'DATE';

/** What the figures of a test are, and how a chart writes one. */
export const scaleOf = (metric: string): { unit: string; format: (value: number) => string } =>
  isAmount(metric) ? { unit: 'in US dollars', format: money } : { unit: 'in percent', format: percent };

/** A figure or a threshold of a test; that of DATE is the day since 1970-01-01. */
export function testFigure(metric: string, value: number | null): string {
  if (value === null) return 'unknown';
  if (metric === 'DATE') return new Date(value * MS_PER_DAY).toISOString().slice(0, 10);
  return isAmount(metric) ? money(value) : String(value);
}
