import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { BETWEEN, text } from '../../ui/filters.tsx';
import { money } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { dayColumn, whenColumn, wordsColumn } from '../../ui/columns.tsx';

/** What an originator's deals have paid on tranches that it retains or holds. */
export const Payments = (): ReactNode => (
  <Page
    title="Payments"
    about="What your deals have paid on the face that you retain. They follow from the certificates; a restated one is corrected by a line of its own."
  >
    <RecordList
      name={['originator-payments']}
      label="Payments"
      read={(query: QueryOf<'/v1/api/originator/payments'>) =>
        sent(api.GET('/v1/api/originator/payments', { params: { query } }))
      }
      filters={[text('deal_id', 'Deal', 'deal_…'), ...BETWEEN]}
      columns={COLUMNS}
      rowKey={({ payment_id }) => payment_id}
      empty="Nothing has been paid yet: payments follow from certificates that agree with the structure."
    />
  </Page>
);

const dollars = (
  id: 'face' | 'interest' | 'principal' | 'writedown' | 'accreted',
  title: string,
  hidden = false,
): Column<Records['Payment']> => ({
  id,
  title: `${title} (US$)`,
  number: true,
  hidden,
  value: (row) => row[id],
  cell: (row) => money(row[id]),
});

const COLUMNS: readonly Column<Records['Payment']>[] = [
  dayColumn('payment_date', 'Paid'),
  { id: 'tranche', title: 'Tranche', value: ({ tranche }) => tranche },
  {
    id: 'deal_id',
    title: 'Offering',
    value: ({ deal_id }) => deal_id,
    cell: ({ deal_id }) => <span className="id">{deal_id}</span>,
  },
  wordsColumn('holder', 'Holder'),
  { id: 'period', title: 'Period', number: true, value: ({ period }) => period },
  dollars('face', 'Face'),
  dollars('interest', 'Interest'),
  dollars('principal', 'Principal'),
  dollars('writedown', 'Written down'),
  dollars('accreted', 'Interest added to the balance', true),
  {
    id: 'factor_after',
    title: 'Factor after',
    number: true,
    value: ({ factor_after }) => factor_after,
    cell: ({ factor_after }) => factor_after.toFixed(8),
  },
  { id: 'restates', title: 'Restates', hidden: true, value: ({ restates }) => restates },
  whenColumn('created_at', 'Booked', { hidden: true }),
];
