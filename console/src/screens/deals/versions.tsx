import { Anchor, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { Bridge } from '../../charts/bridge.tsx';
import { Act } from '../../ui/act.tsx';
import { bytes, count, Day, money, When, words } from '../../ui/format.tsx';
import { Empty, Facts, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import type { Deal } from './deal-data.ts';

/** Every tape that was sent for the deal, and how a version differs from the one before. */
export function Versions({ deal }: { deal: Deal }): ReactNode {
  const operator = isOperator(useMe());
  const params = { path: { dealId: deal.deal_id } };
  const [compared, setCompared] = useState<number | null>(null);
  const versions = useQuery({
    queryKey: ['deals', deal.deal_id, 'versions', deal.tape_version],
    queryFn: () =>
      operator
        ? sent(api.GET('/v1/operator/deals/{dealId}/tapes', { params }))
        : sent(api.GET('/v1/api/originator/loans/{dealId}/tapes', { params })),
  });
  return (
    <Read from={versions}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty>No tape has been sent yet.</Empty>
        ) : (
          <>
            <Table.ScrollContainer minWidth={800} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
              <Table aria-label="Versions">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th className="number">Version</Table.Th>
                    <Table.Th>File</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th className="number">Rows</Table.Th>
                    <Table.Th className="number">Rejected</Table.Th>
                    <Table.Th className="number">Balance (US$)</Table.Th>
                    <Table.Th>As of</Table.Th>
                    <Table.Th>Sent</Table.Th>
                    {!operator && <Table.Th>Compare</Table.Th>}
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {data.map((version) => (
                    <Table.Tr key={version.version}>
                      <Table.Td className="number">{version.version}</Table.Td>
                      <Table.Td title={`SHA-256 ${version.sha256}`}>
                        {operator ? (
                          version.file_name
                        ) : (
                          <Anchor
                            size="sm"
                            underline="always"
                            href={`/v1/api/originator/loans/${deal.deal_id}/tapes/${version.version}/file`}
                            download
                          >
                            {version.file_name}
                          </Anchor>
                        )}
                        , {bytes(version.size)} (
                        {version.merged_into ? `merged into version ${version.merged_into}` : words(version.mode)})
                      </Table.Td>
                      <Table.Td>
                        <Status of={version.state} />
                      </Table.Td>
                      <Table.Td className="number">{count(version.rows)}</Table.Td>
                      <Table.Td className="number">{count(version.rejected)}</Table.Td>
                      <Table.Td className="number">{money(version.total_balance)}</Table.Td>
                      <Table.Td>
                        <Day at={version.as_of_date} />
                      </Table.Td>
                      <Table.Td>
                        <When at={version.created_at} />
                      </Table.Td>
                      {!operator && (
                        <Table.Td>
                          {version.version > 1 && (
                            <Anchor component="button" type="button" size="sm" onClick={() => setCompared(version.version)}>
                              With version {version.version - 1}
                            </Anchor>
                          )}
                        </Table.Td>
                      )}
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </Table.ScrollContainer>
            {!operator && <PersonalData deal={deal} />}
            {compared !== null && <Difference dealId={deal.deal_id} version={compared} />}
          </>
        )
      }
    </Read>
  );
}

/** The way out for personal data: nobody can open the files of the versions any more. */
function PersonalData({ deal }: { deal: Deal }): ReactNode {
  return (
    <Part
      title="Personal data"
      about="The files and the sealed columns of all versions are encrypted. Once their keys are destroyed, nobody can open them again; loans and findings stay."
      acts={
        <Act
          label="Destroy the personal data"
          right="APPROVE"
          danger
          question={`The files of all versions of “${deal.name}” and their sealed columns can never be opened again. It cannot be undone.`}
          typed={deal.name}
          run={() =>
            sent(api.DELETE('/v1/api/originator/loans/{dealId}/personal-data', { params: { path: { dealId: deal.deal_id } } }))
          }
          done="The keys are destroyed."
        />
      }
    >
      {null}
    </Part>
  );
}

function Difference({ dealId, version }: { dealId: string; version: number }): ReactNode {
  const difference = useQuery({
    queryKey: ['deals', dealId, 'diff', version],
    queryFn: () =>
      sent(
        api.GET('/v1/api/originator/loans/{dealId}/tapes/{version}/diff', {
          params: { path: { dealId, version: String(version) }, query: { against: version - 1 } },
        }),
      ),
  });
  return (
    <Part title={`Version ${version} against version ${version - 1}`}>
      <Read from={difference}>
        {({ data }) => (
          <>
            <Facts
              facts={[
                ['Loans added', count(data.added)],
                ['Loans removed', count(data.removed)],
                ['Loans changed', count(data.changed)],
              ]}
            />
            <Bridge
              title={`Balance from version ${version - 1} to version ${version}`}
              unit="US$"
              steps={stepsOf(data.roll_forward)}
            />
          </>
        )}
      </Read>
    </Part>
  );
}

/** A roll-forward as the steps of a bridge. */
export const stepsOf = (roll: Records['TapeDiff']['roll_forward']): { name: string; value: number; total?: boolean }[] => [
  { name: 'Opening', value: roll.opening, total: true },
  { name: 'Added', value: roll.added },
  { name: 'Removed', value: -roll.removed },
  { name: 'Principal', value: -roll.principal },
  { name: 'Charged off', value: -roll.charged_off },
  { name: 'Adjustment', value: roll.adjustment },
  { name: 'Closing', value: roll.closing, total: true },
];
