import { Button, Group, Modal, Stack, Text, Textarea, TextInput, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { can, useMe } from '../app/me.tsx';
import type { Right } from '../app/session.ts';
import { useOwnAttempts } from './own-attempts.ts';
import { Problem } from './problem.tsx';
import { useToldWhenLeft } from './told.ts';

type ActProps = {
  label: string;
  /** What happens, and whether it can be undone. */
  question: string;
  right: Right;
  danger?: boolean;
  /** A word that has to be typed where the act cannot be undone. */
  typed?: string;
  reason?: 'required' | 'optional';
  reasonLabel?: string;
  run: (reason: string | undefined) => Promise<unknown>;
  /** What is said afterwards. */
  done: string;
  after?: () => void;
  disabled?: string | false;
};

/** A button for something that other people notice: it says what will happen, and does it when that is confirmed. */
export const Act = (props: ActProps): ReactNode => (
  <ActDialog {...props} form={(close) => <Question {...props} close={close} />} />
);

type DialogProps = Pick<ActProps, 'label' | 'right' | 'danger' | 'disabled'> & {
  /** Of the dialog, where it is another than the button's label. */
  title?: string;
  size?: 'lg';
  /** What the dialog asks; it closes it when it is done. */
  form: (close: () => void) => ReactNode;
};

/** The button of an act, which says why it does nothing where it does not, and its dialog. */
export function ActDialog({ label, right, danger = false, disabled = false, title = label, size, form }: DialogProps): ReactNode {
  const me = useMe();
  const [open, { open: ask, close }] = useDisclosure(false);
  const refused = disabled || (can(me, right) ? null : `This needs the right ${right}; yours: ${me.rights.join(', ')}.`);
  return (
    <>
      <Tooltip label={refused} disabled={!refused} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
        <Button
          size="compact-sm"
          variant={danger ? 'light' : 'default'}
          {...(danger ? { color: 'red' } : {})}
          {...(refused ? { 'data-disabled': true, 'aria-disabled': true } : {})}
          onClick={(event) => (refused ? event.preventDefault() : ask())}
        >
          {label}
        </Button>
      </Tooltip>
      <Modal opened={open} onClose={close} title={title} {...(size ? { size } : {})} closeButtonProps={{ 'aria-label': 'Close' }}>
        {form(close)}
      </Modal>
    </>
  );
}

function Question({
  label,
  question,
  danger,
  typed,
  reason,
  reasonLabel,
  run,
  done,
  after,
  close,
}: ActProps & { close: () => void }): ReactNode {
  const [why, setWhy] = useState('');
  const [word, setWord] = useState('');
  const client = useQueryClient();
  const ofDialog = useOwnAttempts();
  const told = useToldWhenLeft();
  const act = useMutation({
    mutationFn: () => ofDialog(() => run(why.trim() === '' ? undefined : why.trim())),
    onSuccess: (answer) => {
      close();
      const waits = waitingOf(answer);
      notifications.show(waits ? { color: 'yellow', title: 'Not done yet', message: waits } : { color: 'teal', message: done });
      void client.invalidateQueries();
      after?.();
    },
    onError: (error) => told(error),
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    act.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text size="sm">{question}</Text>
        {reason && (
          <Textarea
            label={reasonLabel ?? 'Reason'}
            description="It is kept in the audit log and told to those whom the act concerns."
            required={reason === 'required'}
            data-autofocus
            autosize
            minRows={2}
            value={why}
            onChange={(event) => setWhy(event.currentTarget.value)}
          />
        )}
        {typed && (
          <TextInput
            label={`Type ${typed} to confirm`}
            required
            autoComplete="off"
            value={word}
            onChange={(event) => setWord(event.currentTarget.value)}
          />
        )}
        {act.error && <Problem error={act.error} retry={() => act.mutate()} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            Go back
          </Button>
          <Button
            type="submit"
            {...(danger ? { color: 'red' } : {})}
            loading={act.isPending}
            disabled={typed !== undefined && word !== typed}
          >
            {label}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** What the API says of an act that waits for more people, or null where it is done. */
export function waitingOf(answer: unknown): string | null {
  const { data } = (answer ?? {}) as { data?: { approval_id?: string; status?: string; needed?: number; given?: number } };
  if (!data?.approval_id || data.status !== 'PENDING') return null;
  return `It needs ${data.needed} people and has ${data.given}: others decide under Approvals.`;
}
