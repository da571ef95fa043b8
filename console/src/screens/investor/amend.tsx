import { Button, Group, Modal, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { can, useMe } from '../../app/me.tsx';
import { money } from '../../ui/format.tsx';

type AmendProps = {
  /** What is amended, as the dialog is titled. */
  title: string;
  /** The form; it closes the dialog when it is done. */
  form: (close: () => void) => ReactNode;
};

/** The button of an act that needs a form of its own, and the dialog behind it. */
export function Amend({ title, form }: AmendProps): ReactNode {
  const me = useMe();
  const [open, { open: show, close }] = useDisclosure(false);
  const refused = can(me, 'APPROVE') ? null : `This needs the right APPROVE; yours: ${me.rights.join(', ')}.`;
  return (
    <>
      <Tooltip label={refused} disabled={!refused} events={{ hover: true, focus: true, touch: true }}>
        <Button
          size="compact-sm"
          variant="default"
          {...(refused ? { 'data-disabled': true, 'aria-disabled': true } : {})}
          onClick={(event) => (refused ? event.preventDefault() : show())}
        >
          Amend
        </Button>
      </Tooltip>
      <Modal opened={open} onClose={close} title={title} closeButtonProps={{ 'aria-label': 'Close' }}>
        {form(close)}
      </Modal>
    </>
  );
}

/** Sends an amendment; `said` is what is shown when it is made. */
export function useAmendment<Terms, Answer>(
  send: (terms: Terms) => Promise<Answer>,
  said: (answer: Answer) => string,
  close: () => void,
) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
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
