import { Group, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { Act } from '../../ui/act.tsx';
import { count, money, share, words } from '../../ui/format.tsx';
import { Facts, Note, Part } from '../../ui/page.tsx';
import type { Deal } from './deal-data.ts';
import { Checks } from './checks.tsx';
import { NextTape } from './next-tape.tsx';

/** The tape: how far its checks are, what waits for a decision, and the next version. */
export function Tape({ deal }: { deal: Deal }): ReactNode {
  const me = useMe();
  const { qc } = deal;
  const open = ['DRAFT', 'IN_REVIEW', 'QC_COMPLETED'].includes(deal.status);
  return (
    <Stack gap="md">
      {qc?.state === 'RUNNING' && <Checks progress={qc.progress} />}
      {qc?.state === 'FAILED' && (
        <Note color="red" title="The tape could not be read">
          {qc.reason ?? 'Its checks failed.'} Send a corrected tape below.
        </Note>
      )}
      {qc?.state === 'NEEDS_MAPPING' && (
        <Note title="Columns have to be named">
          Required fields have no column. Name them under Mapping; the checks go on by themselves.
        </Note>
      )}
      {qc?.waiting && <WaitingVersion deal={deal} waiting={qc.waiting} />}
      {qc && qc.rows > 0 && (
        <Part title="The tape in force">
          <Facts
            facts={[
              ['Rows', count(qc.rows)],
              ['Accepted', `${count(qc.accepted)} (${share(qc.accepted, qc.rows)})`],
              ['Rejected', `${count(qc.rejected)} (${share(qc.rejected, qc.rows)})`],
              ['Balance is', qc.balance_basis ? words(qc.balance_basis) : '–'],
            ]}
          />
        </Part>
      )}
      {open && can(me, 'EDIT') && <NextTape deal={deal} />}
    </Stack>
  );
}

function WaitingVersion({ deal, waiting }: { deal: Deal; waiting: Records['WaitingVersion'] }): ReactNode {
  const params = { path: { dealId: deal.deal_id, version: String(waiting.version) } };
  return (
    <Note title={`Version ${waiting.version} waits for your confirmation`}>
      {waiting.file_name}: {count(waiting.loan_count)} loans, {money(waiting.total_balance)}, {count(waiting.issue_counts.error)}{' '}
      errors.{' '}
      {waiting.lost_loans > 0 &&
        `${count(waiting.lost_loans)} loans of the version in force, ${money(waiting.lost_balance)}, are not in it. `}
      <Group gap="xs" mt="xs">
        <Act
          label="Take it"
          right="EDIT"
          question={`Version ${waiting.version} takes the place of the version in force.`}
          run={() => sent(api.POST('/v1/api/originator/loans/{dealId}/tapes/{version}/confirm', { params }))}
          done={`Version ${waiting.version} is in force.`}
        />
        <Act
          label="Drop it"
          right="EDIT"
          danger
          question={`Version ${waiting.version} is dropped; the version in force stays.`}
          run={() => sent(api.DELETE('/v1/api/originator/loans/{dealId}/tapes/{version}', { params }))}
          done={`Version ${waiting.version} is dropped.`}
        />
      </Group>
    </Note>
  );
}
