import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from '@dnd-kit/core';
import { SortableContext, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable';
import { ActionIcon, Button, Group, NativeSelect, SimpleGrid, Stack, Text, Tooltip } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconGripVertical, IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ICON } from '../../ui/icon.ts';
import { words } from '../../ui/format.tsx';
import { moved, problemsAt, type Problems, replaced, restOf, type Step, withField } from './draft.ts';
import { JsonField, TypedField } from '../../ui/typed-field.tsx';
import { namesOf, type Names, textOfNames, wordOf, wordOrFormOf } from '../../ui/value-text.ts';

const KINDS = ['FEE', 'INTEREST', 'PRINCIPAL', 'RESERVE', 'RESIDUAL', 'CARRY_OVER', 'WRITTEN_DOWN'];
const SHOWN = ['step', 'pay', 'to', 'order', 'amount', 'limit', 'when', 'unless', 'clause'];

type Props = { steps: readonly Step[]; set: (steps: Step[]) => void; problems: Problems };

const nameOf = (step: Step, at: number): string => step.step ?? `Step ${at + 1}`;

/** The waterfall as cards in their order: dragged, or moved by the arrows. */
export function Steps({ steps, set, problems }: Props): ReactNode {
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const ids = steps.map((_, at) => String(at + 1));
  const drop = ({ active, over }: DragEndEvent): void => {
    if (over && over.id !== active.id) set(moved(steps, Number(active.id) - 1, Number(over.id) - 1));
  };
  return (
    <Stack gap="xs">
      <DndContext sensors={sensors} collisionDetection={closestCenter} onDragEnd={drop}>
        <SortableContext items={ids} strategy={verticalListSortingStrategy}>
          {steps.map((step, at) => (
            <Card
              // The place is what a step is while its name is typed.
              key={at}
              id={String(at + 1)}
              step={step}
              at={at}
              last={steps.length - 1}
              problems={problems}
              set={(next) => set(replaced(steps, at, next))}
              move={(to) => set(moved(steps, at, to))}
              remove={() => set(steps.filter((_, index) => index !== at))}
            />
          ))}
        </SortableContext>
      </DndContext>
      <div>
        <Button size="compact-sm" variant="default" onClick={() => set([...steps, { pay: 'INTEREST', to: [] }])}>
          Add a step
        </Button>
      </div>
    </Stack>
  );
}

type CardProps = {
  id: string;
  step: Step;
  at: number;
  last: number;
  problems: Problems;
  set: (step: Step) => void;
  move: (to: number) => void;
  remove: () => void;
};

function Card({ id, step, at, last, problems, set, move, remove }: CardProps): ReactNode {
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, transform, transition, isDragging } = useSortable({ id });
  const path = `waterfall[${at}]`;
  const name = nameOf(step, at);
  const rest = restOf(step, SHOWN);
  const others = problems.filter(
    ({ field }) =>
      (field === path || field.startsWith(`${path}.`)) && !SHOWN.some((shown) => field.startsWith(`${path}.${shown}`)),
  );
  const field = (of: keyof Step & string, label: string, more: object = {}): ReactNode => (
    <TypedField
      label={label}
      value={step[of]}
      set={(value) => set(withField(step, of, value))}
      problems={problemsAt(problems, `${path}.${of}`)}
      {...more}
    />
  );
  return (
    <section
      ref={setNodeRef}
      aria-label={`${at + 1}. ${name}`}
      className={isDragging ? 'card dragged' : 'card'}
      style={{ transform: transform ? `translateY(${transform.y}px)` : undefined, transition }}
    >
      <Group justify="space-between" wrap="nowrap" mb={4}>
        <Group gap={4} wrap="nowrap">
          <ActionIcon
            ref={setActivatorNodeRef}
            variant="subtle"
            color="gray"
            {...attributes}
            {...listeners}
            aria-label={`Drag ${name}`}
            className="grip"
          >
            <IconGripVertical {...ICON} />
          </ActionIcon>
          <Text size="sm" fw={600}>
            {at + 1}. {name}
          </Text>
        </Group>
        <Group gap={2} wrap="nowrap">
          <Mover label={`Move ${name} up`} off={at === 0} act={() => move(at - 1)}>
            <IconArrowUp {...ICON} />
          </Mover>
          <Mover label={`Move ${name} down`} off={at === last} act={() => move(at + 1)}>
            <IconArrowDown {...ICON} />
          </Mover>
          <Mover label={`Remove ${name}`} off={false} act={remove}>
            <IconTrash {...ICON} />
          </Mover>
        </Group>
      </Group>
      <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="xs">
        {field('step', 'Name', { placeholder: String(at + 1), read: wordOf })}
        <NativeSelect
          size="xs"
          label="Pays"
          data={KINDS.map((value) => ({ value, label: words(value) }))}
          value={step.pay}
          onChange={({ currentTarget }) => set(withField(step, 'pay', currentTarget.value))}
        />
        {field('to', 'To', {
          placeholder: 'A-1, (A-2a, A-2b), B',
          write: (value: Names) => textOfNames(value),
          read: namesOf,
        })}
        <NativeSelect
          size="xs"
          label="Order"
          data={[
            { value: '', label: 'Default' },
            { value: 'SEQUENTIAL', label: 'Sequential' },
            { value: 'PRO_RATA', label: 'Pro rata' },
          ]}
          value={step.order ?? ''}
          onChange={({ currentTarget }) => set(withField(step, 'order', currentTarget.value || undefined))}
        />
        {field('amount', 'Amount', { placeholder: 'ALL, 5m, or a target as JSON' })}
        {field('limit', 'At most', { placeholder: '175k, or JSON' })}
        {field('when', 'Only while', { placeholder: 'Name of a trigger', read: wordOrFormOf })}
        {field('unless', 'Not while', { placeholder: 'Name of a trigger', read: wordOrFormOf })}
      </SimpleGrid>
      {(Object.keys(rest).length > 0 || others.length > 0) && (
        <JsonField
          label="More of the step"
          value={Object.keys(rest).length > 0 ? rest : undefined}
          set={(value) => set(withRest(step, value))}
          problems={others.map(({ message }) => message)}
        />
      )}
      {step.clause && (
        <Text size="xs" c="dimmed" mt={4}>
          {step.clause}
        </Text>
      )}
    </section>
  );
}

const withRest = (step: Step, rest: unknown): Step => {
  const kept = Object.fromEntries(Object.entries(step).filter(([name]) => SHOWN.includes(name)));
  return { ...kept, ...(typeof rest === 'object' ? rest : {}) } as Step;
};

type MoverProps = { label: string; off: boolean; act: () => void; children: ReactNode };

const Mover = ({ label, off, act, children }: MoverProps): ReactNode => (
  <Tooltip label={label}>
    <ActionIcon variant="subtle" color="gray" aria-label={label} disabled={off} onClick={act}>
      {children}
    </ActionIcon>
  </Tooltip>
);
