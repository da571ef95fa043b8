import { Button, Center, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Problem } from '../ui/problem.tsx';
import { words } from '../ui/format.tsx';
import { Mark } from './mark.tsx';
import { useSignOut } from './leave.ts';
import { chooseOrganization, type Membership } from './session.ts';

function Door({ children }: { children: ReactNode }): ReactNode {
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack w={360} gap="md">
        <Group gap="xs">
          <Mark />
          <Title order={1}>Sluice</Title>
        </Group>
        {children}
      </Stack>
    </Center>
  );
}

type SignInProps = {
  error: unknown;
  retry: () => void;
  /** Whether a page that the person was working on waits behind the door. */
  pageIsKept: boolean;
};

/** The session has ended, or the gateway cannot say who is signed in. */
export const SignIn = ({ error, retry, pageIsKept }: SignInProps): ReactNode => (
  <Door>
    <Problem error={error} retry={retry} signInHere={!pageIsKept} />
    {pageIsKept && (
      <Text size="sm">What you were doing here is kept: sign in again in another tab, and come back to this one.</Text>
    )}
  </Door>
);

/** The person belongs to several organizations and has not chosen yet, or to none any more. */
export function ChooseOrganization({ choices, csrf }: { choices: readonly Membership[]; csrf: string }): ReactNode {
  const choose = useMutation({ mutationFn: (id: string) => chooseOrganization(csrf, id) });
  const leave = useSignOut(csrf);
  return (
    <Door>
      {choices.length === 0 ? (
        <Text size="sm">You are not a member of an organization any more. Ask its administrator to invite you again.</Text>
      ) : (
        <Text size="sm">For which organization do you work now?</Text>
      )}
      {choices.map(({ organization_id, name, role }) => (
        <Button key={organization_id} variant="default" loading={choose.isPending} onClick={() => choose.mutate(organization_id)}>
          {name}
          {role ? ` (${words(role)})` : ''}
        </Button>
      ))}
      {choose.error && <Problem error={choose.error} />}
      <Button variant="subtle" loading={leave.isPending} onClick={() => leave.mutate(false)}>
        Sign out
      </Button>
    </Door>
  );
}
