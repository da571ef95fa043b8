import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice, text } from '../../ui/filters.tsx';
import { count, money } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { differencesOf } from '../servicing/figures.tsx';
import { OrganizationName } from './names.tsx';
import { dayColumn, statusColumn, whenColumn } from '../../ui/columns.tsx';

type Report = Records['Remittance'];

/** Reports of servicers, each compared with what its structure pays of the same cash. */
export const Certificates = (): ReactNode => (
  <Page
    title="Certificates"
    about="Reports of servicers. Each figure is computed again by the structure; one that differs pays nobody until it is accepted or corrected."
  >
    <RecordList
      name={['certificates']}
      label="Certificates"
      read={(query: QueryOf<'/v1/operator/remittances'>) => sent(api.GET('/v1/operator/remittances', { params: { query } }))}
      filters={[
        choice('status', 'Status', ['SCHEDULED', 'HELD', 'APPLIED']),
        choice('verification', 'Verification', ['AGREES', 'DIFFERS', 'PARTIAL']),
        text('organization_id', 'Originator', 'org_…'),
      ]}
      columns={COLUMNS}
      rowKey={({ remittance_id }) => remittance_id}
      empty="No servicer has reported yet."
    />
  </Page>
);

/** Columns of a report, wherever it is listed. */
export const REPORT: readonly Column<Report>[] = [
  {
    id: 'period',
    title: 'Period',
    number: true,
    value: ({ period }) => period,
    cell: ({ remittance_id, period }) => (
      <To to="/certificates/$remittanceId" params={{ remittanceId: remittance_id }} size="sm">
        {`Period ${period}`}
      </To>
    ),
  },
  dayColumn('payment_date', 'Payment date'),
  statusColumn('status', 'Status'),
  {
    id: 'verification',
    title: 'Verification',
    value: ({ verification }) => verification.status,
    cell: ({ verification }) => <Status of={verification.status} />,
  },
  {
    id: 'differences',
    title: 'Differences',
    number: true,
    value: (report) => differencesOf(report).length,
    cell: (report) => count(differencesOf(report).length),
  },
  {
    id: 'pool_balance',
    title: 'Pool balance (US$)',
    number: true,
    value: ({ pool }) => pool.pool_balance,
    cell: ({ pool }) => money(pool.pool_balance),
  },
  whenColumn('accepted_at', 'Accepted'),
  { id: 'version', title: 'Version', number: true, hidden: true, value: ({ version }) => version },
];

const COLUMNS: readonly Column<Records['OperatorRemittance']>[] = [
  {
    id: 'pool_name',
    title: 'Pool',
    value: ({ pool_name }) => pool_name,
    cell: ({ pool_id, pool_name }) => (
      <To to="/platform-pools/$poolId" params={{ poolId: pool_id }} size="sm">
        {pool_name}
      </To>
    ),
  },
  {
    id: 'organization_id',
    title: 'Originator',
    value: ({ organization_id }) => organization_id,
    cell: ({ organization_id }) => <OrganizationName id={organization_id} />,
  },
  ...REPORT,
];
