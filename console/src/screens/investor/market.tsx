import { Button, Checkbox, Table, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { choice, type Filter, text } from '../../ui/filters.tsx';
import { count, Day, money, shortMoney } from '../../ui/format.tsx';
import { percent, years } from '../../ui/format-market.ts';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page, Part, ToCome } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';

type Deal = Records['MarketDealSummary'];

const LOAN_TYPES = ['Auto', 'Personal', 'Mortgage', 'Student', 'Business', 'Credit Card'];
const SORTS = ['newest', 'oldest', 'name', '-dealSize', 'dealSize', '-wa_yield', 'wa_yield', 'wal', '-wal'];
const FILTERS: readonly Filter[] = [
  text('q', 'Deal or originator'),
  choice('asset_type', 'Assets', LOAN_TYPES),
  choice('market_status', 'Market status', ['MARKETING', 'BOOKS_CLOSED', 'ALLOCATED', 'CLOSED']),
  text('min_size', 'Size from (US$)', '10000000'),
  text('min_yield', 'Yield from (%)', '5'),
  choice('sort', 'Order', SORTS),
];
const MOST_COMPARED = 4;

/** Deals on the market, and up to four of them side by side. */
export function Market(): ReactNode {
  const [values, set] = useAddress();
  const compared = (values.compare ?? '').split(',').filter((id) => id !== '');
  const toggle = (id: string): void => {
    const next = compared.includes(id) ? compared.filter((each) => each !== id) : [...compared, id];
    set({ compare: next.join(',') }, { keepPage: true });
  };
  return (
    <Page title="Market" about="Deals that are offered or were placed. Choose up to four to see them side by side.">
      {compared.length > 0 && (
        <Compared ids={compared.slice(0, MOST_COMPARED)} clear={() => set({ compare: null }, { keepPage: true })} />
      )}
      <RecordList
        name={['market']}
        label="Deals on the market"
        read={(query: QueryOf<'/v1/api/investor/deals'>) => sent(api.GET('/v1/api/investor/deals', { params: { query } }))}
        filters={FILTERS}
        columns={[chooser(compared, toggle), ...COLUMNS]}
        rowKey={({ deal_id }) => deal_id}
        empty="No deal is on the market. An alert tells when one is listed."
      />
    </Page>
  );
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
  {
    id: 'market_status',
    title: 'Market status',
    value: ({ market_status }) => market_status,
    cell: ({ market_status }) => <Status of={market_status} />,
  },
  {
    id: 'dealSize',
    title: 'Size (US$)',
    number: true,
    value: ({ dealSize }) => dealSize,
    cell: ({ dealSize }) => money(dealSize),
  },
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
  {
    id: 'minimum_investment',
    title: 'Minimum (US$)',
    number: true,
    value: ({ minimum_investment }) => minimum_investment,
    cell: ({ minimum_investment }) => money(minimum_investment),
  },
  {
    id: 'closing_date',
    title: 'Closing',
    value: ({ closing_date }) => closing_date,
    cell: ({ closing_date }) => <Day at={closing_date} />,
  },
];

const ROWS: [name: string, value: (deal: Records['MarketDeal']) => ReactNode][] = [
  ['Originator', ({ originator }) => originator],
  ['Assets', ({ asset_type }) => asset_type],
  ['Market status', ({ market_status }) => <Status of={market_status} />],
  ['Size', ({ dealSize }) => shortMoney(dealSize)],
  ['Yield', ({ wa_yield, wa_yield_coverage }) => (wa_yield_coverage === 0 ? '–' : percent(wa_yield))],
  ['Average life', ({ wal }) => years(wal)],
  ['Minimum', ({ minimum_investment }) => money(minimum_investment)],
  ['Tranches', ({ tranches }) => tranches.map(({ tranche, rating }) => `${tranche} ${rating ?? 'unrated'}`).join(', ')],
  ['Pool', ({ strats }) => (strats ? `${count(strats.loan_count)} loans, ${shortMoney(strats.balance)}` : '–')],
  ['Average rate of the loans', ({ strats }) => percent(strats?.wac)],
  ['Average term left', ({ strats }) => (strats?.wam == null ? '–' : `${Math.round(strats.wam)} months`)],
  ['Closing', ({ closing_date }) => <Day at={closing_date} />],
];

function Compared({ ids, clear }: { ids: readonly string[]; clear: () => void }): ReactNode {
  const results = useQueries({
    queries: ids.map((dealId) => ({
      queryKey: ['market', dealId],
      queryFn: () => sent(api.GET('/v1/api/investor/deals/{dealId}', { params: { path: { dealId } } })),
    })),
  });
  const failed = results.find(({ data, error }) => !data && error);
  return (
    <Part
      title="Side by side"
      acts={
        <Button size="compact-sm" variant="default" onClick={clear}>
          Clear
        </Button>
      }
    >
      {failed && <Read from={failed}>{() => null}</Read>}
      <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label="Side by side" layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>
                <span className="unseen">What</span>
              </Table.Th>
              {results.map(({ data }, at) => (
                <Table.Th key={ids[at]} scope="col">
                  {data ? data.data.name : <ToCome />}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {ROWS.map(([name, value]) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">
                  <Text size="xs">{name}</Text>
                </Table.Th>
                {results.map(({ data }, at) => (
                  <Table.Td key={ids[at]}>{data ? value(data.data) : <ToCome />}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Part>
  );
}
