import { Button, Group, NativeSelect, Stack, Tabs, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { can, useMe } from '../../app/me.tsx';
import { words } from '../../ui/format.tsx';
import { Note } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { JsonField } from '../../ui/typed-field.tsx';
import { useUnread } from '../../ui/unread.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { CalculationView } from './calculation.tsx';
import { Earlier } from './earlier.tsx';
import { FACTORS, type Kind, NEW, problemsOf, type RequestDraft, requestOf } from './draft.ts';
import { Scenarios } from './scenarios.tsx';
import type { Side } from './side.ts';

const KINDS: readonly [Kind, string][] = [
  ['PRICING', 'Yields, lives and durations at a price'],
  ['CASHFLOW', 'Cash flows'],
  ['PRICE_TABLE', 'A ladder of prices of one tranche'],
  ['BREAKEVEN', 'Highest defaults that leave a tranche whole'],
  ['SCENARIOS', 'Scenarios compared'],
  ['RISK', 'Distribution of losses'],
];

/** Calculations of a pool: scenarios are typed and drawn, run, and compared. */
export function Workbench({ side }: { side: Side }): ReactNode {
  const [values, set] = useAddress();
  const { run } = values;
  const part = values.part ?? (run ? 'result' : 'new');
  return (
    // What was typed stays while a result is looked at.
    <Tabs value={part} onChange={(next) => set({ part: next, page: null }, { keepPage: true })} keepMounted>
      <Tabs.List>
        <Tabs.Tab value="new">New calculation</Tabs.Tab>
        <Tabs.Tab value="earlier">Earlier calculations</Tabs.Tab>
        {run && <Tabs.Tab value="result">Result</Tabs.Tab>}
      </Tabs.List>
      <Tabs.Panel value="new" pt="md">
        <NewCalculation side={side} />
      </Tabs.Panel>
      <Tabs.Panel value="earlier" pt="md">
        {part === 'earlier' && <Earlier side={side} />}
      </Tabs.Panel>
      {run && (
        <Tabs.Panel value="result" pt="md">
          {part === 'result' && (
            <CalculationView
              key={run}
              side={side}
              calculationId={run}
              close={() => set({ run: null, part: null, show: null, scenario: null, at: null })}
            />
          )}
        </Tabs.Panel>
      )}
    </Tabs>
  );
}

function NewCalculation({ side }: { side: Side }): ReactNode {
  const me = useMe();
  const client = useQueryClient();
  const [, set] = useAddress();
  const [draft, setDraft] = useState<RequestDraft>(NEW);
  const problems = problemsOf(draft);
  const change = (part: Partial<RequestDraft>): void => setDraft({ ...draft, ...part });
  const asking = useMutation({
    mutationFn: () => side.ask(requestOf(draft)),
    onSuccess: ({ data }) => {
      void client.invalidateQueries({ queryKey: side.key });
      set({ run: data.calculation_id, part: null, show: null, scenario: null, at: null }, { keepPage: true });
      window.scrollTo({ top: 0 });
    },
  });
  const allowed = can(me, 'EDIT');
  const unread = useUnread();
  return (
    <Stack gap="md">
      <Group align="flex-end" gap="sm">
        <NativeSelect
          size="xs"
          label="What is calculated"
          data={KINDS.map(([value, label]) => ({ value, label }))}
          value={draft.type}
          onChange={({ currentTarget }) =>
            change({ type: KINDS.find(([kind]) => kind === currentTarget.value)?.[0] ?? 'PRICING' })
          }
        />
        <NativeSelect
          size="xs"
          label="From"
          data={[
            { value: '', label: 'Closing, or as the dates of the request say' },
            { value: 'LATEST', label: 'Latest report' },
            { value: 'CUT_OFF', label: 'Closing' },
          ]}
          value={draft.from}
          onChange={({ currentTarget: { value } }) => change({ from: value === 'LATEST' || value === 'CUT_OFF' ? value : '' })}
        />
        {draft.type === 'PRICE_TABLE' && (
          <>
            <TextInput
              size="xs"
              w={120}
              label="Tranche"
              placeholder="A-1"
              value={draft.tranche}
              onChange={({ currentTarget }) => change({ tranche: currentTarget.value })}
            />
            <TextInput
              size="xs"
              w={220}
              label="Prices"
              value={draft.ladder}
              onChange={({ currentTarget }) => change({ ladder: currentTarget.value })}
            />
          </>
        )}
        {draft.type === 'RISK' && (
          <>
            <NumberField
              size="xs"
              w={100}
              label="Paths"
              min={1}
              allowDecimal={false}
              value={draft.paths}
              onChange={(paths) => change({ paths })}
            />
            {FACTORS.map((factor) => (
              <NumberField
                key={factor}
                size="xs"
                w={140}
                label={`Sigma of ${factor}`}
                min={0}
                step={0.1}
                value={draft.sigmas[factor]}
                onChange={(sigma) => change({ sigmas: { ...draft.sigmas, [factor]: sigma } })}
              />
            ))}
          </>
        )}
      </Group>
      <Scenarios scenarios={draft.scenarios} problems={problems} set={(scenarios) => change({ scenarios })} />
      <JsonField
        label="More of the request"
        placeholder='{ "benchmark_curve": { "points": [{ "years": 2, "rate": 4.1 }] }, "index_curves": { "SOFR": [{ "period": 1, "rate": 4.1 }] } }'
        value={draft.more}
        set={(more) => change({ more })}
      />
      {asking.error && <Problem error={asking.error} />}
      {unread && <Note color="red">{unread}</Note>}
      <Group justify="flex-end" gap="xs">
        {!allowed && <Note>Calculating needs the right EDIT; yours: {me.rights.map(words).join(', ')}.</Note>}
        <Button
          disabled={problems.size > 0 || !allowed || unread !== null}
          loading={asking.isPending}
          onClick={() => asking.mutate()}
        >
          Calculate
        </Button>
      </Group>
    </Stack>
  );
}
