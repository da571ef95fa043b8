import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { FieldProblem } from '../../app/api.ts';
import { ICON } from '../../ui/icon.ts';
import { Part } from '../../ui/page.tsx';
import { faultsAt } from './criteria-data.ts';
import type { Draft } from './draft.ts';
import { Faults } from './faults.tsx';
import { FieldPicker } from './field-picker.tsx';
import type { Fields, SetBody } from './language.ts';
import { Several } from './value-input.tsx';

type Props = { draft: Draft; fields: Fields; faults: readonly FieldProblem[] };

/** What holds for the whole set: its name, its dates, and the lists and columns that its rules name. */
export function Settings({ draft, fields, faults }: Props): ReactNode {
  const { rest, setRest } = draft;
  const { name, as_of, missing_policy, weight_field } = rest;
  // What stands at a rule or a test is said there.
  const own = faults.filter(({ field }) => !/^(loan_rules|pool_tests)\[/.test(field));
  return (
    <Part title="Set">
      <Group gap="sm" align="flex-start">
        <TextInput
          size="xs"
          w={260}
          label="Name"
          value={name ?? ''}
          onChange={({ currentTarget }) => {
            const { name: _before, ...others } = rest;
            setRest(currentTarget.value === '' ? others : { ...others, name: currentTarget.value });
          }}
        />
        <TextInput
          size="xs"
          w={150}
          type="date"
          label="Cut-off date"
          error={faultsAt(own, 'as_of')[0]?.message}
          value={as_of ?? ''}
          onChange={({ currentTarget }) => {
            const { as_of: _before, ...others } = rest;
            setRest(currentTarget.value === '' ? others : { ...others, as_of: currentTarget.value });
          }}
        />
        <Select
          size="xs"
          w={180}
          label="A missing value"
          allowDeselect={false}
          data={[
            { value: 'fail', label: 'Fails the rule' },
            { value: 'pass', label: 'Passes the rule' },
          ]}
          value={missing_policy ?? 'fail'}
          onChange={(next) => setRest({ ...rest, missing_policy: next === 'pass' ? 'pass' : 'fail' })}
        />
        <div>
          <Text size="xs" fw={500}>
            Weight of pool tests
          </Text>
          <FieldPicker
            label="Weight of pool tests"
            fields={fields}
            kind="number"
            value={weight_field ?? 'current_balance'}
            onChange={(next) => setRest({ ...rest, weight_field: next })}
          />
        </div>
      </Group>
      <Group gap="xl" align="flex-start" mt="sm">
        <ValueSets rest={rest} setRest={setRest} />
        <Columns rest={rest} setRest={setRest} />
      </Group>
      <Faults label="Faults of the set" faults={own} say={(field) => `${field}: `} />
    </Part>
  );
}

type RestProps = Pick<Draft, 'rest' | 'setRest'>;

const free = (taken: readonly string[], name: string): string => (taken.includes(name) ? free(taken, `${name}_`) : name);

/** An object with one of its names changed, in the same order. */
const renamed = <Value,>(of: Record<string, Value>, from: string, to: string): Record<string, Value> =>
  to === '' || Object.hasOwn(of, to)
    ? of
    : Object.fromEntries(Object.entries(of).map(([name, value]) => [name === from ? to : name, value]));

const without = <Value,>(of: Record<string, Value>, name: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(of).filter(([each]) => each !== name));

/** Lists of values that several rules can name. */
function ValueSets({ rest, setRest }: RestProps): ReactNode {
  const { value_sets: sets = {} } = rest;
  const set = (next: NonNullable<SetBody['value_sets']>): void => setRest({ ...rest, value_sets: next });
  return (
    <Stack gap={6} maw={560}>
      {Object.keys(sets).length > 0 && (
        <Text size="xs" fw={600}>
          Value sets
        </Text>
      )}
      {Object.entries(sets).map(([name, values]) => {
        const kinds = new Set(values.map((each) => typeof each));
        const [kind = 'string'] = kinds;
        return (
          <Group key={name} gap={6} align="flex-start">
            <NameInput label={`Name of the value set ${name}`} name={name} rename={(to) => set(renamed(sets, name, to))} />
            {kinds.size > 1 || kind === 'boolean' ? (
              <Text size="xs">{values.length} values of several kinds: edit them in the JSON.</Text>
            ) : (
              <Several
                label={`Values of ${name}`}
                of={{ type: kind, unit: null, enum: null }}
                value={values}
                onChange={(next) => set({ ...sets, [name]: Array.isArray(next) ? next : [] })}
              />
            )}
            <ActionIcon
              variant="subtle"
              color="gray"
              size="sm"
              aria-label={`Remove the value set ${name}`}
              onClick={() => set(without(sets, name))}
            >
              <IconX {...ICON} />
            </ActionIcon>
          </Group>
        );
      })}
      <div>
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconPlus {...ICON} size={14} />}
          onClick={() => set({ ...sets, [free(Object.keys(sets), 'VALUES')]: [] })}
        >
          Add a value set
        </Button>
      </div>
    </Stack>
  );
}

const TYPES = ['string', 'number', 'date'] as const;
const IN_WORDS = { string: 'Text', number: 'Number', date: 'Date' };

/** Columns of the tape that no field of the dictionary stands for, and how their text is read. */
function Columns({ rest, setRest }: RestProps): ReactNode {
  const { custom_fields: columns = {} } = rest;
  const set = (next: NonNullable<SetBody['custom_fields']>): void => setRest({ ...rest, custom_fields: next });
  return (
    <Stack gap={6}>
      {Object.keys(columns).length > 0 && (
        <Text size="xs" fw={600}>
          Columns of the tape
        </Text>
      )}
      {Object.entries(columns).map(([name, type]) => (
        <Group key={name} gap={6} wrap="nowrap">
          <NameInput label={`Header of the column ${name}`} name={name} rename={(to) => set(renamed(columns, name, to))} />
          <Select
            size="xs"
            w={100}
            aria-label={`How ${name} is read`}
            allowDeselect={false}
            data={TYPES.map((value) => ({ value, label: IN_WORDS[value] }))}
            value={type}
            onChange={(next) => set({ ...columns, [name]: TYPES.find((each) => each === next) ?? type })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Remove the column ${name}`}
            onClick={() => set(without(columns, name))}
          >
            <IconX {...ICON} />
          </ActionIcon>
        </Group>
      ))}
      <div>
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconPlus {...ICON} size={14} />}
          onClick={() => set({ ...columns, [free(Object.keys(columns), 'column')]: 'string' })}
        >
          Add a column of the tape
        </Button>
      </div>
    </Stack>
  );
}

/** A name that is taken over when one leaves it: while it is typed it is no other record's. */
const NameInput = ({ label, name, rename }: { label: string; name: string; rename: (to: string) => void }): ReactNode => (
  <TextInput
    size="xs"
    w={140}
    aria-label={label}
    defaultValue={name}
    onBlur={({ currentTarget }) => currentTarget.value.trim() !== name && rename(currentTarget.value.trim())}
  />
);
