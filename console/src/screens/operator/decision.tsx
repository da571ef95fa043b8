import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { bytes, count, Day, money, share, When, words } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Facts, Note, Part } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Status } from '../../ui/status.tsx';
import type { Column } from '../../ui/table.tsx';
import type { Deal } from '../deals/deal-data.ts';
import { Strats } from '../deals/strats.tsx';
import { OrganizationName } from './names.tsx';
import { WAIVER } from './waivers.tsx';

/** All that a decision about a deal needs, on one page: findings, criteria, waivers, the loans, documents, and who decides. */
export const Decision = ({ deal }: { deal: Deal }): ReactNode => (
  <Stack gap="lg">
    <WhoDecides deal={deal} />
    <Checked deal={deal} />
    <Criteria dealId={deal.deal_id} />
    <WaiversOf dealId={deal.deal_id} />
    <Risk dealId={deal.deal_id} />
    <Part title="Loans in groups">
      <Strats
        name={['deals', deal.deal_id]}
        loanType={deal.loan_type}
        read={(by) =>
          sent(api.GET('/v1/operator/deals/{dealId}/strats', { params: { path: { dealId: deal.deal_id }, query: { by } } }))
        }
      />
    </Part>
    <Documents dealId={deal.deal_id} />
  </Stack>
);

/** How many people the decision needs, and the request that already waits. */
function WhoDecides({ deal }: { deal: Deal }): ReactNode {
  const policy = useQuery({ queryKey: ['approvals', 'policy'], queryFn: () => sent(api.GET('/v1/operator/approval-policy')) });
  const waiting = useQuery({
    queryKey: ['approvals', 'of', deal.deal_id],
    queryFn: () => sent(api.GET('/v1/operator/approvals', { params: { query: { status: 'PENDING', limit: 100 } } })),
  });
  const pending = waiting.data?.data.filter(({ entity_id }) => entity_id === deal.deal_id) ?? [];
  const needed = policy.data?.data.acts;
  return (
    <Part title="Who decides">
      <Facts
        facts={[
          ['Originator', deal.organization_id ? <OrganizationName key="originator" id={deal.organization_id} /> : '–'],
          ['People to approve', needed?.DEAL_APPROVE],
          ['People to reject', needed?.DEAL_REJECT],
        ]}
      />
      {pending.map(({ approval_id, summary, requested_by, needed: of, given }) => (
        <Note key={approval_id} title="It waits for approval">
          {summary}. Asked for by {requested_by.name ?? requested_by.key_id}; {count(given)} of {count(of)} people have approved.{' '}
          <To to="/approvals" search={{ status: 'PENDING' }} size="sm">
            Approvals
          </To>
        </Note>
      ))}
    </Part>
  );
}

/** What the checks found, and by which rules most. */
const Checked = ({ deal }: { deal: Deal }): ReactNode => (
  <Part
    title="Checks"
    acts={
      <To to="/deals/$dealId" params={{ dealId: deal.deal_id }} search={{ tab: 'findings' }} size="sm">
        All findings
      </To>
    }
  >
    <Facts
      facts={[
        ['Errors', count(deal.issue_counts.error)],
        ['Warnings', count(deal.issue_counts.warning)],
        ['Loans', count(deal.loan_count)],
        ['Tape version', deal.tape_version],
      ]}
    />
  </Part>
);

function Criteria({ dealId }: { dealId: string }): ReactNode {
  return (
    <Part title="Criteria" about="Runs of the originator's selection criteria, newest first.">
      <RecordList
        name={['deals', dealId, 'results']}
        label="Criteria runs"
        read={(query: QueryOf<'/v1/operator/deals/{dealId}/results'>) =>
          sent(api.GET('/v1/operator/deals/{dealId}/results', { params: { path: { dealId }, query } }))
        }
        columns={RUNS}
        rowKey={({ sc_job_id }) => sc_job_id}
        few
        empty="The originator has not run criteria on this deal."
      />
    </Part>
  );
}

