import { Group, Pill, Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState, type ReactNode } from 'react';
import { useAddress } from '../app/address.ts';
import { words } from './format.tsx';

/** A parameter of a list that people set: one of some values, a text, or a day. */
export type Filter = { name: string; label: string } & (
  | { kind: 'choice'; choices: readonly string[]; labels?: Readonly<Record<string, string>>; placeholder?: string }
  | { kind: 'text'; placeholder?: string }
  | { kind: 'day' }
);

/** The filters of a list. What is set is in the address, and stands below as chips that take it away. */
export function Filters({ filters }: { filters: readonly Filter[] }): ReactNode {
  const [values, set] = useAddress();
  const active = filters.filter(({ name }) => values[name]);
  return (
    <div role="search" aria-label="Filters">
      <Group gap="xs" align="flex-end">
        {filters.map((filter) => (
          <Field
            key={filter.name}
            filter={filter}
            value={values[filter.name] ?? ''}
            set={(value) => set({ [filter.name]: value })}
          />
        ))}
      </Group>
      {active.length > 0 && (
        <Group gap={6} mt="xs">
          {active.map((filter) => {
            const { name, label } = filter;
            return (
              <Pill
                key={name}
                withRemoveButton
                onRemove={() => set({ [name]: null })}
                removeButtonProps={{ 'aria-label': `Remove the filter ${label}`, 'aria-hidden': false, tabIndex: 0 }}
              >
                {label}: {shownOf(filter, values[name] ?? '')}
              </Pill>
            );
          })}
        </Group>
      )}
    </div>
  );
}

/** A value of a filter in words. */
const shownOf = (filter: Filter, value: string): string =>
  filter.kind === 'choice' ? (filter.labels?.[value] ?? words(value)) : value;

const WAIT_MS = 350;

function Field({ filter, value, set }: { filter: Filter; value: string; set: (value: string | null) => void }): ReactNode {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const later = useDebouncedCallback(set, WAIT_MS);
  if (filter.kind === 'choice')
    return (
      <Select
        size="xs"
        w={170}
        label={filter.label}
        placeholder={filter.placeholder ?? 'All'}
        clearable
        data={filter.choices.map((each) => ({ value: each, label: shownOf(filter, each) }))}
        value={value || null}
        onChange={set}
      />
    );
  const day = filter.kind === 'day';
  return (
    <TextInput
      size="xs"
      w={day ? 140 : 200}
      label={filter.label}
      type={day ? 'date' : 'search'}
      placeholder={day ? '' : (filter.placeholder ?? '')}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        later(currentTarget.value || null);
      }}
    />
  );
}

export const choice = (name: string, label: string, choices: readonly string[]): Filter => ({
  kind: 'choice',
  name,
  label,
  choices,
});
export const text = (name: string, label: string, placeholder = ''): Filter => ({ kind: 'text', name, label, placeholder });
export const BETWEEN: readonly Filter[] = [
  { kind: 'day', name: 'from', label: 'From' },
  { kind: 'day', name: 'to', label: 'To' },
];
