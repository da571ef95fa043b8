import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { Id } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Status } from '../../ui/status.tsx';
import { dayColumn, whenColumn, wordsColumn } from '../../ui/columns.tsx';

/** Calculations of a pool; the first scenario of a pricing can be published as the mark of its deal. */
export const Marks = ({ poolId }: { poolId: string }): ReactNode => (
  <RecordList
    name={['operator-pools', poolId, 'calculations']}
    label="Calculations"
    read={(query: QueryOf<'/v1/operator/pools/{poolId}/calculations'>) =>
      sent(api.GET('/v1/operator/pools/{poolId}/calculations', { params: { path: { poolId }, query } }))
    }
    filters={[
      choice('status', 'Status', ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED']),
      choice('type', 'Kind', ['CASHFLOW', 'PRICING', 'BREAKEVEN', 'SCENARIOS', 'RISK', 'PRICE_TABLE']),
      choice('purpose', 'Purpose', ['ANALYSIS', 'MARK']),
    ]}
    columns={COLUMNS}
    rowKey={({ calculation_id }) => calculation_id}
    empty="The originator has not calculated anything on this pool yet. A mark comes from a pricing that is calculated for it."
  />
);

const COLUMNS: readonly Column<Records['CalculationSummary']>[] = [
  wordsColumn('type', 'Kind'),
  wordsColumn('purpose', 'Purpose'),
  {
    id: 'status',
    title: 'Status',
    value: ({ status }) => status,
    cell: ({ status, error }) => (
      <span title={error ?? ''}>
        <Status of={status} />
      </span>
    ),
  },
  { id: 'error', title: 'What went wrong', hidden: true, value: ({ error }) => error },
  dayColumn('as_of', 'As of'),
  { id: 'structure_version', title: 'Structure', number: true, value: ({ structure_version }) => structure_version },
  whenColumn('completed_at', 'Calculated'),
  {
    id: 'calculation_id',
    title: 'Id',
    hidden: true,
    value: ({ calculation_id }) => calculation_id,
    cell: ({ calculation_id }) => <Id of={calculation_id} />,
  },
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: ({ calculation_id, type, purpose, status, as_of }) =>
      type === 'PRICING' &&
      purpose === 'MARK' &&
      status === 'COMPLETED' && (
        <Act
          label="Publish as mark"
          right="APPROVE"
          question={`Prices of its first scenario become the marks of the deal as of ${as_of}: the books of all holders use them. A tranche without a price keeps the mark that it has.`}
          run={() =>
            sent(
              api.POST('/v1/operator/calculations/{calculationId}/publish', {
                params: { path: { calculationId: calculation_id } },
              }),
            )
          }
          done="The marks are published."
        />
      ),
  },
];
