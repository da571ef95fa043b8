import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { count, money } from '../../ui/format.tsx';
import { basisPoints, percent, years } from '../../ui/format-market.ts';
import { Facts, Note, Page, ToCome } from '../../ui/page.tsx';
import { type PageTab, PageTabs } from '../../ui/page-tabs.tsx';
import { Read } from '../../ui/read.tsx';
import { averageOf } from './book-average.ts';
import { BookScenarios, NO_RUN } from './book-scenarios.tsx';
import { Exposures } from './exposures.tsx';
import { Calendar, History, Payments } from './portfolio-cash.tsx';
import { Positions } from './positions.tsx';
import { Reports } from './reports.tsx';
import { Statements } from './statements.tsx';

const TABS: readonly PageTab[] = [
  ['positions', 'Positions', () => <Positions />],
  ['exposures', 'Exposures', () => <Exposures />],
  ['scenarios', 'Scenarios', () => <BookScenarios />],
  ['calendar', 'Calendar', () => <Calendar />],
  ['payments', 'Payments', () => <Payments />],
  ['history', 'History', () => <History />],
  ['statements', 'Statements', () => <Statements />],
  ['reports', 'Reports', () => <Reports />],
];
/** What the tabs keep in the address, none of which means anything in another tab. */
const OF_TABS = [...Object.keys(NO_RUN), 'by', 'month', 'as_of', 'status', 'from', 'to', 'section'];

/** What the organization holds, where its risk is, what it may be worth, and what it is paid. */
export function Portfolio(): ReactNode {
  return (
    <Page
      title="Portfolio"
      about="What you hold, at the marks that the operator published last. Interest that has accrued is not in market values."
    >
      <Summary />
      <PageTabs tabs={TABS} clears={OF_TABS} />
    </Page>
  );
}

const SUMMARY: readonly [name: string, value: (summary: Records['PortfolioSummary']) => string][] = [
  ['Market value', ({ total_market_value }) => money(total_market_value)],
  ['Positions', ({ position_count }) => count(position_count)],
  ['Yield', (summary) => percent(averageOf(summary, 'yield'))],
  ['Spread', (summary) => basisPoints(averageOf(summary, 'spread'))],
  ['Average life', (summary) => years(averageOf(summary, 'wal'))],
  ['Duration', (summary) => years(averageOf(summary, 'duration'))],
];

function Summary(): ReactNode {
  const summary = useQuery({
    queryKey: ['portfolio', 'summary'],
    queryFn: () => sent(api.GET('/v1/api/investor/portfolio/summary')),
  });
  if (summary.isPending) return <Facts facts={SUMMARY.map(([name]) => [name, <ToCome key={name} />])} />;
  return (
    <Read from={summary}>
      {({ data }) => (
        <>
          <Facts facts={SUMMARY.map(([name, value]) => [name, value(data)])} />
          {Object.values(data.missing).some((lacking) => lacking > 0) && (
            <Note>
              Averages leave out positions without the figure:{' '}
              {Object.entries(data.missing)
                .filter(([, lacking]) => lacking > 0)
                .map(([figure, lacking]) => `${figure} of ${lacking}`)
                .join(', ')}
              .
            </Note>
          )}
        </>
      )}
    </Read>
  );
}
