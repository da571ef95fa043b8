import { ActionIcon, Button, Collapse, Group, Menu, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowDown, IconArrowUp, IconDotsVertical } from '@tabler/icons-react';
import { useEffect, useRef, type ReactNode } from 'react';
import type { FieldProblem } from '../../app/api.ts';
import { ICON } from '../../ui/icon.ts';
import { Faults } from './faults.tsx';

type Props = {
  /** “Rule” or “Test”, with its id. */
  name: string;
  id: string;
  setId: (id: string) => void;
  faults: readonly FieldProblem[];
  /** Where the row stands in the set, which the API's paths begin with. */
  path: string;
  /** What the last dry run found. */
  found: ReactNode;
  /** What is seldom set. */
  more: ReactNode;
  /** Was just added: writing goes on in it. */
  fresh: boolean;
  up: (() => void) | null;
  down: (() => void) | null;
  duplicate: () => void;
  remove: () => void;
  children: ReactNode;
};

/** A rule or a test of a set: its id, what it says, what the API and the dry run say of it, and its place in the order. */
export function SetRow(props: Props): ReactNode {
  const { name, id, setId, faults, path, found, more, fresh, up, down, duplicate, remove, children } = props;
  const row = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (fresh) row.current?.querySelector<HTMLElement>('.set-row-main input')?.focus();
  }, [fresh]);
  const [open, { toggle }] = useDisclosure(false);
  return (
    <li ref={row} className={faults.length > 0 ? 'set-row set-row-wrong' : 'set-row'} aria-label={name}>
      <div className="set-row-grid">
        <TextInput
          size="xs"
          className="set-row-id"
          aria-label={`${name}, id`}
          value={id}
          onChange={({ currentTarget }) => setId(currentTarget.value)}
        />
        <div className="set-row-main">{children}</div>
        <Group gap={2} wrap="nowrap" className="set-row-acts">
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Move ${name} up`}
            disabled={!up}
            onClick={() => up?.()}
          >
            <IconArrowUp {...ICON} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label={`Move ${name} down`}
            disabled={!down}
            onClick={() => down?.()}
          >
            <IconArrowDown {...ICON} />
          </ActionIcon>
          <Menu position="bottom-end" shadow="md">
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Acts on ${name}`}>
                <IconDotsVertical {...ICON} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item onClick={duplicate}>Duplicate</Menu.Item>
              <Menu.Item color="red" onClick={remove}>
                Remove
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </div>
      <Group gap="sm" mt={2} wrap="nowrap">
        <Button size="compact-xs" variant="subtle" color="gray" flex="none" aria-expanded={open} onClick={toggle}>
          {open ? 'Less' : 'More'}
        </Button>
        <Text size="xs" c="dimmed" component="div">
          {found}
        </Text>
      </Group>
      <Faults
        label={`Faults of ${name}`}
        faults={faults}
        say={(field) => (field === path ? '' : `${field.slice(path.length).replace(/^\.(rule\.?)?/, '') || 'rule'}: `)}
      />
      <Collapse expanded={open}>
        <Group gap="sm" align="flex-end" py={6}>
          {more}
        </Group>
      </Collapse>
    </li>
  );
}