const RUNS: readonly Column<Records['CriteriaRun']>[] = [
  {
    id: 'run_at',
    title: 'Run',
    value: ({ run_at }) => run_at,
    cell: ({ run_at }) => <When at={run_at} />,
  },
  { id: 'criteria_version', title: 'Version of the set', number: true, value: ({ criteria_version }) => criteria_version },
  { id: 'tape_version', title: 'Tape version', number: true, value: ({ tape_version }) => tape_version },
  { id: 'status', title: 'Status', value: ({ status }) => status, cell: ({ status }) => <Status of={status} /> },
  { id: 'passed', title: 'Pass', number: true, value: ({ passed }) => passed, cell: ({ passed }) => count(passed) },
  { id: 'failed', title: 'Fail', number: true, value: ({ failed }) => failed, cell: ({ failed }) => count(failed) },
  { id: 'waived', title: 'Waived', number: true, value: ({ waived }) => waived, cell: ({ waived }) => count(waived) },
  {
    id: 'rate',
    title: 'Pass rate',
    number: true,
    value: ({ passed, total }) => (total === 0 ? null : passed / total),
    cell: ({ passed, total }) => share(passed, total),
  },
  {
    id: 'passed_balance',
    title: 'Balance that passes (US$)',
    number: true,
    value: ({ passed_balance }) => passed_balance,
    cell: ({ passed_balance }) => money(passed_balance),
  },
  {
    id: 'pool_tests',
    title: 'Pool limits',
    value: ({ pool_tests }) => pool_tests.filter(({ passed }) => passed === false).length,
    cell: ({ pool_tests }) => {
      const broken = pool_tests.filter(({ passed }) => passed === false);
      if (pool_tests.length === 0) return 'None';
      return broken.length === 0 ? 'All kept' : `${broken.length} of ${pool_tests.length} broken`;
    },
  },
];

const WaiversOf = ({ dealId }: { dealId: string }): ReactNode => (
  <Part title="Waivers">
    <RecordList
      name={['waivers', 'of', dealId]}
      label="Waivers of this deal"
      read={(query: QueryOf<'/v1/operator/waivers'>) => sent(api.GET('/v1/operator/waivers', { params: { query } }))}
      fixed={{ deal_id: dealId }}
      columns={WAIVER}
      rowKey={({ waiver_id }) => waiver_id}
      few
      empty="No waiver was asked for."
    />
  </Part>
);

/** Credit measures of the loans. */
function Risk({ dealId }: { dealId: string }): ReactNode {
  const risk = useQuery({
    queryKey: ['deals', dealId, 'risk'],
    queryFn: () => sent(api.GET('/v1/operator/deals/{dealId}/risk', { params: { path: { dealId } } })),
  });
  return (
    <Part title="Risk">
      <Read from={risk}>{({ data }) => <RiskFacts risk={data} />}</Read>
    </Part>
  );
}

const RiskFacts = ({ risk }: { risk: Records['CreditRisk'] }): ReactNode => (
  <Stack gap="sm">
    <Facts
      facts={[
        ...risk.weighted_averages.map(({ field, value }): [string, ReactNode] => [
          `Average ${words(field).toLowerCase()}`,
          value === null ? '–' : value.toLocaleString('en-US', { maximumFractionDigits: 2 }),
        ]),
        ...risk.delinquency.map(({ name, balance }): [string, ReactNode] => [
          words(name),
          `${money(balance)} (${share(balance, risk.total.balance)})`,
        ]),
      ]}
    />
    <Text size="sm" c="dimmed">
      Averages are weighted by balance, as of <Day at={risk.as_of} />.
    </Text>
  </Stack>
);

const Documents = ({ dealId }: { dealId: string }): ReactNode => (
  <Part
    title="Documents"
    about="What the originator has put into the deal room. The files themselves stay with those it shows them to."
  >
    <RecordList
      name={['deals', dealId, 'documents']}
      label="Documents"
      read={(query: QueryOf<'/v1/operator/deals/{dealId}/documents'>) =>
        sent(api.GET('/v1/operator/deals/{dealId}/documents', { params: { path: { dealId }, query } }))
      }
      columns={DOCUMENTS}
      rowKey={({ document_id }) => document_id}
      few
      empty="The originator has added no document."
    />
  </Part>
);

const DOCUMENTS: readonly Column<Records['DealDocument']>[] = [
  { id: 'file_name', title: 'File', value: ({ file_name }) => file_name },
  {
    id: 'document_type',
    title: 'Kind',
    value: ({ document_type }) => document_type,
    cell: ({ document_type }) => words(document_type),
  },
  { id: 'visibility', title: 'Shown to', value: ({ visibility }) => visibility, cell: ({ visibility }) => words(visibility) },
  { id: 'version', title: 'Version', number: true, value: ({ version }) => version },
  { id: 'size', title: 'Size', number: true, value: ({ size }) => size, cell: ({ size }) => bytes(size) },
  { id: 'created_at', title: 'Added', value: ({ created_at }) => created_at, cell: ({ created_at }) => <When at={created_at} /> },
];
