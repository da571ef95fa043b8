import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { BETWEEN, choice } from '../../ui/filters.tsx';
import { words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import { To } from '../../ui/link.tsx';
import { statusColumn, whenColumn } from '../../ui/columns.tsx';

/** Every organization of the platform. */
export const Organizations = (): ReactNode => (
  <Page title="Organizations" about="An organization comes into being with its first key or member.">
    <RecordList
      name={['organizations']}
      label="Organizations"
      read={(query: QueryOf<'/v1/operator/organizations'>) => sent(api.GET('/v1/operator/organizations', { params: { query } }))}
      filters={[choice('status', 'Status', ['ACTIVE', 'SUSPENDED']), ...BETWEEN]}
      columns={COLUMNS}
      rowKey={({ organization_id }) => organization_id}
      empty="No organization yet: issue the first key."
    />
  </Page>
);

const COLUMNS: readonly Column<Records['Organization']>[] = [
  {
    id: 'name',
    title: 'Name',
    value: ({ name }) => name,
    cell: ({ organization_id, name }) => (
      <To to="/organizations/$organizationId" params={{ organizationId: organization_id }} size="sm">
        {name}
      </To>
    ),
  },
  { id: 'roles', title: 'Roles', value: ({ roles }) => roles.map(words).join(', ') },
  { id: 'environments', title: 'Environments', value: ({ environments }) => environments.map(words).join(', ') },
  statusColumn('status', 'Status'),
  {
    id: 'kyc',
    title: 'KYC',
    value: ({ profile }) => profile?.kyc_status ?? 'no profile',
    cell: ({ profile }) => (profile ? <Status of={profile.kyc_status} /> : 'No profile'),
  },
  whenColumn('created_at', 'Since'),
  { id: 'organization_id', title: 'Id', hidden: true, value: ({ organization_id }) => organization_id },
];
