import { AppShell, Badge, Burger, Group, NavLink, Stack, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { Activity, useDeferredValue, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { words } from '../ui/format.tsx';
import { AlertsBell } from './alerts-live.tsx';
import { unanswered } from './api.ts';
import { Mark } from './mark.tsx';
import { MeContext, useMe } from './me.tsx';
import { PAGES } from './pages.ts';
import { OpenPalette } from './open-palette.tsx';
import { type Me, type Session, sessionQuery } from './session.ts';
import { ChooseOrganization, SignIn } from './sign-in.tsx';
import { UserMenu } from './user-menu.tsx';

/** Who is signed in decides what is shown: the door, the choice of an organization, or the console. */
export function Shell(): ReactNode {
  const session = useQuery(sessionQuery);
  const me = session.data && 'me' in session.data ? session.data.me : null;
  const who = me && keyOf(me);
  useForget(who);
  const kept = useKept(me);
  return (
    <>
      {!me && <Closed session={session} pageIsKept={kept !== null} />}
      {kept && (
        <Activity mode={me ? 'visible' : 'hidden'}>
          <MeContext value={kept}>
            <Frame key={keyOf(kept)} />
          </MeContext>
        </Activity>
      )}
    </>
  );
}

/** A person in one of their organizations. */
const keyOf = ({ member_id, organization_id }: Me): string => `${member_id} ${organization_id}`;

/** Who is signed in, or was until the session ended: what they were typing is theirs to go on with when they sign in again. */
function useKept(me: Me | null): Me | null {
  const [kept, setKept] = useState(me);
  if (me && me !== kept) setKept(me);
  return me ?? kept;
}

function Closed({ session, pageIsKept }: { session: UseQueryResult<Session>; pageIsKept: boolean }): ReactNode {
  const retry = (): void => void session.refetch();
  if (session.error) return <SignIn error={session.error} retry={retry} pageIsKept={pageIsKept} />;
  if (!session.data) return <Opening />;
  if ('refused' in session.data) return <SignIn error={session.data.refused} retry={retry} pageIsKept={pageIsKept} />;
  return 'choose' in session.data && <ChooseOrganization choices={session.data.choose} csrf={session.data.csrf} />;
}

/** Nothing that one person, or one organization, has read is shown to the next. */
function useForget(who: string | null): void {
  const client = useQueryClient();
  const before = useRef(who);
  useLayoutEffect(() => {
    if (who === null || who === before.current) return;
    if (before.current !== null) void client.resetQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    before.current = who;
  }, [who, client]);
}

/** What the page shows from its first byte on, until it is known who is signed in. */
const Opening = (): ReactNode => (
  <div className="opening" role="status" aria-busy="true" aria-label="Loading">
    <Mark /> Sluice
  </div>
);

const ENVIRONMENTS: Record<string, { color: string; title: string }> = {
  production: { color: 'red', title: 'Production: everything here is real' },
  staging: { color: 'orange.9', title: 'Staging: data of tests, kept as in Production' },
  development: { color: 'dark', title: 'Development: the sandbox is open here' },
};

/** Of the header: their room is kept until they are drawn. */
const ACTS_HEIGHT = 29;

function Frame(): ReactNode {
  const me = useMe();
  const [open, { toggle, close }] = useDisclosure(false);
  const pathname = useRouterState({ select: (state) => state.location.pathname });
  useEffect(close, [pathname, close]);
  useEffect(() => unanswered.forget(), [pathname]);
  const environment = ENVIRONMENTS[me.environment];
  return (
    <AppShell header={{ height: 48 }} navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !open } }} padding="md">
      <a className="skip" href="#content">
        Skip to the content
      </a>
      <AppShell.Header px="md">
        <Group h="100%" justify="space-between" wrap="nowrap" gap="sm">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={open} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
            <UnstyledButton component={Link} to="/" aria-label="Sluice, what waits for me">
              <Group gap={6} wrap="nowrap">
                <Mark />
                <Text fw={650} visibleFrom="xs">
                  Sluice
                </Text>
              </Group>
            </UnstyledButton>
            <Badge
              color={environment?.color ?? 'gray'}
              variant="filled"
              radius="sm"
              tt="none"
              fz="xs"
              className="status"
              title={environment?.title ?? ''}
            >
              {words(me.environment)}
            </Badge>
          </Group>
          <Group gap="xs" wrap="nowrap" mih={ACTS_HEIGHT}>
            <OpenPalette />
            <Next>
              <AlertsBell />
              <UserMenu />
            </Next>
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" aria-label="Pages">
        <AppShell.Section grow className="pages">
          <Next>
            <Navigation pathname={pathname} />
          </Next>
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

/** Drawn after the page itself, as a step of its own: the browser answers in between. */
const Next = ({ children }: { children: ReactNode }): ReactNode => useDeferredValue(true, false) && children;

function Navigation({ pathname }: { pathname: string }): ReactNode {
  const me = useMe();
  const shown = PAGES.filter((page) => page.shown(me));
  const groups = [...new Set(shown.map(({ group }) => group))];
  return (
    <Stack gap="sm">
      {groups.map((group) => (
        <div key={group}>
          <Text size="xs" c="dimmed" fw={600} px="xs" pb={2}>
            {group}
          </Text>
          {shown
            .filter((page) => page.group === group)
            .map(({ to, title }) => {
              const here = to === '/' ? pathname === '/' : pathname === to || pathname.startsWith(`${to}/`);
              return (
                <NavLink
                  key={to}
                  component={Link}
                  to={to}
                  label={title}
                  active={here}
                  aria-current={here ? 'page' : undefined}
                  py={5}
                  className="nav"
                />
              );
            })}
        </div>
      ))}
    </Stack>
  );
}
