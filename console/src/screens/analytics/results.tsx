import { Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { money, shortMoney, words } from '../../ui/format.tsx';
import { basisPoints, percent, price, years } from '../../ui/format-market.ts';
import { textOfVector } from './vector.ts';

type Result = Records['ScenarioResult'];
type Tranche = Records['TrancheResult'];
type Measure = {
  title: string;
  value: (tranche: Tranche) => number | null | undefined;
  format: (value: number | null | undefined) => string;
};

const MEASURES: readonly Measure[] = [
  { title: 'Price', value: (of) => of.price, format: price },
  { title: 'Yield', value: (of) => of.yield, format: percent },
  { title: 'Spread', value: (of) => of.spread_bp, format: basisPoints },
  { title: 'Discount margin', value: (of) => of.discount_margin_bp, format: basisPoints },
  { title: 'Average life', value: ({ wal }) => wal, format: years },
  { title: 'Modified duration', value: (of) => of.modified_duration, format: years },
  { title: 'Convexity', value: ({ convexity }) => convexity, format: price },
  { title: 'Principal', value: ({ principal }) => principal, format: money },
  { title: 'Interest', value: ({ interest }) => interest, format: money },
  { title: 'Written down', value: (of) => of.write_down, format: money },
  { title: 'Break-even CDR', value: (of) => of.break_even_cdr, format: percent },
  { title: 'CDR of the first loss', value: (of) => of.first_loss_cdr, format: percent },
];

/** Scenarios side by side: what each assumed, and each tranche in each of them with the difference to the first. */
export function Results({ results }: { results: readonly Result[] }): ReactNode {
  const [base] = results;
  if (!base) return null;
  return (
    <Stack gap="lg">
      <Scroll label="Scenarios that were calculated">
        <Heads results={results} first="Assumed" />
        <Table.Tbody>
          {assumedIn(results).map((name) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{titleOf(name)}</Table.Th>
              {results.map(({ scenario, assumptions }) => (
                <Table.Td key={scenario} className="number">
                  {textOfAssumption((assumptions as Record<string, unknown>)[name])}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Th scope="row">Loss of the loans</Table.Th>
            {results.map(({ scenario, collateral }) => (
              <Table.Td key={scenario} className="number">
                {shortMoney(collateral.loss)}
              </Table.Td>
            ))}
          </Table.Tr>
          <Table.Tr>
            <Table.Th scope="row">Called</Table.Th>
            {results.map(({ scenario, called_period }) => (
              <Table.Td key={scenario} className="number">
                {called_period === null ? 'No' : `Period ${called_period}`}
              </Table.Td>
            ))}
          </Table.Tr>
        </Table.Tbody>
      </Scroll>
      {base.tranches.map(({ tranche }) => (
        <OfTranche key={tranche} tranche={tranche} results={results} />
      ))}
    </Stack>
  );
}

function OfTranche({ tranche, results }: { tranche: string; results: readonly Result[] }): ReactNode {
  const found = results.map(({ tranches }) => tranches.find((each) => each.tranche === tranche));
  const measures = MEASURES.filter(({ value }) => found.some((each) => each && value(each) != null));
  return (
    <Scroll label={`Results of ${tranche}`}>
      <Heads results={results} first={tranche} />
      <Table.Tbody>
        {measures.map(({ title, value, format }) => (
          <Table.Tr key={title}>
            <Table.Th scope="row">{title}</Table.Th>
            {found.map((each, at) => (
              <Table.Td key={results[at]?.scenario} className="number">
                {each ? format(value(each)) : '–'}
                {at > 0 && <Difference of={each && value(each)} from={found[0] && value(found[0])} format={format} />}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
        <Table.Tr>
          <Table.Th scope="row">Principal window</Table.Th>
          {found.map((each, at) => (
            <Table.Td key={results[at]?.scenario} className="number">
              {each?.first_period == null ? '–' : `Periods ${each.first_period} to ${each.last_period}`}
            </Table.Td>
          ))}
        </Table.Tr>
        {found.some((each) => (each?.unavailable ?? []).length > 0) && (
          <Table.Tr>
            <Table.Th scope="row">Not available</Table.Th>
            {found.map((each, at) => (
              <Table.Td key={results[at]?.scenario}>
                {(each?.unavailable ?? []).map(({ field, message }) => (
                  <Text key={field} size="xs" c="dimmed">
                    {message}
                  </Text>
                ))}
              </Table.Td>
            ))}
          </Table.Tr>
        )}
      </Table.Tbody>
    </Scroll>
  );
}

const Scroll = ({ label, children }: { label: string; children: ReactNode }): ReactNode => (
  <Table.ScrollContainer minWidth={420} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
    <Table aria-label={label} className="table" layout="fixed">
      {children}
    </Table>
  </Table.ScrollContainer>
);

const Heads = ({ results, first }: { results: readonly Result[]; first: string }): ReactNode => (
  <Table.Thead>
    <Table.Tr>
      <Table.Th>{first}</Table.Th>
      {results.map(({ scenario }) => (
        <Table.Th key={scenario} className="number">
          {scenario}
        </Table.Th>
      ))}
    </Table.Tr>
  </Table.Thead>
);

type DifferenceProps = {
  of: number | null | undefined;
  from: number | null | undefined;
  format: (value: number) => string;
};

function Difference({ of, from, format }: DifferenceProps): ReactNode {
  if (of == null || from == null || of === from) return null;
  return (
    <Text size="xs" c="dimmed">
      {of > from ? '+' : '−'}
      {format(Math.abs(of - from))}
    </Text>
  );
}

const assumedIn = (results: readonly Result[]): string[] => [
  ...new Set(results.flatMap(({ assumptions }) => Object.keys(assumptions))),
];

/** Measures of speed are known by their letters. */
const titleOf = (name: string): string => (/^(?:cpr|psa|abs|smm|cdr|sda|mdr|cnl)$/.test(name) ? name.toUpperCase() : words(name));

function textOfAssumption(value: unknown): string {
  if (value === undefined || value === null) return '–';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number' || (Array.isArray(value) && value.every((each) => typeof each === 'number')))
    return textOfVector(value);
  return typeof value === 'string' ? words(value) : JSON.stringify(value);
}
