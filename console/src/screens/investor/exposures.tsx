import { SegmentedControl, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type Records, sent } from '../../app/api.ts';
import { Bars } from '../../charts/bars.tsx';
import type { Column } from '../../ui/column.ts';
import { money, share, shortMoney, words } from '../../ui/format.tsx';
import { percent, years } from '../../ui/format-market.ts';
import { Empty } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { SaveRows } from '../../ui/save-rows.tsx';
import { DataTable } from '../../ui/table.tsx';
import { averageOf } from './book-average.ts';

/** Of positions, by their market value, and of the loans behind them, by their balance. */
const GROUPS = ['class', 'asset_type', 'originator'] as const;
const LOANS = ['state', 'servicer', 'obligor'] as const;
const TITLES: Record<string, string> = { asset_type: 'Assets' };
const MOST_BARS = 15;

/** Where the risk of the book is. */
export function Exposures(): ReactNode {
  const [values, set] = useAddress();
  const group = GROUPS.find((each) => each === values.by);
  const loans = LOANS.find((each) => each === values.by);
  const by = group ?? loans ?? 'class';
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="By"
        size="xs"
        w="fit-content"
        data={[...GROUPS, ...LOANS].map((value) => ({ value, label: TITLES[value] ?? words(value) }))}
        value={by}
        onChange={(next) => set({ by: next })}
      />
      {loans ? <OfLoans by={loans} /> : <OfPositions by={group ?? 'class'} />}
    </Stack>
  );
}

const unit = (length: number): string => `US$${length > MOST_BARS ? `, the ${MOST_BARS} largest` : ''}`;

function OfPositions({ by }: { by: (typeof GROUPS)[number] }): ReactNode {
  const summary = useQuery({
    queryKey: ['portfolio', 'summary'],
    queryFn: () => sent(api.GET('/v1/api/investor/portfolio/summary')),
  });
  const label = `Market value by ${(TITLES[by] ?? by).toLowerCase()}`;
  return (
    <Read from={summary}>
      {({ data: { [`by_${by}` as const]: groups } }) =>
        groups.length === 0 ? (
          <Empty>There is no position to group: a settled trade makes one.</Empty>
        ) : (
          <>
            <Bars
              title={label}
              unit={unit(groups.length)}
              bars={groups.slice(0, MOST_BARS).map(({ name, market_value }) => ({ name, value: market_value }))}
              format={shortMoney}
            />
            <DataTable
              label={label}
              columns={OF_BOOK}
              rows={groups}
              rowKey={({ name }) => name}
              whole
              tools={<SaveRows label={label} columns={OF_BOOK} rows={groups} />}
            />
          </>
        )
      }
    </Read>
  );
}

const OF_BOOK: readonly Column<Records['PortfolioGroup']>[] = [
  { id: 'name', title: 'Name', value: ({ name }) => name },
  {
    id: 'market_value',
    title: 'Market value (US$)',
    number: true,
    value: ({ market_value }) => market_value,
    cell: ({ market_value }) => money(market_value),
  },
  { id: 'weight', title: 'Share', number: true, value: ({ weight }) => weight, cell: ({ weight }) => share(weight, 1) },
  ...(
    [
      ['yield', 'Yield', percent],
      ['wal', 'Average life', years],
      ['duration', 'Duration', years],
    ] as const
  ).map(
    ([figure, title, format]): Column<Records['PortfolioGroup']> => ({
      id: `wa_${figure}`,
      title,
      number: true,
      value: (of) => averageOf(of, figure),
      cell: (of) => format(averageOf(of, figure)),
    }),
  ),
  { id: 'position_count', title: 'Positions', number: true, value: (of) => of.position_count },
];

function OfLoans({ by }: { by: (typeof LOANS)[number] }): ReactNode {
  const exposures = useQuery({
    queryKey: ['portfolio', 'exposures', by],
    queryFn: () => sent(api.GET('/v1/api/investor/portfolio/exposures', { params: { query: { by } } })),
  });
  const label = `Your part of the loans by ${by}`;
  return (
    <Read from={exposures}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty>The loans cannot be grouped by this field: no deal that you hold discloses it, or you hold none.</Empty>
        ) : (
          <>
            <Bars
              title={label}
              unit={unit(data.length)}
              bars={data.slice(0, MOST_BARS).map(({ name, balance }) => ({ name, value: balance }))}
              format={shortMoney}
            />
            <DataTable
              label={label}
              columns={EXPOSURES}
              rows={data}
              rowKey={({ name }) => name}
              whole
              tools={<SaveRows label={label} columns={EXPOSURES} rows={data} />}
            />
          </>
        )
      }
    </Read>
  );
}

const EXPOSURES: readonly Column<Records['Exposure']>[] = [
  { id: 'name', title: 'Name', value: ({ name }) => name },
  { id: 'balance', title: 'Balance (US$)', number: true, value: ({ balance }) => balance, cell: ({ balance }) => money(balance) },
  {
    id: 'share',
    title: 'Share',
    number: true,
    value: (exposure) => exposure.share,
    cell: (exposure) => share(exposure.share, 1),
  },
  { id: 'deals', title: 'Deals', number: true, value: ({ deals }) => deals },
];
