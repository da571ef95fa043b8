import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { Lines } from '../../charts/lines.tsx';
import type { Column } from '../../ui/column.ts';
import { Day, money, shortMoney, words } from '../../ui/format.tsx';
import { BETWEEN } from '../../ui/filters.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Empty, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { SaveRows } from '../../ui/save-rows.tsx';
import { DataTable } from '../../ui/table.tsx';
import { TrancheName } from './names.tsx';

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
  { id: 'date', title: 'Paid on', value: ({ date }) => date, cell: ({ date }) => <Day at={date} /> },
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
  {
    id: 'record_date',
    title: 'Record date',
    value: ({ record_date }) => record_date,
    cell: ({ record_date }) => <Day at={record_date} />,
  },
  { id: 'face', title: 'Face (US$)', number: true, value: ({ face }) => face, cell: ({ face }) => money(face) },
  {
    id: 'interest',
    title: 'Interest (US$)',
    number: true,
    value: ({ interest }) => interest,
    cell: ({ interest }) => money(interest),
  },
  {
    id: 'principal',
    title: 'Principal (US$)',
    number: true,
    value: ({ principal }) => principal,
    cell: ({ principal }) => money(principal),
  },
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
  {
    id: 'payment_date',
    title: 'Paid on',
    value: ({ payment_date }) => payment_date,
    cell: ({ payment_date }) => <Day at={payment_date} />,
  },
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
  { id: 'face', title: 'Face (US$)', number: true, value: ({ face }) => face, cell: ({ face }) => money(face) },
  {
    id: 'interest',
    title: 'Interest (US$)',
    number: true,
    value: ({ interest }) => interest,
    cell: ({ interest }) => money(interest),
  },
  {
    id: 'principal',
    title: 'Principal (US$)',
    number: true,
    value: ({ principal }) => principal,
    cell: ({ principal }) => money(principal),
  },
  {
    id: 'writedown',
    title: 'Written down (US$)',
    number: true,
    value: ({ writedown }) => writedown,
    cell: ({ writedown }) => money(writedown),
  },
  {
    id: 'accreted',
    title: 'Interest added to the balance (US$)',
    number: true,
    hidden: true,
    value: ({ accreted }) => accreted,
    cell: ({ accreted }) => money(accreted),
  },
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
