import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { count, Day, words } from '../../ui/format.tsx';
import { Empty } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { DealName, TrancheName } from './names.tsx';
import { numbers } from '../../ui/intl.ts';

const PATH = '/v1/api/investor/portfolio/reports';
const SECTIONS = ['holdings_snapshot', 'trade_history', 'tranche_performance', 'pool_metrics'] as const;
type Row = Readonly<Record<string, unknown>>;
/** More rows than people read: the file has all. */
const MOST_SHOWN = 200;

/** The reports of the book as files, and their first rows to look at. */
export function Reports(): ReactNode {
  const [values, set] = useAddress();
  const section = SECTIONS.find((each) => each === values.section) ?? 'holdings_snapshot';
  const reports = useQuery({
    queryKey: ['portfolio', 'reports'],
    queryFn: async () => {
      const answer = await sent(api.GET(PATH));
      // It is a file where a format is asked for.
      if (typeof answer === 'string') throw new Error('The gateway gave a file in the place of the reports.');
      return answer;
    },
  });
  return (
    <Stack gap="md">
      <Group justify="space-between" gap="sm">
        <SegmentedControl
          aria-label="Report"
          size="xs"
          data={SECTIONS.map((value) => ({ value, label: words(value) }))}
          value={section}
          onChange={(next) => set({ section: next })}
        />
        <Group gap="xs">
          <File href={`${PATH}?format=csv&section=${section}`} label="This report as CSV" />
          <File href={`${PATH}?format=xlsx`} label="All reports as XLSX" />
        </Group>
      </Group>
      <Read from={reports}>{({ data }) => <Section name={section} rows={data[section]} />}</Read>
    </Stack>
  );
}

const File = ({ href, label }: { href: string; label: string }): ReactNode => (
  <Button component="a" size="compact-sm" variant="default" href={href} download>
    {label}
  </Button>
);

type SectionProps = { name: keyof Records['PortfolioReports']; rows: readonly Row[] | undefined };

function Section({ name, rows }: SectionProps): ReactNode {
  if (!rows)
    return (
      <Empty>This report comes with the first completed calculation of a deal that you hold; its operator publishes one.</Empty>
    );
  if (rows.length === 0) return <Empty>There is nothing to report yet: settled trades make holdings.</Empty>;
  return (
    <DataTable
      key={name}
      label={words(name)}
      columns={columnsOf(rows)}
      rows={rows.slice(0, MOST_SHOWN)}
      rowKey={(row) => JSON.stringify(row)}
      whole={rows.length <= MOST_SHOWN}
      tools={
        <Text size="xs" c="dimmed" role="status">
          {rows.length > MOST_SHOWN ? `First ${count(MOST_SHOWN)} of ${count(rows.length)} rows` : `${count(rows.length)} rows`}
        </Text>
      }
    />
  );
}

/** The names of the file, so that what is seen here is found there. */
const columnsOf = (rows: readonly Row[]): readonly Column<Row>[] =>
  [...new Set(rows.flatMap((row) => Object.keys(row)))].map((name) => ({
    id: name,
    title: words(name),
    number: rows.some((row) => typeof row[name] === 'number'),
    value: (row) => plain(row[name]),
    cell: (row) => shown(name, row),
  }));

const figure = numbers({ maximumFractionDigits: 8 });
const plain = (value: unknown): string | number | null =>
  typeof value === 'number' || typeof value === 'string' ? value : value == null ? null : JSON.stringify(value);
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A figure, a day, or the name of what an id is of; the file has the ids. */
function shown(name: string, row: Row): ReactNode {
  const value = row[name];
  if (typeof value === 'number') return figure(value);
  if (typeof value !== 'string') return plain(value) ?? '–';
  if (DAY.test(value)) return <Day at={value} />;
  const { deal_id } = row;
  if (name === 'deal_id')
    return (
      <Named>
        <DealName deal_id={value} />
      </Named>
    );
  if (name === 'tranche_id' && typeof deal_id === 'string')
    return (
      <Named>
        <TrancheName deal_id={deal_id} tranche_id={value} held />
      </Named>
    );
  return name === 'basis' || name === 'status' ? words(value) : value;
}

const Named = ({ children }: { children: ReactNode }): ReactNode => <span className="named">{children}</span>;
