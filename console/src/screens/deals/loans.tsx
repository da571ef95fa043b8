import { Select, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useCallback, useMemo, useState, type ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { LoanGrid } from '../../ui/grid.tsx';
import type { GridColumn, GridQuery } from '../../ui/grid-source.ts';
import { words } from '../../ui/format.tsx';
import { Page } from '../../ui/page.tsx';
import { OPERATORS, ruleValue } from '../../ui/loan-filter.ts';
import { Read } from '../../ui/read.tsx';
import { type Deal, useDeal } from './deal-data.ts';
import { aboutField, isNumber, type LoanField, shownValue, titleOf, useLoanFields } from './loan-fields.ts';

const OUTCOMES = ['PASSED', 'FAILED', 'WAIVED'] as const;
const FIRST = ['loan_id', 'current_balance', 'original_balance', 'interest_rate', 'status', 'state'];
const HIDDEN_AFTER = 14;

/** Every loan of the tape in force, however many: sorted and filtered by the gateway, read as far as one looks. */
export function Loans(): ReactNode {
  const { dealId = '' } = useParams({ strict: false });
  const deal = useDeal(dealId);
  return (
    <Page title={deal.data ? `Loans of ${deal.data.name}` : 'Loans'} up={{ to: `/deals/${dealId}`, title: 'Deal' }}>
      <Read from={deal}>{(data) => <Grid deal={data} />}</Read>
    </Page>
  );
}

function Grid({ deal }: { deal: Deal }): ReactNode {
  const operator = isOperator(useMe());
  const [values, set] = useAddress();
  const known = useLoanFields(deal.loan_type);
  const { deal_id: dealId, tape_version: version } = deal;
  const path = { dealId };
  // Whatever is filtered for: without any loan its fields are still known.
  const first = useQuery({
    queryKey: ['deals', dealId, 'fields', version],
    queryFn: () =>
      operator
        ? sent(api.GET('/v1/operator/deals/{dealId}/loans', { params: { path, query: { limit: 50 } } }))
        : sent(api.GET('/v1/api/originator/loans/{dealId}/loans', { params: { path, query: { limit: 50 } } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const rows = first.data?.data;
  const { q, outcome, field, op, value, sort } = values;
  const isNumeric = field !== undefined && mayBeNumeric(known.get(field), valueIn(rows, field));
  const filter = field && op && value ? JSON.stringify({ field, op, value: ruleValue(value, isNumeric) }) : undefined;
  const chosen = {
    ...(q ? { q } : {}),
    ...(filter ? { filter } : {}),
    ...(outcome ? { outcome: OUTCOMES.find((each) => each === outcome) ?? ('FAILED' as const) } : {}),
  };
  const read = async ({ offset, limit, sort: order, signal }: GridQuery) => {
    const query = { offset, limit, ...(order ? { sort: order } : {}), ...chosen };
    return operator
      ? await sent(api.GET('/v1/operator/deals/{dealId}/loans', { params: { path, query }, signal }))
      : await sent(api.GET('/v1/api/originator/loans/{dealId}/loans', { params: { path, query }, signal }));
  };
  const fileOf = (fields: readonly string[]): string => {
    const base = operator ? `/v1/operator/deals/${dealId}/loans/file` : `/v1/api/originator/loans/${dealId}/loans/file`;
    return `${base}?${new URLSearchParams({ ...chosen, ...(sort ? { sort } : {}), fields: fields.join(',') }).toString()}`;
  };
  const names = useMemo(() => Object.keys(rows?.[0] ?? {}).filter((name) => !PLACE.includes(name)), [rows]);
  const columns = useMemo(() => columnsOf(names, known, rows ?? []), [names, known, rows]);
  const linkOf = useCallback((row: string) => `/deals/${dealId}/loans/${row}`, [dealId]);
  return (
    <Read from={first}>
      {() => (
        <>
          <LoanFilters names={names} values={values} set={set} />
          <LoanGrid
            name={['deals', dealId, 'loans', version, q, outcome, field, op, value]}
            columns={columns}
            all={deal.loan_count}
            read={read}
            linkOf={linkOf}
            fileOf={fileOf}
          />
        </>
      )}
    </Read>
  );
}

/** Where neither the dictionary nor a loan says what a field holds, digits are a number. */
const mayBeNumeric = (field: LoanField | undefined, value: unknown): boolean =>
  (field === undefined && value === undefined) || isNumber(field, value);

/** A value that some loan has in a field. */
const valueIn = (rows: readonly Record<string, unknown>[] | undefined, name: string): unknown =>
  rows?.find((row) => row[name] !== null)?.[name];

/** Where a loan stands in the file. */
const PLACE = ['row_number', 'line'];

function columnsOf(
  names: readonly string[],
  known: ReadonlyMap<string, LoanField>,
  rows: readonly Record<string, unknown>[],
): GridColumn[] {
  const filled = (name: string): boolean => rows.some((row) => row[name] !== null && row[name] !== undefined);
  const rest = names.filter((name) => !FIRST.includes(name));
  // Fields that no loan has a value of stand last.
  const ordered = [
    ...FIRST.filter((name) => names.includes(name)),
    ...rest.filter(filled),
    ...rest.filter((each) => !filled(each)),
  ];
  return ordered.map((name, index) => {
    const field = known.get(name);
    return {
      id: name,
      title: titleOf(name, field),
      about: aboutField(name, field),
      hidden: index >= HIDDEN_AFTER,
      number: isNumber(field, valueIn(rows, name)),
      show: (value) => shownValue(value, field),
    };
  });
}

type FilterProps = {
  names: readonly string[];
  values: Readonly<Record<string, string>>;
  set: (change: Record<string, string | null>) => void;
};

function LoanFilters({ names, values, set }: FilterProps): ReactNode {
  const [field, setField] = useState(values.field ?? null);
  const [op, setOp] = useState(values.op ?? 'eq');
  const [value, setValue] = useState(values.value ?? '');
  // One for each: what is typed into one must not take the place of what was typed into the other.
  const [later, laterId] = [useDebouncedCallback(set, 350), useDebouncedCallback(set, 350)];
  const change = (next: { field: string | null; op: string; value: string }): void => {
    setField(next.field);
    setOp(next.op);
    setValue(next.value);
    const there = next.field !== null && next.value !== '';
    later({ field: there ? next.field : null, op: there ? next.op : null, value: there ? next.value : null });
  };
  return (
    <search className="filters">
      <TextInput
        size="xs"
        type="search"
        label="Loan id begins with"
        defaultValue={values.q ?? ''}
        onChange={({ currentTarget }) => laterId({ q: currentTarget.value || null })}
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
        data={OPERATORS}
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
  );
}
