import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { count, share, words } from '../../ui/format.tsx';
import { termPrice, termRate } from '../../ui/format-market.ts';
import { Empty, Note, Part } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { DataTable } from '../../ui/table.tsx';
import { OrganizationName } from './names.tsx';
import { moneyColumn } from '../../ui/columns.tsx';

const METHODS = ['PRO_RATA', 'CLEARING_YIELD'] as const satisfies readonly Records['AllocationMethod'][];
const ABOUT: Record<(typeof METHODS)[number], string> = {
  PRO_RATA: 'Each bid is filled by its share of the demand.',
  CLEARING_YIELD: 'Bids are filled from the lowest limit up; all pay the yield at which the tranche is sold.',
};

/** A trial of the allocation, which changes nothing, and then the allocation itself. */
export function Allocate({ deal }: { deal: Records['OperatorDealSummary'] }): ReactNode {
  const me = useMe();
  const [values, set] = useAddress();
  const method = METHODS.find((each) => each === values.method) ?? 'PRO_RATA';
  const params = { path: { dealId: deal.deal_id } };
  const closed = deal.market_status === 'BOOKS_CLOSED';
  const allowed = can(me, 'APPROVE');
  const trial = useMutation({
    mutationFn: () => sent(api.POST('/v1/operator/deals/{dealId}/allocations', { params, body: { method, dry_run: true } })),
  });
  const tried = trial.data?.data;
  if (!closed)
    return (
      <Empty>
        {deal.market_status === 'MARKETING'
          ? 'The books are open. Close them first: a trial needs bids that do not change any more.'
          : 'The books of this deal are not to be allocated; what was allocated stands under Allocations.'}
      </Empty>
    );
  if (!allowed) return <Note>A trial of the allocation needs the right APPROVE; yours: {me.rights.join(', ')}.</Note>;
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-end">
        <div>
          <SegmentedControl
            size="xs"
            aria-label="Method"
            data={METHODS.map((value) => ({ value, label: words(value) }))}
            value={method}
            onChange={(next) => {
              trial.reset();
              set({ method: next });
            }}
          />
          <Text size="sm" c="dimmed">
            {ABOUT[method]}
          </Text>
        </div>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" loading={trial.isPending} onClick={() => trial.mutate()}>
            Try it out
          </Button>
          <Act
            label="Allocate"
            right="APPROVE"
            question={`The bids for “${deal.name}” are filled as a trial shows, and investors are asked to accept. It cannot be undone.`}
            typed="allocate"
            run={() => sent(api.POST('/v1/operator/deals/{dealId}/allocations', { params, body: { method } }))}
            done="The deal is allocated."
          />
        </Group>
      </Group>
      {trial.error && <Problem error={trial.error} retry={() => trial.mutate()} />}
      {tried && 'tranches' in tried && <Trial trial={tried} />}
    </Stack>
  );
}

function Trial({ trial: { tranches, allocations, unfilled } }: { trial: Records['DealAllocation'] }): ReactNode {
  const named = new Map(tranches.map(({ tranche_id, tranche }) => [tranche_id, tranche]));
  return (
    <>
      <Note color="gray">This is a trial: nothing is saved and nobody is notified.</Note>
      <Part title="Tranches">
        <DataTable
          label="Tranches of the trial"
          columns={TRANCHES}
          rows={tranches}
          rowKey={({ tranche_id }) => tranche_id}
          whole
        />
      </Part>
      <Part title="Fills" about={`${count(allocations.length)} bids get something.`}>
        {allocations.length === 0 ? (
          <Empty>No bid is filled.</Empty>
        ) : (
          <DataTable
            label="Fills of the trial"
            columns={fillsOf(named)}
            rows={allocations}
            rowKey={({ order_id, subscription_id }) => order_id ?? subscription_id ?? ''}
            whole
          />
        )}
      </Part>
      {unfilled.length > 0 && (
        <Part title="Not filled" about={`${count(unfilled.length)} bids get nothing.`}>
          <DataTable
            label="Bids that are not filled"
            columns={unfilledOf(named)}
            rows={unfilled}
            rowKey={({ order_id, subscription_id }) => order_id ?? subscription_id ?? ''}
            whole
          />
        </Part>
      )}
    </>
  );
}

const TRANCHES: readonly Column<Records['TrancheAllocation']>[] = [
  { id: 'tranche', title: 'Tranche', value: ({ tranche }) => tranche },
  moneyColumn('size', 'Size (US$)'),
  moneyColumn('demand', 'Demand (US$)'),
  moneyColumn('allocated', 'Allocated (US$)'),
  {
    id: 'sold',
    title: 'Sold',
    number: true,
    value: ({ allocated, size }) => allocated / size,
    cell: ({ allocated, size }) => share(allocated, size),
  },
  { id: 'yield', title: 'Yield', number: true, value: (row) => row.yield, cell: (row) => termRate(row.yield) },
  { id: 'price', title: 'Price', number: true, value: (row) => row.price, cell: (row) => termPrice(row.price) },
  { id: 'bids', title: 'Bids', number: true, value: ({ bids }) => bids },
  { id: 'book_hash', title: 'Digest of the book', hidden: true, value: ({ book_hash }) => book_hash },
];

type Bid = { organization_id: string; tranche_id: string; requested_amount: number; reason: string };

const bidColumns = <Row extends Bid>(named: ReadonlyMap<string, string>): readonly Column<Row>[] => [
  {
    id: 'organization_id',
    title: 'Investor',
    value: ({ organization_id }) => organization_id,
    cell: ({ organization_id }) => <OrganizationName id={organization_id} />,
  },
  { id: 'tranche', title: 'Tranche', value: ({ tranche_id }) => named.get(tranche_id) ?? tranche_id },
  moneyColumn('requested_amount', 'Asked for (US$)'),
];
const whyColumn = <Row extends Bid>(): Column<Row> => ({ id: 'reason', title: 'Why', value: ({ reason }) => reason });

const fillsOf = (named: ReadonlyMap<string, string>): readonly Column<Records['AllocationFill']>[] => [
  ...bidColumns<Records['AllocationFill']>(named),
  moneyColumn('allocated_amount', 'Filled (US$)'),
  {
    id: 'fill_ratio',
    title: 'Share',
    number: true,
    value: ({ fill_ratio }) => fill_ratio,
    cell: ({ fill_ratio }) => share(fill_ratio, 1),
  },
  whyColumn(),
];

const unfilledOf = (named: ReadonlyMap<string, string>): readonly Column<Records['UnfilledBid']>[] => [
  ...bidColumns<Records['UnfilledBid']>(named),
  whyColumn(),
];
