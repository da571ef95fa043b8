import { ActionIcon, Button, Group, NativeSelect, SegmentedControl, Stack, Table, TextInput } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { Lines } from '../../charts/lines.tsx';
import { percent } from '../../ui/format-market.ts';
import { ICON } from '../../ui/icon.ts';
import { JsonField } from '../../ui/typed-field.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import {
  DEFAULT,
  type DraftProblems,
  MOST_SCENARIOS,
  newScenario,
  PREPAYMENT,
  type ScenarioDraft,
  vectorIn,
  type VectorName,
  VECTORS,
} from './draft.ts';
import { drawn } from './vector.ts';

const TITLES: Record<VectorName, string> = {
  prepayment: 'Prepayment',
  default: 'Default',
  severity: 'Severity (%)',
  delinquency: 'Delinquent 60 days (%)',
};
/** Periods that are drawn. */
const DRAWN = 60;

type Props = {
  scenarios: readonly ScenarioDraft[];
  problems: DraftProblems;
  set: (scenarios: ScenarioDraft[]) => void;
  /** What an empty field means, where it does not mean nothing. */
  blank?: string;
};

/** Scenarios beside each other: each measure is typed as a vector and drawn while it is. */
export function Scenarios({ scenarios, problems, set, blank }: Props): ReactNode {
  const [shown, setShown] = useState<VectorName>('prepayment');
  const change = (at: number, part: Partial<ScenarioDraft>): void =>
    set(scenarios.map((each, index) => (index === at ? { ...each, ...part } : each)));
  return (
    <Stack gap="sm">
      <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label="Scenarios" className="table editing">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Measure</Table.Th>
              {scenarios.map(({ name }, at) => (
                <Table.Th key={at}>
                  <Group gap={4} wrap="nowrap">
                    <TextInput
                      size="xs"
                      aria-label={`Name of scenario ${at + 1}`}
                      value={name}
                      onChange={({ currentTarget }) => change(at, { name: currentTarget.value })}
                    />
                    {scenarios.length > 1 && (
                      <ActionIcon
                        variant="subtle"
                        color="gray"
                        aria-label={`Remove ${name}`}
                        onClick={() => set(scenarios.filter((_, index) => index !== at))}
                      >
                        <IconTrash {...ICON} />
                      </ActionIcon>
                    )}
                  </Group>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {VECTORS.map((measure) => (
              <Table.Tr key={measure}>
                <Table.Th scope="row">{TITLES[measure]}</Table.Th>
                {scenarios.map((scenario, at) => (
                  <Table.Td key={at}>
                    <Group gap={4} wrap="nowrap" align="flex-start">
                      <TextInput
                        size="xs"
                        w="100%"
                        aria-label={`${TITLES[measure]} of ${scenario.name}`}
                        placeholder={blank ?? (measure === 'delinquency' ? 'None' : '6 for 12, 8')}
                        value={scenario[measure]}
                        error={problems.get(`scenarios.${at}.${measure}`) ?? false}
                        onFocus={() => setShown(measure)}
                        onChange={({ currentTarget }) => change(at, { [measure]: currentTarget.value })}
                      />
                      <In measure={measure} scenario={scenario} change={(part) => change(at, part)} />
                    </Group>
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
            <Table.Tr>
              <Table.Th scope="row">Recovery after (months)</Table.Th>
              {scenarios.map((scenario, at) => (
                <Table.Td key={at}>
                  <NumberField
                    size="xs"
                    min={0}
                    allowDecimal={false}
                    hideControls
                    placeholder={blank ?? '0'}
                    aria-label={`Months until recovery of ${scenario.name}`}
                    value={scenario.lag}
                    onChange={(lag) => change(at, { lag })}
                  />
                </Table.Td>
              ))}
            </Table.Tr>
            <Table.Tr>
              <Table.Th scope="row">More, as JSON</Table.Th>
              {scenarios.map((scenario, at) => (
                <Table.Td key={at}>
                  <JsonField
                    quiet
                    label={`More of ${scenario.name}`}
                    placeholder='{ "call": false }'
                    value={scenario.more}
                    set={(more) => change(at, { more })}
                  />
                </Table.Td>
              ))}
            </Table.Tr>
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Group justify="space-between">
        <Button
          size="compact-sm"
          variant="default"
          disabled={scenarios.length >= MOST_SCENARIOS}
          onClick={() => set([...scenarios, copyOf(scenarios)])}
        >
          Add a scenario
        </Button>
        <SegmentedControl
          size="xs"
          aria-label="Measure that is drawn"
          data={VECTORS.map((value) => ({ value, label: TITLES[value].replace(' (%)', '') }))}
          value={shown}
          onChange={(next) => setShown(next)}
        />
      </Group>
      <Lines
        title={`${TITLES[shown].replace(' (%)', '')} by scenario`}
        unit="As typed, in the first 60 periods"
        axis="Period"
        labels={Array.from({ length: DRAWN }, (_, at) => String(at + 1))}
        format={percent}
        series={scenarios.map((scenario, at) => ({
          name: scenario.name === '' ? `Scenario ${at + 1}` : scenario.name,
          color: at,
          projected: true,
          values: drawn(vectorIn(scenario, shown), DRAWN),
        }))}
      />
    </Stack>
  );
}

/** A scenario like the last one, under a name that no other has. */
function copyOf(scenarios: readonly ScenarioDraft[]): ScenarioDraft {
  const names = scenarios.map(({ name }) => name);
  const name = ['fast', 'slow', 'stress', 'other'].find((each) => !names.includes(each)) ?? `scenario ${names.length + 1}`;
  return { ...(scenarios.at(-1) ?? newScenario(name)), name };
}

type InProps = { measure: VectorName; scenario: ScenarioDraft; change: (part: Partial<ScenarioDraft>) => void };

/** By which measure prepayment or default is typed. */
function In({ measure, scenario, change }: InProps): ReactNode {
  const upper = (values: readonly string[]): { value: string; label: string }[] =>
    values.map((value) => ({ value, label: value.toUpperCase() }));
  if (measure === 'prepayment')
    return (
      <NativeSelect
        size="xs"
        w={84}
        aria-label={`Measure of prepayment of ${scenario.name}`}
        data={upper(PREPAYMENT)}
        value={scenario.prepaymentIn}
        onChange={({ currentTarget }) =>
          change({ prepaymentIn: PREPAYMENT.find((each) => each === currentTarget.value) ?? 'cpr' })
        }
      />
    );
  if (measure !== 'default') return null;
  return (
    <NativeSelect
      size="xs"
      w={84}
      aria-label={`Measure of default of ${scenario.name}`}
      data={upper(DEFAULT)}
      value={scenario.defaultIn}
      onChange={({ currentTarget }) => change({ defaultIn: DEFAULT.find((each) => each === currentTarget.value) ?? 'cdr' })}
    />
  );
}
