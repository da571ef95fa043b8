import { Group, Progress, Select, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { Act } from '../../ui/act.tsx';
import { count, money, share, words } from '../../ui/format.tsx';
import { Facts, Note, Part } from '../../ui/page.tsx';
import type { Deal } from './deal-data.ts';
import { sendTape, TapeDrop } from './tape-drop.tsx';

/** Stages of the checks in their order. */
const STAGES = ['READING', 'MATCHING', 'CHECKING', 'LISTING', 'WRITING', 'STORING'];

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

function Checks({ progress }: { progress: Records['ChecksProgress'] | null }): ReactNode {
  const at = progress ? STAGES.indexOf(progress.stage) : 0;
  const part = progress && progress.total > 0 ? progress.done / progress.total : 0;
  return (
    <div role="status">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {progress ? `${words(progress.stage)}, step ${at + 1} of ${STAGES.length}` : 'The checks begin'}
        </Text>
        {progress && (
          <Text size="sm" className="number">
            {count(progress.done)} of {count(progress.total)}
          </Text>
        )}
      </Group>
      <Progress value={(100 * (at + part)) / STAGES.length} aria-label="Checks" mt={4} />
      <Text size="xs" c="dimmed" mt={4}>
        You can leave this page: the checks go on, and an alert tells when they are done.
      </Text>
    </div>
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

const MODES: { value: Records['TapeMode']; label: string }[] = [
  { value: 'REPLACE', label: 'The whole tape again' },
  { value: 'MERGE', label: 'Corrected and new rows only' },
];

function NextTape({ deal }: { deal: Deal }): ReactNode {
  const [mode, setMode] = useState<Records['TapeMode']>('REPLACE');
  const first = deal.status === 'DRAFT';
  return (
    <Part title={first ? 'Send the tape' : 'Send a correction'}>
      <Stack gap="sm" maw={640}>
        {!first && (
          <Select
            label="What the file has"
            allowDeselect={false}
            data={MODES}
            value={mode}
            onChange={(value) => setMode(value === 'MERGE' ? 'MERGE' : 'REPLACE')}
          />
        )}
        <TapeDrop
          blocked={null}
          send={async (file, fileFormat, report) => {
            const params = { path: { dealId: deal.deal_id } };
            const body = { fileName: file.name, fileFormat, fileSize: file.size };
            const { data } = first
              ? await sent(api.PATCH('/v1/api/originator/loans/{dealId}', { params, body }))
              : await sent(api.POST('/v1/api/originator/loans/{dealId}/tapes', { params, body: { ...body, mode } }));
            await sendTape(data, file, report);
          }}
        />
      </Stack>
    </Part>
  );
}
