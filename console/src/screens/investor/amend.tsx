import { Button, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { money } from '../../ui/format.tsx';
import { useOwnAttempts } from '../../ui/own-attempts.ts';

/** Sends an amendment; `said` is what is shown when it is made. */
export function useAmendment<Terms, Answer>(
  send: (terms: Terms) => Promise<Answer>,
  said: (answer: Answer) => string,
  close: () => void,
) {
  const client = useQueryClient();
  const ofForm = useOwnAttempts();
  return useMutation({
    mutationFn: (terms: Terms) => ofForm(() => send(terms)),
    onSuccess: (answer) => {
      close();
      notifications.show({ color: 'teal', message: said(answer) });
      void client.invalidateQueries();
    },
  });
}

/** How a new amount stands to the one before it. */
export const againstBefore = (amount: number, before: number): string =>
  `${money(amount)}${amount === before ? ', as it is now' : amount > before ? ', more than now' : ', less than now'}`;

type EndProps = { close: () => void; amount: number | undefined; pending: boolean; disabled: boolean };

/** The two buttons that end a form of an amendment. */
export const AmendEnd = ({ close, amount, pending, disabled }: EndProps): ReactNode => (
  <Group justify="flex-end" gap="xs">
    <Button variant="default" onClick={close}>
      Go back
    </Button>
    <Button type="submit" loading={pending} disabled={disabled}>
      Amend to {amount === undefined ? '…' : money(amount)}
    </Button>
  </Group>
);
