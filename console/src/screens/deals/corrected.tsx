import { Button, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, sent } from '../../app/api.ts';
import { count } from '../../ui/format.tsx';
import { Note, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Checks } from './checks.tsx';
import type { Deal } from './deal-data.ts';

/** What became of a correction that was sent: its checks while they run, then the findings that are gone and those that are new. */
export function Corrected({ deal }: { deal: Deal }): ReactNode {
  const [values, set] = useAddress();
  const version = Number(values.corrected);
  if (!(version > 0)) return null;
  return (
    <Part
      title={`Correction, version ${version}`}
      acts={
        <Button size="compact-sm" variant="subtle" onClick={() => set({ corrected: null })}>
          Close
        </Button>
      }
    >
      <Outcome deal={deal} version={version} />
    </Part>
  );
}

function Outcome({ deal, version }: { deal: Deal; version: number }): ReactNode {
  const { qc } = deal;
  if (qc?.state === 'RUNNING') return <Checks progress={qc.progress} />;
  if (qc?.waiting?.version === version)
    return <Note title="It waits for your confirmation">It would lose many loans: see the tab Tape.</Note>;
  if ((deal.tape_version ?? 0) >= version) return <Difference dealId={deal.deal_id} version={version} />;
  return (
    <Note color="red" title="The correction is not in force">
      {qc?.reason ?? 'Its checks ended without loans: see the tab Versions.'}
    </Note>
  );
}

function Difference({ dealId, version }: { dealId: string; version: number }): ReactNode {
  const difference = useQuery({
    queryKey: ['deals', dealId, 'diff', version, 'findings'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () =>
      sent(
        api.GET('/v1/api/originator/loans/{dealId}/tapes/{version}/diff', {
          params: { path: { dealId, version: String(version) } },
        }),
      ),
  });
  return (
    <Read from={difference}>
      {({ data: { findings = [], changed, added, removed } }) => {
        const sum = (of: (rule: (typeof findings)[number]) => number): number =>
          findings.reduce((total, rule) => total + Math.max(0, of(rule)), 0);
        return (
          <Stack gap="xs">
            <Text size="sm" role="status">
              {count(sum(({ before, after }) => before - after))} findings are gone,{' '}
              {count(sum(({ before, after }) => after - before))} are new. {count(changed)} loans changed, {count(added)} were
              added, {count(removed)} were removed.
            </Text>
            {findings.length > 0 && (
              <Table.ScrollContainer minWidth={320} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
                <Table aria-label="Findings before and after" maw={560}>
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>Rule</Table.Th>
                      <Table.Th className="number">Before</Table.Th>
                      <Table.Th className="number">After</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {findings.map(({ rule_id, severity, before, after }) => (
                      <Table.Tr key={`${rule_id} ${severity}`}>
                        <Table.Td>{rule_id}</Table.Td>
                        <Table.Td className="number">{count(before)}</Table.Td>
                        <Table.Td className="number">{count(after)}</Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </Table.ScrollContainer>
            )}
          </Stack>
        );
      }}
    </Read>
  );
}
