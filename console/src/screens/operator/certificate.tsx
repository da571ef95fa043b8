import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api, type Records, sent, sentTagged } from '../../app/api.ts';
import { Act } from '../../ui/act.tsx';
import { count, Day, Id, money, When } from '../../ui/format.tsx';
import { percent } from '../../ui/format-market.ts';
import { Facts, Note, Page, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import { AllFigures, Differences, differencesOf, Triggers } from '../servicing/figures.tsx';
import { OfferingName, OrganizationName } from './names.tsx';

type Report = Records['OperatorRemittance'];

/** A report of a servicer with the figures that differ from its structure, and the decision about them. */
export function CertificatePage(): ReactNode {
  const { remittanceId = '' } = useParams({ strict: false });
  const params = { path: { remittanceId } };
  const report = useQuery({
    queryKey: ['certificates', remittanceId],
    queryFn: () => sentTagged(api.GET('/v1/operator/remittances/{remittanceId}', { params })),
  });
  const found = report.data?.envelope.data;
  return (
    <Page
      title={found ? `${found.pool_name}, period ${found.period}` : 'Certificate'}
      up={{ to: '/certificates', title: 'Certificates' }}
      acts={found && report.data && isOpen(found) && <Accept report={found} tag={report.data.tag} />}
    >
      <Read from={report}>{({ envelope }) => <Figures report={envelope.data} />}</Read>
    </Page>
  );
}

/** It differs, and nobody has accepted it. */
const isOpen = ({ status, verification, accepted_at }: Report): boolean =>
  status !== 'APPLIED' && verification.status === 'DIFFERS' && accepted_at === null;

/** Accepts the figures that are on the page: where others were sent meanwhile, it is refused. */
function Accept({ report, tag }: { report: Report; tag: string | null }): ReactNode {
  const times = differencesOf(report).length;
  return (
    <Act
      label="Accept"
      right="APPROVE"
      danger
      question={`${times === 1 ? 'One figure differs' : `${count(times)} figures differ`} from the structure. ${
        report.status === 'HELD'
          ? 'Holders are paid by the report at once.'
          : 'Holders are paid by the report on the payment date.'
      }`}
      reason="required"
      run={(reason) =>
        sent(
          api.POST('/v1/operator/remittances/{remittanceId}/accept', {
            params: { path: { remittanceId: report.remittance_id }, ...(tag ? { header: { 'If-Match': tag } } : {}) },
            body: { reason: reason ?? '' },
          }),
        )
      }
      done={`The report of period ${report.period} is accepted.`}
    />
  );
}

function Figures({ report }: { report: Report }): ReactNode {
  const { verification, pool, triggers } = report;
  return (
    <Stack gap="lg">
      <Facts
        facts={[
          ['Status', <Status key="status" of={report.status} />],
          ['Verification', <Status key="verification" of={verification.status} />],
          ['Originator', <OrganizationName key="originator" id={report.organization_id} />],
          ['Offering', <OfferingName key="offering" id={report.deal_id} />],
          ['Payment date', <Day key="paid" at={report.payment_date} />],
          ['Version', report.version],
          ['Pool balance', money(pool.pool_balance)],
          ['CPR', percent(pool.cpr)],
          ['CDR', percent(pool.cdr)],
          ['Cumulative net loss', percent(pool.cumulative_net_loss)],
          ['Sent', <When key="sent" at={report.created_at} />],
          ['Id', <Id key="id" of={report.remittance_id} />],
        ]}
      />
      <Standing report={report} />
      <Part title="Figures that differ">
        <Differences report={report} />
      </Part>
      {triggers.length > 0 && (
        <Part title="Triggers" about="As of this period.">
          <Triggers triggers={triggers} />
        </Part>
      )}
      <Part title="All figures" about="What was reported beside what the structure pays of the same cash.">
        <AllFigures report={report} />
      </Part>
    </Stack>
  );
}

function Standing({ report }: { report: Report }): ReactNode {
  const { status, verification, accepted_at, accepted_reason } = report;
  return (
    <>
      {accepted_at && (
        <Note color="gray">
          Accepted <When at={accepted_at} />: {accepted_reason}
        </Note>
      )}
      {verification.missing.length > 0 && (
        <Note>It could not be computed again in full: {verification.missing.join(', ')} not reported.</Note>
      )}
      {isOpen(report) && (
        <Note>
          {status === 'HELD'
            ? 'Nobody is paid by it until it is accepted or its servicer sends other figures.'
            : 'It will be held on its payment date unless it is accepted or its servicer sends other figures.'}
        </Note>
      )}
      {(verification.recorded_fixings ?? []).map(({ index, date, rate }) => (
        <Note key={`${index} ${date}`} color="gray">
          It gives no fixing of {index}: {rate.toFixed(5)}% is on record for <Day at={date} />.
        </Note>
      ))}
    </>
  );
}
