import { SegmentedControl, Stack, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import type { Records } from '../../app/api.ts';
import { Lines } from '../../charts/lines.tsx';
import type { Column } from '../../ui/column.ts';
import { money, shortMoney } from '../../ui/format.tsx';
import { years } from '../../ui/format-market.ts';
import { Note, Part } from '../../ui/page.tsx';
import { SaveRows } from '../../ui/save-rows.tsx';
import { Breakdown } from './book-breakdown.tsx';
import { Figure, type Result } from './book-figure.tsx';

type Run = Records['PortfolioScenarios'];
type Paid = 'interest' | 'principal' | 'writedown';

const TITLES: Record<Paid, string> = { interest: 'Interest', principal: 'Principal', writedown: 'Written down' };
const PAID: readonly Paid[] = ['principal', 'interest', 'writedown'];

/** Scenarios of the book side by side, its cash by month, and each position and group in each of them. */
export const BookResults = ({ run, results }: { run: Run; results: readonly Result[] }): ReactNode => (
  <Stack gap="lg">
    <SideBySide results={results} />
    <Cash results={results} asOf={run.as_of} />
    {results.every(({ positions }) => positions) ? (
      <Breakdown results={results} />
    ) : (
      <Note color="gray">
        This calculation was made before results were kept position by position. Calculate again to see them.
      </Note>
    )}
  </Stack>
);

const FIGURES: readonly [title: string, value: (result: Result) => number | null, format: (value: number) => string][] = [
  ['Market value', ({ market_value }) => market_value, money],
  ['Average life', ({ wal }) => wal, years],
  ['Principal', ({ principal }) => principal, money],
  ['Interest', ({ interest }) => interest, money],
  ['Written down', ({ writedown }) => writedown, money],
];

function SideBySide({ results }: { results: readonly Result[] }): ReactNode {
  const [base] = results;
  return (
    <Part title="Side by side" about="Below each figure its difference to the first scenario.">
      <Table.ScrollContainer minWidth={420} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label="Scenarios side by side" className="table" layout="fixed">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>The whole book</Table.Th>
              {results.map(({ scenario }) => (
                <Table.Th key={scenario} className="number">
                  {scenario}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {FIGURES.map(([title, value, format]) => (
              <Table.Tr key={title}>
                <Table.Th scope="row">{title}</Table.Th>
                {results.map((result, at) => (
                  <Table.Td key={result.scenario} className="number">
                    <Figure of={value(result)} from={at > 0 && base ? value(base) : null} format={format} />
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
            <Table.Tr>
              <Table.Th scope="row">Last payment</Table.Th>
              {results.map(({ scenario, months }) => (
                <Table.Td key={scenario} className="number">
                  {months.at(-1)?.month ?? '–'}
                </Table.Td>
              ))}
            </Table.Tr>
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Part>
  );
}

type MonthRow = Result['months'][number] & { scenario: string };
const MONTHS: readonly Column<MonthRow>[] = [
  { id: 'month', title: 'Month', value: ({ month }) => month },
  { id: 'scenario', title: 'Scenario', value: ({ scenario }) => scenario },
  ...PAID.map((name): Column<MonthRow> => ({ id: name, title: TITLES[name], value: (row) => row[name] })),
];

function Cash({ results, asOf }: { results: readonly Result[]; asOf: string }): ReactNode {
  const [values, set] = useAddress();
  const shown = PAID.find((name) => name === values.cash) ?? 'principal';
  const months = [...new Set(results.flatMap((result) => result.months.map(({ month }) => month)))].toSorted();
  const byMonth = results.map(({ scenario, months: of }) => ({ scenario, of: new Map(of.map((each) => [each.month, each])) }));
  const rows = results.flatMap(({ scenario, months: of }) => of.map((each) => ({ scenario, ...each })));
  return (
    <Part
      title="Cash by month"
      about={`After ${asOf}, by the month of the payment date.`}
      acts={<SaveRows label="Cash by month" columns={MONTHS} rows={rows} />}
    >
      <Stack gap="xs">
        <SegmentedControl
          aria-label="Cash that is drawn"
          size="xs"
          w="fit-content"
          data={PAID.map((value) => ({ value, label: TITLES[value] }))}
          value={shown}
          onChange={(cash) => set({ cash }, { keepPage: true })}
        />
        <Lines
          title={`${TITLES[shown]} by month`}
          unit={`US$ a month, projected from ${asOf}`}
          axis="Month"
          labels={months}
          format={shortMoney}
          series={byMonth.map(({ scenario, of }, color) => ({
            name: scenario,
            color,
            projected: true,
            values: months.map((month) => of.get(month)?.[shown] ?? 0),
          }))}
        />
      </Stack>
    </Part>
  );
}
