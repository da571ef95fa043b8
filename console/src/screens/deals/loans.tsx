import { Select, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { type GridColumn, type GridQuery, LoanGrid } from '../../ui/grid.tsx';
import { words } from '../../ui/format.tsx';
import { Page } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { useDeal } from './deal-data.ts';

const OUTCOMES = ['PASSED', 'FAILED', 'WAIVED'] as const;
const OPERATORS = [
  { value: 'eq', label: '=' },
  { value: 'ne', label: '≠' },
  { value: 'gte', label: '≥' },
  { value: 'lte', label: '≤' },
] as const;
const FIRST = ['loan_id', 'current_balance', 'original_balance', 'interest_rate', 'status', 'state'];
const HIDDEN_AFTER = 14;

/** Every loan of the tape in force, however many: sorted and filtered by the gateway, read as far as one looks. */
export function Loans(): ReactNode {
  const { dealId = '' } = useParams({ strict: false });
  const deal = useDeal(dealId);
  return (
    <Page title={deal.data ? `Loans of ${deal.data.name}` : 'Loans'} up={{ to: `/deals/${dealId}`, title: 'Deal' }}>
      <Read from={deal}>{(data) => <Grid dealId={dealId} version={data.tape_version} />}</Read>
    </Page>
  );
}

function Grid({ dealId, version }: { dealId: string; version: number | null }): ReactNode {
  const operator = isOperator(useMe());
  const [values, set] = useAddress();
  const path = { dealId };
  const read = async ({ offset, limit, sort }: GridQuery) => {
    const { q, outcome, field, op, value } = values;
    const filter = field && op && value ? JSON.stringify({ field, op, value: plain(value) }) : undefined;
    const query = {
      offset,
      limit,
      ...(sort ? { sort } : {}),
      ...(q ? { q } : {}),
      ...(filter ? { filter } : {}),
      ...(outcome ? { outcome: OUTCOMES.find((each) => each === outcome) ?? ('FAILED' as const) } : {}),
    };
    return operator
      ? await sent(api.GET('/v1/operator/deals/{dealId}/loans', { params: { path, query } }))
      : await sent(api.GET('/v1/api/originator/loans/{dealId}/loans', { params: { path, query } }));
  };
  const first = useQuery({
    queryKey: ['deals', dealId, 'fields', version],
    queryFn: () => read({ offset: 0, limit: 50, sort: null }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Read from={first}>
      {({ data }) => (
        <Filtered fields={Object.keys(data[0] ?? {})} values={values} set={set}>
          {(columns) => (
            <LoanGrid
              name={['deals', dealId, 'loans', version, values.q, values.outcome, values.field, values.op, values.value]}
              columns={columns}
              rows={data}
              read={read}
              sort={values.sort ?? null}
              setSort={(sort) => set({ sort })}
              linkOf={(row) => `/deals/${dealId}/loans/${row}`}
            />
          )}
        </Filtered>
      )}
    </Read>
  );
}

const NUMBER = /^-?\d+(\.\d+)?$/;
const plain = (value: string): string | number => (NUMBER.test(value) ? Number(value) : value);

type FilteredProps = {
  fields: readonly string[];
  values: Readonly<Record<string, string>>;
  set: (change: Record<string, string | null>) => void;
  children: (columns: readonly GridColumn[]) => ReactNode;
};

function Filtered({ fields, values, set, children }: FilteredProps): ReactNode {
  const names = useMemo(() => fields.filter((name) => name !== 'row_number'), [fields]);
  const [field, setField] = useState(values.field ?? null);
  const [op, setOp] = useState(values.op ?? 'eq');
  const [value, setValue] = useState(values.value ?? '');
  const later = useDebouncedCallback(set, 350);
  const change = (next: { field: string | null; op: string; value: string }): void => {
    setField(next.field);
    setOp(next.op);
    setValue(next.value);
    const there = next.field !== null && next.value !== '';
    later({ field: there ? next.field : null, op: there ? next.op : null, value: there ? next.value : null });
  };
  const columns = useMemo(() => {
    const ordered = [...FIRST.filter((name) => names.includes(name)), ...names.filter((name) => !FIRST.includes(name))];
    return ordered.map((name, index) => ({ id: name, title: words(name), hidden: index >= HIDDEN_AFTER }));
  }, [names]);
  return (
    <>
      <search className="filters">
        <TextInput
          size="xs"
          type="search"
          label="Loan id begins with"
          defaultValue={values.q ?? ''}
          onChange={({ currentTarget }) => later({ q: currentTarget.value || null })}
        />
        <Select
          size="xs"
          w={150}
          label="Criteria outcome"
          placeholder="All"
          clearable
          data={OUTCOMES.map((each) => ({ value: each, label: words(each) }))}
          value={values.outcome ?? null}
          onChange={(outcome) => set({ outcome })}
        />
        <Select
          size="xs"
          label="Field"
          placeholder="Any"
          searchable
          clearable
          data={names.map((name) => ({ value: name, label: words(name) }))}
          value={field}
          onChange={(next) => change({ field: next, op, value })}
        />
        <SegmentedControl
          size="xs"
          aria-label="Comparison"
          data={[...OPERATORS]}
          value={op}
          onChange={(next) => change({ field, op: next, value })}
        />
        <TextInput
          size="xs"
          type="search"
          label="Value"
          value={value}
          onChange={({ currentTarget }) => change({ field, op, value: currentTarget.value })}
        />
      </search>
      {children(columns)}
    </>
  );
}
