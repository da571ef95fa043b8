import { Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { count, Day, money, When, words } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { type LoanField, withUnit } from './loan-fields.ts';

type Props = { dealId: string; rowNumber: string; fields: ReadonlyMap<string, LoanField> };

/** What changed of a loan from version to version of its tape, and what the servicer reported of it. */
export function LoanHistory({ dealId, rowNumber, fields }: Props): ReactNode {
  const params = { path: { dealId, rowNumber } };
  const history = useQuery({
    queryKey: ['deals', dealId, 'loans', rowNumber, 'history'],
    queryFn: () => sent(api.GET('/v1/api/originator/loans/{dealId}/loans/{rowNumber}/history', { params })),
  });
  return (
    <Part title="History">
      <Read from={history}>
        {({ data }) => (
          <>
            <Versions versions={data.versions} fields={fields} />
            {data.months.length > 0 && <Months months={data.months} />}
          </>
        )}
      </Read>
    </Part>
  );
}

function Versions({ versions, fields }: { versions: readonly Records['LoanVersion'][]; fields: Props['fields'] }): ReactNode {
  return (
    <Table.ScrollContainer minWidth={560} maw={900} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label="Versions of the loan">
        <Table.Thead>
          <Table.Tr>
            <Table.Th className="number">Version</Table.Th>
            <Table.Th>Sent</Table.Th>
            <Table.Th className="number">Row</Table.Th>
            <Table.Th>What changed</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {versions.toReversed().map(({ version, created_at, row_number, changes }, at, all) => (
            <Table.Tr key={version}>
              <Table.Td className="number">{version}</Table.Td>
              <Table.Td>
                <When at={created_at} />
              </Table.Td>
              <Table.Td className="number">{count(row_number)}</Table.Td>
              <Table.Td>
                {row_number === null && 'The version does not have the loan.'}
                {row_number !== null && changes.length === 0 && (at === all.length - 1 ? 'First version' : 'Nothing')}
                {changes.map(({ field, before, after }) => (
                  <div key={field}>
                    {words(field)}: {withUnit(before, fields.get(field))} → <b>{withUnit(after, fields.get(field))}</b>
                  </div>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Months({ months }: { months: readonly Records['LoanMonth'][] }): ReactNode {
  return (
    <Table.ScrollContainer minWidth={560} maw={900} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label="Months of the loan">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Pool</Table.Th>
            <Table.Th className="number">Period</Table.Th>
            <Table.Th>Reported on</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th className="number">Balance (US$)</Table.Th>
            <Table.Th className="number">Days past due</Table.Th>
            <Table.Th className="number">Months remaining</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {months.map((month) => (
            <Table.Tr key={`${month.pool_id} ${month.period}`}>
              <Table.Td>
                <To to="/pools/$poolId" params={{ poolId: month.pool_id }} size="sm">
                  <span className="id">{month.pool_id}</span>
                </To>
              </Table.Td>
              <Table.Td className="number">{month.period}</Table.Td>
              <Table.Td>
                <Day at={month.reported_on} />
              </Table.Td>
              <Table.Td>{month.state ? <Status of={month.state} /> : '–'}</Table.Td>
              <Table.Td className="number">{money(month.current_balance)}</Table.Td>
              <Table.Td className="number">{count(month.days_past_due)}</Table.Td>
              <Table.Td className="number">{count(month.remaining_term_months)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
