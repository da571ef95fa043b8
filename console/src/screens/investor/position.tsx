import { Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type Records, sent } from '../../app/api.ts';
import { Lines } from '../../charts/lines.tsx';
import { Day, Id, money, shortMoney } from '../../ui/format.tsx';
import { basisPoints, percent, termPrice, years } from '../../ui/format-market.ts';
import { ButtonTo } from '../../ui/link.tsx';
import { Empty, Facts, Page, Part, ToCome } from '../../ui/page.tsx';
import { type PageTab, PageTabs } from '../../ui/page-tabs.tsx';
import { Read } from '../../ui/read.tsx';
import { useMarketDeal } from './names.tsx';
import { Performance } from './performance.tsx';
import { Calendar, Payments } from './portfolio-cash.tsx';
import { Trades } from './trades.tsx';

/** What is held of one tranche: its value with the day of its mark, what it was paid and will be, its trades, and how its pool does. */
export function PositionPage(): ReactNode {
  const { dealId = '', trancheId = '' } = useParams({ strict: false });
  const [values, set] = useAddress();
  const deal = useMarketDeal(dealId);
  const found = deal.data?.data;
  const tranche = found?.tranches.find(({ tranche_id }) => tranche_id === trancheId);
  const tabs: readonly PageTab[] = [
    ['payments', 'Payments', () => <Payments trancheId={trancheId} />],
    ['calendar', 'To come', () => <Calendar trancheId={trancheId} />],
    ['trades', 'Trades', () => <Trades trancheId={trancheId} />],
    ['tranche', 'Tranche, actual and projected', () => <TrancheBalance deal={found} trancheId={trancheId} />],
    ['pool', 'Pool, actual and projected', () => <Performance dealId={dealId} />],
  ];
  return (
    <Page
      title={found ? `${found.name}, ${tranche?.tranche ?? trancheId}` : 'Position'}
      up={{ to: '/portfolio', title: 'Portfolio' }}
      about={found ? `${found.originator}, ${found.asset_type}` : deal.error ? null : <ToCome width={160} />}
      acts={
        <ButtonTo to="/market/$dealId" params={{ dealId }} size="compact-sm" variant="default">
          The deal
        </ButtonTo>
      }
    >
      <Held trancheId={trancheId} asOf={values.as_of ?? ''} setAsOf={(as_of) => set({ as_of })} />
      <PageTabs tabs={tabs} clears={['status', 'from', 'to']} />
    </Page>
  );
}

type HeldProps = { trancheId: string; asOf: string; setAsOf: (asOf: string | null) => void };

function Held({ trancheId, asOf, setAsOf }: HeldProps): ReactNode {
  const positions = useQuery({
    queryKey: ['portfolio', 'positions', trancheId, asOf],
    queryFn: () =>
      sent(
        api.GET('/v1/api/investor/portfolio/positions', {
          params: { query: { tranche_id: trancheId, ...(asOf === '' ? {} : { as_of: asOf }) } },
        }),
      ),
  });
  return (
    <Stack gap="md">
      <TextInput
        size="xs"
        w={240}
        type="date"
        label="At the end of (empty: as it is now)"
        value={asOf}
        onChange={({ currentTarget }) => setAsOf(currentTarget.value || null)}
      />
      <Read from={positions} waiting={<Facts facts={TO_COME} />}>
        {({ data: [position] }) =>
          position ? (
            <Facts facts={FACTS.map(([name, fact]) => [name, fact(position)])} />
          ) : (
            <Empty>Nothing of this tranche was held on that day.</Empty>
          )
        }
      </Read>
    </Stack>
  );
}

const FACTS: readonly [name: string, fact: (position: Records['Position']) => ReactNode][] = [
  ['Face', (position) => money(position.face)],
  ['Factor', (position) => position.factor.toFixed(8)],
  ['Balance', (position) => money(position.current_balance)],
  ['Cost of the balance', (position) => money(position.cost_basis)],
  ['Mark, clean', (position) => termPrice(position.price)],
  ['Marked as of', (position) => <Day key="as-of" at={position.as_of} />],
  ['Market value', (position) => money(position.market_value)],
  ['Unrealized gain', (position) => money(position.unrealized_gain)],
  ['Accrued interest', (position) => money(position.accrued_interest)],
  ['Yield', (position) => percent(position.yield)],
  ['Spread', ({ spread }) => basisPoints(spread)],
  ['Average life', (position) => years(position.wal)],
  ['Modified duration', (position) => years(position.duration)],
  ['Id', (position) => <Id key="id" of={position.position_id} />],
];

const TO_COME: readonly [name: string, value: ReactNode][] = FACTS.map(([name]) => [
  name,
  <ToCome key={name} {...(name === 'Id' ? { like: 'pos_01k9example0000000000000000' } : {})} />,
]);

type TrancheBalanceProps = { deal: Records['MarketDeal'] | undefined; trancheId: string };

/** The balance of the tranche as it was reported, and as the calculation behind its mark projects it. */
function TrancheBalance({ deal, trancheId }: TrancheBalanceProps): ReactNode {
  const rows = (deal?.performance?.tranche_performance ?? [])
    .filter(({ tranche_id }) => tranche_id === trancheId)
    .toSorted((a, b) => a.period - b.period);
  if (rows.length === 0)
    return <Empty>Nothing projects this tranche yet: a calculation of the deal has to be completed first.</Empty>;
  const periods = [...new Set(rows.map(({ period }) => period))];
  const of = (basis: Records['PerformanceBasis'], figure: (row: (typeof rows)[number]) => number | null): (number | null)[] =>
    periods.map((period) => {
      const row = rows.find((each) => each.period === period && each.basis === basis);
      return row ? figure(row) : null;
    });
  const labels = periods.map(String);
  return (
    <Part title="The tranche, all of it" about="Your part is your face over its original balance.">
      <Stack gap="lg">
        <Lines
          title="Balance of the tranche"
          unit="US$, after the payment of each period"
          axis="Period"
          labels={labels}
          format={shortMoney}
          series={[
            { name: 'Reported', color: 0, values: of('ACTUAL', ({ balance }) => balance) },
            { name: 'Projected', color: 0, projected: true, values: of('PROJECTED', ({ balance }) => balance) },
          ]}
        />
        <Lines
          title="Credit enhancement"
          unit="Percent of the pool"
          axis="Period"
          labels={labels}
          format={percent}
          series={[
            { name: 'Reported', color: 2, values: of('ACTUAL', (row) => row.credit_enhancement) },
            { name: 'Projected', color: 2, projected: true, values: of('PROJECTED', (row) => row.credit_enhancement) },
          ]}
        />
      </Stack>
    </Part>
  );
}
