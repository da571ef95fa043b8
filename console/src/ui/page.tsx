import { Alert, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useMatch } from '@tanstack/react-router';
import { useEffect, useRef, type ReactNode } from 'react';
import { remember } from '../app/recent.ts';
import { To } from './link.tsx';
import { UnreadScope } from './unread.tsx';

type PageProps = {
  title: string;
  about?: ReactNode;
  acts?: ReactNode;
  /** The page above, for records. */
  up?: { to: string; title: string };
  children: ReactNode;
};

/** The frame of a screen: its title, which gets the focus after navigation, what it is for, and its acts. */
export function Page({ title, about, acts, up, children }: PageProps): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const client = useQueryClient();
  // The address of this page, and not that of the one to which the person is going.
  const pathname = useMatch({ strict: false, select: (match) => match.pathname });
  const isRecord = up !== undefined;
  useEffect(() => {
    document.title = `${title} · Sluice`;
    if (isRecord) remember(client, { to: pathname, title });
    return afterPaint(() => heading.current?.focus({ preventScroll: true }));
  }, [title, isRecord, pathname, client]);
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end" gap="sm">
        <div>
          {up && (
            <To to={up.to} size="xs">
              ← {up.title}
            </To>
          )}
          <Title order={1} ref={heading} tabIndex={-1} className="title">
            {title}
          </Title>
          {about && (
            <Text size="sm" c="dimmed" maw={720} component="div">
              {about}
            </Text>
          )}
        </div>
        {acts && <Group gap="xs">{acts}</Group>}
      </Group>
      <UnreadScope>{children}</UnreadScope>
    </Stack>
  );
}

/** Calls when the page has been painted, unless what is returned is called before: to focus before would make the browser measure the page once more. */
function afterPaint(act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(act);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}

/** A part of a screen with a title of its own. */
export function Part({
  title,
  about,
  acts,
  children,
}: {
  title: string;
  about?: ReactNode;
  acts?: ReactNode;
  children: ReactNode;
}): ReactNode {
  return (
    <section aria-label={title} className="part">
      <Group justify="space-between" align="flex-end" gap="sm" mb="xs">
        <div>
          <Title order={2}>{title}</Title>
          {about && (
            <Text size="sm" c="dimmed" component="div">
              {about}
            </Text>
          )}
        </div>
        {acts && <Group gap="xs">{acts}</Group>}
      </Group>
      {children}
    </section>
  );
}

const ROWS = [1, 2, 3, 4, 5];
/** As high as the sentence of an empty list. */
const FEW = 2;

/** In the place of what is being read; of a list that is mostly short or empty, the room of its sentence. */
export const Loading = ({ few = false }: { few?: boolean }): ReactNode => (
  <Stack gap="xs" role="status" aria-busy="true" aria-label="Loading">
    {ROWS.slice(0, few ? FEW : ROWS.length).map((row) => (
      <Skeleton key={row} height={28} />
    ))}
  </Stack>
);

/** In the place of one value that is being read: as high as its line, or as a text `like` it, which may take two. */
export const ToCome = ({ width = 72, like }: { width?: number; like?: string }): ReactNode =>
  like === undefined ? (
    <span className="to-come" role="status" aria-busy="true" aria-label="Loading">
      <Skeleton component="span" height={12} width={width} />
    </span>
  ) : (
    <Skeleton component="span" className="to-come-like" role="status" aria-busy="true" aria-label="Loading">
      {like}
    </Skeleton>
  );

/** Why a list is empty, and what comes next. */
export const Empty = ({ children }: { children: ReactNode }): ReactNode => (
  <Text c="dimmed" size="sm" py="lg" component="div">
    {children}
  </Text>
);

/** What a person should know before they go on. */
export const Note = ({
  color = 'yellow',
  title,
  children,
}: {
  color?: string;
  title?: string;
  children: ReactNode;
}): ReactNode => (
  <Alert color={color} {...(title ? { title } : {})} p="sm">
    <Text size="sm" component="div">
      {children}
    </Text>
  </Alert>
);

export type Fact = [name: string, value: ReactNode];

/** What a record says of itself, name by name. */
export const Facts = ({ facts }: { facts: readonly Fact[] }): ReactNode => (
  <dl className="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value === null || value === undefined || value === '' ? '–' : value}</dd>
      </div>
    ))}
  </dl>
);
