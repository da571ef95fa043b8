import { Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { amount } from '../../ui/amount.ts';
import type { Column } from '../../ui/column.ts';
import { choice, type Filter, text } from '../../ui/filters.tsx';
import { percent, years } from '../../ui/format-market.ts';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { PageTabs } from '../../ui/page-tabs.tsx';
import { Compared } from './market-compare.tsx';
import { dayColumn, moneyColumn, statusColumn } from '../../ui/columns.tsx';

type Deal = Records['MarketDealSummary'];

const LOAN_TYPES = ['Auto', 'Personal', 'Mortgage', 'Student', 'Business', 'Credit Card'];
const SORTS: Readonly<Record<string, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Name, A to Z',
  '-dealSize': 'Largest first',
  dealSize: 'Smallest first',
  '-wa_yield': 'Highest yield first',
  wa_yield: 'Lowest yield first',
  wal: 'Shortest life first',
  '-wal': 'Longest life first',
  closing_date: 'Closing soonest',
};

const FILTERS: readonly Filter[] = [
  text('q', 'Deal or originator'),
  choice('asset_type', 'Assets', LOAN_TYPES),
  choice('market_status', 'Market status', ['MARKETING', 'BOOKS_CLOSED', 'ALLOCATED', 'CLOSED']),
  text('min_size', 'Size from (US$)', '10m'),
  text('min_yield', 'Yield from (%)', '5'),
  { kind: 'choice', name: 'sort', label: 'Order', choices: Object.keys(SORTS), labels: SORTS, placeholder: 'Newest first' },
];
const MOST_COMPARED = 4;

/** Deals on the market and those that one watches, and up to four of them side by side. */
export function Market(): ReactNode {
  const [values, set] = useAddress();
  const compared = (values.compare ?? '').split(',').filter((id) => id !== '');
  const toggle = (id: string): void => {
    const next = compared.includes(id) ? compared.filter((each) => each !== id) : [...compared, id];
    set({ compare: next.join(',') }, { keepPage: true });
  };
  const columns = [chooser(compared, toggle), ...COLUMNS];
  return (
    <Page title="Market" about="Deals that are offered or were placed. Choose up to four to see them side by side.">
      {compared.length > 0 && (
        <Compared ids={compared.slice(0, MOST_COMPARED)} clear={() => set({ compare: null }, { keepPage: true })} />
      )}
      <PageTabs
        tabs={[
          [
            'all',
            'All deals',
            () => (
              <RecordList
                name={['market']}
                label="Deals on the market"
                read={(query: QueryOf<'/v1/api/investor/deals'>) =>
                  sent(api.GET('/v1/api/investor/deals', { params: { query: { ...query, ...sizeOf(values.min_size) } } }))
                }
                filters={FILTERS}
                columns={columns}
                rowKey={({ deal_id }) => deal_id}
                empty="No deal is on the market. An alert tells you when one is listed."
              />
            ),
          ],
          [
            'watched',
            'Watched',
            () => (
              <RecordList
                name={['watchlist']}
                label="Deals that you watch"
                read={(query: QueryOf<'/v1/api/investor/watchlist'>) =>
                  sent(api.GET('/v1/api/investor/watchlist', { params: { query } }))
                }
                columns={columns}
                rowKey={({ deal_id }) => deal_id}
                few
                empty="You watch no deal: Watch on the page of a deal puts it here, and alerts tell when it moves."
              />
            ),
          ],
        ]}
        clears={NAMES_OF_FILTERS}
      />
    </Page>
  );
}

const NAMES_OF_FILTERS = FILTERS.map(({ name }) => name);

/** A size as people write it; what is no amount goes as it is, and the API says what is wrong with it. */
function sizeOf(written: string | undefined): { min_size?: number } {
  const size = written ? amount(written) : undefined;
  return size === undefined ? {} : { min_size: size };
}

const chooser = (compared: readonly string[], toggle: (id: string) => void): Column<Deal> => ({
  id: 'compare',
  title: '',
  value: () => null,
  cell: ({ deal_id, name }) => (
    <Checkbox
      size="xs"
      aria-label={`Compare ${name}`}
      checked={compared.includes(deal_id)}
      disabled={!compared.includes(deal_id) && compared.length >= MOST_COMPARED}
      onChange={() => toggle(deal_id)}
    />
  ),
});

const COLUMNS: readonly Column<Deal>[] = [
  {
    id: 'name',
    title: 'Deal',
    value: ({ name }) => name,
    cell: ({ deal_id, name }) => (
      <To to="/market/$dealId" params={{ dealId: deal_id }} size="sm">
        {name}
      </To>
    ),
  },
  { id: 'originator', title: 'Originator', value: ({ originator }) => originator },
  { id: 'asset_type', title: 'Assets', value: ({ asset_type }) => asset_type },
  statusColumn('market_status', 'Market status'),
  moneyColumn('dealSize', 'Size (US$)'),
  {
    id: 'wa_yield',
    title: 'Yield',
    number: true,
    value: ({ wa_yield }) => wa_yield,
    cell: ({ wa_yield, wa_yield_coverage }) => (
      <span title={`Of ${Math.round(wa_yield_coverage * 100)}% of the offered face, where it is known`}>
        {wa_yield_coverage === 0 ? '–' : percent(wa_yield)}
        {wa_yield_coverage > 0 && wa_yield_coverage < 1 ? '*' : ''}
      </span>
    ),
  },
  { id: 'wal', title: 'Average life', number: true, value: ({ wal }) => wal, cell: ({ wal }) => years(wal) },
  moneyColumn('minimum_investment', 'Minimum (US$)'),
  dayColumn('closing_date', 'Closing'),
];
