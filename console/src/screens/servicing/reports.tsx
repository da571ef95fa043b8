import { Anchor, Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import type { Column } from '../../ui/column.ts';
import { count, Day, money, When } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { RecordList } from '../../ui/list.tsx';
import { Empty, Facts, Note, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { AllFigures, Differences, differencesOf, Triggers } from './figures.tsx';
import { ReportForm } from './report-form.tsx';
import { dayColumn, statusColumn } from '../../ui/columns.tsx';

type Report = Records['Remittance'];

/** The servicer's reports of a pool, period by period, each with what differs; and the form for the next one. */
export function Reports({ poolId }: { poolId: string }): ReactNode {
  const [values, set] = useAddress();
  const pool = useQuery({
    queryKey: ['pools', poolId],
    queryFn: () => sent(api.GET('/v1/api/originator/pools/{poolId}', { params: { path: { poolId } } })),
  });
  return (
    <Read from={pool}>
      {({ data }) =>
        data.deal_id === null ? (
          <Empty>Reports come after the issue: the pool is not on the market yet.</Empty>
        ) : (
          <Stack gap="lg">
            <RecordList
              name={['pools', poolId, 'reports']}
              label="Certificates"
              read={(query: QueryOf<'/v1/api/originator/pools/{poolId}/remittances'>) =>
                sent(api.GET('/v1/api/originator/pools/{poolId}/remittances', { params: { path: { poolId }, query } }))
              }
              columns={columnsOf((id) => set({ report: id }, { keepPage: true }))}
              rowKey={({ remittance_id }) => remittance_id}
              few
              empty="Nothing has been reported yet."
            />
            {values.report && (
              <OneReport
                key={values.report}
                pool={data}
                reportId={values.report}
                close={() => set({ report: null }, { keepPage: true })}
              />
            )}
            <Part title="Report a period" about="It has to tie to the cent, to itself and to the period before.">
              <ReportForm key={data.last_remittance?.remittance_id ?? 'first'} pool={data} />
            </Part>
          </Stack>
        )
      }
    </Read>
  );
}

const columnsOf = (open: (id: string) => void): readonly Column<Report>[] => [
  {
    id: 'period',
    title: 'Period',
    value: ({ period }) => period,
    cell: ({ remittance_id, period }) => (
      <Anchor component="button" type="button" size="sm" onClick={() => open(remittance_id)}>
        Period {period}
      </Anchor>
    ),
  },
  dayColumn('payment_date', 'Payment date'),
  statusColumn('status', 'Status'),
  {
    id: 'verification',
    title: 'Verification',
    value: ({ verification }) => verification.status,
    cell: ({ verification }) => <Status of={verification.status} />,
  },
  {
    id: 'differences',
    title: 'Differences',
    number: true,
    value: (report) => differencesOf(report).length,
    cell: (report) => count(differencesOf(report).length),
  },
  {
    id: 'pool_balance',
    title: 'Pool balance (US$)',
    number: true,
    value: ({ pool }) => pool.pool_balance,
    cell: ({ pool }) => money(pool.pool_balance),
  },
  { id: 'cpr', title: 'CPR', number: true, value: ({ pool }) => pool.cpr, cell: ({ pool }) => percent(pool.cpr) },
  { id: 'cdr', title: 'CDR', number: true, value: ({ pool }) => pool.cdr, cell: ({ pool }) => percent(pool.cdr) },
  {
    id: 'cnl',
    title: 'Net loss',
    number: true,
    value: ({ pool }) => pool.cumulative_net_loss,
    cell: ({ pool }) => percent(pool.cumulative_net_loss),
  },
  {
    id: 'triggers',
    title: 'Triggers on',
    value: ({ triggers }) =>
      triggers
        .filter(({ on }) => on)
        .map(({ trigger }) => trigger)
        .join(', '),
  },
];

type One = { pool: Records['Pool']; reportId: string; close: () => void };

/** One report, what it can still become, and the versions that it replaced. */
function OneReport({ pool, reportId, close }: One): ReactNode {
  const [restating, setRestating] = useState(false);
  const params = { path: { poolId: pool.pool_id, remittanceId: reportId } };
  const report = useQuery({
    queryKey: ['pools', pool.pool_id, 'reports', reportId],
    queryFn: () => sent(api.GET('/v1/api/originator/pools/{poolId}/remittances/{remittanceId}', { params })),
  });
  const found = report.data?.data;
  return (
    <Part
      title={found ? `Period ${found.period}` : 'Report'}
      acts={
        <>
          {found?.status === 'APPLIED' && (
            <Button size="compact-sm" variant="default" onClick={() => setRestating(!restating)}>
              Restate
            </Button>
          )}
          {found && found.status !== 'APPLIED' && (
            <Act
              label="Take back"
              right="EDIT"
              danger
              question={`The report of period ${found.period} is taken back before it pays anybody.`}
              run={() => sent(api.DELETE('/v1/api/originator/pools/{poolId}/remittances/{remittanceId}', { params }))}
              done="The report is taken back."
              after={close}
            />
          )}
          <Button size="compact-sm" variant="default" onClick={close}>
            Close
          </Button>
        </>
      }
    >
      <Read from={report}>
        {({ data }) => (
          <Stack gap="sm">
            <Standing report={data} />
            <Facts
              facts={[
                ['Payment date', <Day key="paid" at={data.payment_date} />],
                ['Version', data.version],
                ['Reported', <When key="sent" at={data.created_at} />],
                ['Applied', <When key="applied" at={data.applied_at} />],
                ['Restated', <When key="restated" at={data.restated_at} />],
              ]}
            />
            {restating && <ReportForm pool={pool} restates={data} close={() => setRestating(false)} />}
            <Differences report={data} />
            {data.triggers.length > 0 && <Triggers triggers={data.triggers} />}
            <AllFigures report={data} />
          </Stack>
        )}
      </Read>
    </Part>
  );
}

function Standing({ report: { status, verification, accepted_at, accepted_reason } }: { report: Report }): ReactNode {
  if (accepted_at)
    return (
      <Note color="gray">
        The operator accepted it <When at={accepted_at} />: {accepted_reason}
      </Note>
    );
  if (status === 'APPLIED' || verification.status !== 'DIFFERS') return null;
  return (
    <Note>
      It differs from the structure. Send the right figures, or have the operator accept these:{' '}
      {status === 'HELD' ? 'nobody is paid until then.' : 'otherwise it is held on its payment date.'}
    </Note>
  );
}
