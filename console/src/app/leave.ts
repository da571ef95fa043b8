import { notifications } from '@mantine/notifications';
import { useMutation, type UseMutationResult, useQueryClient } from '@tanstack/react-query';
import { signOut } from './session.ts';

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Said in red: the person expected to see something else. */
export const tell =
  (prefix: string) =>
  (error: unknown): void =>
    void notifications.show({ color: 'red', message: `${prefix} ${messageOf(error)}`, autoClose: false });

/** Signs out; the figures of the session go with it. Where it failed, the person is told that they are still there. */
export function useSignOut(csrf: string): UseMutationResult<void, unknown, boolean> {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (everywhere: boolean) => signOut(csrf, everywhere),
    onSuccess: () => client.clear(),
    onError: tell('You are still signed in:'),
  });
}
