import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { bytes, Day, money, share, words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Facts, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { whenColumn, wordsColumn } from '../../ui/columns.tsx';

/** Credit measures of the loans. */
export function CreditRisk({ dealId }: { dealId: string }): ReactNode {
  const risk = useQuery({
    queryKey: ['deals', dealId, 'risk'],
    queryFn: () => sent(api.GET('/v1/operator/deals/{dealId}/risk', { params: { path: { dealId } } })),
  });
  return (
    <Part title="Risk">
      <Read from={risk}>{({ data }) => <RiskFacts risk={data} />}</Read>
    </Part>
  );
}

const RiskFacts = ({ risk }: { risk: Records['CreditRisk'] }): ReactNode => (
  <Stack gap="sm">
    <Facts
      facts={[
        ...risk.weighted_averages.map(({ field, value }): [string, ReactNode] => [
          `Average ${words(field).toLowerCase()}`,
          value === null ? '–' : value.toLocaleString('en-US', { maximumFractionDigits: 2 }),
        ]),
        ...risk.delinquency.map(({ name, balance }): [string, ReactNode] => [
          words(name),
          `${money(balance)} (${share(balance, risk.total.balance)})`,
        ]),
      ]}
    />
    <Text size="sm" c="dimmed">
      Averages are weighted by balance, as of <Day at={risk.as_of} />.
    </Text>
  </Stack>
);

/** What the originator has added to the deal. */
export const DealRoom = ({ dealId }: { dealId: string }): ReactNode => (
  <Part
    title="Documents"
    about="What the originator has put into the deal room. The files themselves stay with those it shows them to."
  >
    <RecordList
      name={['deals', dealId, 'documents']}
      label="Documents"
      read={(query: QueryOf<'/v1/operator/deals/{dealId}/documents'>) =>
        sent(api.GET('/v1/operator/deals/{dealId}/documents', { params: { path: { dealId }, query } }))
      }
      columns={DOCUMENTS}
      rowKey={({ document_id }) => document_id}
      few
      empty="The originator has added no document."
    />
  </Part>
);

const DOCUMENTS: readonly Column<Records['DealDocument']>[] = [
  { id: 'file_name', title: 'File', value: ({ file_name }) => file_name },
  wordsColumn('document_type', 'Kind'),
  wordsColumn('visibility', 'Shown to'),
  { id: 'version', title: 'Version', number: true, value: ({ version }) => version },
  { id: 'size', title: 'Size', number: true, value: ({ size }) => size, cell: ({ size }) => bytes(size) },
  whenColumn('created_at', 'Added'),
];
