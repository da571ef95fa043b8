import { Button, Modal, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiFailure, api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { BETWEEN, text } from '../../ui/filters.tsx';
import { FormEnd, useSubmit } from '../../ui/form.tsx';
import { count, Day } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Note, Page } from '../../ui/page.tsx';
import { countColumn, dayColumn, whenColumn } from '../../ui/columns.tsx';

/** Fixings of the indexes by which floating coupons are set. */
export function Fixings(): ReactNode {
  const allowed = can(useMe(), 'APPROVE');
  const [open, { open: show, close }] = useDisclosure(false);
  return (
    <Page
      title="Fixings"
      about="What indexes were fixed at. Coupons of floating tranches follow from them."
      acts={
        <Button size="compact-sm" disabled={!allowed} title={allowed ? '' : 'This needs the right APPROVE.'} onClick={show}>
          Record a fixing
        </Button>
      }
    >
      <Modal opened={open} onClose={close} title="Record a fixing" closeButtonProps={{ 'aria-label': 'Close' }}>
        <FixingForm close={close} />
      </Modal>
      <RecordList
        name={['fixings']}
        label="Fixings"
        read={(query: QueryOf<'/v1/operator/fixings'>) => sent(api.GET('/v1/operator/fixings', { params: { query } }))}
        filters={[text('index', 'Index', 'SOFR_30D_AVG'), ...BETWEEN]}
        columns={COLUMNS}
        rowKey={({ index, date }) => `${index} ${date}`}
        empty="No fixing is on record. Floating coupons need one for each of their determination dates."
      />
    </Page>
  );
}

const COLUMNS: readonly Column<Records['Fixing']>[] = [
  { id: 'index', title: 'Index', value: ({ index }) => index },
  dayColumn('date', 'Date'),
  { id: 'rate', title: 'Rate (%)', number: true, value: ({ rate }) => rate, cell: ({ rate }) => rate.toFixed(5) },
  countColumn('tranche_count', 'Tranches that use it'),
  whenColumn('updated_at', 'Recorded'),
];

function FixingForm({ close }: { close: () => void }): ReactNode {
  const { form, submit } = useSubmit({
    initialValues: { index: '', date: '', rate: '' },
    done: ({ index, date }) => `${index} of ${date} is recorded.`,
    after: close,
    send: ({ rate, ...body }) => {
      const value = rate.trim() === '' ? Number.NaN : Number(rate);
      if (!Number.isFinite(value)) {
        const field = { field: 'rate', code: 'invalid', message: 'Write the rate in percent, such as 4.30512.' };
        throw new ApiFailure(0, { message: 'The rate is not a number.', code: 'NOT_SENT', errors: [field] });
      }
      return sent(api.PUT('/v1/operator/fixings', { body: { ...body, rate: value } }));
    },
  });
  const known = useKnown(form.values);
  return (
    <form onSubmit={submit.onSubmit}>
      <Stack gap="sm">
        <TextInput label="Index" required placeholder="SOFR_30D_AVG" data-autofocus {...form.getInputProps('index')} />
        <TextInput label="Date" required type="date" {...form.getInputProps('date')} />
        <TextInput label="Rate (%)" required inputMode="decimal" placeholder="4.30512" {...form.getInputProps('rate')} />
        {known && (
          <Note title="This is a correction">
            {known.index} of <Day at={known.date} /> is on record with {known.rate} %. The coupons of {count(known.tranche_count)}{' '}
            {known.tranche_count === 1 ? 'tranche' : 'tranches'} that follow from it are set again.
          </Note>
        )}
        <FormEnd submit={submit} label={known ? 'Correct' : 'Record'} close={close} />
      </Stack>
    </form>
  );
}

const WAIT_MS = 250;

/** The fixing that is on record for what is being typed, if there is one. */
function useKnown({ index, date }: { index: string; date: string }): Records['Fixing'] | null {
  const [asked] = useDebouncedValue(index.trim(), WAIT_MS);
  const { data } = useQuery({
    queryKey: ['fixings', 'known', asked, date],
    enabled: asked !== '' && date !== '',
    queryFn: () => sent(api.GET('/v1/operator/fixings', { params: { query: { index: asked, from: date, to: date } } })),
  });
  return data?.data.find((fixing) => fixing.index === index.trim() && fixing.date === date) ?? null;
}
