import { ActionIcon, Indicator } from '@mantine/core';
import { useDocumentVisibility } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { IconBell } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, type ReactNode } from 'react';
import { ICON } from '../ui/icon.ts';
import { api, type Records, sent } from './api.ts';
import { isOperator, useMe } from './me.tsx';

/** The number of unread alerts, and a note for each that arrives while the page is open. */
export function AlertsBell(): ReactNode {
  const operator = isOperator(useMe());
  const unread = useQuery({
    queryKey: ['alerts', 'unread'],
    queryFn: () => (operator ? sent(api.GET('/v1/operator/alerts/unread-count')) : sent(api.GET('/v1/api/alerts/unread-count'))),
  });
  useAlertStream(operator ? '/v1/operator/alerts/stream' : '/v1/api/alerts/stream');
  const count = unread.data?.data.total ?? 0;
  return (
    <Indicator disabled={count === 0} label={count > 99 ? '99+' : count} size={16} color="red" fz="xs" offset={5}>
      <ActionIcon
        component={Link}
        to="/alerts"
        variant="subtle"
        color="gray"
        aria-label={count === 1 ? '1 unread alert' : `${count} unread alerts`}
      >
        <IconBell {...ICON} />
      </ActionIcon>
    </Indicator>
  );
}

const OPEN_AGAIN_MS = 20_000;

/** Browsers allow few connections to a place: a hidden tab closes its stream, and asks for the number when it is seen again. */
function useAlertStream(path: string): void {
  const client = useQueryClient();
  const visibility = useDocumentVisibility();
  useEffect(() => {
    if (visibility === 'hidden') return;
    const readAgain = (): void => void client.invalidateQueries({ queryKey: ['alerts'] });
    const arrived = (text: string): void => {
      const alert = JSON.parse(text) as Partial<Records['Alert']>;
      readAgain();
      if (alert.title) notifications.show({ title: alert.title, message: alert.message ?? '' });
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = (): EventSource => {
      const source = new EventSource(path);
      // Nobody tells what came while there was no stream.
      source.addEventListener('open', readAgain);
      source.addEventListener('message', ({ data }) => arrived(data));
      source.addEventListener('alert', ({ data }) => arrived(data));
      source.addEventListener('error', () => {
        // A browser opens one that broke off by itself, and never again one that was refused, as while the gateway is replaced.
        if (source.readyState !== EventSource.CLOSED) return;
        readAgain();
        timer = setTimeout(() => {
          stream = open();
        }, OPEN_AGAIN_MS);
      });
      return source;
    };
    let stream = open();
    return () => {
      clearTimeout(timer);
      stream.close();
    };
  }, [client, path, visibility]);
}
