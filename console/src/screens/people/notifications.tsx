import { Checkbox, Radio, SimpleGrid, Stack, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sentTagged } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { FormEnd } from '../../ui/form.tsx';
import { words } from '../../ui/format.tsx';
import { Empty, Note, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { useRecordForm } from '../../ui/record-form.tsx';
import { DataTable } from '../../ui/table.tsx';
import { whenColumn } from '../../ui/columns.tsx';

type Preferences = Records['NotificationPreferences'];

const PRIORITIES: readonly Records['AlertPriority'][] = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW'];

/** Which alerts the organization gets by e-mail, at which addresses, and what became of the e-mails. */
export function Notifications(): ReactNode {
  const operator = isOperator(useMe());
  const preferences = useQuery({
    queryKey: ['notification-preferences'],
    queryFn: () => sentTagged(api.GET(operator ? '/v1/operator/notification-preferences' : '/v1/api/notification-preferences')),
  });
  return (
    <Page title="E-mail" about="Alerts by e-mail. An e-mail has the title of an alert; everything else stays here.">
      <Read from={preferences}>
        {({ envelope: { data }, tag }) => (
          <>
            {data.delivery === 'off' && (
              <Note>This platform has no mail server: what you choose is kept, and nothing is sent.</Note>
            )}
            <Form known={data} tag={tag} operator={operator} />
            <Part title="Addresses">
              {data.addresses.length === 0 ? (
                <Empty>There is no address yet, so nothing is sent.</Empty>
              ) : (
                <DataTable label="Addresses" columns={COLUMNS} rows={data.addresses} rowKey={({ email }) => email} whole />
              )}
            </Part>
          </>
        )}
      </Read>
    </Page>
  );
}

const valuesOf = ({ emails, digest, immediate, types }: Preferences) => ({
  emails: emails.join('\n'),
  digest,
  immediate,
  types: Object.entries(types).flatMap(([type, on]) => (on ? [type] : [])),
});

function Form({ known, tag, operator }: { known: Preferences; tag: string | null; operator: boolean }): ReactNode {
  const { form, submit, meanwhile } = useRecordForm({
    found: { record: known, tag },
    versionOf: ({ updated_at }) => updated_at ?? 'never',
    valuesOf,
    done: () => 'The preferences are saved.',
    send: ({ emails, types, ...rest }, params) => {
      const body = {
        ...rest,
        emails: emails.split(/[\s,;]+/).filter((address) => address !== ''),
        types: Object.fromEntries(Object.keys(known.types).map((type) => [type, types.includes(type)])),
      };
      return sentTagged(
        api.PUT(operator ? '/v1/operator/notification-preferences' : '/v1/api/notification-preferences', { params, body }),
      );
    },
    savedIn: ({ data }) => data,
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="md" maw={760}>
        <Textarea
          label="Addresses"
          description="One on each line, at most 20."
          autosize
          minRows={2}
          {...form.getInputProps('emails')}
          error={addressProblem(form.errors)}
        />
        <Radio.Group
          label="Digest"
          description="One e-mail that lists what came since the last one."
          {...form.getInputProps('digest')}
        >
          <Stack gap={4} mt={4}>
            <Radio value="NONE" label="None" />
            <Radio value="DAILY" label="On business days at 7:00 in New York" />
          </Stack>
        </Radio.Group>
        <Checkbox.Group label="Sent at once" description="Alerts of these priorities." {...form.getInputProps('immediate')}>
          <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs" mt={4}>
            {PRIORITIES.map((priority) => (
              <Checkbox key={priority} value={priority} label={words(priority)} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        <Checkbox.Group label="Types of alerts" {...form.getInputProps('types')}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt={4}>
            {Object.keys(known.types).map((type) => (
              <Checkbox key={type} value={type} label={words(type)} title={type} />
            ))}
          </SimpleGrid>
        </Checkbox.Group>
        {meanwhile}
        <FormEnd submit={submit} label="Save the preferences" />
      </Stack>
    </form>
  );
}

/** What the API says of one of the addresses, at the field that has them all. */
function addressProblem(errors: Readonly<Record<string, ReactNode>>): ReactNode {
  const [name, problem] = Object.entries(errors).find(([field]) => field.startsWith('emails')) ?? [];
  const place = name?.split('.')[1];
  return place === undefined ? problem : `Address ${Number(place) + 1}: ${String(problem)}`;
}

const COLUMNS: readonly Column<Records['NotificationAddress']>[] = [
  { id: 'email', title: 'Address', value: ({ email }) => email },
  whenColumn('last_sent_at', 'Last sent'),
  {
    id: 'last_error',
    title: 'Last error',
    value: ({ last_error }) => last_error?.message,
    cell: ({ last_error }) =>
      last_error ? `${last_error.message} (${last_error.permanent ? 'given up' : 'tried again'})` : 'None',
  },
  {
    id: 'unsubscribed',
    title: 'Unsubscribed from',
    value: ({ unsubscribed }) => unsubscribed.join(', '),
    cell: ({ unsubscribed }) => (unsubscribed.length === 0 ? 'Nothing' : unsubscribed.map(words).join(', ')),
  },
];
