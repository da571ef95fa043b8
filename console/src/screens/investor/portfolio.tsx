import { SegmentedControl, Stack, Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { Bars } from '../../charts/bars.tsx';
import { Lines } from '../../charts/lines.tsx';
import { count, Day, money, share, shortMoney, words } from '../../ui/format.tsx';
import { percent, price, years } from '../../ui/format-market.ts';
import { RecordList } from '../../ui/list.tsx';
import { Empty, Facts, Note, Page, Part, ToCome } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { type Column, DataTable } from '../../ui/table.tsx';
import { TrancheName } from './commitments.tsx';
import { Statements } from './statements.tsx';

/** What the organization holds, where its risk is, and what it will be paid. */
export function Portfolio(): ReactNode {
  const [values, set] = useAddress();
  return (
    <Page title="Portfolio">
      <Summary />
      <Tabs value={values.tab ?? 'positions'} onChange={(tab) => set({ tab, by: null, month: null })} keepMounted={false}>
        <Tabs.List>
          <Tabs.Tab value="positions">Positions</Tabs.Tab>
          <Tabs.Tab value="exposures">Exposures</Tabs.Tab>
          <Tabs.Tab value="calendar">Calendar</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
          <Tabs.Tab value="payments">Payments</Tabs.Tab>
          <Tabs.Tab value="statements">Statements</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="positions" pt="md">
          <Positions />
        </Tabs.Panel>
        <Tabs.Panel value="exposures" pt="md">
          <Exposures />
        </Tabs.Panel>
        <Tabs.Panel value="calendar" pt="md">
          <Calendar />
        </Tabs.Panel>
        <Tabs.Panel value="history" pt="md">
          <History />
        </Tabs.Panel>
        <Tabs.Panel value="payments" pt="md">
          <Payments />
        </Tabs.Panel>
        <Tabs.Panel value="statements" pt="md">
          <Statements />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

const SUMMARY: readonly [name: string, value: (summary: Records['PortfolioSummary']) => string][] = [
  ['Market value', ({ total_market_value }) => money(total_market_value)],
  ['Positions', ({ position_count }) => count(position_count)],
  ['Yield', ({ wa_yield }) => percent(wa_yield)],
  ['Spread', ({ wa_spread }) => `${wa_spread.toFixed(0)} bp`],
  ['Average life', ({ wa_wal }) => years(wa_wal)],
  ['Duration', ({ wa_duration }) => years(wa_duration)],
];

function Summary(): ReactNode {
  const summary = useQuery({
    queryKey: ['portfolio', 'summary'],
    queryFn: () => sent(api.GET('/v1/api/investor/portfolio/summary')),
  });
  if (summary.isPending) return <Facts facts={SUMMARY.map(([name]) => [name, <ToCome key={name} />])} />;
  return (
    <Read from={summary}>
      {({ data }) => (
        <>
          <Facts facts={SUMMARY.map(([name, value]) => [name, value(data)])} />
          {Object.values(data.missing).some((lacking) => lacking > 0) && (
            <Note>
              Averages leave out positions without the figure:{' '}
              {Object.entries(data.missing)
                .filter(([, lacking]) => lacking > 0)
                .map(([figure, lacking]) => `${figure} of ${lacking}`)
                .join(', ')}
              .
            </Note>
          )}
        </>
      )}
    </Read>
  );
}

const Positions = (): ReactNode => (
  <RecordList
    name={['portfolio', 'positions']}
    label="Positions"
    read={(query: QueryOf<'/v1/api/investor/portfolio/positions'>) =>
      sent(api.GET('/v1/api/investor/portfolio/positions', { params: { query } }))
    }
    filters={[{ kind: 'day', name: 'as_of', label: 'As of' }]}
    columns={POSITIONS}
    rowKey={({ position_id }) => position_id}
    empty="No position yet: a settled trade makes one."
  />
);

const POSITIONS: readonly Column<Records['Position']>[] = [
  {
    id: 'tranche_id',
    title: 'Tranche',
    value: ({ tranche_id }) => tranche_id,
    cell: ({ deal_id, tranche_id }) => <TrancheName deal_id={deal_id} tranche_id={tranche_id} />,
  },
  { id: 'class', title: 'Class', value: ({ class: name }) => name },
  { id: 'originator', title: 'Originator', value: ({ originator }) => originator },
  { id: 'face', title: 'Face (US$)', number: true, value: ({ face }) => face, cell: ({ face }) => money(face) },
  { id: 'factor', title: 'Factor', number: true, value: ({ factor }) => factor, cell: ({ factor }) => factor.toFixed(8) },
  {
    id: 'current_balance',
    title: 'Balance (US$)',
    number: true,
    value: ({ current_balance }) => current_balance,
    cell: ({ current_balance }) => money(current_balance),
  },
  { id: 'price', title: 'Price', number: true, value: (position) => position.price, cell: (position) => price(position.price) },
  {
    id: 'market_value',
    title: 'Market value (US$)',
    number: true,
    value: ({ market_value }) => market_value,
    cell: ({ market_value }) => money(market_value),
  },
  {
    id: 'unrealized_gain',
    title: 'Gain (US$)',
    number: true,
    value: ({ unrealized_gain }) => unrealized_gain,
    cell: ({ unrealized_gain }) => money(unrealized_gain),
  },
  { id: 'yield', title: 'Yield', number: true, value: (position) => position.yield, cell: (position) => percent(position.yield) },
  { id: 'wal', title: 'Average life', number: true, value: ({ wal }) => wal, cell: ({ wal }) => years(wal) },
  {
    id: 'duration',
    title: 'Duration',
    number: true,
    hidden: true,
    value: ({ duration }) => duration,
    cell: ({ duration }) => years(duration),
  },
  {
    id: 'accrued_interest',
    title: 'Accrued (US$)',
    number: true,
    hidden: true,
    value: ({ accrued_interest }) => accrued_interest,
    cell: ({ accrued_interest }) => money(accrued_interest),
  },
  { id: 'as_of', title: 'As of', value: ({ as_of }) => as_of, cell: ({ as_of }) => <Day at={as_of} /> },
];

const KINDS = ['state', 'servicer', 'obligor'] as const;

function Exposures(): ReactNode {
  const [values, set] = useAddress();
  const by = KINDS.find((each) => each === values.by) ?? 'state';
  const exposures = useQuery({
    queryKey: ['portfolio', 'exposures', by],
    queryFn: () => sent(api.GET('/v1/api/investor/portfolio/exposures', { params: { query: { by } } })),
  });
  return (
    <Stack gap="md">
      <SegmentedControl
        aria-label="By"
        size="xs"
        w="fit-content"
        data={KINDS.map((value) => ({ value, label: words(value) }))}
        value={by}
        onChange={(next) => set({ by: next })}
      />
      <Read from={exposures}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty>Nothing can be grouped so: no deal that you hold discloses it, or you hold none.</Empty>
          ) : (
            <>
              <Bars
                title={`Your part of the loans by ${by}`}
                unit={`US$${data.length > 15 ? ', the 15 largest' : ''}`}
                bars={data.slice(0, 15).map(({ name, balance }) => ({ name, value: balance }))}
                format={shortMoney}
              />
              <DataTable label={`Exposures by ${by}`} columns={EXPOSURES} rows={data} rowKey={({ name }) => name} whole />
            </>
          )
        }
      </Read>
    </Stack>
  );
}

const EXPOSURES: readonly Column<Records['Exposure']>[] = [
  { id: 'name', title: 'Name', value: ({ name }) => name },
  { id: 'balance', title: 'Balance (US$)', number: true, value: ({ balance }) => balance, cell: ({ balance }) => money(balance) },
  {
    id: 'share',
    title: 'Share',
    number: true,
    value: (exposure) => exposure.share,
    cell: (exposure) => share(exposure.share, 1),
  },
  { id: 'deals', title: 'Deals', number: true, value: ({ deals }) => deals },
];

function Calendar(): ReactNode {
  const calendar = useQuery({
    queryKey: ['portfolio', 'calendar'],
    queryFn: () => sent(api.GET('/v1/api/investor/portfolio/calendar')),
  });
  return (
    <Read from={calendar}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty>No payment is due in the next months.</Empty>
        ) : (
          <DataTable
            label="Payments to come"
            columns={CALENDAR}
            rows={data}
            rowKey={({ date, tranche_id, period }) => `${date} ${tranche_id} ${period}`}
            whole
          />
        )
      }
    </Read>
  );
}

