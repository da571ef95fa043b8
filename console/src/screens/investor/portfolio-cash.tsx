import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { Lines } from '../../charts/lines.tsx';
import type { Column } from '../../ui/column.ts';
import { shortMoney, words } from '../../ui/format.tsx';
import { BETWEEN } from '../../ui/filters.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Empty, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { SaveRows } from '../../ui/save-rows.tsx';
import { DataTable } from '../../ui/table.tsx';
import { TrancheName } from './names.tsx';
import { dayColumn, moneyColumn } from '../../ui/columns.tsx';

/** Payments by date, booked and to come; of one tranche, or of all that is held. */
export function Calendar({ trancheId }: { trancheId?: string }): ReactNode {
  const calendar = useQuery({
    queryKey: ['portfolio', 'calendar'],
    queryFn: () => sent(api.GET('/v1/api/investor/portfolio/calendar')),
  });
  return (
    <Read from={calendar}>
      {({ data }) => {
        const rows = trancheId ? data.filter(({ tranche_id }) => tranche_id === trancheId) : data;
        if (rows.length === 0) return <Empty>No payment is due in the next months: payments come with settled positions.</Empty>;
        return (
          <DataTable
            label="Payments by date"
            columns={trancheId ? CALENDAR_OF_TRANCHE : CALENDAR}
            rows={rows}
            rowKey={({ date, tranche_id, period }) => `${date} ${tranche_id} ${period}`}
            whole
            tools={<SaveRows label="Payments by date" columns={CALENDAR} rows={rows} />}
          />
        );
      }}
    </Read>
  );
}

const CALENDAR: readonly Column<Records['CalendarPayment']>[] = [
  dayColumn('date', 'Paid on'),
  {
    id: 'tranche',
    title: 'Tranche',
    value: ({ deal, tranche }) => `${deal}, ${tranche}`,
    cell: ({ deal_id, deal, tranche_id, tranche }) => (
      <To to="/portfolio/$dealId/$trancheId" params={{ dealId: deal_id, trancheId: tranche_id }} size="sm">
        {`${deal}, ${tranche}`}
      </To>
    ),
  },
  { id: 'period', title: 'Period', number: true, value: ({ period }) => period },
  dayColumn('record_date', 'Record date'),
  moneyColumn('face', 'Face (US$)'),
  moneyColumn('interest', 'Interest (US$)'),
  moneyColumn('principal', 'Principal (US$)'),
  {
    id: 'basis',
    title: 'From',
    value: ({ basis, reason }) => basis ?? reason?.message,
    cell: ({ basis, reason }) => (basis ? words(basis) : (reason?.message ?? '–')),
  },
];

const CALENDAR_OF_TRANCHE = CALENDAR.filter(({ id }) => id !== 'tranche');

/** The value of the book by business date. */
export function History(): ReactNode {
  const history = useQuery({
    queryKey: ['portfolio', 'history'],
    queryFn: () => sent(api.GET('/v1/api/investor/portfolio/history')),
  });
  return (
    <Read from={history}>
      {({ data: { rows, zone } }) =>
        rows.length === 0 ? (
          <Empty>There is no history yet.</Empty>
        ) : (
          <Part title="By day" about={`Days end in ${zone}. Market values leave out positions without a mark.`}>
            <Lines
              title="Balance and market value"
              unit="US$"
              axis="Day"
              labels={rows.map(({ date }) => date)}
              format={shortMoney}
              series={[
                { name: 'Balance', color: 0, values: rows.map(({ balance }) => balance) },
                { name: 'Market value', color: 1, values: rows.map(({ market_value }) => market_value) },
              ]}
            />
          </Part>
        )
      }
    </Read>
  );
}

/** What positions were paid; of one tranche, or of all. */
export const Payments = ({ trancheId }: { trancheId?: string }): ReactNode => (
  <RecordList
    name={['portfolio', 'payments', ...(trancheId ? [trancheId] : [])]}
    label="Payments"
    read={(query: QueryOf<'/v1/api/investor/portfolio/payments'>) =>
      sent(
        api.GET('/v1/api/investor/portfolio/payments', {
          params: { query: { ...query, ...(trancheId ? { tranche_id: trancheId } : {}) } },
        }),
      )
    }
    filters={BETWEEN}
    columns={trancheId ? OF_TRANCHE : PAYMENTS}
    rowKey={({ payment_id }) => payment_id}
    empty="No payment has been booked yet: the first comes with the first report after the closing."
  />
);

const PAYMENTS: readonly Column<Records['Payment']>[] = [
  dayColumn('payment_date', 'Paid on'),
  {
    id: 'tranche',
    title: 'Tranche',
    value: ({ tranche }) => tranche,
    cell: ({ deal_id, tranche_id }) => (
      <span className="named">
        <TrancheName deal_id={deal_id} tranche_id={tranche_id} held />
      </span>
    ),
  },
  { id: 'period', title: 'Period', number: true, value: ({ period }) => period },
  moneyColumn('face', 'Face (US$)'),
  moneyColumn('interest', 'Interest (US$)'),
  moneyColumn('principal', 'Principal (US$)'),
  moneyColumn('writedown', 'Written down (US$)'),
  moneyColumn('accreted', 'Interest added to the balance (US$)', { hidden: true }),
  {
    id: 'factor_after',
    title: 'Factor after',
    number: true,
    value: ({ factor_after }) => factor_after,
    cell: ({ factor_after }) => factor_after.toFixed(8),
  },
  { id: 'restates', title: 'Restates', hidden: true, value: ({ restates }) => restates },
];

const OF_TRANCHE = PAYMENTS.filter(({ id }) => id !== 'tranche');
