import { Button, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { sendTape, TapeDrop } from './tape-drop.tsx';

export const LOAN_TYPES: readonly Records['LoanType'][] = ['Auto', 'Personal', 'Mortgage', 'Student', 'Business', 'Credit Card'];

/** A deal with its first tape. */
export function NewDeal(): ReactNode {
  const [open, { open: show, close }] = useDisclosure(false);
  const [type, setType] = useState<Records['LoanType'] | null>(null);
  const [name, setName] = useState('');
  const navigate = useNavigate();
  return (
    <>
      <Button size="compact-sm" onClick={show}>
        Send a loan tape
      </Button>
      <Modal opened={open} onClose={close} title="Send a loan tape" size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
        <Stack gap="sm">
          <Select
            label="Loan type"
            required
            data-autofocus
            data={LOAN_TYPES}
            value={type}
            onChange={(value) => setType(LOAN_TYPES.find((each) => each === value) ?? null)}
          />
          <TextInput
            label="Name"
            description="Optional: how people call the deal."
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <TapeDrop
            blocked={type ? null : 'Choose the loan type first.'}
            send={async (file, fileFormat, report) => {
              if (!type) return;
              const body = { loanType: type, fileFormat, fileName: file.name, fileSize: file.size, ...(name ? { name } : {}) };
              const { data } = await sent(api.POST('/v1/api/originator/loans/initiate', { body }));
              await sendTape(data, file, report);
              await navigate({ to: '/deals/$dealId', params: { dealId: data.deal_id } });
            }}
          />
        </Stack>
      </Modal>
    </>
  );
}
