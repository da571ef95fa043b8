import { Button, Modal, Select, Stack, TagsInput, Text, Textarea, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { api, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { FormEnd, useSubmit } from '../../ui/form.tsx';
import type { Run, RunSet } from './run-data.ts';

type Props = {
  run: Run;
  set: RunSet;
  /** Loans that were chosen already. */
  loans: readonly string[];
  rule?: string | undefined;
  label?: string | undefined;
  done?: () => void;
};

/** Asks the operator that failed loans pass despite a rule. */
export function RequestWaiver(props: Props): ReactNode {
  const me = useMe();
  const [open, { open: show, close }] = useDisclosure(false);
  const refused = can(me, 'EDIT') ? null : `This needs the right EDIT; yours: ${me.rights.join(', ')}.`;
  return (
    <>
      <Tooltip label={refused} disabled={!refused} events={{ hover: true, focus: true, touch: true }}>
        <Button
          size="compact-sm"
          variant="default"
          {...(refused ? { 'data-disabled': true, 'aria-disabled': true } : {})}
          onClick={(event) => (refused ? event.preventDefault() : show())}
        >
          {props.label ?? 'Request a waiver'}
        </Button>
      </Tooltip>
      <Modal opened={open} onClose={close} title="Request a waiver" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
        <RequestForm {...props} close={close} />
      </Modal>
    </>
  );
}

function RequestForm({ run, set, loans, rule, done, close }: Props & { close: () => void }): ReactNode {
  const failing = run.rule_results.filter(({ failed }) => failed > 0).map(({ rule_id }) => rule_id);
  const rules = set.body.loan_rules.filter(({ id, severity }) => failing.includes(id) && severity !== 'warn');
  const fixed = rules.filter(({ waivable }) => waivable === false).map(({ id }) => id);
  const open = rules.map(({ id }) => id).filter((id) => !fixed.includes(id));
  const { form, submit } = useSubmit({
    initialValues: {
      rule_id: open.find((id) => id === rule) ?? (open.length === 1 ? (open[0] ?? '') : ''),
      loan_ids: [...loans],
      reason: '',
    },
    send: (values) =>
      sent(
        api.POST('/v1/api/originator/sc/exceptions/{exceptionFileId}/waivers', {
          params: { path: { exceptionFileId: run.exception_file_id ?? '' } },
          body: values,
        }),
      ),
    done: () => 'The waiver is requested. The operator decides; the next run applies it.',
    after: () => {
      close();
      done?.();
    },
  });
  // The API names the place of a loan in the list: `loan_ids.0`.
  const unknown = Object.entries(form.errors).flatMap(([field, message]) => (field.startsWith('loan_ids') ? [message] : []));
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="sm">
        <Text size="sm">
          The operator decides. An approved waiver counts from the next run of these criteria on this deal; this run stays as it
          is.
        </Text>
        <Select
          label="Rule"
          required
          data-autofocus
          searchable
          data={open}
          description={fixed.length > 0 ? `Cannot be waived: ${fixed.join(', ')}.` : null}
          {...form.getInputProps('rule_id')}
        />
        <TagsInput
          label="Loans"
          required
          description="Ids of failed loans of this run."
          splitChars={[',', ';', ' ', '\n']}
          {...form.getInputProps('loan_ids')}
          error={unknown.length > 0 ? unknown : null}
        />
        <Textarea
          label="Reason"
          required
          autosize
          minRows={2}
          maxLength={1000}
          description="The operator reads it; it is kept in the audit log."
          {...form.getInputProps('reason')}
        />
        <FormEnd submit={submit} label="Request" close={close} />
      </Stack>
    </form>
  );
}
