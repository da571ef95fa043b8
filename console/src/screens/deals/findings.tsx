import { Anchor, Button, Group, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { can, isOperator, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { choice, text } from '../../ui/filters.tsx';
import { count, share, words } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Part } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';
import type { Deal } from './deal-data.ts';
import { To } from '../../ui/link.tsx';
import { Corrected } from './corrected.tsx';
import { MendBar } from './mend-bar.tsx';
import { MendCell } from './mend-cell.tsx';
import { type Mends, useMends } from './mends.ts';
import { NextTape } from './next-tape.tsx';
import { statusColumn } from '../../ui/columns.tsx';

type Finding = Records['Finding'];

/** What the checks found: by rule with true counts, then each finding with its cell. */
export function Findings({ deal }: { deal: Deal }): ReactNode {
  const me = useMe();
  const operator = isOperator(me);
  const mends = useMends(deal.deal_id);
  const open = ['IN_REVIEW', 'QC_COMPLETED'].includes(deal.status) && !operator && can(me, 'EDIT');
  const version = open && deal.qc?.state === 'DONE' && !deal.qc.waiting ? deal.tape_version : null;
  const path = { dealId: deal.deal_id };
  return (
    <>
      {!operator && <Corrected deal={deal} />}
      {deal.qc?.by_rule && deal.qc.by_rule.length > 0 && <ByRule rules={deal.qc.by_rule} rows={deal.qc.rows} />}
      <Part
        title="Cell by cell"
        about={version === null ? null : 'Choose a text under Seen to correct it here.'}
        acts={
          !operator && (
            <Group gap="xs">
              {(['csv', 'xlsx'] as const).map((format) => (
                <Button
                  key={format}
                  component="a"
                  size="compact-sm"
                  variant="default"
                  href={`/v1/api/originator/loans/${deal.deal_id}/issues/file?format=${format}`}
                  download
                >
                  All as {format.toUpperCase()}
                </Button>
              ))}
            </Group>
          )
        }
      >
        <RecordList
          name={['deals', deal.deal_id, 'findings', String(deal.tape_version), String(deal.qc?.state)]}
          label="Findings"
          read={(query: QueryOf<'/v1/operator/deals/{dealId}/issues'>) =>
            operator
              ? sent(api.GET('/v1/operator/deals/{dealId}/issues', { params: { path, query } }))
              : sent(api.GET('/v1/api/originator/loans/{dealId}/issues', { params: { path, query } }))
          }
          filters={FINDING_FILTERS}
          columns={findingColumns(deal.deal_id, version === null ? undefined : { mends, version })}
          rowKey={findingKey}
          empty="The checks found nothing."
          few={!deal.qc?.by_rule?.length}
        />
        {open && <MendBar deal={deal} mends={mends} />}
      </Part>
      {open && <NextTape deal={deal} start="MERGE" />}
    </>
  );
}

function ByRule({ rules, rows }: { rules: readonly Records['RuleCount'][]; rows: number }): ReactNode {
  const [values, set] = useAddress();
  return (
    <Part title="By rule" about={`Counts of the whole tape of ${count(rows)} rows.`}>
      <Table.ScrollContainer minWidth={440} maw={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table aria-label="Findings by rule">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Rule</Table.Th>
              <Table.Th>Severity</Table.Th>
              <Table.Th className="number">Findings</Table.Th>
              <Table.Th className="number">Per row</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rules.map(({ rule_id, severity, count: times }) => (
              <Table.Tr key={`${rule_id} ${severity}`}>
                <Table.Td>
                  <Anchor
                    component="button"
                    type="button"
                    size="sm"
                    aria-pressed={values.rule === rule_id}
                    onClick={() => set({ rule: values.rule === rule_id ? null : rule_id })}
                  >
                    {rule_id}
                  </Anchor>
                </Table.Td>
                <Table.Td>
                  <Status of={severity} />
                </Table.Td>
                <Table.Td className="number">{count(times)}</Table.Td>
                <Table.Td className="number">{share(times, rows)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Part>
  );
}

/** Columns of findings; rows lead to the loans of a deal where one is named, and cells are corrected where that is possible. */
export const FINDING_FILTERS = [
  choice('severity', 'Severity', ['ERROR', 'WARNING']),
  text('rule', 'Rule', 'MISSING_REQUIRED_FIELD'),
];

export const findingKey = ({ row_number, rule_id, field, column }: Finding): string =>
  `${row_number} ${rule_id} ${field} ${column}`;

export const findingColumns = (dealId?: string, correcting?: { mends: Mends; version: number }): readonly Column<Finding>[] => [
  {
    id: 'row_number',
    title: 'Row',
    number: true,
    value: ({ row_number }) => row_number,
    cell: ({ row_number }) =>
      row_number === null ? (
        'Tape'
      ) : dealId === undefined ? (
        count(row_number)
      ) : (
        <To to="/deals/$dealId/loans/$rowNumber" params={{ dealId, rowNumber: String(row_number) }} size="sm">
          {count(row_number)}
        </To>
      ),
  },
  { id: 'line', title: 'Line', number: true, hidden: true, value: ({ line }) => line },
  statusColumn('severity', 'Severity'),
  {
    id: 'field',
    title: 'Field',
    value: ({ field }) => field,
    cell: ({ field, column }) => <span title={column ? `Column ${column}` : ''}>{field ? words(field) : (column ?? '–')}</span>,
  },
  { id: 'column', title: 'Column', hidden: true, value: ({ column }) => column },
  { id: 'message', title: 'What is wrong', value: ({ message }) => message },
  {
    id: 'actual',
    title: 'Seen',
    value: ({ actual }) => actual,
    cell: (finding) =>
      correcting ? <MendCell finding={finding} {...correcting} /> : <span className="id">{finding.actual ?? '–'}</span>,
  },
  { id: 'expected', title: 'Expected', value: ({ expected }) => expected },
  { id: 'rule_id', title: 'Rule', hidden: true, value: ({ rule_id }) => rule_id },
];