const CALENDAR: readonly Column<Records['CalendarPayment']>[] = [
  { id: 'date', title: 'Paid on', value: ({ date }) => date, cell: ({ date }) => <Day at={date} /> },
  { id: 'deal', title: 'Deal', value: ({ deal }) => deal },
  { id: 'tranche', title: 'Tranche', value: ({ tranche }) => tranche },
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
    id: 'basis',
    title: 'From',
    value: ({ basis, reason }) => basis ?? reason?.message,
    cell: ({ basis, reason }) => (basis ? words(basis) : (reason?.message ?? '–')),
  },
];

function History(): ReactNode {
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

const Payments = (): ReactNode => (
  <RecordList
    name={['portfolio', 'payments']}
    label="Payments"
    read={(query: QueryOf<'/v1/api/investor/portfolio/payments'>) =>
      sent(api.GET('/v1/api/investor/portfolio/payments', { params: { query } }))
    }
    filters={[
      { kind: 'day', name: 'from', label: 'From' },
      { kind: 'day', name: 'to', label: 'To' },
    ]}
    columns={PAYMENTS}
    rowKey={({ payment_id }) => payment_id}
    empty="No payment has been booked yet."
  />
);

const PAYMENTS: readonly Column<Records['Payment']>[] = [
  {
    id: 'payment_date',
    title: 'Paid on',
    value: ({ payment_date }) => payment_date,
    cell: ({ payment_date }) => <Day at={payment_date} />,
  },
  { id: 'tranche', title: 'Tranche', value: ({ tranche }) => tranche },
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
  { id: 'factor_after', title: 'Factor after', number: true, value: ({ factor_after }) => factor_after },
  { id: 'restates', title: 'Restates', hidden: true, value: ({ restates }) => restates },
];
