import { Anchor, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import { sendFile } from '../../app/send-file.ts';
import { Bridge } from '../../charts/bridge.tsx';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { FormEnd, useSubmit } from '../../ui/form.tsx';
import { bytes, count } from '../../ui/format.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Empty, Facts, Note, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import { NumberField } from '../../ui/number-field.tsx';
import { FINDING_FILTERS, findingColumns, findingKey } from '../deals/findings.tsx';
import { TapeDrop } from '../deals/tape-drop.tsx';
import { stepsOf } from '../deals/versions.tsx';
import { countColumn, dayColumn, statusColumn, whenColumn } from '../../ui/columns.tsx';

type Tape = Records['PoolTape'];

const POLL_MS = 1_500;

/** The loans of a pool month by month: tapes that are sent, compared and confirmed. */
export function MonthlyTapes({ poolId }: { poolId: string }): ReactNode {
  const [values, set] = useAddress();
  const params = { path: { poolId } };
  const tapes = useQuery({
    queryKey: ['pools', poolId, 'tapes'],
    queryFn: () => sent(api.GET('/v1/api/originator/pools/{poolId}/tapes', { params })),
    refetchInterval: ({ state }) => (state.data?.data.some((tape) => tape.state === 'RUNNING') ? POLL_MS : false),
  });
  return (
    <Read from={tapes}>
      {({ data }) => (
        <Stack gap="lg">
          {data.length === 0 ? (
            <Empty>No monthly tape has been sent. One each month gives investors the loans as they are.</Empty>
          ) : (
            <DataTable
              label="Monthly tapes"
              columns={columnsOf(poolId, (period) => set({ period: String(period), page: null, rule: null }))}
              rows={data}
              rowKey={({ period }) => String(period)}
              whole
            />
          )}
          {values.period && <OnePeriod key={values.period} poolId={poolId} period={values.period} />}
          <NextTape poolId={poolId} next={Math.max(0, ...data.map(({ period }) => period)) + 1} />
          <Schedule poolId={poolId} />
        </Stack>
      )}
    </Read>
  );
}

const columnsOf = (poolId: string, open: (period: number) => void): readonly Column<Tape>[] => [
  {
    id: 'period',
    title: 'Period',
    number: true,
    value: ({ period }) => period,
    cell: ({ period }) => (
      <Anchor component="button" type="button" size="sm" onClick={() => open(period)}>
        Period {period}
      </Anchor>
    ),
  },
  statusColumn('state', 'State'),
  {
    id: 'file_name',
    title: 'File',
    value: ({ file_name }) => file_name,
    cell: ({ file_name, size, sha256 }) => <span title={sha256}>{`${file_name}, ${bytes(size)}`}</span>,
  },
  countColumn('rows', 'Rows'),
  countColumn('rejected', 'Rejected'),
  countColumn('matched', 'Matched'),
  countColumn('strangers', 'Not of the pool'),
  countColumn('errors', 'Errors'),
  countColumn('warnings', 'Warnings'),
  dayColumn('as_of_date', 'As of'),
  whenColumn('created_at', 'Sent'),
  { id: 'acts', title: '', value: () => null, cell: (tape) => <Acts poolId={poolId} tape={tape} /> },
];

function Acts({ poolId, tape }: { poolId: string; tape: Tape }): ReactNode {
  const params = { path: { poolId, period: String(tape.period) } };
  if (tape.state !== 'NEEDS_CONFIRMATION') return null;
  return (
    <Group gap={6} wrap="nowrap">
      <Act
        label="Take it"
        right="EDIT"
        question={`The tape of period ${tape.period} is in force in spite of what was found.`}
        run={() => sent(api.POST('/v1/api/originator/pools/{poolId}/tapes/{period}/confirm', { params }))}
        done="The tape is in force."
      />
      <Act
        label="Drop it"
        right="EDIT"
        danger
        question={`The tape of period ${tape.period} is dropped.`}
        run={() => sent(api.DELETE('/v1/api/originator/pools/{poolId}/tapes/{period}', { params }))}
        done="The tape is dropped."
      />
    </Group>
  );
}

/** One month: what its checks decided, how the balance moved, and what was found. */
function OnePeriod({ poolId, period }: { poolId: string; period: string }): ReactNode {
  const path = { poolId, period };
  const tape = useQuery({
    queryKey: ['pools', poolId, 'tapes', period],
    queryFn: () => sent(api.GET('/v1/api/originator/pools/{poolId}/tapes/{period}', { params: { path } })),
  });
  return (
    <Part title={`Period ${period}`}>
      <Read from={tape}>
        {({ data }) => (
          <Stack gap="md">
            {data.failure && (
              <Note color="red" title="The tape could not be read">
                {data.failure} Send a corrected tape below.
              </Note>
            )}
            {data.state === 'NEEDS_MAPPING' && (
              <Note title="Columns have to be named">
                Required fields have no column. Name them by the API, or send the tape with the column names of the pool's first
                tape.
              </Note>
            )}
            {data.decisions.map((decision) => (
              <Note key={decision} color="gray">
                {decision}
              </Note>
            ))}
            {data.compared_with !== null && <Moved path={path} against={data.compared_with} />}
            <RecordList
              name={['pools', poolId, 'tapes', period, 'findings']}
              label="Findings"
              read={(query: QueryOf<'/v1/api/originator/pools/{poolId}/tapes/{period}/issues'>) =>
                sent(api.GET('/v1/api/originator/pools/{poolId}/tapes/{period}/issues', { params: { path, query } }))
              }
              filters={FINDING_FILTERS}
              columns={findingColumns()}
              rowKey={findingKey}
              few
              empty="The checks found nothing."
            />
          </Stack>
        )}
      </Read>
    </Part>
  );
}

function Moved({ path, against }: { path: { poolId: string; period: string }; against: number }): ReactNode {
  const difference = useQuery({
    queryKey: ['pools', path.poolId, 'tapes', path.period, 'diff', against],
    queryFn: () =>
      sent(api.GET('/v1/api/originator/pools/{poolId}/tapes/{period}/diff', { params: { path, query: { against } } })),
  });
  return (
    <Read from={difference}>
      {({ data }) => (
        <Stack gap="sm">
          <Facts
            facts={[
              ['Loans added', count(data.added)],
              ['Loans removed', count(data.removed)],
              ['Loans changed', count(data.changed)],
            ]}
          />
          <Bridge
            title={`Balance from period ${against} to period ${path.period}`}
            unit="US$"
            steps={stepsOf(data.roll_forward)}
          />
        </Stack>
      )}
    </Read>
  );
}

function NextTape({ poolId, next }: { poolId: string; next: number }): ReactNode {
  const allowed = can(useMe(), 'EDIT');
  const [period, setPeriod] = useState<number | ''>(next);
  return (
    <Part title="Send a monthly tape" about="A period that was sent before is replaced by its next version.">
      <Stack gap="sm" maw={640}>
        <NumberField label="Period" w={120} min={1} allowDecimal={false} value={period} onChange={setPeriod} />
        <TapeDrop
          blocked={allowed ? (typeof period === 'number' ? null : 'Which period is it?') : 'This needs the right EDIT.'}
          send={async (file, fileFormat, report) => {
            const { data } = await sent(
              api.POST('/v1/api/originator/pools/{poolId}/tapes', {
                params: { path: { poolId } },
                body: { period: Number(period), fileName: file.name, fileFormat, fileSize: file.size },
              }),
            );
            await sendFile(data.upload_url, data.upload_headers, file, report);
            await sent(
              api.POST('/v1/api/originator/pools/{poolId}/tapes/{period}/complete', {
                params: { path: { poolId, period: String(data.period) } },
                body: { fileName: data.file_name },
              }),
            );
          }}
        />
      </Stack>
    </Part>
  );
}

/** By which business day of the month a tape is due. */
function Schedule({ poolId }: { poolId: string }): ReactNode {
  const params = { path: { poolId } };
  const schedule = useQuery({
    queryKey: ['pools', poolId, 'reporting'],
    queryFn: () => sent(api.GET('/v1/api/originator/pools/{poolId}/reporting', { params })),
  });
  return (
    <Part title="When it is due" about="An alert tells you when no tape has come by that day.">
      <Read from={schedule}>{({ data }) => <ScheduleForm poolId={poolId} known={data.tape_due_business_day} />}</Read>
    </Part>
  );
}

function ScheduleForm({ poolId, known }: { poolId: string; known: number | null }): ReactNode {
  const { form, submit } = useSubmit({
    initialValues: { tape_due_business_day: known ?? '' },
    done: () => 'The schedule is saved.',
    send: ({ tape_due_business_day: day }) =>
      sent(
        api.PUT('/v1/api/originator/pools/{poolId}/reporting', {
          params: { path: { poolId } },
          body: { tape_due_business_day: typeof day === 'number' ? day : null },
        }),
      ),
  });
  return (
    <form onSubmit={submit.onSubmit}>
      <Group align="flex-end">
        <NumberField
          label="Business day of the month"
          placeholder="None"
          min={1}
          max={22}
          allowDecimal={false}
          w={200}
          {...form.getInputProps('tape_due_business_day')}
        />
        <FormEnd submit={submit} label="Save" />
      </Group>
    </form>
  );
}
