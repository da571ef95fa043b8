import type { Records } from '../../app/api.ts';

type Averages = Pick<
  Records['PortfolioGroup'],
  'missing' | 'position_count' | 'wa_yield' | 'wa_spread' | 'wa_wal' | 'wa_duration'
>;

/** Where no position has the figure its average is 0 in the API, which is no yield and no life: null here. */
export const averageOf = (of: Averages, figure: keyof Averages['missing']): number | null =>
  of.missing[figure] === of.position_count ? null : of[`wa_${figure}`];
