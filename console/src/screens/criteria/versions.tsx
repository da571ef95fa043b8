import { Anchor, Table } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { count, When } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { Note, Part, ToCome } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { ChangeTable } from './change-table.tsx';
import { changesBetween } from './changes.ts';
import { bodyOf, criteriaQuery } from './criteria-data.ts';
import type { Fields } from './language.ts';

const MOST = 20;

/** Every version of the set, newest first, and what each changed. None of them ever changes. */
export function Versions({ criteriaId, latest, fields }: { criteriaId: string; latest: number; fields: Fields }): ReactNode {
  const [shown, setShown] = useState<number | null>(null);
  const first = Math.max(1, latest - MOST + 1);
  const numbers = Array.from({ length: latest - first + 1 }, (_, at) => latest - at);
  const versions = useQueries({
    queries: numbers.map((version) => ({ ...criteriaQuery(criteriaId, version), staleTime: Number.POSITIVE_INFINITY })),
  });
  const failed = versions.find(({ error }) => error);
  const changesOf = (at: number) => {
    const [after, before] = [versions[at]?.data, versions[at + 1]?.data];
    return after && before ? changesBetween(bodyOf(before), bodyOf(after), fields) : null;
  };
  const open = shown === null ? null : changesOf(numbers.indexOf(shown));
  return (
    <>
      <Part title="Versions" about="A version never changes. Open one to run it, or to go on from it.">
        {failed?.error && <Problem error={failed.error} retry={() => void failed.refetch()} />}
        <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label="Versions" fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Version</Table.Th>
                <Table.Th>Saved</Table.Th>
                <Table.Th className="number">Loan rules</Table.Th>
                <Table.Th className="number">Pool tests</Table.Th>
                <Table.Th>Against the one before</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {numbers.map((version, at) => {
                const data = versions[at]?.data;
                const changes = changesOf(at);
                return (
                  <Table.Tr key={version}>
                    <Table.Td>
                      <To
                        to="/criteria/$criteriaId"
                        params={{ criteriaId }}
                        search={version === latest ? {} : { version: String(version) }}
                        size="sm"
                      >
                        Version {version}
                      </To>
                    </Table.Td>
                    <Table.Td>{data ? <When at={data.created_at} /> : <ToCome width={140} />}</Table.Td>
                    <Table.Td className="number">{count(data?.loan_rules.length)}</Table.Td>
                    <Table.Td className="number">{count(data?.pool_tests.length)}</Table.Td>
                    <Table.Td>
                      {version === 1 ? (
                        'The first one'
                      ) : changes ? (
                        <Anchor
                          component="button"
                          type="button"
                          size="sm"
                          aria-pressed={shown === version}
                          onClick={() => setShown(shown === version ? null : version)}
                        >
                          {changes.length === 1 ? '1 change' : `${count(changes.length)} changes`}
                        </Anchor>
                      ) : (
                        '–'
                      )}
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        {first > 1 && <Note color="gray">The newest {MOST} versions are listed; the address takes any, as version=3.</Note>}
      </Part>
      {shown !== null && open && (
        <Part title={`Version ${shown} against version ${shown - 1}`}>
          <ChangeTable label={`Changes of version ${shown}`} changes={open} />
        </Part>
      )}
    </>
  );
}
