import { ActionIcon, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Column } from './column.ts';
import { saveCsv } from './export-csv.ts';
import { ICON } from './icon.ts';

type Props<Row> = { label: string; columns: readonly Column<Row>[]; rows: readonly Row[] };

/** Saves the rows of a table that is here as a whole. */
export const SaveRows = <Row,>({ label, columns, rows }: Props<Row>): ReactNode => (
  <Tooltip label="Save as CSV">
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={`Save ${label} as CSV`}
      onClick={() =>
        saveCsv(
          label.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
          columns.map(({ id }) => id),
          rows.map((row) => columns.map(({ value }) => value(row))),
        )
      }
    >
      <IconDownload {...ICON} />
    </ActionIcon>
  </Tooltip>
);
