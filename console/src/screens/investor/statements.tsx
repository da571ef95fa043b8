import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { count, Day, money, When } from '../../ui/format.tsx';
import { termPrice } from '../../ui/format-market.ts';
import { To } from '../../ui/link.tsx';
import { Empty, Facts, Note, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { dayColumn, moneyColumn } from '../../ui/columns.tsx';

const FORMATS = ['csv', 'xlsx', 'pdf'];

/** The account of a month: what was held, bought, paid and written down, to the cent. */
export function Statements(): ReactNode {
  const [values, set] = useAddress();
  // Which month it is, the gateway says: it has a business zone, and a sandbox a clock of its own.
  const asked = values.month ? { month: values.month } : {};
  const statement = useQuery({
    queryKey: ['portfolio', 'statement', asked],
    queryFn: async () => {
      const answer = await sent(api.GET('/v1/api/investor/portfolio/statement', { params: { query: asked } }));
      // It is a file where a format is asked for.
      if (typeof answer === 'string') throw new Error('The gateway gave a file in the place of the statement.');
      return answer;
    },
  });
  const month = values.month ?? statement.data?.data.month ?? '';
  return (
    <Stack gap="md">
      <Group align="flex-end" justify="space-between">
        <TextInput
          size="xs"
          w={180}
          type="month"
          label="Month"
          value={month}
          onChange={({ currentTarget }) => set({ month: currentTarget.value || null })}
        />
        <Group gap="xs">
          {FORMATS.map((format) => (
            <Button
              key={format}
              component="a"
              size="compact-sm"
              variant="default"
              href={`/v1/api/investor/portfolio/statement?month=${month}&format=${format}`}
              download
            >
              As {format.toUpperCase()}
            </Button>
          ))}
        </Group>
      </Group>
      <Read from={statement}>{({ data }) => <Statement statement={data} />}</Read>
    </Stack>
  );
}

const Statement = ({ statement }: { statement: Records['Statement'] }): ReactNode => (
  <>
    {!statement.final && (
      <Note color="gray">
        The month is not over: these are the figures until <When at={statement.until} />.
      </Note>
    )}
    <Facts
      facts={[
        ['From', <Day key="from" at={statement.from} />],
        ['To', <Day key="to" at={statement.to} />],
        ['Opening balance', money(statement.totals.opening_balance)],
        ['Bought, with corrections', money(statement.totals.bought_balance)],
        ['Interest', money(statement.totals.interest)],
        ['Principal', money(statement.totals.principal)],
        ['Written down', money(statement.totals.writedown)],
        ...CHANGES.flatMap(({ id, title }): [string, string][] =>
          statement.totals[id] === 0 ? [] : [[title, money(statement.totals[id])]],
        ),
        ['Closing balance', money(statement.totals.closing_balance)],
        ['Market value', money(statement.totals.market_value)],
      ]}
    />
    {statement.totals.without_mark > 0 && (
      <Note>
        The market value leaves out {count(statement.totals.without_mark)} positions without a mark (
        {money(statement.totals.balance_without_mark)} of balance).
      </Note>
    )}
    <Part title="Positions">
      {statement.positions.length === 0 ? (
        <Empty>Nothing was held in this month.</Empty>
      ) : (
        <DataTable
          key={statement.month}
          label="Positions of the month"
          columns={columnsOf(statement)}
          rows={statement.positions}
          rowKey={({ position_id }) => position_id}
          whole
        />
      )}
    </Part>
    <Part title="Trades" about="What settled in the month, and what was corrected of trades that had settled.">
      {statement.totals.trade_count === 0 ? (
        <Empty>No trade settled in this month, and none was corrected.</Empty>
      ) : (
        <DataTable
          label="Trades of the month"
          columns={TRADES}
          rows={statement.positions.flatMap(({ trades, tranche, deal }) =>
            trades.map((trade, line) => ({ ...trade, line, of: `${deal}, ${tranche}` })),
          )}
          rowKey={({ trade_id, line }) => `${trade_id} ${line}`}
          whole
        />
      )}
    </Part>
  </>
);

type Trade = Records['StatementTrade'] & { line: number; of: string };
type Amount = 'face' | 'balance' | 'principal_amount' | 'accrued_interest' | 'net_amount';
const amount = (id: Amount, title: string, hidden = false): Column<Trade> => ({
  id,
  hidden,
  title: `${title} (US$)`,
  number: true,
  value: (trade) => trade[id],
  cell: (trade) => money(trade[id]),
});

const TRADES: readonly Column<Trade>[] = [
  dayColumn('booked_on', 'Booked'),
  {
    id: 'trade',
    title: 'Trade',
    value: ({ of }) => of,
    cell: ({ trade_id, of }) => (
      <To to="/commitments/trades/$tradeId" params={{ tradeId: trade_id }} size="sm">
        {of}
      </To>
    ),
  },
  {
    id: 'what',
    title: 'What',
    value: ({ corrects_period }) =>
      corrects_period === undefined ? 'Bought' : `Corrected by the report of period ${corrects_period}`,
  },
  amount('face', 'Face'),
  { id: 'factor', title: 'Factor', number: true, value: ({ factor }) => factor, cell: ({ factor }) => factor.toFixed(8) },
  amount('balance', 'Balance'),
  amount('net_amount', 'Paid'),
  {
    id: 'price',
    title: 'Price',
    number: true,
    hidden: true,
    value: (trade) => trade.price,
    cell: (trade) => termPrice(trade.price),
  },
  amount('principal_amount', 'Principal', true),
  amount('accrued_interest', 'Accrued', true),
];

type Position = Records['StatementPosition'];
const figure = (id: keyof Position & string, title: string, hidden = false): Column<Position> => ({
  id,
  title: `${title} (US$)`,
  number: true,
  hidden,
  value: (position) => Number(position[id]),
  cell: (position) => money(Number(position[id])),
});

/** What else changes a balance, which most months have not. */
const CHANGES = [
  { id: 'accreted', title: 'Interest added' },
  { id: 'other_change', title: 'Other changes' },
] as const;

/** A change that the month has is shown: without it opening and closing balances would not add up. */
const columnsOf = ({ positions }: Records['Statement']): Column<Position>[] =>
  POSITIONS.map((column) =>
    CHANGES.some(({ id }) => id === column.id)
      ? { ...column, hidden: positions.every((position) => column.value(position) === 0) }
      : column,
  );

const POSITIONS: readonly Column<Position>[] = [
  {
    id: 'tranche',
    title: 'Tranche',
    value: ({ deal, tranche }) => `${deal}, ${tranche}`,
    cell: ({ deal_id, deal, tranche }) => (
      <To to="/market/$dealId" params={{ dealId: deal_id }} size="sm">
        {`${deal}, ${tranche}`}
      </To>
    ),
  },
  figure('opening_balance', 'Opening'),
  figure('bought_balance', 'Bought'),
  figure('net_amount', 'Paid for', true),
  figure('interest', 'Interest'),
  figure('principal', 'Principal'),
  figure('writedown', 'Written down'),
  ...CHANGES.map(({ id, title }) => figure(id, title, true)),
  figure('closing_balance', 'Closing'),
  {
    id: 'closing_factor',
    title: 'Factor',
    number: true,
    value: ({ closing_factor }) => closing_factor,
    cell: ({ closing_factor }) => closing_factor.toFixed(8),
  },
  {
    id: 'price',
    title: 'Price',
    number: true,
    value: (position) => position.price,
    cell: (position) => termPrice(position.price),
  },
  moneyColumn('market_value', 'Market value (US$)'),
];
