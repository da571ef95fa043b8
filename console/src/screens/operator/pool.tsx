import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import { count, Day, Id, money, When } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { Facts, Page } from '../../ui/page.tsx';
import { type PageTab, PageTabs } from '../../ui/page-tabs.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { Marks } from './marks.tsx';
import { OfferingName, OrganizationName } from './names.tsx';
import { PoolCertificates } from './pool-certificates.tsx';
import { PoolTerms } from './pool-terms.tsx';

type Pool = Records['OperatorPoolSummary'];

/** One pool as the platform sees it: what it pays by, its calculations, and what its servicer reports. */
export function PlatformPool(): ReactNode {
  const { poolId = '' } = useParams({ strict: false });
  const params = { path: { poolId } };
  const pool = useQuery({
    queryKey: ['operator-pools', poolId],
    queryFn: () => sent(api.GET('/v1/operator/pools/{poolId}', { params })),
  });
  const data = pool.data?.data;
  return (
    <Page
      title={data?.name ?? 'Pool'}
      up={{ to: '/platform-pools', title: 'Pools' }}
      acts={
        data?.status === 'LOCKED' && (
          <Act
            label="Issue"
            right="APPROVE"
            disabled={data.issue_requested_at === null && 'Its originator has not asked for the issue.'}
            question={`The tranches of “${data.name}” (${count(data.loan_count)} loans, ${money(data.balance)}) are on the market at once. Its structure cannot be changed any more.`}
            typed={data.name}
            run={() => sent(api.POST('/v1/operator/pools/{poolId}/issue', { params }))}
            done={`${data.name} is on the market.`}
          />
        )
      }
    >
      <Read from={pool}>{({ data: found }) => <Parts pool={found} />}</Read>
    </Page>
  );
}

function Parts({ pool }: { pool: Pool }): ReactNode {
  const tabs: readonly PageTab[] = [
    ['structure', 'Structure', () => <PoolTerms poolId={pool.pool_id} />],
    ['marks', 'Calculations and marks', () => <Marks poolId={pool.pool_id} />],
    ['certificates', 'Certificates', () => <PoolCertificates poolId={pool.pool_id} />],
  ];
  return (
    <>
      <Facts
        facts={[
          ['Status', <Status key="status" of={pool.status} />],
          ['Issue asked for', <When key="asked" at={pool.issue_requested_at} />],
          ['Originator', <OrganizationName key="originator" id={pool.organization_id} />],
          ['Loan type', pool.loan_type],
          ['Loans', count(pool.loan_count)],
          ['Balance', money(pool.balance)],
          ['Average rate', percent(pool.wac)],
          ['Average term left', pool.wam === null ? '–' : `${Math.round(pool.wam)} months`],
          ['Cut-off', <Day key="cut-off" at={pool.cut_off_date} />],
          ['Closing', <Day key="closing" at={pool.closing_date} />],
          ['Offering', <OfferingName key="offering" id={pool.deal_id} />],
          ['Id', <Id key="id" of={pool.pool_id} />],
        ]}
      />
      <PageTabs tabs={tabs} />
    </>
  );
}
