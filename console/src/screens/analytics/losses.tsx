import { Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { Ranges } from '../../charts/ranges.tsx';
import type { Column } from '../../ui/column.ts';
import { count } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { Part } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table.tsx';
import { Layers } from './layers.tsx';
import type { Side } from './side.ts';

type Result = Records['ScenarioResult'];
type Losses = Records['LossDistribution'];
type Props = { side: Side; calculationId: string; results: readonly Result[] };
type Row = Pick<Losses['collateral'], 'mean' | 'standard_deviation' | 'minimum' | 'maximum' | 'tail'> & {
  name: string;
  probability: number | null;
};

/** How losses are distributed over the paths of a simulation: the loans, and each tranche. */
export const Losses = ({ side, calculationId, results }: Props): ReactNode => (
  <Stack gap="lg">
    {results.map(
      (result) =>
        result.risk && (
          <OfScenario key={result.scenario} scenario={result.scenario} losses={result.risk}>
            <Layers side={side} calculationId={calculationId} result={result} />
          </OfScenario>
        ),
    )}
  </Stack>
);

type Of = { scenario: string; losses: Losses; children: ReactNode };

function OfScenario({ scenario, losses, children }: Of): ReactNode {
  const rows: Row[] = [
    { ...losses.collateral, name: 'Loans', probability: null },
    ...losses.tranches.map(({ tranche, probability_of_loss, ...rest }) => ({
      ...rest,
      name: tranche,
      probability: probability_of_loss,
    })),
  ];
  const confidences = losses.collateral.tail.map(({ confidence }) => confidence);
  return (
    <Part title={`Losses in ${scenario}`}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {count(losses.paths)} paths, {losses.generator}, seed {losses.seed};{' '}
          {losses.factors.map(({ factor, sigma }) => `${factor} with sigma ${sigma}`).join(', ')}. Losses are in percent of the
          balance at the start.
        </Text>
        {children}
        <Ranges
          title={`Distribution of losses in ${scenario}`}
          unit="Percent of the balance at the start, projected"
          ranges={rows.map(({ name, minimum, maximum, mean, tail }) => ({
            name,
            low: minimum,
            high: maximum,
            marks: [
              { name: 'Mean', value: mean },
              ...tail.map(({ confidence, value_at_risk }) => ({ name: levelOf(confidence), value: value_at_risk })),
            ],
          }))}
          format={percent}
        />
        <DataTable
          label={`Figures of the losses in ${scenario}`}
          columns={columnsOf(confidences)}
          rows={rows}
          rowKey={({ name }) => name}
          whole
          pinned
          file={`losses-in-${scenario}`}
        />
      </Stack>
    </Part>
  );
}

const WHOLE = 100;
const levelOf = (confidence: number): string => `VaR ${confidence * WHOLE}%`;

const columnsOf = (confidences: readonly number[]): readonly Column<Row>[] => [
  { id: 'name', title: 'Of', value: ({ name }) => name },
  {
    id: 'probability',
    title: 'Probability of a loss',
    number: true,
    value: ({ probability }) => probability,
    cell: ({ probability }) => (probability === null ? '–' : percent(probability)),
  },
  { id: 'mean', title: 'Mean', number: true, value: ({ mean }) => mean, cell: ({ mean }) => percent(mean) },
  {
    id: 'standard_deviation',
    title: 'Standard deviation',
    number: true,
    value: ({ standard_deviation }) => standard_deviation,
    cell: ({ standard_deviation }) => percent(standard_deviation),
  },
  ...confidences.flatMap((confidence): Column<Row>[] => {
    const of = ({ tail }: Row) => tail.find((each) => each.confidence === confidence);
    return [
      {
        id: `var-${confidence}`,
        title: levelOf(confidence),
        number: true,
        value: (row) => of(row)?.value_at_risk,
        cell: (row) => percent(of(row)?.value_at_risk),
      },
      {
        id: `es-${confidence}`,
        title: `Shortfall beyond ${confidence * WHOLE}%`,
        number: true,
        value: (row) => of(row)?.expected_shortfall,
        cell: (row) => percent(of(row)?.expected_shortfall),
      },
    ];
  }),
  { id: 'maximum', title: 'Largest', number: true, value: ({ maximum }) => maximum, cell: ({ maximum }) => percent(maximum) },
];
