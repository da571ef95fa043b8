import { Button, Modal, Stack, TagsInput, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { save } from '../../ui/export-csv.ts';
import { FormEnd, useSubmit } from '../../ui/form.tsx';
import { Empty, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Secret } from '../../ui/secret.tsx';
import { DataTable } from '../../ui/table.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { LIFE } from './life-columns.tsx';

type Recipient = Records['ShareRecipient'];
type Made = Records['ShareRecipientWithProfile'];

/** As many as an organization has in force at once. */
const MOST = 100;
const DEFAULT_DAYS = 90;

/** Programs of other makes that read loan tables over Delta Sharing. */
export function Recipients(): ReactNode {
  const me = useMe();
  const [open, { open: add, close }] = useDisclosure(false);
  const [made, setMade] = useState<Made | null>(null);
  const [saved, setSaved] = useState<Made | null>(null);
  const listed = useQuery({
    queryKey: ['share-recipients'],
    queryFn: () => sent(api.GET('/v1/api/share-recipients', { params: { query: { limit: MOST } } })),
  });
  return (
    <Part
      title="Data sharing"
      about="Spark, Databricks, Snowflake, pandas and others read your loan tables as they are, over Delta Sharing. Each has a token of its own, which opens nothing else."
      acts={
        can(me, 'ADMIN') && (
          <Button size="compact-sm" variant="default" onClick={add}>
            Add a recipient
          </Button>
        )
      }
    >
      {made?.profile && (
        <Stack gap="xs">
          <Secret
            title={`The profile of ${made.name}`}
            value={JSON.stringify(made.profile)}
            note="The client wants it as a file. It is shown only now."
            saved={saved === made}
            close={() => setMade(null)}
          />
          <Button
            size="compact-sm"
            w="fit-content"
            onClick={() => {
              saveProfile(made);
              setSaved(made);
            }}
          >
            Save the profile file
          </Button>
        </Stack>
      )}
      <Read from={listed} few>
        {({ data, pagination }) =>
          data.length === 0 ? (
            <Empty>No recipient yet. Add the program that reads: it is given a profile file.</Empty>
          ) : (
            <DataTable
              label="Recipients"
              columns={COLUMNS}
              rows={data}
              rowKey={({ recipient_id }) => recipient_id}
              whole={pagination.total === data.length}
            />
          )
        }
      </Read>
      <Modal opened={open} onClose={close} title="Add a recipient" closeButtonProps={{ 'aria-label': 'Close' }}>
        <RecipientForm show={setMade} close={close} />
      </Modal>
    </Part>
  );
}

const saveProfile = ({ name, profile }: Made): void =>
  save(`${name.replaceAll(/\W+/g, '-')}.share`, new Blob([JSON.stringify(profile)], { type: 'application/json' }));

const COLUMNS: readonly Column<Recipient>[] = [
  { id: 'name', title: 'Recipient', value: ({ name }) => name },
  { id: 'deal_ids', title: 'Deals', value: ({ deal_ids }) => deal_ids?.join(' ') ?? 'all that you may read' },
  ...LIFE,
  {
    id: 'acts',
    title: '',
    value: () => null,
    cell: ({ recipient_id, name, status }) =>
      status === 'ACTIVE' && (
        <Act
          label="Revoke"
          right="ADMIN"
          question="It reads nothing more within 2 seconds, not even at addresses that it has. It cannot be undone."
          typed={name}
          reason="optional"
          danger
          run={(reason) =>
            sent(
              api.POST('/v1/api/share-recipients/{recipientId}/revoke', {
                params: { path: { recipientId: recipient_id } },
                body: reason ? { reason } : {},
              }),
            )
          }
          done="The recipient is revoked."
        />
      ),
  },
];

function RecipientForm({ show, close }: { show: (made: Made) => void; close: () => void }): ReactNode {
  const { form, submit } = useSubmit({
    initialValues: { name: '', expires_in_days: DEFAULT_DAYS, deal_ids: [] as string[] },
    done: ({ name }) => `${name} may read.`,
    send: ({ name, expires_in_days, deal_ids }) =>
      sent(
        api.POST('/v1/api/share-recipients', {
          body: { name, expires_in_days, ...(deal_ids.length > 0 ? { deal_ids } : {}) },
        }),
      ),
    after: ({ data }) => {
      show(data);
      close();
    },
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          description="The program that reads, such as warehouse."
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <NumberField
          label="Days until it expires"
          required
          min={1}
          max={365}
          allowDecimal={false}
          {...form.getInputProps('expires_in_days')}
        />
        <TagsInput
          label="Deals"
          description="Ids of the deals that it reads; none: all that you may read, later ones too."
          {...form.getInputProps('deal_ids')}
        />
        <FormEnd submit={submit} label="Add" close={close} />
      </Stack>
    </form>
  );
}
