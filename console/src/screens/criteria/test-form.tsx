import { Group, MultiSelect, Select, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { words } from '../../ui/format.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { ConditionForm } from './condition.tsx';
import { FieldPicker } from './field-picker.tsx';
import { GroupLimits, RankLimits } from './group-limits.tsx';
import {
  type ConditionContext,
  hasField,
  hasGroups,
  hasMissing,
  hasWeight,
  isShare,
  MEASURES,
  measured,
  NEW_COMPARISON,
  OPERATORS,
  type PoolTest,
} from './language.ts';
import { asFraction, inPercent } from './percent.ts';
import { Figure } from './value-input.tsx';

type Props = { test: PoolTest; change: (test: PoolTest) => void; context: ConditionContext };

const OPS = ['lte', 'lt', 'gte', 'gt', 'between'] as const;
const MEASURE_NAMES = Object.keys(MEASURES) as (keyof typeof MEASURES)[];

/** What a pool test measures, and its limit. */
export function TestForm({ test, change, context }: Props): ReactNode {
  const { type, field = '', group_by, op, value, where, id } = test;
  const name = `Test ${id}`;
  const [low = 0, high = 0] = Array.isArray(value) ? value : [value, value];
  return (
    <Group gap={6} align="flex-start">
      <Select
        size="xs"
        w={160}
        aria-label={`${name}, what is measured`}
        allowDeselect={false}
        data={MEASURE_NAMES.map((each) => ({ value: each, label: MEASURES[each] }))}
        value={type}
        onChange={(next) => change(measuring(test, MEASURE_NAMES.find((each) => each === next) ?? type))}
      />
      {hasField(type) && (
        <FieldPicker
          label={`${name}, field`}
          fields={context.fields}
          kind="number"
          value={field}
          onChange={(next) => change({ ...test, field: next })}
        />
      )}
      {hasGroups(type) && (
        <MultiSelect
          size="xs"
          w={220}
          aria-label={`${name}, by`}
          placeholder={group_by?.length ? '' : 'By which fields'}
          searchable
          maxValues={5}
          data={[...context.fields.keys()].map((each) => ({ value: each, label: words(each) }))}
          value={group_by ?? []}
          onChange={(next) => change({ ...test, group_by: next })}
        />
      )}
      <Select
        size="xs"
        w={105}
        aria-label={`${name}, operator`}
        allowDeselect={false}
        data={OPS.map((each) => ({ value: each, label: OPERATORS[each] }))}
        value={op}
        onChange={(next) => {
          const to = OPS.find((each) => each === next) ?? op;
          change({ ...test, op: to, value: to === 'between' ? [low, high] : low });
        }}
      />
      <Limit label={`${name}, limit`} test={test} context={context} value={low} set={(next) => change(limited(test, 0, next))} />
      {op === 'between' && (
        <>
          <Text size="xs" pt={6}>
            and
          </Text>
          <Limit
            label={`${name}, upper limit`}
            test={test}
            context={context}
            value={high}
            set={(next) => change(limited(test, 1, next))}
          />
        </>
      )}
      {(type === 'share' || where) && (
        <Group gap={4} className="where">
          <Text size="xs">of loans where</Text>
          <ConditionForm
            label={`${name}, where`}
            condition={where ?? NEW_COMPARISON}
            onChange={(next) => change({ ...test, where: next })}
            context={context}
            {...(type === 'share'
              ? {}
              : {
                  remove: () => {
                    const { where: _before, ...rest } = test;
                    change(rest);
                  },
                })}
          />
        </Group>
      )}
    </Group>
  );
}

function limited(test: PoolTest, at: 0 | 1, next: number): PoolTest {
  if (!Array.isArray(test.value)) return { ...test, value: next };
  const [low = 0, high = 0] = test.value;
  return { ...test, value: at === 0 ? [next, high] : [low, next] };
}

type LimitProps = Pick<Props, 'test' | 'context'> & { label: string; value: number | undefined; set: (value: number) => void };

/** A limit that is not written yet is null on the wire, and where the set was read from its JSON: the API says what is missing. */
const UNWRITTEN = Number.NaN;
const isWritten = (limit: number | null | undefined): limit is number => Number.isFinite(limit);

/** A limit: a share is written in percent and sent as a fraction. */
function Limit({ label, test, context, value, set }: LimitProps): ReactNode {
  if (isShare(test.type))
    return (
      <Figure
        label={label}
        width={90}
        of={{ type: 'percent', unit: null, enum: null }}
        value={isWritten(value) ? inPercent(value) : undefined}
        onChange={(next) => set(typeof next === 'number' ? asFraction(next) : UNWRITTEN)}
      />
    );
  const of = hasField(test.type)
    ? measured({ field: test.field ?? '', op: 'eq' }, context.fields)
    : { type: 'integer', unit: 'loans', enum: null };
  // An average of whole numbers is none.
  const type = of.type === 'integer' && hasField(test.type) ? 'number' : of.type;
  return (
    <Figure
      label={label}
      of={{ ...of, type }}
      value={value}
      onChange={(next) => set(typeof next === 'number' ? next : UNWRITTEN)}
    />
  );
}

/** A test of another measure: what does not go with it is left out. */
function measuring(test: PoolTest, type: PoolTest['type']): PoolTest {
  const { field, group_by, top, exceptions, rank_limits, weight, missing_as, ...rest } = test;
  const grouped = type === 'concentration' ? { top, exceptions, rank_limits } : {};
  const kept = {
    ...(hasField(type) ? { field: field ?? '' } : {}),
    ...(hasGroups(type) ? { group_by: group_by ?? ['state'], ...grouped } : {}),
    ...(hasWeight(type) ? { weight } : {}),
    ...(hasMissing(type) ? { missing_as } : {}),
    ...(type === 'share' && !rest.where ? { where: NEW_COMPARISON } : {}),
    // A limit of 0.4 is no average, and one of 680 no share.
    ...(isShare(type) === isShare(test.type) ? {} : { value: 0, op: 'lte' as const }),
  };
  const said = Object.fromEntries(Object.entries(kept).filter(([, each]) => each !== undefined));
  return { ...rest, ...said, type };
}

/** What a pool test has besides its limit. */
export function TestMore({ test, change, context }: Props): ReactNode {
  const { description, severity, population, type, top, weight, missing_as, where } = test;
  return (
    <>
      <TextInput
        size="xs"
        w={280}
        label="Description"
        value={description ?? ''}
        onChange={({ currentTarget }) => {
          const { description: _before, ...rest } = test;
          change(currentTarget.value === '' ? rest : { ...rest, description: currentTarget.value });
        }}
      />
      <Select
        size="xs"
        w={120}
        label="Severity"
        allowDeselect={false}
        data={[
          { value: 'fail', label: 'Fails' },
          { value: 'warn', label: 'Warns only' },
        ]}
        value={severity ?? 'fail'}
        onChange={(next) => change({ ...test, severity: next === 'warn' ? 'warn' : 'fail' })}
      />
      <Select
        size="xs"
        w={140}
        label="Measured over"
        allowDeselect={false}
        data={[
          { value: 'eligible', label: 'Eligible loans' },
          { value: 'all', label: 'All loans' },
        ]}
        value={population ?? 'eligible'}
        onChange={(next) => change({ ...test, population: next === 'all' ? 'all' : 'eligible' })}
      />
      {type === 'concentration' && (
        <NumberField
          size="xs"
          w={130}
          label="Largest together"
          min={1}
          max={1000}
          allowDecimal={false}
          placeholder="1"
          blank={1}
          value={top ?? 1}
          onChange={(next) => change({ ...test, top: next === '' ? 1 : next })}
        />
      )}
      {hasWeight(type) && (
        <div>
          <Text size="xs" fw={500}>
            Weight
          </Text>
          <FieldPicker
            label={`Test ${test.id}, weight`}
            fields={context.fields}
            kind="number"
            value={weight ?? ''}
            onChange={(next) => change({ ...test, weight: next })}
          />
        </div>
      )}
      {hasMissing(type) && (
        <NumberField
          size="xs"
          w={150}
          label="A missing value counts as"
          hideControls
          value={missing_as ?? ''}
          onChange={(next) => {
            const { missing_as: _before, ...rest } = test;
            change(typeof next === 'number' ? { ...rest, missing_as: next } : rest);
          }}
        />
      )}
      {type !== 'share' && !where && (
        <Select
          size="xs"
          w={150}
          label="Of"
          allowDeselect={false}
          data={['All of them', 'Some of them']}
          value="All of them"
          onChange={(next) => next === 'Some of them' && change({ ...test, where: NEW_COMPARISON })}
        />
      )}
      {type === 'concentration' && (
        <>
          <GroupLimits test={test} change={change} />
          <RankLimits test={test} change={change} />
        </>
      )}
    </>
  );
}
