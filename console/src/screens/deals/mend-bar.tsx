import { Button, CloseButton, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, sent } from '../../app/api.ts';
import { count } from '../../ui/format.tsx';
import { Problem } from '../../ui/problem.tsx';
import type { Deal } from './deal-data.ts';
import type { Mend, Mends } from './mends.ts';
import { useOwnAttempts } from '../../ui/own-attempts.ts';

const plural = (of: number, one: string, many: string): string => `${count(of)} ${of === 1 ? one : many}`;
/** Corrections that are named one by one; of more, the number is told. */
const LISTED = 8;

/** What was corrected and not sent yet: all of it goes to the gateway together, as the next version of the tape. */
export function MendBar({ deal, mends }: { deal: Deal; mends: Mends }): ReactNode {
  const client = useQueryClient();
  const [, set] = useAddress();
  const { all, version } = mends;
  const ofForm = useOwnAttempts();
  const send = useMutation({
    mutationFn: () =>
      ofForm(() =>
        sent(
          api.POST('/v1/api/originator/loans/{dealId}/corrections', {
            params: { path: { dealId: deal.deal_id } },
            body: {
              tape_version: version ?? 0,
              cells: all.map(({ row_number, column, value }) => ({ row_number, column, value })),
            },
          }),
        ),
      ),
    onSuccess: ({ data }) => {
      mends.clear();
      set({ corrected: String(data.version) });
      notifications.show({ color: 'teal', message: `The correction is version ${data.version}; its checks have begun.` });
      void client.invalidateQueries();
    },
  });
  if (all.length === 0) return null;
  const rows = new Set(all.map(({ row_number }) => row_number)).size;
  const stale = version !== deal.tape_version;
  return (
    <section className="mend-bar card" aria-label="Corrections that are not sent">
      <Group justify="space-between" gap="xs">
        <Text size="sm" fw={600} role="status">
          {plural(all.length, 'cell', 'cells')} in {plural(rows, 'row', 'rows')} corrected, not sent
        </Text>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" disabled={send.isPending} onClick={mends.clear}>
            Discard
          </Button>
          <Button size="compact-sm" loading={send.isPending} disabled={stale} onClick={() => send.mutate()}>
            Send the correction
          </Button>
        </Group>
      </Group>
      <ul className="mends">
        {all.slice(0, LISTED).map((mend) => (
          <li key={`${mend.row_number} ${mend.column}`}>
            <Change mend={mend} />
            <CloseButton
              size="xs"
              aria-label={`Drop the correction of ${mend.column} of row ${mend.row_number}`}
              onClick={() => mends.drop(mend)}
            />
          </li>
        ))}
        {all.length > LISTED && <li>and {count(all.length - LISTED)} more</li>}
      </ul>
      {stale && (
        <Text size="sm">
          The cells were seen in version {version}, and version {deal.tape_version} is in force: discard these corrections, and
          make them in the findings of today.
        </Text>
      )}
      {send.error && <Problem error={send.error} retry={() => send.mutate()} />}
    </section>
  );
}

const Change = ({ mend: { row_number, column, seen, value } }: { mend: Mend }): ReactNode => (
  <span>
    Row {count(row_number)}, {column}:{' '}
    <span className="id">
      {seen ?? 'empty'} → {value === '' ? 'empty' : value}
    </span>
  </span>
);
