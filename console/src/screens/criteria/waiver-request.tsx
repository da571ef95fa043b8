import { Select, Stack, TagsInput, Text, Textarea } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, sent } from '../../app/api.ts';
import { ActDialog } from '../../ui/act.tsx';
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
export const RequestWaiver = (props: Props): ReactNode => (
  <ActDialog
    label={props.label ?? 'Request a waiver'}
    title="Request a waiver"
    right="EDIT"
    size="lg"
    form={(close) => <RequestForm {...props} close={close} />}
  />
);

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
