import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Bars } from '../../charts/bars.tsx';
import type { Column } from '../../ui/column.ts';
import { percent } from '../../ui/format-market.ts';
import { Note } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table.tsx';

type Result = Records['ScenarioResult'];
type Tranche = Records['TrancheResult'];
type Row = { scenario: string; tranche: Tranche; base: number | null };

/** The highest constant CDR that leaves each tranche whole, beside the one that the scenario assumes. */
export function BreakEven({ results }: { results: readonly Result[] }): ReactNode {
  const rows = results.flatMap(({ scenario, assumptions, tranches }): Row[] =>
    tranches.map((tranche) => ({ scenario, tranche, base: baseOf(assumptions) })),
  );
  const uneven = rows.filter(({ tranche }) => tranche.monotone === false).map(({ tranche }) => tranche.tranche);
  return (
    <Stack gap="md">
      <Text size="sm">
        A constant CDR takes the place of the defaults of the scenario; everything else stays as assumed. A tranche is whole when
        nothing of it is written down or left unpaid.
      </Text>
      <div className="charts">
        {results.map(({ scenario, assumptions, tranches }) => {
          const base = baseOf(assumptions);
          return (
            <Bars
              key={scenario}
              title={`Break-even CDR in ${scenario}`}
              unit="CDR in percent a year, projected"
              format={percent}
              bars={tranches.map((of) => ({
                name: of.tranche,
                color: of.tranche,
                value: of.break_even_cdr ?? null,
                lacking: 'Loses without defaults',
              }))}
              marks={base === null ? [] : [{ name: `Assumed in ${scenario}`, value: base }]}
            />
          );
        })}
      </div>
      {uneven.length > 0 && (
        <Note>
          {[...new Set(uneven)].join(', ')}: some higher CDR leaves it whole again. The highest one that does is in the table.
        </Note>
      )}
      <DataTable
        label="Break-even CDR"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ scenario, tranche }) => `${scenario} ${tranche.tranche}`}
        whole
        pinned
        file="break-even"
      />
    </Stack>
  );
}

/** The CDR that a scenario assumes, the highest of a vector; none where defaults are assumed in another measure. */
function baseOf({ cdr, multiple = 1 }: Result['assumptions']): number | null {
  if (cdr === undefined) return null;
  return (typeof cdr === 'number' ? cdr : Math.max(...cdr)) * multiple;
}

const cushionOf = ({ tranche, base }: Row): number | null =>
  base === null || tranche.break_even_cdr == null ? null : tranche.break_even_cdr - base;
const timesOf = ({ tranche, base }: Row): number | null =>
  !base || tranche.break_even_cdr == null ? null : tranche.break_even_cdr / base;

const cdr = (id: 'break_even_cdr' | 'first_loss_cdr' | 'highest_safe_cdr', title: string, hidden = false): Column<Row> => ({
  id,
  title,
  number: true,
  hidden,
  value: ({ tranche }) => tranche[id],
  cell: ({ tranche }) => percent(tranche[id]),
});

const COLUMNS: readonly Column<Row>[] = [
  { id: 'tranche', title: 'Tranche', value: ({ tranche }) => tranche.tranche },
  { id: 'scenario', title: 'Scenario', value: ({ scenario }) => scenario },
  cdr('break_even_cdr', 'Break-even CDR'),
  { id: 'base', title: 'Assumed CDR', number: true, value: ({ base }) => base, cell: ({ base }) => percent(base) },
  {
    id: 'cushion',
    title: 'Cushion (points)',
    number: true,
    value: cushionOf,
    cell: (row) => cushionOf(row)?.toFixed(2) ?? '–',
  },
  {
    id: 'times',
    title: 'Times the assumed',
    number: true,
    value: timesOf,
    cell: (row) => timesOf(row)?.toFixed(1) ?? '–',
  },
  cdr('first_loss_cdr', 'CDR of the first loss'),
  cdr('highest_safe_cdr', 'Highest CDR without a loss', true),
];
