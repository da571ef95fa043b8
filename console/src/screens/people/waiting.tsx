import { Table, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { buys, can, isOperator, sells, useMe } from '../../app/me.tsx';
import type { Me } from '../../app/session.ts';
import { count, When } from '../../ui/format.tsx';
import { Empty, Loading, Page, Part } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { To } from '../../ui/link.tsx';

type Waits = { total: number; newest: string | null };
type Kind = { title: string; to: string; search: Record<string, string>; shown: (me: Me) => boolean; read: () => Promise<Waits> };

const ONE = { limit: 1 };

const waits = ({ data, pagination }: { data: { created_at: string }[]; pagination: Records['Pagination'] }): Waits => ({
  total: pagination.total ?? data.length,
  newest: data[0]?.created_at ?? null,
});

const KINDS: readonly Kind[] = [
  {
    title: 'Acts that wait for your approval',
    to: '/approvals',
    search: { mine: 'true' },
    shown: isOperator,
    read: async () => waits(await sent(api.GET('/v1/operator/approvals', { params: { query: { ...ONE, mine: true } } }))),
  },
  {
    title: 'Deals to approve or reject',
    to: '/deals',
    search: { status: 'QC_COMPLETED' },
    shown: (me) => isOperator(me) && can(me, 'APPROVE'),
    read: async () => waits(await sent(api.GET('/v1/operator/deals', { params: { query: { ...ONE, status: 'QC_COMPLETED' } } }))),
  },
  {
    title: 'Locked pools, whose issue may be asked for',
    to: '/platform-pools',
    search: { status: 'LOCKED' },
    shown: (me) => isOperator(me) && can(me, 'APPROVE'),
    read: async () => waits(await sent(api.GET('/v1/operator/pools', { params: { query: { ...ONE, status: 'LOCKED' } } }))),
  },
  {
    title: 'Subscriptions to confirm or reject',
    to: '/settlement',
    search: { tab: 'subscriptions', status: 'pending_confirmation' },
    shown: (me) => isOperator(me) && can(me, 'APPROVE'),
    read: async () =>
      waits(await sent(api.GET('/v1/operator/subscriptions', { params: { query: { ...ONE, status: 'pending_confirmation' } } }))),
  },
  {
    title: 'Trades to settle',
    to: '/settlement',
    search: { status: 'PENDING_SETTLEMENT' },
    shown: (me) => isOperator(me) && can(me, 'APPROVE'),
    read: async () =>
      waits(await sent(api.GET('/v1/operator/trades', { params: { query: { ...ONE, status: 'PENDING_SETTLEMENT' } } }))),
  },
  {
    title: 'Certificates that pay nobody until somebody decides',
    to: '/certificates',
    search: { status: 'HELD' },
    shown: isOperator,
    read: async () => waits(await sent(api.GET('/v1/operator/remittances', { params: { query: { ...ONE, status: 'HELD' } } }))),
  },
  {
    title: 'Waivers to decide',
    to: '/waivers',
    search: { status: 'PENDING' },
    shown: (me) => isOperator(me) && can(me, 'APPROVE'),
    read: async () => waits(await sent(api.GET('/v1/operator/waivers', { params: { query: { ...ONE, status: 'PENDING' } } }))),
  },
  {
    title: 'Loans that are in two places',
    to: '/conflicts',
    search: { status: 'OPEN' },
    shown: isOperator,
    read: async () => {
      const { data, pagination } = await sent(
        api.GET('/v1/operator/pledge-conflicts', { params: { query: { ...ONE, status: 'OPEN' } } }),
      );
      return { total: pagination.total ?? data.length, newest: data[0]?.first_seen ?? null };
    },
  },
  {
    title: 'Keys that their organization wants rotated',
    to: '/keys',
    search: { rotation_requested: 'true' },
    shown: (me) => isOperator(me) && can(me, 'ADMIN'),
    read: async () =>
      waits(await sent(api.GET('/v1/operator/keys', { params: { query: { ...ONE, rotation_requested: true } } }))),
  },
  {
    title: 'Jobs that failed',
    to: '/jobs',
    search: { status: 'FAILED' },
    shown: isOperator,
    read: async () => waits(await sent(api.GET('/v1/operator/jobs', { params: { query: { ...ONE, status: 'FAILED' } } }))),
  },
  {
    title: 'Allocations to accept or decline',
    to: '/commitments',
    search: { status: 'ISSUED' },
    shown: buys,
    read: async () =>
      waits(await sent(api.GET('/v1/api/investor/allocations', { params: { query: { ...ONE, status: 'ISSUED' } } }))),
  },
  {
    title: 'Trades to settle',
    to: '/commitments',
    search: { tab: 'trades', status: 'PENDING_SETTLEMENT' },
    shown: buys,
    read: async () =>
      waits(await sent(api.GET('/v1/api/investor/trades', { params: { query: { ...ONE, status: 'PENDING_SETTLEMENT' } } }))),
  },
  {
    title: 'Drafts that wait for their tape',
    to: '/deals',
    search: { status: 'DRAFT' },
    shown: sells,
    read: async () => waits(await sent(api.GET('/v1/api/originator/loans', { params: { query: { ...ONE, status: 'DRAFT' } } }))),
  },
  {
    title: 'Deals that are checked, with findings to mend',
    to: '/deals',
    search: { status: 'IN_REVIEW' },
    shown: sells,
    read: async () =>
      waits(await sent(api.GET('/v1/api/originator/loans', { params: { query: { ...ONE, status: 'IN_REVIEW' } } }))),
  },
  {
    title: 'Deliveries that no receiver took',
    to: '/deliveries',
    search: { status: 'FAILED' },
    shown: (me) => !isOperator(me),
    read: async () =>
      waits(await sent(api.GET('/v1/api/webhooks/deliveries', { params: { query: { ...ONE, status: 'FAILED' } } }))),
  },
];

/** What a person has to decide or mend, newest first; where nothing waits, that is said. */
export function Waiting(): ReactNode {
  const me = useMe();
  const kinds = KINDS.filter((kind) => kind.shown(me));
  const results = useQueries({ queries: kinds.map(({ title, read }) => ({ queryKey: ['waiting', title], queryFn: read })) });
  const rows = kinds.flatMap((kind, index) => {
    const data = results[index]?.data;
    return data && data.total > 0 ? [{ ...kind, ...data }] : [];
  });
  const settled = results.every(({ isPending }) => !isPending);
  const failed = results.find(({ error }) => error);
  return (
    <Page title="Waiting for me" about={`${me.name}, for ${me.organization}.`}>
      {failed && <Problem error={failed.error} retry={() => void failed.refetch()} />}
      {!settled && <Loading />}
      {settled && rows.length > 0 && (
        <Table.ScrollContainer minWidth={320} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label="What waits">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>What</Table.Th>
                <Table.Th className="number">Records</Table.Th>
                <Table.Th>Newest since</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ title, to, search, total, newest }) => (
                <Table.Tr key={title}>
                  <Table.Td>
                    <To to={to} search={search} size="sm">
                      {title}
                    </To>
                  </Table.Td>
                  <Table.Td className="number">{count(total)}</Table.Td>
                  <Table.Td>
                    <When at={newest} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {results.every(({ data }) => data && data.total === 0) && (
        <Empty>Nothing waits for you. Alerts tell when something does.</Empty>
      )}
      {settled && (
        <Part title="How this console works">
          <Text size="sm" c="dimmed">
            Ctrl K finds any deal, loan, organization or page. Filters and pages are in the address: a link shows another person
            the same. Everything here is done through the public API, and every change is in the audit log.
          </Text>
        </Part>
      )}
    </Page>
  );
}
