import { Table } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';

type Props = {
  /** Of rows, and of columns. */
  count: number;
  columns: number;
  children: (index: number) => ReactNode;
};

const [ROW_HEIGHT, BEYOND] = [37, 20];

/** The rows of a long table that are in view, with the room of the others. */
export function RowsInView({ count, columns, children }: Props): ReactNode {
  const body = useRef<HTMLTableSectionElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => body.current?.closest('.table-scroll') ?? null,
    estimateSize: () => ROW_HEIGHT,
    overscan: BEYOND,
  });
  const drawn = virtual.getVirtualItems();
  const [before, behind] = [drawn[0]?.start ?? 0, virtual.getTotalSize() - (drawn.at(-1)?.end ?? 0)];
  return (
    <Table.Tbody ref={body}>
      <Room height={before} columns={columns} />
      {drawn.map(({ index }) => children(index))}
      <Room height={behind} columns={columns} />
    </Table.Tbody>
  );
}

const Room = ({ height, columns }: { height: number; columns: number }): ReactNode =>
  height > 0 && (
    <tr aria-hidden>
      <td colSpan={columns} style={{ height, padding: 0 }} />
    </tr>
  );
