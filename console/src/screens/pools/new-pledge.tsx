import { Button, Modal, Select, Stack, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { FormEnd, useSubmit } from '../../ui/form.tsx';
import { count } from '../../ui/format.tsx';
import { LOAN_TYPES } from './pools.tsx';

/** Tells that loans are pledged to somebody outside of the platform. */
export function NewPledge(): ReactNode {
  const allowed = can(useMe(), 'EDIT');
  const [open, { open: show, close }] = useDisclosure(false);
  return (
    <>
      <Button size="compact-sm" disabled={!allowed} title={allowed ? '' : 'This needs the right EDIT.'} onClick={show}>
        Add a pledge
      </Button>
      <Modal opened={open} onClose={close} title="Add a pledge" closeButtonProps={{ 'aria-label': 'Close' }}>
        <Form close={close} />
      </Modal>
    </>
  );
}

function Form({ close }: { close: () => void }): ReactNode {
  const { form, submit } = useSubmit({
    initialValues: { pledgee: '', loan_type: 'Auto', as_of: '', deal_id: '', loans: '' },
    done: ({ pledgee }) => `The pledge to ${pledgee} is recorded.`,
    after: close,
    send: ({ loan_type, deal_id, loans, ...rest }) => {
      const ids = idsOf(loans);
      return sent(
        api.POST('/v1/api/originator/pledges', {
          body: {
            ...rest,
            loan_type: loan_type as Records['LoanType'],
            ...(deal_id === '' ? {} : { deal_id }),
            ...(ids.length === 0 ? {} : { loans: ids.map((loan_id) => ({ loan_id })) }),
          },
        }),
      );
    },
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="sm">
        <TextInput label="Pledged to" required data-autofocus {...form.getInputProps('pledgee')} />
        <Select label="Loan type" allowDeselect={false} data={[...LOAN_TYPES]} {...form.getInputProps('loan_type')} />
        <TextInput label="As of" type="date" required {...form.getInputProps('as_of')} />
        <TextInput
          label="All loans of a deal"
          description="The id of the deal; or name loans below."
          placeholder="deal_…"
          {...form.getInputProps('deal_id')}
        />
        <Textarea
          label="Loans"
          description={`Loan ids, one on each line. ${count(idsOf(form.values.loans).length)} so far.`}
          autosize
          minRows={3}
          maxRows={10}
          {...form.getInputProps('loans')}
        />
        <FormEnd submit={submit} label="Add the pledge" close={close} />
      </Stack>
    </form>
  );
}

const idsOf = (text: string): string[] =>
  text
    .split(/[\n,;]+/)
    .map((id) => id.trim())
    .filter((id) => id !== '');
