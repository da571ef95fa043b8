import { List, Stack, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, sent } from '../../app/api.ts';
import { Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';

/** The deal's structure in words: who is paid, in which order, and what changes it. */
export function Structure({ dealId }: { dealId: string }): ReactNode {
  const structure = useQuery({
    queryKey: ['market', dealId, 'structure'],
    queryFn: () => sent(api.GET('/v1/api/investor/deals/{dealId}/structure', { params: { path: { dealId } } })),
  });
  return (
    <Read from={structure}>
      {({ data: { explanation, structure_version } }) => (
        <Stack gap="md">
          <Part title="Payment" about={`Version ${structure_version} of the structure`}>
            <List size="sm">
              {explanation.payment.map((sentence) => (
                <List.Item key={sentence}>{sentence}</List.Item>
              ))}
            </List>
          </Part>
          <Explained title="Order of payments" rows={explanation.steps} />
          <Explained title="Tranches" rows={explanation.tranches} />
          <Explained title="Fees" rows={explanation.fees} />
          <Explained title="Accounts" rows={explanation.accounts} />
          <Explained title="Triggers" rows={explanation.triggers} />
          <Explained title="Calls" rows={explanation.calls} />
        </Stack>
      )}
    </Read>
  );
}

type Explanation = { text: string; clause: string | null };

/** Parts of one kind in the order of the structure, with the clause of the indenture where there is one. */
function Explained({ title, rows }: { title: string; rows: readonly Explanation[] }): ReactNode {
  if (rows.length === 0) return null;
  return (
    <Part title={title}>
      <Table aria-label={title}>
        <Table.Tbody>
          {rows.map(({ text, clause }, index) => (
            <Table.Tr key={`${index} ${text}`}>
              <Table.Td className="number">{index + 1}</Table.Td>
              <Table.Td>{text}</Table.Td>
              <Table.Td>{clause}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Part>
  );
}
