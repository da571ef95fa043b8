import { Badge, Group, Select, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { FieldPicker } from './field-picker.tsx';
import {
  type Comparison,
  type Condition,
  type ConditionContext,
  isOperator,
  kindOf,
  measured,
  OPERATORS,
  operatorsOf,
  withField,
  withOperator,
} from './language.ts';
import { ValueInput } from './value-input.tsx';
import { NumberField } from '../../ui/number-field.tsx';

type Props = {
  label: string;
  comparison: Comparison;
  onChange: (condition: Condition) => void;
  context: ConditionContext;
};

/** One comparison: a field or a ratio, an operator that fits it, and what it is compared with. */
export function ComparisonForm({ label, comparison, onChange, context }: Props): ReactNode {
  const { fields, valueSets } = context;
  const { field = '', expr, op, value, value_field, value_set, factor, on_missing } = comparison;
  const of = measured(comparison, fields);
  const kind = kindOf(of.type);
  const bare = op === 'is_null' || op === 'not_null';
  return (
    <>
      {expr ? (
        <Group gap={4}>
          <FieldPicker
            label={`${label}, ratio of`}
            fields={fields}
            kind="number"
            width={160}
            value={expr.num}
            onChange={(num) => onChange({ ...comparison, expr: { ...expr, num } })}
          />
          <Text size="xs">over</Text>
          <FieldPicker
            label={`${label}, ratio to`}
            fields={fields}
            kind="number"
            width={160}
            value={expr.den}
            onChange={(den) => onChange({ ...comparison, expr: { ...expr, den } })}
          />
          <Text size="xs">×</Text>
          <NumberField
            size="xs"
            w={70}
            hideControls
            aria-label={`${label}, times`}
            placeholder="1"
            blank={1}
            value={expr.scale ?? 1}
            onChange={(scale) => onChange({ ...comparison, expr: { ...expr, scale: scale === '' ? 1 : scale } })}
          />
        </Group>
      ) : (
        <FieldPicker
          label={`${label}, field`}
          fields={fields}
          value={field}
          onChange={(next) => onChange(withField(comparison, next, fields))}
        />
      )}
      <Select
        size="xs"
        w={120}
        aria-label={`${label}, operator`}
        allowDeselect={false}
        data={operatorsOf(kind, op).map((each) => ({ value: each, label: OPERATORS[each] }))}
        value={op}
        onChange={(next) => isOperator(next) && onChange(withOperator(comparison, next))}
      />
      {value_field !== undefined ? (
        <Group gap={4}>
          {kind === 'number' && (
            <>
              <NumberField
                size="xs"
                w={70}
                hideControls
                aria-label={`${label}, factor`}
                placeholder="1"
                blank={1}
                value={factor ?? 1}
                onChange={(next) => onChange({ ...comparison, factor: next === '' ? 1 : next })}
              />
              <Text size="xs">×</Text>
            </>
          )}
          <FieldPicker
            label={`${label}, compared with`}
            fields={fields}
            kind={kind}
            value={value_field}
            onChange={(next) => onChange({ ...comparison, value_field: next })}
          />
        </Group>
      ) : value_set !== undefined ? (
        <Select
          size="xs"
          w={200}
          aria-label={`${label}, value set`}
          placeholder={Object.keys(valueSets).length === 0 ? 'Declare a value set first' : 'Choose a value set'}
          allowDeselect={false}
          data={[...new Set([...Object.keys(valueSets), ...(value_set ? [value_set] : [])])]}
          value={value_set || null}
          onChange={(next) => next && onChange({ ...comparison, value_set: next })}
        />
      ) : bare ? null : (
        <ValueInput
          label={`${label}, value`}
          of={of}
          op={op}
          value={value}
          onChange={(next) => {
            const { value: _before, ...rest } = comparison;
            onChange(next === undefined ? rest : { ...rest, value: next });
          }}
        />
      )}
      {on_missing && (
        <Badge variant="default" radius="sm" tt="none" fz="xs" fw={400}>
          missing {on_missing === 'pass' ? 'passes' : 'fails'}
        </Badge>
      )}
    </>
  );
}
