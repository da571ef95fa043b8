import { ActionIcon, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { IconDots, IconPlus, IconX } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { ICON } from '../../ui/icon.ts';
import { ComparisonForm } from './comparison.tsx';
import { ConditionText } from './condition-text.tsx';
import { type Comparison, type Condition, type ConditionContext, NEW_COMPARISON, shapeOf } from './language.ts';

type Props = {
  /** What the condition is a part of, as controls are named: “Rule R1”. */
  label: string;
  condition: Condition;
  onChange: (condition: Condition) => void;
  context: ConditionContext;
  depth?: number;
  /** Takes the condition out of its group. */
  remove?: () => void;
};

/** A condition as a form: a comparison, or a group of conditions; what the form cannot show is edited as text and never lost. */
export function ConditionForm({ label, condition, onChange, context, depth = 0, remove }: Props): ReactNode {
  const [asText, setAsText] = useState(false);
  const shape = shapeOf(condition, depth);
  const menu = (
    <ChangeMenu
      label={label}
      condition={condition}
      comparison={shape.kind === 'comparison' ? shape.comparison : null}
      onChange={onChange}
      context={context}
      {...(remove ? { remove } : {})}
      asText={shape.kind === 'text' ? null : asText}
      setAsText={setAsText}
    />
  );
  if (asText || shape.kind === 'text')
    return (
      <Group gap={4} align="flex-start" wrap="nowrap">
        <ConditionText label={label} condition={condition} onChange={onChange} />
        {menu}
      </Group>
    );
  if (shape.kind === 'comparison')
    return (
      <Group gap={4} align="center">
        <ComparisonForm label={label} comparison={shape.comparison} onChange={onChange} context={context} />
        {menu}
      </Group>
    );
  const below = { context, depth: depth + 1 };
  if (shape.kind === 'not')
    return (
      <Branch title="Not" menu={menu}>
        <ConditionForm label={`${label}, not`} condition={shape.part} onChange={(part) => onChange({ not: part })} {...below} />
      </Branch>
    );
  if (shape.kind === 'when')
    return (
      <Branch title="When … then" menu={menu}>
        <Text size="xs">When</Text>
        <ConditionForm
          label={`${label}, when`}
          condition={shape.when}
          onChange={(when) => onChange({ when, then: shape.then })}
          {...below}
        />
        <Text size="xs">then</Text>
        <ConditionForm
          label={`${label}, then`}
          condition={shape.then}
          onChange={(then) => onChange({ when: shape.when, then })}
          {...below}
        />
      </Branch>
    );
  const { word, parts } = shape;
  const set = (next: Condition[]): void => onChange({ [word]: next });
  return (
    <Branch title={word === 'all' ? 'All of' : 'Any of'} menu={menu}>
      {parts.map((part, at) => (
        <ConditionForm
          // oxlint-disable-next-line react/no-array-index-key -- conditions have no name; their inputs hold nothing of their own.
          key={at}
          label={`${label}, condition ${at + 1}`}
          condition={part}
          onChange={(next) => set(parts.with(at, next))}
          {...(parts.length > 1 ? { remove: () => set(parts.toSpliced(at, 1)) } : {})}
          {...below}
        />
      ))}
      <div>
        <Button
          size="compact-xs"
          variant="subtle"
          leftSection={<IconPlus {...ICON} size={14} />}
          onClick={() => set([...parts, NEW_COMPARISON])}
        >
          Add a condition
        </Button>
      </div>
    </Branch>
  );
}

const Branch = ({ title, menu, children }: { title: string; menu: ReactNode; children: ReactNode }): ReactNode => (
  <div>
    <Group gap={4}>
      <Text size="xs" fw={600}>
        {title}
      </Text>
      {menu}
    </Group>
    <Stack gap={6} className="branch">
      {children}
    </Stack>
  </div>
);

type MenuProps = Pick<Props, 'label' | 'condition' | 'onChange' | 'context' | 'remove'> & {
  comparison: Comparison | null;
  /** Null where it can be edited as text alone. */
  asText: boolean | null;
  setAsText: (asText: boolean) => void;
};

/** Other forms of the same condition. */
function ChangeMenu({ label, condition, comparison, onChange, remove, asText, setAsText }: MenuProps): ReactNode {
  const list = comparison?.op === 'in' || comparison?.op === 'not_in';
  const bare = comparison?.op === 'is_null' || comparison?.op === 'not_null' || comparison?.op === 'between';
  const { value: _value, value_field, value_set, factor: _factor, on_missing, ...rest } = comparison ?? { op: 'eq' as const };
  const { expr, field: _field, ...unmeasured } = comparison ?? { op: 'eq' as const };
  const { on_missing: _missing, ...asSet } = comparison ?? { op: 'eq' as const };
  const missing = on_missing ? { on_missing } : {};
  return (
    <>
      <Menu position="bottom-end" shadow="md">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Form of ${label}`}>
            <IconDots {...ICON} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {comparison && !asText && (
            <>
              {!bare && !list && value_field === undefined && (
                <Menu.Item onClick={() => onChange({ ...rest, ...missing, value_field: '' })}>
                  Compare with another field
                </Menu.Item>
              )}
              {list && value_set === undefined && (
                <Menu.Item onClick={() => onChange({ ...rest, ...missing, value_set: '' })}>Use a value set</Menu.Item>
              )}
              {(value_field ?? value_set) !== undefined && (
                <Menu.Item onClick={() => onChange({ ...rest, ...missing })}>Compare with a value</Menu.Item>
              )}
              {expr ? (
                <Menu.Item onClick={() => onChange({ ...unmeasured, field: expr.num })}>Measure one field</Menu.Item>
              ) : (
                <Menu.Item
                  onClick={() => onChange({ expr: { num: comparison.field ?? '', den: '', scale: 100 }, op: comparison.op })}
                >
                  Measure a ratio of two fields
                </Menu.Item>
              )}
              <Menu.Label>A missing value</Menu.Label>
              {on_missing && <Menu.Item onClick={() => onChange(asSet)}>As the set says</Menu.Item>}
              {on_missing !== 'pass' && (
                <Menu.Item onClick={() => onChange({ ...comparison, on_missing: 'pass' })}>Passes</Menu.Item>
              )}
              {on_missing !== 'fail' && (
                <Menu.Item onClick={() => onChange({ ...comparison, on_missing: 'fail' })}>Fails</Menu.Item>
              )}
            </>
          )}
          <Menu.Label>Group</Menu.Label>
          <Menu.Item onClick={() => onChange({ all: [condition, NEW_COMPARISON] })}>All of this and …</Menu.Item>
          <Menu.Item onClick={() => onChange({ any: [condition, NEW_COMPARISON] })}>Any of this and …</Menu.Item>
          <Menu.Item onClick={() => onChange({ when: NEW_COMPARISON, then: condition })}>Only when …</Menu.Item>
          <Menu.Item onClick={() => onChange({ not: condition })}>Not</Menu.Item>
          <Inner condition={condition} onChange={onChange} />
          {asText !== null && (
            <Menu.Item onClick={() => setAsText(!asText)}>{asText ? 'Edit in the form' : 'Edit as text'}</Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      {remove && (
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Remove ${label}`} onClick={remove}>
          <IconX {...ICON} />
        </ActionIcon>
      )}
    </>
  );
}

/** Takes the first condition of a group in its place; the other ones go. */
function Inner({ condition, onChange }: Pick<Props, 'condition' | 'onChange'>): ReactNode {
  const shape = shapeOf(condition, 0);
  const inner =
    shape.kind === 'group' ? shape.parts[0] : shape.kind === 'not' ? shape.part : shape.kind === 'when' ? shape.then : undefined;
  const lost = shape.kind === 'group' ? shape.parts.length - 1 : shape.kind === 'when' ? 1 : 0;
  if (!inner) return null;
  return <Menu.Item onClick={() => onChange(inner)}>{lost > 0 ? `Keep one condition, drop ${lost}` : 'Without “not”'}</Menu.Item>;
}
