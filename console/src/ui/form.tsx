import { Button, Group } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { ApiFailure } from '../app/api.ts';
import { waitingOf } from './act.tsx';
import { useOwnAttempts } from './own-attempts.ts';
import { Note } from './page.tsx';
import { Problem } from './problem.tsx';
import { useToldWhenLeft } from './told.ts';
import { useUnread } from './unread.tsx';

type Options<Values, Answer> = {
  initialValues: Values;
  send: (values: Values) => Promise<Answer>;
  done: (values: Values) => string;
  after?: (answer: Answer, values: Values) => void;
  failed?: (error: unknown) => void;
};

export type Submit = {
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  busy: boolean;
  failure: unknown;
  forgive: () => void;
};

/** A form of the API. What it says about a field stands at the field; everything else of a refusal stands below the form. */
export function useSubmit<Values extends Record<string, unknown>, Answer>({
  initialValues,
  send,
  done,
  after,
  failed,
}: Options<Values, Answer>): { form: ReturnType<typeof useForm<Values>>; submit: Submit } {
  const client = useQueryClient();
  const form = useForm({ initialValues });
  const ofForm = useOwnAttempts();
  const told = useToldWhenLeft();
  const sending = useMutation({
    mutationFn: (values: Values) => ofForm(() => send(values)),
    onSuccess: (answer, values) => {
      const waits = waitingOf(answer);
      notifications.show(
        waits ? { color: 'yellow', title: 'Not done yet', message: waits } : { color: 'teal', message: done(values) },
      );
      void client.invalidateQueries();
      form.resetDirty(values);
      after?.(answer, values);
    },
    onError: (error) => {
      told(error);
      if (error instanceof ApiFailure)
        form.setErrors(Object.fromEntries(error.fields.map(({ field, message }) => [pathOf(field), message])));
      failed?.(error);
    },
  });
  const onSubmit = form.onSubmit((values) => sending.mutate(values));
  return { form, submit: { onSubmit, busy: sending.isPending, failure: sending.error, forgive: sending.reset } };
}

/** `tranches[0].rate` of the API is `tranches.0.rate` of a form. */
const pathOf = (field: string): string => field.replaceAll(/\[(\d+)\]/g, '.$1');

/** The refusal and the buttons that end a form. */
export function FormEnd({ submit, label, close }: { submit: Submit; label: string; close?: () => void }): ReactNode {
  const unread = useUnread();
  return (
    <>
      {submit.failure ? <Problem error={submit.failure} /> : null}
      {unread && <Note color="red">{unread}</Note>}
      <Group justify="flex-end" gap="xs">
        {close && (
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
        )}
        <Button type="submit" loading={submit.busy} disabled={unread !== null}>
          {label}
        </Button>
      </Group>
    </>
  );
}
