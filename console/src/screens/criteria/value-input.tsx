import { Group, MultiSelect, Select, TagsInput, Text, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { words } from '../../ui/format.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { type Field, kindOf, type Operator, type Scalar } from './language.ts';

type Measured = Pick<Field, 'type' | 'unit' | 'enum'>;
type Props = {
  label: string;
  of: Measured;
  op: Operator;
  value: Scalar | Scalar[] | undefined;
  onChange: (value: Scalar | Scalar[] | undefined) => void;
};

/** The value of a comparison, in the way that fits its field: a figure with its unit, a day, a choice, or several of them. */
export function ValueInput({ label, of, op, value, onChange }: Props): ReactNode {
  if (op === 'in' || op === 'not_in') return <Several label={label} of={of} value={value} onChange={onChange} />;
  if (op !== 'between') return <One label={label} of={of} value={Array.isArray(value) ? value[0] : value} onChange={onChange} />;
  const [low, high] = Array.isArray(value) ? value : [];
  // A bound that is not written yet is null on the wire: the API says what is missing.
  const bounds = (...both: (Scalar | undefined)[]): Scalar[] => both.map((each) => each ?? '');
  const blank = (bound: Scalar | undefined): Scalar | undefined => (bound === '' ? undefined : bound);
  return (
    <Group gap={4}>
      <One label={`${label}, from`} of={of} value={blank(low)} onChange={(next) => onChange(bounds(next, high))} />
      <Text size="xs">and</Text>
      <One label={`${label}, to`} of={of} value={blank(high)} onChange={(next) => onChange(bounds(low, next))} />
    </Group>
  );
}

type OneProps = {
  label: string;
  of: Measured;
  value: Scalar | undefined;
  onChange: (value: Scalar | undefined) => void;
};

function One({ label, of, value, onChange }: OneProps): ReactNode {
  const kind = kindOf(of.type);
  if (kind === 'number') return <Figure label={label} of={of} value={value} onChange={onChange} />;
  if (kind === 'date') return <DayInput label={label} value={value} onChange={onChange} />;
  if (kind === 'boolean')
    return (
      <Select
        size="xs"
        w={90}
        aria-label={label}
        allowDeselect={false}
        data={[
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
        value={value === undefined ? null : String(value)}
        onChange={(next) => onChange(next === 'true')}
      />
    );
  if (of.enum)
    return (
      <Select
        size="xs"
        w={170}
        aria-label={label}
        searchable
        allowDeselect={false}
        data={withWritten(of.enum, value === undefined ? [] : [value])}
        value={value === undefined ? null : String(value)}
        onChange={(next) => onChange(next ?? undefined)}
      />
    );
  return (
    <TextInput
      size="xs"
      w={170}
      aria-label={label}
      value={value === undefined ? '' : String(value)}
      onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
    />
  );
}

/** Values of an enum, and those that are written though it has them not: the API judges them. */
const withWritten = (known: readonly string[], written: readonly Scalar[]): { value: string; label: string }[] =>
  [...new Set([...known, ...written.map(String)])].map((value) => ({ value, label: value }));

const SIGNS: Record<string, string> = { percent: '%', money: 'USD' };

/** A figure with its unit beside it. */
export function Figure({ label, of, value, onChange, width = 120 }: OneProps & { width?: number }): ReactNode {
  const unit = SIGNS[of.type] ?? of.unit;
  return (
    <NumberField
      size="xs"
      w={width}
      aria-label={label}
      hideControls
      // Percentages have no thousands: a comma in one is a point.
      thousandSeparator={of.type === 'percent' ? '' : ','}
      allowDecimal={of.type !== 'integer'}
      rightSection={
        unit && unit.length < 8 ? (
          <Text size="xs" c="dimmed" pr={6}>
            {unit}
          </Text>
        ) : null
      }
      rightSectionWidth={unit && unit.length < 8 ? 12 + unit.length * 7 : 8}
      value={typeof value === 'number' && !Number.isNaN(value) ? value : ''}
      onChange={(next) => onChange(next === '' ? undefined : next)}
    />
  );
}

const RELATIVE = /^as_of(?:([+-]\d{1,5})d)?$/;

/** A day of the calendar, or so many days from the cut-off date of the set. */
function DayInput({ label, value, onChange }: Omit<OneProps, 'of'>): ReactNode {
  const text = typeof value === 'string' ? value : '';
  const [, days = '0'] = RELATIVE.exec(text) ?? [];
  const relative = RELATIVE.test(text);
  return (
    <Group gap={4}>
      <Select
        size="xs"
        w={140}
        aria-label={`${label}, how`}
        allowDeselect={false}
        data={[
          { value: 'day', label: 'Day' },
          { value: 'as_of', label: 'Days from cut-off' },
        ]}
        value={relative ? 'as_of' : 'day'}
        onChange={(next) => onChange(next === 'as_of' ? 'as_of' : undefined)}
      />
      {relative ? (
        <NumberField
          size="xs"
          w={110}
          aria-label={label}
          hideControls
          allowDecimal={false}
          rightSection={
            <Text size="xs" c="dimmed">
              days
            </Text>
          }
          rightSectionWidth={40}
          placeholder="0"
          blank={0}
          min={-99_999}
          max={99_999}
          clampBehavior="strict"
          value={Number(days)}
          onChange={(next) => onChange(next === '' || next === 0 ? 'as_of' : `as_of${next > 0 ? '+' : ''}${next}d`)}
        />
      ) : (
        <TextInput
          size="xs"
          w={140}
          type="date"
          aria-label={label}
          value={text}
          onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
        />
      )}
    </Group>
  );
}

type SeveralProps = Omit<Props, 'op'>;

/** Several values: of an enum by choice, else as they are written, one after the other. */
export function Several({ label, of, value, onChange }: SeveralProps): ReactNode {
  const [wrong, setWrong] = useState<string | null>(null);
  const list = Array.isArray(value) ? value : value === undefined ? [] : [value];
  const number = kindOf(of.type) === 'number';
  if (of.enum)
    return (
      <MultiSelect
        size="xs"
        miw={220}
        maw={420}
        aria-label={label}
        searchable
        data={withWritten(of.enum, list)}
        value={list.map(String)}
        onChange={(next) => onChange(next)}
      />
    );
  return (
    <TagsInput
      size="xs"
      miw={220}
      maw={420}
      aria-label={label}
      placeholder={list.length === 0 ? 'Write, then Enter' : ''}
      // In a number a comma stands between thousands, and two numbers would be made of one.
      splitChars={number ? [';'] : [',', ';']}
      error={wrong}
      value={list.map(String)}
      onChange={(next) => {
        const bad = number ? next.find((each) => each.trim() === '' || Number.isNaN(Number(each))) : undefined;
        setWrong(bad === undefined ? null : `${words(of.type)}: ${bad} is no number.`);
        if (bad === undefined) onChange(number ? next.map(Number) : next);
      }}
    />
  );
}
