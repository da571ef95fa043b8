import { Table, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMe } from '../../app/me.tsx';
import { count, Day, When } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { Empty, Loading, Page, Part } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { KINDS } from './waiting-kinds.ts';
import { isShown } from './waits.ts';

/** What a person has to decide or mend, newest first; where nothing waits, that is said. */
export function Waiting(): ReactNode {
  const me = useMe();
  const kinds = KINDS.filter((kind) => kind.shown(me));
  const results = useQueries({ queries: kinds.map(({ title, read }) => ({ queryKey: ['waiting', title], queryFn: read })) });
  const rows = kinds.flatMap((kind, index) => {
    const data = results[index]?.data;
    return data && isShown(data) ? [{ ...kind, ...data }] : [];
  });
  const settled = results.every(({ isPending }) => !isPending);
  const failed = results.find(({ error }) => error);
  return (
    <Page title="Waiting for me" about={`${me.name}, for ${me.organization}.`}>
      {failed && <Problem error={failed.error} retry={() => void failed.refetch()} />}
      {!settled && <Loading />}
      {settled && rows.length > 0 && (
        <Table.ScrollContainer minWidth={560} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label="What waits">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>What</Table.Th>
                <Table.Th className="number">Records</Table.Th>
                <Table.Th>Newest since</Table.Th>
                <Table.Th>First deadline</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ title, to, search, total, newest, deadline, note }) => (
                <Table.Tr key={title}>
                  <Table.Td>
                    <To to={to} search={search} size="sm">
                      {title}
                    </To>
                    {note && (
                      <Text size="xs" c="dimmed">
                        {note}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td className="number">{count(total)}</Table.Td>
                  <Table.Td>
                    <When at={newest} />
                  </Table.Td>
                  <Table.Td>
                    <Deadline at={deadline} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {results.every(({ data }) => data && !isShown(data)) && (
        <Empty>
          Nothing waits for you. What comes is shown here, and told by an{' '}
          <To to="/alerts" size="sm" underline="always">
            alert
          </To>
          ; by{' '}
          <To to="/notifications" size="sm" underline="always">
            e-mail
          </To>{' '}
          too, if you choose it.
        </Empty>
      )}
      {settled && (
        <Part title="How this console works">
          <Text size="sm" c="dimmed">
            Ctrl K finds any deal, loan, pool, organization, member, request or page. Filters and pages are in the address: a link
            shows another person the same. Everything here is done through the public API, and every change is in the audit log.
          </Text>
        </Part>
      )}
    </Page>
  );
}

const DAY_LENGTH = 10;

/** A day or an instant by which something has to be done. */
function Deadline({ at }: { at: string | null }): ReactNode {
  const shown = at?.length === DAY_LENGTH ? <Day at={at} /> : <When at={at} />;
  if (at === null || Date.parse(at) > Date.now()) return shown;
  return (
    <>
      {shown}{' '}
      <Text span size="xs" c="red">
        Past
      </Text>
    </>
  );
}
