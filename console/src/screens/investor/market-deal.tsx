import { Button, Group } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazyRouteComponent, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { count, Day, Id, money, share, shortMoney } from '../../ui/format.tsx';
import { percent, termPrice, termRate, years } from '../../ui/format-market.ts';
import { ButtonTo } from '../../ui/link.tsx';
import { Facts, Page, ToCome } from '../../ui/page.tsx';
import { type PageTab, PageTabs } from '../../ui/page-tabs.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { DataTable } from '../../ui/table.tsx';
import { sideOfDeal } from '../analytics/side.ts';
import { moneyColumn } from '../../ui/columns.tsx';

type Deal = Records['MarketDeal'];

// Read when they are first shown: what a visitor does not open costs nothing. The page is loaded again where a release has taken their file away.
const Workbench = lazyRouteComponent(() => import('../analytics/workbench.tsx'), 'Workbench');
const Collateral = lazyRouteComponent(() => import('./collateral.tsx'), 'Collateral');
const Comparable = lazyRouteComponent(() => import('./comparable.tsx'), 'Comparable');
const DealLoans = lazyRouteComponent(() => import('./deal-loans.tsx'), 'DealLoans');
const DealDocuments = lazyRouteComponent(() => import('./deal-documents.tsx'), 'DealDocuments');
const Performance = lazyRouteComponent(() => import('./performance.tsx'), 'Performance');
const Structure = lazyRouteComponent(() => import('./structure.tsx'), 'Structure');
const Ticket = lazyRouteComponent(() => import('./ticket.tsx'), 'Ticket');

/** A deal on the market: what it is first, then how to take part. */
export function MarketDeal(): ReactNode {
  const { dealId = '' } = useParams({ strict: false });
  const me = useMe();
  const params = { path: { dealId } };
  const deal = useQuery({
    queryKey: ['market', dealId],
    queryFn: () => sent(api.GET('/v1/api/investor/deals/{dealId}', { params })),
  });
  const data = deal.data?.data;
  return (
    <Page
      title={data?.name ?? 'Deal'}
      up={{ to: '/market', title: 'Market' }}
      about={data ? `${data.originator}, ${data.asset_type}` : deal.error ? null : <ToCome width={160} />}
      acts={
        data && (
          <>
            {data.market_status === 'MARKETING' && can(me, 'APPROVE') && (
              <ButtonTo to="/market/$dealId" params={{ dealId }} search={{ tab: 'ticket' }} size="compact-sm">
                Take part
              </ButtonTo>
            )}
            <Watch dealId={dealId} />
          </>
        )
      }
    >
      <Read from={deal}>{({ data: found }) => <Parts deal={found} />}</Read>
    </Page>
  );
}

function Parts({ deal }: { deal: Deal }): ReactNode {
  const me = useMe();
  const open = deal.market_status === 'MARKETING' && can(me, 'APPROVE');
  const tabs: readonly PageTab[] = [
    ['tranches', 'Tranches', () => <Tranches deal={deal} />],
    ['collateral', 'Collateral', () => <Collateral dealId={deal.deal_id} />],
    ['loans', 'Loans', () => <DealLoans dealId={deal.deal_id} />],
    ['structure', 'Structure', () => <Structure dealId={deal.deal_id} />],
    ['performance', 'Performance', () => <Performance dealId={deal.deal_id} />],
    ['analytics', 'Analytics', () => <Workbench side={sideOfDeal(deal.deal_id)} />],
    ['documents', 'Documents', () => <DealDocuments dealId={deal.deal_id} />],
    ['comparable', 'Comparable deals', () => <Comparable dealId={deal.deal_id} />],
    ...(open ? [['ticket', 'Take part', () => <Ticket deal={deal} />] as PageTab] : []),
  ];
  return (
    <>
      <Facts
        facts={[
          ['Market status', <Status key="status" of={deal.market_status} />],
          ['Size', money(deal.dealSize)],
          [
            'Yield',
            deal.wa_yield_coverage === 0
              ? '–'
              : deal.wa_yield_coverage < 1
                ? `${percent(deal.wa_yield)}, known of ${share(deal.wa_yield_coverage, 1)} of the face`
                : percent(deal.wa_yield),
          ],
          ['Average life', years(deal.wal)],
          ['Minimum', money(deal.minimum_investment)],
          ['Closing', <Day key="closing" at={deal.closing_date} />],
          ['Pool', deal.strats ? `${count(deal.strats.loan_count)} loans, ${shortMoney(deal.strats.balance)}` : '–'],
          ['Average rate of the loans', percent(deal.strats?.wac)],
          ['Cut-off', <Day key="cut-off" at={deal.strats?.cut_off_date} />],
          ['Id', <Id key="id" of={deal.deal_id} />],
        ]}
      />
      <PageTabs tabs={tabs} />
    </>
  );
}

