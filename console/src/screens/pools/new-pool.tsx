import { Checkbox, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { FormEnd, useSubmit } from '../../ui/form.tsx';
import { count, money } from '../../ui/format.tsx';
import { Empty, Facts, Note, Page } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { LOAN_TYPES } from './pools.tsx';
import { JsonField } from '../../ui/typed-field.tsx';

type NewPool = Records['NewPool'];
type Values = {
  name: string;
  loan_type: string;
  cut_off_date: string;
  closing_date: string;
  offering: NonNullable<NewPool['offering']>;
  deal_ids: string[];
  filter: unknown;
};

const OFFERINGS = [
  { value: '144A', label: 'Rule 144A' },
  { value: '506C', label: 'Rule 506(c)' },
  { value: 'REG_S', label: 'Regulation S' },
];

/** A pool from the loans of approved deals of one type. */
export function NewPool(): ReactNode {
  const me = useMe();
  const navigate = useNavigate();
  const initialValues: Values = {
    name: '',
    loan_type: 'Auto',
    cut_off_date: '',
    closing_date: '',
    offering: '144A',
    deal_ids: [],
    filter: undefined,
  };
  const { form, submit } = useSubmit({
    initialValues,
    done: ({ name }) => `“${name}” is formed.`,
    after: ({ data }) => void navigate({ to: '/pools/$poolId', params: { poolId: data.pool_id } }),
    send: ({ name, cut_off_date, closing_date, offering, deal_ids: ids, filter }: Values) =>
      // Rules are written as JSON; whether they are rules, the API says.
      sent(
        api.POST('/v1/api/originator/pools', {
          body: {
            name,
            cut_off_date,
            closing_date,
            offering,
            deal_ids: ids,
            ...(filter ? { filter: filter as NonNullable<NewPool['filter']> } : {}),
          },
        }),
      ),
  });
  const { loan_type, deal_ids } = form.values;
  const deals = useQuery({
    queryKey: ['deals', 'approved', loan_type],
    queryFn: () =>
      sent(
        api.GET('/v1/api/originator/loans', {
          params: { query: { status: 'APPROVED', type: loan_type as Records['LoanType'], limit: 100 } },
        }),
      ),
  });
  const chosen = deals.data?.data.filter(({ deal_id }) => deal_ids.includes(deal_id)) ?? [];
  return (
    <Page
      title="Form a pool"
      up={{ to: '/pools', title: 'Pools' }}
      about="A loan is in one live pool at a time. The loans of the tape in force are taken, at their balances."
    >
      <form onSubmit={submit.onSubmit}>
        <Stack gap="sm" maw={760}>
          <TextInput label="Name" required {...form.getInputProps('name')} />
          <Group grow align="flex-start">
            <Select
              label="Loan type"
              allowDeselect={false}
              data={[...LOAN_TYPES]}
              {...form.getInputProps('loan_type')}
              onChange={(value) => form.setValues({ loan_type: value ?? 'Auto', deal_ids: [] })}
            />
            <Select label="Offering" allowDeselect={false} data={OFFERINGS} {...form.getInputProps('offering')} />
          </Group>
          <Group grow align="flex-start">
            <TextInput label="Cut-off date" type="date" required {...form.getInputProps('cut_off_date')} />
            <TextInput label="Closing date" type="date" required {...form.getInputProps('closing_date')} />
          </Group>
          <Read from={deals}>
            {({ data, pagination }) => (
              <>
                {data.length === 0 ? (
                  <Empty>No {loan_type} deal is approved yet: the operator approves deals whose tape is checked.</Empty>
                ) : (
                  <Checkbox.Group label="Approved deals" required {...form.getInputProps('deal_ids')}>
                    <Stack gap={6} mt={4}>
                      {data.map(({ deal_id, name, loan_count, total_balance }) => (
                        <Checkbox
                          key={deal_id}
                          value={deal_id}
                          label={`${name}: ${count(loan_count)} loans, ${money(total_balance)}`}
                        />
                      ))}
                      {(pagination.total ?? 0) > data.length && (
                        <Text size="xs" c="dimmed">
                          The first {count(data.length)} of {count(pagination.total)} are shown; more are chosen by the API.
                        </Text>
                      )}
                    </Stack>
                  </Checkbox.Group>
                )}
                <JsonField
                  label="Only loans that pass these rules"
                  placeholder='[{ "id": "prime", "rule": { "field": "credit_score", "op": "gte", "value": 660 } }]'
                  value={form.values.filter}
                  set={(filter) => form.setFieldValue('filter', filter)}
                  problems={Object.entries(form.errors).flatMap(([field, message]) =>
                    field.startsWith('filter') ? [`${field}: ${String(message)}`] : [],
                  )}
                />
                <Facts
                  facts={[
                    ['Deals chosen', count(chosen.length)],
                    ['Loans', count(chosen.reduce((sum, { loan_count }) => sum + (loan_count ?? 0), 0))],
                    ['Balance', money(chosen.reduce((sum, { total_balance }) => sum + (total_balance ?? 0), 0))],
                  ]}
                />
                {form.values.filter !== undefined && (
                  <Note color="gray">
                    The sums are those of the deals; what passes the rules is known when the pool is formed.
                  </Note>
                )}
                {can(me, 'EDIT') ? (
                  <FormEnd submit={submit} label="Form the pool" />
                ) : (
                  <Note>Forming a pool needs the right EDIT; yours: {me.rights.join(', ')}.</Note>
                )}
              </>
            )}
          </Read>
        </Stack>
      </form>
    </Page>
  );
}
