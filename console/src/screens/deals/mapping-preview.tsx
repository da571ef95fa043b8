import { Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Records } from '../../app/api.ts';
import { count, words } from '../../ui/format.tsx';
import { Part } from '../../ui/page.tsx';
import { Status } from '../../ui/status.tsx';

type Preview = Records['MappingPreview'];
type Cell = Preview['sample'][number]['fields'][number];

/** What a change of the mapping would do: counted by field over all rows, and shown in some. */
export function MappingPreview({ preview }: { preview: Preview }): ReactNode {
  const fields = preview.fields.filter((field) => field.changed > 0 || field.source_before !== field.source_after);
  return (
    <Part title="What would change" about={`In ${count(preview.rows)} rows, rejected ones included.`}>
      <Stack gap="md">
        {fields.length === 0 ? <Text size="sm">No value would change.</Text> : <ByField fields={fields} />}
        <Samples rows={preview.sample} names={fields.map(({ field }) => field)} />
        {preview.decisions.map((decision) => (
          <Text key={decision} size="sm">
            {decision}
          </Text>
        ))}
        {preview.findings.map(({ rule_id, severity, message, line, column }) => (
          <Text key={`${rule_id} ${line} ${column}`} size="sm">
            <Status of={severity} /> {message}
          </Text>
        ))}
      </Stack>
    </Part>
  );
}

const ByField = ({ fields }: { fields: Preview['fields'] }): ReactNode => (
  <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
    <Table aria-label="What would change" maw={800}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Field</Table.Th>
          <Table.Th>Column before → after</Table.Th>
          <Table.Th className="number">Values changed</Table.Th>
          <Table.Th className="number">Unreadable</Table.Th>
          <Table.Th className="number">Missing</Table.Th>
          <Table.Th className="number">Now readable</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {fields.map((field) => (
          <Table.Tr key={field.field}>
            <Table.Td>{words(field.field)}</Table.Td>
            <Table.Td>
              {field.source_before ?? '–'} → {field.source_after ?? '–'}
            </Table.Td>
            <Table.Td className="number">{count(field.changed)}</Table.Td>
            <Table.Td className="number">{count(field.becomes_unreadable)}</Table.Td>
            <Table.Td className="number">{count(field.becomes_missing)}</Table.Td>
            <Table.Td className="number">{count(field.becomes_readable)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

function Samples({ rows, names }: { rows: Preview['sample']; names: readonly string[] }): ReactNode {
  if (rows.length === 0 || names.length === 0) return null;
  const cellOf = (row: Preview['sample'][number], name: string): Cell | undefined =>
    row.fields.find(({ field }) => field === name);
  return (
    <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table aria-label="Values before and after" maw={800}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th className="number">Row</Table.Th>
            {names.map((name) => (
              <Table.Th key={name}>{words(name)}, before → after</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.row_number}>
              <Table.Td className="number">{count(row.row_number)}</Table.Td>
              {names.map((name) => (
                <Table.Td key={name}>{shown(cellOf(row, name))}</Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

const plain = (value: Cell['before']): string => (value === null ? '–' : String(value));

function shown(cell: Cell | undefined): string {
  if (!cell) return '–';
  if (cell.unreadable_text !== null) return `${plain(cell.before)} → unreadable: ${cell.unreadable_text}`;
  return cell.before === cell.after ? plain(cell.before) : `${plain(cell.before)} → ${plain(cell.after)}`;
}