const TRANCHES: readonly Column<Records['MarketTranche']>[] = [
  { id: 'tranche', title: 'Tranche', value: ({ tranche }) => tranche, cell: ({ tranche }) => <b>{tranche}</b> },
  { id: 'class', title: 'Class', value: ({ class: name }) => name },
  { id: 'rating', title: 'Rating', value: ({ rating }) => rating },
  { id: 'seniority', title: 'Paid as no.', number: true, value: ({ seniority }) => seniority },
  moneyColumn('balance', 'Offered (US$)'),
  { id: 'coupon', title: 'Coupon', value: ({ coupon }) => coupon, cell: (tranche) => couponOf(tranche) },
  { id: 'wal', title: 'Average life', number: true, value: ({ wal }) => wal, cell: ({ wal }) => years(wal) },
  { id: 'yield', title: 'Yield', number: true, value: (tranche) => tranche.yield, cell: (tranche) => percent(tranche.yield) },
  { id: 'price', title: 'Price', number: true, value: (tranche) => tranche.price, cell: (tranche) => termPrice(tranche.price) },
  moneyColumn('remaining_capacity', 'Left (US$)'),
  {
    id: 'denomination',
    title: 'Smallest (US$)',
    number: true,
    hidden: true,
    value: ({ denomination }) => denomination,
    cell: ({ denomination, increment }) => `${money(denomination)} + ${money(increment)}`,
  },
  { id: 'factor', title: 'Factor', number: true, hidden: true, value: ({ factor }) => factor },
];

/** The coupon as a trader says it: its rate, and for a floater what it follows. */
function couponOf({ coupon, coupon_type, index, margin_bp, coupon_terms }: Records['MarketTranche']): ReactNode {
  const follows = coupon_type === 'FLOATING' && index && margin_bp !== null ? `${index} + ${margin_bp} bp` : coupon_terms;
  return (
    <span title={coupon_terms ?? ''}>
      {termRate(coupon)}
      {follows ? ` (${follows})` : ''}
    </span>
  );
}

const Tranches = ({ deal }: { deal: Deal }): ReactNode => (
  <DataTable label="Tranches" columns={TRANCHES} rows={deal.tranches} rowKey={({ tranche_id }) => tranche_id} whole />
);

function Watch({ dealId }: { dealId: string }): ReactNode {
  const client = useQueryClient();
  const params = { path: { dealId } };
  const watched = useQuery({
    queryKey: ['watchlist', dealId],
    queryFn: async () => {
      const { data } = await sent(api.GET('/v1/api/investor/watchlist', { params: { query: { deal_id: dealId, limit: 1 } } }));
      return data.length > 0;
    },
  });
  const toggle = useMutation({
    mutationFn: (): Promise<unknown> =>
      watched.data
        ? sent(api.DELETE('/v1/api/investor/watchlist/{dealId}', { params }))
        : sent(api.PUT('/v1/api/investor/watchlist/{dealId}', { params })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['watchlist'] }),
  });
  return (
    <Group gap="xs">
      {toggle.error && <Problem error={toggle.error} />}
      <Button
        size="compact-sm"
        variant="default"
        aria-pressed={watched.data === true}
        loading={toggle.isPending}
        disabled={watched.data === undefined}
        onClick={() => toggle.mutate()}
      >
        {watched.data ? 'Stop watching' : 'Watch'}
      </Button>
    </Group>
  );
}
