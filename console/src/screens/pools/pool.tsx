import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent, sentTagged } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import { count, Day, Id, money, When } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { Empty, Facts, Note, Page } from '../../ui/page.tsx';
import { type PageTab, PageTabs } from '../../ui/page-tabs.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { DealLink } from '../deals/deal-link.tsx';
import { AssetLiability } from '../analytics/asset-liability.tsx';
import { loansOfPool } from '../analytics/loan-source.ts';
import { LoanAnalytics } from '../analytics/loans.tsx';
import { sideOfPool } from '../analytics/side.ts';
import { Workbench } from '../analytics/workbench.tsx';
import { Documents } from '../deals/documents.tsx';
import { MonthlyTapes } from '../servicing/monthly-tapes.tsx';
import { PoolPerformance } from '../servicing/performance.tsx';
import { triggersOf } from '../servicing/performance-limits.ts';
import { Reports } from '../servicing/reports.tsx';
import { PoolDemand } from './demand.tsx';
import { DisclosureForm } from './disclosure.tsx';
import { StructureEditor } from './structure.tsx';

type Pool = Records['Pool'];

/** One pool through its life: what it has, how it pays, who wants it, and what it has paid. */
export function PoolPage(): ReactNode {
  const { poolId = '' } = useParams({ strict: false });
  const pool = useQuery({
    queryKey: ['pools', poolId, 'tagged'],
    queryFn: () => sentTagged(api.GET('/v1/api/originator/pools/{poolId}', { params: { path: { poolId } } })),
  });
  const found = pool.data?.envelope.data;
  return (
    <Page title={found?.name ?? 'Pool'} up={{ to: '/pools', title: 'Pools' }} acts={found && <Acts pool={found} />}>
      <Read from={pool}>{({ envelope, tag }) => <Parts pool={envelope.data} tag={tag} />}</Read>
    </Page>
  );
}

function Acts({ pool }: { pool: Pool }): ReactNode {
  const navigate = useNavigate();
  const { pool_id, name, status, issue_requested_at } = pool;
  const params = { path: { poolId: pool_id } };
  return (
    <>
      {status === 'STRUCTURED' && (
        <Act
          label="Lock"
          right="EDIT"
          question={`The loans, dates and structure of “${name}” (${count(pool.loan_count)} loans, ${money(pool.balance)}) are final then.`}
          run={() => sent(api.POST('/v1/api/originator/pools/{poolId}/lock', { params }))}
          done="The pool is locked."
        />
      )}
      {status === 'LOCKED' && issue_requested_at === null && (
        <Act
          label="Request the issue"
          right="APPROVE"
          question={`The operator is asked to issue “${name}”. Its tranches are on the market when it does.`}
          run={() => sent(api.POST('/v1/api/originator/pools/{poolId}/issue', { params }))}
          done="The issue is requested."
        />
      )}
      {status === 'LOCKED' && issue_requested_at !== null && (
        <Act
          label="Withdraw the request"
          right="APPROVE"
          question="The pool stays locked, and the issue can be requested again."
          run={() => sent(api.POST('/v1/api/originator/pools/{poolId}/withdraw-issue-request', { params }))}
          done="The request is withdrawn."
        />
      )}
      {(status === 'DRAFT' || status === 'STRUCTURED') && (
        <Act
          label="Cancel the pool"
          right="EDIT"
          danger
          typed="cancel"
          question={`“${name}” ends, and its loans are free for other pools. It cannot be undone.`}
          run={() => sent(api.DELETE('/v1/api/originator/pools/{poolId}', { params }))}
          done="The pool is cancelled."
          after={() => void navigate({ to: '/pools' })}
        />
      )}
    </>
  );
}

/** What the tabs keep in the address, none of which means anything in another tab. */
const OF_TABS = ['view', 'by', 'look', 'measure', 'unit', 'report', 'period', 'run', 'show', 'scenario', 'at', 'part'];

const tabsOf = (pool: Pool, tag: string | null): readonly PageTab[] => {
  const { pool_id, deal_id } = pool;
  const path = { poolId: pool_id };
  return [
    ['structure', 'Structure', () => <StructureEditor key={pool_id} pool={pool} tag={tag} />],
    ['loans', 'Loans', () => <LoanAnalytics source={loansOfPool(pool_id, pool.loan_type)} />],
    [
      'analytics',
      'Analytics',
      () =>
        pool.structure === null ? (
          <Empty>Calculations follow a structure: write one first.</Empty>
        ) : (
          <Workbench side={sideOfPool(pool_id)} />
        ),
    ],
    [
      'liability',
      'Loans against notes',
      () =>
        pool.structure === null ? <Empty>Notes follow a structure: write one first.</Empty> : <AssetLiability poolId={pool_id} />,
    ],
    ['disclosure', 'Disclosure', () => <DisclosureForm poolId={pool_id} />],
    ['demand', 'Demand', () => <PoolDemand poolId={pool_id} />],
    ['reports', 'Certificates', () => <Reports poolId={pool_id} />],
    ['tapes', 'Monthly tapes', () => <MonthlyTapes poolId={pool_id} />],
    [
      'performance',
      'Performance',
      () => (
        <PoolPerformance
          name={['pools', pool_id]}
          read={() => sent(api.GET('/v1/api/originator/pools/{poolId}/performance', { params: { path } }))}
          triggers={async () => triggersOf(pool.structure)}
          curves={() => sent(api.GET('/v1/api/originator/pools/{poolId}/performance/curves', { params: { path } }))}
          reports={() =>
            sent(api.GET('/v1/api/originator/pools/{poolId}/remittances', { params: { path, query: { limit: 100 } } }))
          }
        />
      ),
    ],
    [
      'documents',
      'Documents',
      () =>
        deal_id === null ? (
          <Empty>The deal room opens with the issue: until then documents belong to the loan deals.</Empty>
        ) : (
          <Documents dealId={deal_id} />
        ),
    ],
  ];
};

function Parts({ pool, tag }: { pool: Pool; tag: string | null }): ReactNode {
  return (
    <>
      {pool.warnings.map((warning) => (
        <Note key={warning}>{warning}</Note>
      ))}
      {pool.status === 'LOCKED' && pool.issue_requested_at && (
        <Note color="gray">
          The issue was requested <When at={pool.issue_requested_at} />: the operator decides.
        </Note>
      )}
      <Facts
        facts={[
          ['Status', <Status key="status" of={pool.status} />],
          ['Loan type', pool.loan_type],
          ['Loans', count(pool.loan_count)],
          ['Balance', money(pool.balance)],
          ['Average rate', percent(pool.wac)],
          ['Average term left', pool.wam === null ? '–' : `${Math.round(pool.wam)} months`],
          ['Cut-off', <Day key="cut-off" at={pool.cut_off_date} />],
          ['Closing', <Day key="closing" at={pool.closing_date} />],
          ['Deals', pool.deal_ids.map((id) => <DealLink key={id} id={id} />)],
          ['Id', <Id key="id" of={pool.pool_id} />],
        ]}
      />
      <PageTabs tabs={tabsOf(pool, tag)} clears={OF_TABS} />
    </>
  );
}
