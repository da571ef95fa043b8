import { ActionIcon, Group, Menu, SegmentedControl, Text, Tooltip } from '@mantine/core';
import { IconColumns3, IconDownload } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { useAddress } from '../app/address.ts';
import { count } from './format.tsx';
import { GridBody } from './grid-body.tsx';
import { type GridColumn, type GridSource, WINDOW } from './grid-source.ts';
import { ICON } from './icon.ts';
import { Empty } from './page.tsx';
import { Problem } from './problem.tsx';

type Props = GridSource & {
  columns: readonly GridColumn[];
  /** How many there are without a filter. */
  all: number;
  /** Where the rows of the filter are a file, with the columns that are shown. */
  fileOf?: (columns: readonly string[]) => string;
};

const HEIGHTS: Record<string, number> = { compact: 26, comfortable: 36 };
const ROWS_HEIGHT = 26;

/** Rows of a list of any length, of which those that are looked at are read, in windows. */
export function LoanGrid({ name, columns, all, read, linkOf, fileOf }: Props): ReactNode {
  const [values, set] = useAddress();
  const sort = values.sort ?? null;
  const density = values.density === 'comfortable' ? 'comfortable' : 'compact';
  const chosen = values.columns;
  const shown = useMemo(() => {
    const names = chosen?.split(',');
    return columns.filter(({ id, hidden }, at) => at === 0 || (names ? names.includes(id) : !hidden));
  }, [columns, chosen]);
  const first = useQuery({
    queryKey: [...name, sort, 0],
    queryFn: ({ signal }) => read({ offset: 0, limit: WINDOW, sort, signal }),
    placeholderData: keepPreviousData,
  });
  const total = first.data?.pagination.total ?? 0;
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="xs" c="dimmed" role="status">
          {first.data ? (total === all ? `${count(total)} loans` : `${count(total)} of ${count(all)} loans`) : 'Reading …'}
        </Text>
        <Group gap="xs">
          <SegmentedControl
            size="xs"
            aria-label="Density"
            value={density}
            onChange={(value) => set({ density: value === 'compact' ? null : value })}
            data={[
              { value: 'compact', label: 'Compact' },
              { value: 'comfortable', label: 'Comfortable' },
            ]}
          />
          {fileOf && (
            <Tooltip label="Save all loans of this filter, in this order, as CSV">
              <ActionIcon
                component="a"
                variant="subtle"
                color="gray"
                aria-label="Save the loans as CSV"
                href={fileOf(shown.map(({ id }) => id))}
                download
              >
                <IconDownload {...ICON} />
              </ActionIcon>
            </Tooltip>
          )}
          <ColumnMenu columns={columns} shown={shown} choose={(ids) => set({ columns: ids?.join(',') ?? null })} />
        </Group>
      </Group>
      {first.error && <Problem error={first.error} retry={() => void first.refetch()} />}
      {first.data && total === 0 && (
        <Empty>No loan matches: change the filter. Rejected rows are no loans; see the findings.</Empty>
      )}
      {total > 0 && (
        <GridBody
          key={JSON.stringify([name, sort])}
          name={name}
          total={total}
          height={HEIGHTS[density] ?? ROWS_HEIGHT}
          columns={shown}
          read={read}
          linkOf={linkOf}
          sort={sort}
          setSort={(next) => set({ sort: next })}
        />
      )}
    </div>
  );
}

type MenuProps = {
  columns: readonly GridColumn[];
  shown: readonly GridColumn[];
  choose: (ids: readonly string[] | null) => void;
};

function ColumnMenu({ columns, shown, choose }: MenuProps): ReactNode {
  const ids = shown.map(({ id }) => id);
  const toggle = (id: string): void =>
    choose(columns.map((column) => column.id).filter((each) => (each === id ? !ids.includes(id) : ids.includes(each))));
  return (
    <Menu position="bottom-end" closeOnItemClick={false} shadow="md">
      <Menu.Target>
        <Tooltip label="Columns">
          <ActionIcon variant="subtle" color="gray" aria-label="Columns of the loans">
            <IconColumns3 {...ICON} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown mah={420} className="scroll">
        {columns.slice(1).map(({ id, title }) => (
          <Menu.CheckboxItem key={id} checked={ids.includes(id)} onChange={() => toggle(id)}>
            {title}
          </Menu.CheckboxItem>
        ))}
        <Menu.Divider />
        <Menu.Item onClick={() => choose(null)}>The usual columns</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
