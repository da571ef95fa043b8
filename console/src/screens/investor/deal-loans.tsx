import { Button, Group, NativeSelect, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { type Values, useAddress } from '../../app/address.ts';
import { api, type Records, sent } from '../../app/api.ts';
import { LoanGrid } from '../../ui/grid.tsx';
import type { GridColumn, GridQuery } from '../../ui/grid-source.ts';
import { count, words } from '../../ui/format.tsx';
import { Empty, Facts, Part } from '../../ui/page.tsx';
import { OPERATORS, ruleValue } from '../../ui/loan-filter.ts';
import { Read } from '../../ui/read.tsx';
import { aboutField, shownValue, titleOf } from '../deals/loan-fields.ts';

type Disclosed = Records['DealDisclosure'];

const WAIT_MS = 350;

/** The loans of a deal as far as its owner discloses them. */
export function DealLoans({ dealId }: { dealId: string }): ReactNode {
  const disclosure = useQuery({
    queryKey: ['market', dealId, 'disclosure'],
    queryFn: () => sent(api.GET('/v1/api/investor/deals/{dealId}/disclosure', { params: { path: { dealId } } })),
  });
  return (
    <Read from={disclosure}>
      {({ data }) =>
        data.level === 'AGGREGATE' ? (
          <Empty>
            The owner of this deal discloses its loans in groups alone: there is no list of loans. Collateral has them by state,
            score, rate and other fields; ask the originator through the operator for the loan level.
          </Empty>
        ) : (
          <LoanLevel disclosure={data} />
        )
      }
    </Read>
  );
}

const LoanLevel = ({ disclosure }: { disclosure: Disclosed }): ReactNode => (
  <Stack gap="md">
    <Facts
      facts={[
        ['Disclosure', 'Loan by loan'],
        ['Fields', count(disclosure.fields.length)],
        ['Who sees that you read them', 'The owner of the deal'],
      ]}
    />
    <Files dealId={disclosure.deal_id} />
    <Part
      title="Loans"
      about="As of the cut-off, in the disclosed fields. A loan has the same id in every list and file of this deal."
    >
      <Loans disclosure={disclosure} />
    </Part>
  </Stack>
);

const CLOSING = 'closing';

/** The loans as files: those of the closing, and of each month that was reported since. */
function Files({ dealId }: { dealId: string }): ReactNode {
  const [period, setPeriod] = useState(CLOSING);
  const performance = useQuery({
    queryKey: ['market', dealId, 'performance'],
    queryFn: () => sent(api.GET('/v1/api/investor/deals/{dealId}/performance', { params: { path: { dealId } } })),
  });
  const periods = (performance.data?.data ?? []).map((each) => ({
    value: String(each.period),
    label: `Period ${each.period}, paid ${each.payment_date}`,
  }));
  const hrefOf = (format: string): string =>
    `/v1/api/investor/deals/${encodeURIComponent(dealId)}/loans/file?format=${format}&period=${period}`;
  return (
    <Group align="flex-end" gap="xs">
      <NativeSelect
        size="xs"
        label="File of"
        data={[{ value: CLOSING, label: 'The closing tape' }, ...periods]}
        value={period}
        onChange={({ currentTarget }) => setPeriod(currentTarget.value)}
      />
      {['csv', 'parquet'].map((format) => (
        <Button key={format} component="a" size="xs" variant="default" href={hrefOf(format)} download>
          {format === 'csv' ? 'CSV' : 'Parquet'}
        </Button>
      ))}
    </Group>
  );
}

const MOST_SHOWN = 14;

function Loans({ disclosure: { deal_id, fields } }: { disclosure: Disclosed }): ReactNode {
  const [values, set] = useAddress();
  const { field, op, value } = values;
  const first = useQuery({
    queryKey: ['market', deal_id, 'loans', 'first'],
    queryFn: ({ signal }) =>
      sent(
        api.GET('/v1/api/investor/deals/{dealId}/loans', { params: { path: { dealId: deal_id }, query: { limit: 50 } }, signal }),
      ),
  });
  // Where no loan shows what a field holds, digits are a number.
  const isText = field !== undefined && first.data?.data.some((row) => typeof row[field] === 'string') === true;
  const filter = field && value ? JSON.stringify({ field, op: op ?? 'eq', value: ruleValue(value, !isText) }) : undefined;
  const read = ({ offset, limit, sort, signal }: GridQuery) =>
    sent(
      api.GET('/v1/api/investor/deals/{dealId}/loans', {
        params: {
          path: { dealId: deal_id },
          query: { offset, limit, ...(sort ? { sort } : {}), ...(filter ? { filter } : {}) },
        },
        signal,
      }),
    );
  return (
    <Stack gap="xs">
      <LoanFilter fields={fields} values={values} set={set} />
      <Read from={first}>
        {({ data, pagination }) => (
          <LoanGrid
            name={['market', deal_id, 'loans', filter]}
            columns={columnsOf(fields, data)}
            all={pagination.total ?? data.length}
            read={read}
          />
        )}
      </Read>
    </Stack>
  );
}

const columnsOf = (fields: readonly string[], rows: readonly Record<string, unknown>[]): GridColumn[] =>
  ['loan', ...fields.filter((name) => name !== 'loan')].map((name, at) => ({
    id: name,
    title: titleOf(name, undefined),
    about: aboutField(name, undefined),
    hidden: at >= MOST_SHOWN,
    number: rows.some((row) => typeof row[name] === 'number'),
    show: (value) => shownValue(value, undefined),
  }));

type LoanFilterProps = { fields: readonly string[]; values: Values; set: (change: Record<string, string | null>) => void };

/** One condition on a disclosed field, which the gateway applies. */
function LoanFilter({ fields, values, set }: LoanFilterProps): ReactNode {
  const [typed, setTyped] = useState(values.value ?? '');
  const later = useDebouncedCallback((value: string) => set({ value: value || null }), WAIT_MS);
  return (
    <search className="filters" aria-label="Filters">
      <NativeSelect
        size="xs"
        label="Field"
        data={[{ value: '', label: 'Any' }, ...fields.map((name) => ({ value: name, label: words(name) }))]}
        value={values.field ?? ''}
        onChange={({ currentTarget }) => set({ field: currentTarget.value || null })}
      />
      <SegmentedControl
        size="xs"
        aria-label="Comparison"
        data={OPERATORS}
        value={values.op ?? 'eq'}
        onChange={(op) => set({ op })}
      />
      <TextInput
        size="xs"
        type="search"
        label="Value"
        disabled={!values.field}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          later(currentTarget.value);
        }}
      />
    </search>
  );
}
