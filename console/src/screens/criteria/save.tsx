import { Button, Group, Modal, Stack, Text, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, ApiFailure, type FieldProblem, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { count } from '../../ui/format.tsx';
import { Note } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { ChangeTable } from './change-table.tsx';
import type { Change } from './changes.ts';
import { criteriaQuery, faultsOf } from './criteria-data.ts';
import type { SetBody } from './language.ts';
import { useOwnAttempts } from '../../ui/own-attempts.ts';

type Props = {
  criteriaId: string | null;
  latest: number;
  body: SetBody;
  changes: readonly Change[];
  /** Why it cannot be saved as it stands. */
  blocked: string | null;
  setFaults: (faults: FieldProblem[]) => void;
  saved: (set: Records['CriteriaSet']) => void;
};

/** Saves the set as a new version, after it has said what is different from the last one. */
export function Save({ criteriaId, latest, body, changes, blocked, setFaults, saved }: Props): ReactNode {
  const me = useMe();
  const client = useQueryClient();
  const [open, { open: show, close }] = useDisclosure(false);
  const label = criteriaId ? `Save version ${latest + 1}` : 'Save the set';
  const ofForm = useOwnAttempts();
  const saving = useMutation({
    mutationFn: () =>
      ofForm(() =>
        criteriaId
          ? sent(api.POST('/v1/api/originator/sc/criteria/{criteriaId}/versions', { params: { path: { criteriaId } }, body }))
          : sent(api.POST('/v1/api/originator/sc/criteria', { body })),
      ),
    onSuccess: ({ data: set }) => {
      close();
      notifications.show({ color: 'teal', message: `Version ${set.version} of “${set.name}” is saved.` });
      client.setQueryData(criteriaQuery(set.criteria_id).queryKey, set);
      void client.invalidateQueries({ queryKey: ['criteria'] });
      saved(set);
    },
    onError: (error) => {
      setFaults(faultsOf(error));
      // The faults stand at their rules, behind the dialog.
      if (error instanceof ApiFailure && error.fields.length > 0) close();
    },
  });
  const refused =
    blocked ??
    (can(me, 'EDIT') ? null : `This needs the right EDIT; yours: ${me.rights.join(', ')}.`) ??
    (criteriaId && changes.length === 0 ? `Nothing is different from version ${latest}.` : null);
  return (
    <>
      <Tooltip label={refused} disabled={!refused} multiline maw={320} events={{ hover: true, focus: true, touch: true }}>
        <Button
          size="compact-sm"
          {...(refused ? { 'data-disabled': true, 'aria-disabled': true } : {})}
          onClick={(event) => (refused ? event.preventDefault() : show())}
        >
          {label}
        </Button>
      </Tooltip>
      <Modal opened={open} onClose={close} title={label} size="xl" closeButtonProps={{ 'aria-label': 'Close' }}>
        <Stack gap="sm">
          {criteriaId ? (
            <>
              <Text size="sm">
                What is different from version {latest}, the last one. Earlier versions and their runs stay as they are.
              </Text>
              <ChangeTable label={`Changes against version ${latest}`} changes={changes} />
            </>
          ) : (
            <Text size="sm">
              “{body.name ?? `${body.loan_type} criteria`}” for {body.loan_type} loans, with {count(body.loan_rules.length)} loan
              rules and {count(body.pool_tests?.length)} pool tests. It becomes version 1.
            </Text>
          )}
          {saving.error && <Problem error={saving.error} retry={() => saving.mutate()} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Go back
            </Button>
            <Button loading={saving.isPending} onClick={() => saving.mutate()} data-autofocus>
              Save
            </Button>
          </Group>
        </Stack>
      </Modal>
      {saving.error instanceof ApiFailure && saving.error.fields.length > 0 && !open && (
        <Note color="red">Not saved: {saving.error.message} The faults stand at their rules.</Note>
      )}
    </>
  );
}
