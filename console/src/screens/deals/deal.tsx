import { lazyRouteComponent, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { isOperator, useMe } from '../../app/me.tsx';
import { count, Day, Id, money, When } from '../../ui/format.tsx';
import { Facts, Page } from '../../ui/page.tsx';
import { type PageTab, PageTabs } from '../../ui/page-tabs.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { OrganizationName } from '../operator/names.tsx';
import { DealActs } from './deal-acts.tsx';
import { type Deal, useDeal } from './deal-data.ts';
import { Tape } from './tape.tsx';
import { ButtonTo } from '../../ui/link.tsx';

// Read when they are first shown: what a visitor does not open costs nothing. The page is loaded again where a release has taken their file away.
const DealLoans = lazyRouteComponent(() => import('../analytics/loans.tsx'), 'DealLoans');
const DealCriteria = lazyRouteComponent(() => import('../criteria/deal-criteria.tsx'), 'DealCriteria');
const Documents = lazyRouteComponent(() => import('./documents.tsx'), 'Documents');
const Findings = lazyRouteComponent(() => import('./findings.tsx'), 'Findings');
const History = lazyRouteComponent(() => import('./history.tsx'), 'History');
const Mapping = lazyRouteComponent(() => import('./mapping.tsx'), 'Mapping');
const Versions = lazyRouteComponent(() => import('./versions.tsx'), 'Versions');
const Decision = lazyRouteComponent(() => import('../operator/decision.tsx'), 'Decision');

/** One deal: its tape, what the checks found, and what was decided. */
export function DealPage(): ReactNode {
  const { dealId = '' } = useParams({ strict: false });
  const deal = useDeal(dealId);
  return (
    <Page
      title={deal.data?.name ?? 'Deal'}
      up={{ to: '/deals', title: 'Deals' }}
      acts={
        deal.data && (
          <>
            <DealActs deal={deal.data} />
            <ButtonTo to="/deals/$dealId/loans" params={{ dealId }} size="compact-sm" variant="default">
              Loans
            </ButtonTo>
          </>
        )
      }
    >
      <Read from={deal}>{(data) => <Parts deal={data} />}</Read>
    </Page>
  );
}

function Parts({ deal }: { deal: Deal }): ReactNode {
  const operator = isOperator(useMe());
  const tabs: readonly (PageTab | false)[] = [
    operator ? ['decision', 'Decision', () => <Decision deal={deal} />] : ['tape', 'Tape', () => <Tape deal={deal} />],
    ['findings', `Findings (${count(deal.issue_counts.error + deal.issue_counts.warning)})`, () => <Findings deal={deal} />],
    ['mapping', 'Mapping', () => <Mapping key={deal.deal_id} deal={deal} />],
    ['versions', 'Versions', () => <Versions deal={deal} />],
    ['analytics', 'Analytics', () => <DealLoans dealId={deal.deal_id} loanType={deal.loan_type} />],
    !operator && ['criteria', 'Criteria', () => <DealCriteria deal={deal} />],
    !operator && ['documents', 'Documents', () => <Documents dealId={deal.deal_id} />],
    deal.history !== undefined && ['history', 'History', () => <History history={deal.history ?? []} />],
  ];
  const shown = tabs.filter((tab) => tab !== false);
  return (
    <>
      <Facts
        facts={[
          ['Status', <Status key="status" of={deal.status} />],
          ['Market', deal.market_status ? <Status key="market" of={deal.market_status} /> : '–'],
          ['Loan type', deal.loan_type],
          ['Loans', count(deal.loan_count)],
          ['Balance', money(deal.total_balance)],
          ['As of', <Day key="as-of" at={deal.as_of_date} />],
          ['Tape version', deal.tape_version],
          ['Changed', <When key="changed" at={deal.updated_at} />],
          ['Id', <Id key="id" of={deal.deal_id} />],
          ...(deal.organization_id
            ? [['Originator', <OrganizationName key="organization" id={deal.organization_id} />] as [string, ReactNode]]
            : []),
        ]}
      />
      <PageTabs tabs={shown} clears={['rule', 'severity', 'run', 'view']} />
    </>
  );
}
