import { Menu, UnstyledButton, Text, useMantineColorScheme } from '@mantine/core';
import { IconCheck, IconChevronDown, IconUser } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ICON } from '../ui/icon.ts';
import { useMe } from './me.tsx';
import { tell, useSignOut } from './leave.ts';
import { chooseOrganization } from './session.ts';

const SCHEMES = { auto: 'As the system', light: 'Light', dark: 'Dark' } as const;

/** Who is signed in and for whom; the other organizations, the colours, and the way out. */
export function UserMenu(): ReactNode {
  const me = useMe();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = useMutation({
    mutationFn: (id: string) => chooseOrganization(me.csrf, id),
    onError: tell(`You still work for ${me.organization}:`),
  });
  const leave = useSignOut(me.csrf);
  return (
    <Menu position="bottom-end" width={260} shadow="md">
      <Menu.Target>
        <UnstyledButton aria-label={`${me.name}, ${me.organization}`} className="user">
          <IconUser {...ICON} className="person" />
          <Text size="sm" truncate maw={{ base: 90, sm: 220 }}>
            {me.organization}
          </Text>
          <IconChevronDown {...ICON} />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600}>
            {me.name}
          </Text>
          <Text size="xs" c="dimmed">
            {me.email}
          </Text>
          <Text size="xs" c="dimmed">
            Rights: {me.rights.join(', ')}
          </Text>
        </Menu.Label>
        {me.organizations.length > 1 && (
          <>
            <Menu.Divider />
            <Menu.Label>Organization</Menu.Label>
            {me.organizations.map(({ organization_id, name }) => (
              <Menu.Item
                key={organization_id}
                disabled={choose.isPending}
                rightSection={organization_id === me.organization_id ? <IconCheck {...ICON} /> : null}
                onClick={() => organization_id !== me.organization_id && choose.mutate(organization_id)}
              >
                {name}
              </Menu.Item>
            ))}
          </>
        )}
        <Menu.Divider />
        <Menu.Label>Colours</Menu.Label>
        {(['auto', 'light', 'dark'] as const).map((scheme) => (
          <Menu.Item
            key={scheme}
            closeMenuOnClick={false}
            rightSection={scheme === colorScheme ? <IconCheck {...ICON} /> : null}
            onClick={() => setColorScheme(scheme)}
          >
            {SCHEMES[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => leave.mutate(false)}>Sign out</Menu.Item>
        <Menu.Item onClick={() => leave.mutate(true)}>Sign out on every device</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
