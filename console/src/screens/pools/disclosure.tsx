import { Checkbox, Radio, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sentTagged } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { FormEnd } from '../../ui/form.tsx';
import { words } from '../../ui/format.tsx';
import { Note } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { useRecordForm } from '../../ui/record-form.tsx';

/** What investors see of the loans: sums, or loan by loan in the fields that are chosen. */
export function DisclosureForm({ poolId }: { poolId: string }): ReactNode {
  const disclosure = useQuery({
    queryKey: ['pools', poolId, 'disclosure'],
    queryFn: () => sentTagged(api.GET('/v1/api/originator/pools/{poolId}/disclosure', { params: { path: { poolId } } })),
  });
  return <Read from={disclosure}>{({ envelope, tag }) => <Form key={poolId} found={envelope.data} tag={tag} />}</Read>;
}

const valuesOf = ({ level, fields }: Records['Disclosure']) => ({ level, fields });

function Form({ found, tag }: { found: Records['Disclosure']; tag: string | null }): ReactNode {
  const allowed = can(useMe(), 'APPROVE');
  const { form, submit, meanwhile } = useRecordForm({
    found: { record: found, tag },
    versionOf: ({ version }) => version,
    valuesOf,
    done: () => 'The disclosure is saved.',
    send: ({ level, fields }, ifMatch) =>
      sentTagged(
        api.PUT('/v1/api/originator/pools/{poolId}/disclosure', {
          params: { path: { poolId: found.pool_id }, ...ifMatch },
          body: level === 'LOAN_LEVEL' ? { level, fields } : { level },
        }),
      ),
    savedIn: ({ data }) => data,
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="md" maw={760}>
        <Radio.Group label="Investors see" {...form.getInputProps('level')}>
          <Stack gap={4} mt={4}>
            <Radio value="AGGREGATE" label="Sums and groups of loans" />
            <Radio value="LOAN_LEVEL" label="Loan by loan, in the fields below" />
          </Stack>
        </Radio.Group>
        {form.values.level === 'LOAN_LEVEL' && (
          <Checkbox.Group
            label="Fields"
            description="Fields that name a borrower are never among them."
            {...form.getInputProps('fields')}
          >
            <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing={6} mt={4}>
              {found.may_disclose.map((field) => (
                <Checkbox key={field} value={field} label={words(field)} title={field} />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
        )}
        {meanwhile}
        {allowed ? <FormEnd submit={submit} label="Save the disclosure" /> : <Note>Saving needs the right APPROVE.</Note>}
      </Stack>
    </form>
  );
}
