import { Group as Row, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import type { Records } from '../../app/api.ts';
import { Bars } from '../../charts/bars.tsx';
import { States } from '../../charts/states.tsx';
import type { Column } from '../../ui/column.ts';
import { count, Day, money, shortMoney, words } from '../../ui/format.tsx';
import { percentOf } from '../../ui/intl.ts';
import { Empty, Note } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { numbers } from '../../ui/intl.ts';

type Group = Records['StratGroup'];
type Data = Omit<Records['Strats'], 'tape_versions'>;

type LoanType = Records['LoanType'];

/** Fields by which collateral is usually looked at. */
const COMMON = ['state', 'current_balance', 'days_past_due'];
const TERMS = ['interest_rate', 'remaining_term_months', 'original_term_months'];
/** Cards have no terms, and of a business its owner has the score. */
const FIELDS: Readonly<Record<LoanType, readonly string[]>> = {
  Mortgage: [...COMMON, ...TERMS, 'credit_score'],
  Auto: [...COMMON, ...TERMS, 'credit_score'],
  Student: [...COMMON, ...TERMS, 'credit_score'],
  Personal: [...COMMON, ...TERMS, 'credit_score'],
  Business: [...COMMON, ...TERMS, 'owner_credit_score'],
  'Credit Card': [...COMMON, 'apr', 'utilization', 'credit_score'],
};

const MOST_BARS = 12;

type Props = { name: readonly string[]; loanType: LoanType; read: (by: string) => Promise<{ data: Data }> };

/** Loans in groups of a field, by a measure: both can be chosen. States are drawn as a map. */
export function Strats({ name, loanType, read }: Props): ReactNode {
  const [values, set] = useAddress();
  const by = values.by ?? 'state';
  const strats = useQuery({ queryKey: [...name, 'strats', by], queryFn: () => read(by) });
  const measures = strats.data ? measuresOf(strats.data.data) : [SHARE];
  const measure = measures.find(({ id }) => id === values.measure) ?? SHARE;
  return (
    <Stack gap="md">
      <Row gap="sm">
        <Select
          size="xs"
          w={220}
          label="By"
          allowDeselect={false}
          data={FIELDS[loanType].map((value) => ({ value, label: words(value) }))}
          value={by}
          onChange={(next) => set({ by: next })}
        />
        <Select
          size="xs"
          w={220}
          label="Measure"
          allowDeselect={false}
          data={measures.map(({ id, title }) => ({ value: id, label: title }))}
          value={measure.id}
          onChange={(next) => set({ measure: next === SHARE.id ? null : next })}
        />
      </Row>
      <Read from={strats}>{({ data }) => <Shown data={data} measure={measure} measures={measures} />}</Read>
    </Stack>
  );
}

function Shown({ data, measure, measures }: { data: Data; measure: Measure; measures: readonly Measure[] }): ReactNode {
  const { groups, by, as_of } = data;
  if (groups.length === 0) return <Empty>There are no loans to group: a tape that is checked brings them.</Empty>;
  const banded = groups[0]?.lower != null;
  const largest = banded ? groups : groups.toSorted((one, other) => other.balance - one.balance).slice(0, MOST_BARS);
  const title = `${measure.title} by ${words(by).toLowerCase()}`;
  const unit = `${measure.unit}, actual, as of ${as_of}`;
  return (
    <>
      <Text size="sm" component="div">
        {count(data.total.loan_count)} loans, {money(data.total.balance)}, as of <Day at={as_of} />
      </Text>
      {by === 'state' ? (
        <States
          title={title}
          unit={unit}
          measure={measure.unit}
          values={groups.map((group) => ({
            state: group.key,
            value: measure.value(group),
            reading: measures.map((each) => `${each.title}: ${textOf(each, group)}`),
          }))}
          format={measure.short}
          fromZero={measure.fromZero}
        />
      ) : (
        <Bars
          title={title}
          unit={unit}
          bars={largest.map((group) => ({ name: group.key, value: measure.value(group) }))}
          format={measure.format}
        />
      )}
      {by !== 'state' && groups.length > largest.length && (
        <Note color="gray">
          The chart has the {largest.length} largest of {groups.length} groups; the table has all.
        </Note>
      )}
      <DataTable
        label={`Loans by ${words(by).toLowerCase()}`}
        columns={[
          { id: 'key', title: 'Group', value: ({ key }) => key, total: 'All' },
          ...measures.map((each) => columnOf(each, data)),
        ]}
        rows={groups}
        rowKey={({ key }) => key}
        whole
        pinned
        file={`loans-by-${by}`}
      />
    </>
  );
}

type Figures = Pick<Group, 'loan_count' | 'balance' | 'average_balance' | 'averages'>;
type Measure = {
  id: string;
  title: string;
  unit: string;
  value: (group: Group) => number | null;
  /** Of all groups together. */
  whole: (total: Figures) => number | null;
  format: (value: number) => string;
  /** As short as it fits into a square of the map. */
  short: (value: number) => string;
  fromZero: boolean;
};

const wholeDollars = numbers({ style: 'currency', currency: 'USD', notation: 'compact' });
const FIXED: readonly Measure[] = [
  {
    id: 'share',
    title: 'Share of balance',
    unit: 'Share of the balance',
    value: ({ share }) => share,
    whole: () => 1,
    format: percentOf,
    short: percentOf,
    fromZero: true,
  },
  {
    id: 'balance',
    title: 'Balance',
    unit: 'US$',
    value: ({ balance }) => balance,
    whole: ({ balance }) => balance,
    format: shortMoney,
    short: wholeDollars,
    fromZero: true,
  },
  {
    id: 'count',
    title: 'Loans',
    unit: 'Number of loans',
    value: ({ loan_count }) => loan_count,
    whole: ({ loan_count }) => loan_count,
    format: count,
    short: count,
    fromZero: true,
  },
  {
    id: 'average',
    title: 'Average balance',
    unit: 'US$ a loan',
    value: ({ average_balance }) => average_balance,
    whole: ({ average_balance }) => average_balance,
    format: shortMoney,
    short: wholeDollars,
    fromZero: true,
  },
];
const SHARE = FIXED[0] as Measure;

/** Averages weighted by balance, as the API names them, with their places. */
const AVERAGES: Readonly<Record<string, [title: string, unit: string, places: number]>> = {
  wac: ['Average rate', 'Percent a year, weighted by balance', 2],
  wam: ['Average term left', 'Months, weighted by balance', 0],
  wa_age_months: ['Average age', 'Months, weighted by balance', 0],
  wa_credit_score: ['Average credit score', 'Points, weighted by balance', 0],
  wa_ltv: ['Average LTV', 'Percent, weighted by balance', 1],
  wa_cltv: ['Average combined LTV', 'Percent, weighted by balance', 1],
  wa_dti: ['Average DTI', 'Percent, weighted by balance', 1],
  wa_pti: ['Average PTI', 'Percent, weighted by balance', 1],
};

const measuresOf = ({ total }: Data): readonly Measure[] => [
  ...FIXED,
  ...Object.entries(total.averages).flatMap(([id, average]) => (average === null ? [] : [averageOf(id)])),
];

function averageOf(id: string): Measure {
  const [title, unit, places] = AVERAGES[id] ?? [words(id), 'Weighted by balance', 2];
  const format = (value: number): string =>
    value.toLocaleString('en-US', { minimumFractionDigits: places, maximumFractionDigits: places });
  const value = ({ averages }: Figures): number | null => averages[id] ?? null;
  return { id, title, unit, value, whole: value, format, short: format, fromZero: false };
}

const textOf = ({ value, format }: Measure, group: Group): string => {
  const figure = value(group);
  return figure === null ? '–' : format(figure);
};

function columnOf(measure: Measure, { total }: Data): Column<Group> {
  const { id, title, unit, value, whole, format } = measure;
  const exact = unit.startsWith('US$') ? money : format;
  const all = whole(total);
  return {
    id,
    title: unit.startsWith('US$') ? `${title} (US$)` : title,
    number: true,
    value,
    cell: (group) => {
      const figure = value(group);
      return figure === null ? '–' : exact(figure);
    },
    total: all === null ? '–' : exact(all),
  };
}
