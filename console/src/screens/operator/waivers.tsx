import { Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { choice, text } from '../../ui/filters.tsx';
import { count } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { OrganizationName } from './names.tsx';
import { statusColumn, whenColumn } from '../../ui/columns.tsx';

type Waiver = Records['Waiver'];

/** Exceptions from criteria that originators ask for. */
export const Waivers = (): ReactNode => (
  <Page title="Waivers" about="An approved waiver lets the named loans pass one rule of a criteria set, for their deal alone.">
    <RecordList
      name={['waivers']}
      label="Waivers"
      read={(query: QueryOf<'/v1/operator/waivers'>) => sent(api.GET('/v1/operator/waivers', { params: { query } }))}
      filters={[
        choice('status', 'Status', ['PENDING', 'APPROVED', 'DENIED']),
        text('deal_id', 'Deal', 'deal_…'),
        text('organization_id', 'Originator', 'org_…'),
      ]}
      columns={COLUMNS}
      rowKey={({ waiver_id }) => waiver_id}
      empty="No originator has asked for a waiver."
    />
  </Page>
);

/** Columns of a waiver, wherever it is listed. */
export const WAIVER: readonly Column<Waiver>[] = [
  { id: 'rule_id', title: 'Rule', value: ({ rule_id }) => rule_id },
  {
    id: 'loans',
    title: 'Loans',
    number: true,
    value: ({ loan_ids }) => loan_ids.length,
    cell: ({ loan_ids }) => <span title={loan_ids.slice(0, 20).join(', ')}>{count(loan_ids.length)}</span>,
  },
  { id: 'reason', title: 'Why it is asked for', value: ({ reason }) => reason },
  statusColumn('status', 'Status'),
  { id: 'decision_reason', title: 'Decision', value: ({ decision_reason }) => decision_reason },
  whenColumn('created_at', 'Asked for'),
  { id: 'acts', title: '', value: () => null, cell: (row) => <Decide waiver={row} /> },
];

const COLUMNS: readonly Column<Waiver>[] = [
  {
    id: 'deal_id',
    title: 'Deal',
    value: ({ deal_id }) => deal_id,
    cell: ({ deal_id }) => (
      <To to="/deals/$dealId" params={{ dealId: deal_id }} search={{ tab: 'decision' }} size="sm">
        {deal_id}
      </To>
    ),
  },
  {
    id: 'organization_id',
    title: 'Originator',
    value: ({ organization_id }) => organization_id,
    cell: ({ organization_id }) => <OrganizationName id={organization_id} />,
  },
  ...WAIVER,
];

function Decide({ waiver: { waiver_id, rule_id, loan_ids, status } }: { waiver: Waiver }): ReactNode {
  if (status !== 'PENDING') return null;
  const params = { path: { waiverId: waiver_id } };
  const what = `${loan_ids.length === 1 ? 'One loan' : `${count(loan_ids.length)} loans`} of rule ${rule_id}`;
  return (
    <Group gap={6} wrap="nowrap">
      <Act
        label="Approve"
        right="APPROVE"
        question={`${what} pass from the next run on.`}
        reason="optional"
        run={(reason) => sent(api.POST('/v1/operator/waivers/{waiverId}/approve', { params, body: reason ? { reason } : {} }))}
        done="The waiver is approved."
      />
      <Act
        label="Deny"
        right="APPROVE"
        danger
        question={`${what} keep failing; the originator is told the reason.`}
        reason="optional"
        run={(reason) => sent(api.POST('/v1/operator/waivers/{waiverId}/deny', { params, body: reason ? { reason } : {} }))}
        done="The waiver is denied."
      />
    </Group>
  );
}
