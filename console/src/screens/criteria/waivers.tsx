import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { count, Id, When } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { statusColumn, whenColumn } from '../../ui/columns.tsx';

/** What became of the requests that loans pass despite a rule. The operator decides them. */
export function Waivers({ dealId, fileId }: { dealId: string; fileId?: string }): ReactNode {
  return (
    <RecordList
      name={['criteria-runs', 'waivers', dealId, fileId ?? '']}
      label="Waivers"
      read={(query: QueryOf<'/v1/api/originator/sc/waivers'>) =>
        sent(api.GET('/v1/api/originator/sc/waivers', { params: { query } }))
      }
      fixed={fileId ? { exception_file_id: fileId } : { deal_id: dealId }}
      filters={[choice('status', 'Status', ['PENDING', 'APPROVED', 'DENIED'])]}
      columns={COLUMNS}
      rowKey={({ waiver_id }) => waiver_id}
      empty="No waiver was requested. Choose failed loans under Loans of a run, and ask that they pass despite a rule."
    />
  );
}

const SHOWN = 3;

const COLUMNS: readonly Column<Records['Waiver']>[] = [
  whenColumn('created_at', 'Requested'),
  statusColumn('status', 'Status'),
  { id: 'rule_id', title: 'Rule', value: ({ rule_id }) => rule_id },
  {
    id: 'loan_ids',
    title: 'Loans',
    value: ({ loan_ids }) => loan_ids.join(' '),
    cell: ({ loan_ids }) => (
      <span title={loan_ids.slice(0, 100).join(', ')}>
        {loan_ids.slice(0, SHOWN).join(', ')}
        {loan_ids.length > SHOWN && ` and ${count(loan_ids.length - SHOWN)} more`}
      </span>
    ),
  },
  { id: 'reason', title: 'Reason', value: ({ reason }) => reason },
  {
    id: 'decided_at',
    title: 'Decided',
    value: ({ decided_at }) => decided_at,
    cell: ({ decided_at, status }) => (status === 'PENDING' ? 'The operator has not decided yet' : <When at={decided_at} />),
  },
  { id: 'decided_by', title: 'By', value: ({ decided_by }) => decided_by, cell: ({ decided_by }) => <Id of={decided_by} /> },
  { id: 'decision_reason', title: 'Why', value: ({ decision_reason }) => decision_reason },
  {
    id: 'requested_by',
    title: 'Requested by',
    hidden: true,
    value: ({ requested_by }) => requested_by,
    cell: ({ requested_by }) => <Id of={requested_by} />,
  },
];
