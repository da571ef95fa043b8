import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import { count, Id, money, When } from '../../ui/format.tsx';
import { Facts, Page } from '../../ui/page.tsx';
import { type PageTab, PageTabs } from '../../ui/page-tabs.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { Allocate } from './allocate.tsx';
import { Book } from './book.tsx';
import { Allocations, Iois, Orders, Payments, Subscriptions, Trades } from './market-lists.tsx';
import { OrganizationName } from './names.tsx';

type Deal = Records['OperatorDealSummary'];

/** A deal on the market as the platform sees it: its book, who asked for what, and how it is allocated and settled. */
export function OfferingPage(): ReactNode {
  const { dealId = '' } = useParams({ strict: false });
  const deal = useQuery({
    queryKey: ['offerings', dealId],
    queryFn: () => sent(api.GET('/v1/operator/deals/{dealId}', { params: { path: { dealId } } })),
  });
  return (
    <Page
      title={deal.data?.data.name ?? 'Offering'}
      up={{ to: '/offerings', title: 'Offerings' }}
      acts={deal.data && <Acts deal={deal.data.data} />}
    >
      <Read from={deal}>{({ data }) => <Parts deal={data} />}</Read>
    </Page>
  );
}

function Acts({ deal: { deal_id, name, market_status } }: { deal: Deal }): ReactNode {
  const params = { path: { dealId: deal_id } };
  const bodyOf = (reason: string | undefined): { reason?: string } => (reason ? { reason } : {});
  return (
    <>
      {market_status === 'MARKETING' && (
        <Act
          label="Close the books"
          right="APPROVE"
          question={`“${name}” takes no more subscriptions and orders. The books can be opened again until they are allocated.`}
          reason="optional"
          run={(reason) => sent(api.POST('/v1/operator/deals/{dealId}/close-books', { params, body: bodyOf(reason) }))}
          done="The books are closed."
        />
      )}
      {market_status === 'BOOKS_CLOSED' && (
        <Act
          label="Open the books again"
          right="APPROVE"
          question={`“${name}” takes subscriptions and orders again.`}
          reason="optional"
          run={(reason) => sent(api.POST('/v1/operator/deals/{dealId}/reopen-books', { params, body: bodyOf(reason) }))}
          done="The books are open."
        />
      )}
      {market_status === 'ALLOCATED' && (
        <Act
          label="Close the deal"
          right="APPROVE"
          question={`The offering of “${name}” ends. What was settled stays with its holders; payments go on.`}
          reason="optional"
          run={(reason) => sent(api.POST('/v1/operator/deals/{dealId}/close', { params, body: bodyOf(reason) }))}
          done="The deal is closed."
        />
      )}
      {(market_status === 'MARKETING' || market_status === 'BOOKS_CLOSED') && (
        <Act
          label="Withdraw"
          right="APPROVE"
          danger
          typed="withdraw"
          question={`“${name}” is taken from the market; investors are told the reason. It cannot be undone.`}
          reason="required"
          run={(reason) => sent(api.POST('/v1/operator/deals/{dealId}/withdraw', { params, body: { reason: reason ?? '' } }))}
          done="The deal is withdrawn."
        />
      )}
    </>
  );
}

function Parts({ deal }: { deal: Deal }): ReactNode {
  const of = { deal_id: deal.deal_id };
  const tabs: readonly PageTab[] = [
    ['book', 'Book', () => <Book dealId={deal.deal_id} />],
    ['allocate', 'Allocate', () => <Allocate deal={deal} />],
    ['indications', 'Indications', () => <Iois of={of} />],
    ['subscriptions', 'Subscriptions', () => <Subscriptions of={of} />],
    ['orders', 'Orders', () => <Orders of={of} />],
    ['allocations', 'Allocations', () => <Allocations of={of} />],
    ['trades', 'Trades', () => <Trades of={of} />],
    ['payments', 'Payments', () => <Payments of={of} />],
  ];
  return (
    <>
      <Facts
        facts={[
          ['Market status', <Status key="status" of={deal.market_status} />],
          ['Originator', <OrganizationName key="originator" id={deal.organization_id} />],
          ['Loan type', deal.loan_type],
          ['Loans', count(deal.loan_count)],
          ['Balance', money(deal.total_balance)],
          ['Changed', <When key="changed" at={deal.updated_at} />],
          ['Id', <Id key="id" of={deal.deal_id} />],
        ]}
      />
      <PageTabs tabs={tabs} clears={['status', 'organization_id', 'method']} />
    </>
  );
}
