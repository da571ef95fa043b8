import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { count, share, When, words } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Empty, Facts, Note, Part, ToCome } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { DataTable } from '../../ui/table.tsx';
import type { Deal } from '../deals/deal-data.ts';
import { History } from '../deals/history.tsx';
import { Strats } from '../deals/strats.tsx';
import { CriteriaRuns } from './criteria-runs.tsx';
import { CreditRisk, DealRoom } from './decision-parts.tsx';
import { OrganizationName } from './names.tsx';
import { WAIVER } from './waivers.tsx';
import { statusColumn } from '../../ui/columns.tsx';

/** All that a decision about a deal needs, on one page: findings, criteria, waivers, the loans, documents, and who decides. */
export const Decision = ({ deal }: { deal: Deal }): ReactNode => (
  <Stack gap="lg" className="in-turn">
    <WhoDecides deal={deal} />
    <Checked deal={deal} />
    <CriteriaRuns dealId={deal.deal_id} />
    <WaiversOf dealId={deal.deal_id} />
    <CreditRisk dealId={deal.deal_id} />
    <Part title="Loans in groups">
      <Strats
        name={['deals', deal.deal_id]}
        loanType={deal.loan_type}
        read={(by) =>
          sent(api.GET('/v1/operator/deals/{dealId}/strats', { params: { path: { dealId: deal.deal_id }, query: { by } } }))
        }
      />
    </Part>
    <DealRoom dealId={deal.deal_id} />
    <Moves dealId={deal.deal_id} />
  </Stack>
);

const DECIDED = 'QC_COMPLETED';

/** Whether the one who looks at it may decide, how many people it takes, and the request that already waits. */
function WhoDecides({ deal }: { deal: Deal }): ReactNode {
  const me = useMe();
  const policy = useQuery({ queryKey: ['approvals', 'policy'], queryFn: () => sent(api.GET('/v1/operator/approval-policy')) });
  const waiting = useQuery({
    queryKey: ['approvals', 'of', deal.deal_id],
    queryFn: () =>
      sent(api.GET('/v1/operator/approvals', { params: { query: { status: 'PENDING', entity_id: deal.deal_id, limit: 100 } } })),
  });
  const toCome = policy.isPending ? <ToCome /> : null;
  return (
    <Part title="Who decides">
      <Facts
        facts={[
          ['Originator', deal.organization_id ? <OrganizationName key="originator" id={deal.organization_id} /> : '–'],
          ['To approve', policy.data ? people(policy.data.data.acts.DEAL_APPROVE) : toCome],
          ['To reject', policy.data ? people(policy.data.data.acts.DEAL_REJECT) : toCome],
          [
            'You',
            can(me, 'APPROVE') ? 'may decide' : `may not: the right APPROVE is needed, and yours are ${me.rights.join(', ')}`,
          ],
        ]}
      />
      {deal.status !== DECIDED && (
        <Text size="sm" c="dimmed" mt="xs">
          {deal.status === 'IN_REVIEW' || deal.status === 'DRAFT'
            ? 'There is nothing to decide yet: the checks of the tape have to end first.'
            : `It is decided: the deal is ${words(deal.status).toLowerCase()}.`}
        </Text>
      )}
      {waiting.data?.data.map(({ approval_id, summary, requested_by, needed: of, given, expires_at }) => (
        <Note key={approval_id} title="It waits for approval">
          {summary}. Asked for by {requested_by.name ?? requested_by.key_id}; {count(given)} of {count(of)} people have approved,
          and it expires <When at={expires_at} />.{' '}
          <To to="/approvals" search={{ status: 'PENDING' }} size="sm">
            Approvals
          </To>
        </Note>
      ))}
    </Part>
  );
}

const people = (needed: number): string => (needed === 1 ? 'one person' : `${needed} people, of whom who asks is not one`);

/** The checks and the history of a deal; its originator's access log tells that the operator has read them. */
const useChecks = (dealId: string) =>
  useQuery({
    queryKey: ['deals', dealId, 'checks'],
    queryFn: () => sent(api.GET('/v1/operator/deals/{dealId}/checks', { params: { path: { dealId } } })),
  });

const MOST_RULES = 10;

/** What the checks found, and by which rules most; the counts are those of the whole tape. */
function Checked({ deal }: { deal: Deal }): ReactNode {
  const checks = useChecks(deal.deal_id);
  return (
    <Part
      title="Checks"
      acts={
        <To to="/deals/$dealId" params={{ dealId: deal.deal_id }} search={{ tab: 'findings' }} size="sm">
          All findings
        </To>
      }
    >
      <Read from={checks}>
        {({ data: { qc } }) => (
          <Stack gap="sm">
            <Facts
              facts={[
                ['Rows of the tape', count(qc.rows)],
                ['Accepted', `${count(qc.accepted)} (${share(qc.accepted, qc.rows)})`],
                ['Rejected', `${count(qc.rejected)} (${share(qc.rejected, qc.rows)})`],
                ['Errors', count(deal.issue_counts.error)],
                ['Warnings', count(deal.issue_counts.warning)],
                ['Tape version', deal.tape_version],
              ]}
            />
            {qc.by_rule && qc.by_rule.length > 0 && (
              <DataTable
                label="Findings by rule"
                columns={rulesOf(deal.deal_id, qc.rows)}
                rows={qc.by_rule.slice(0, MOST_RULES)}
                rowKey={({ rule_id, severity }) => `${rule_id} ${severity}`}
                whole={qc.by_rule.length <= MOST_RULES}
              />
            )}
            {qc.by_rule && qc.by_rule.length > MOST_RULES && (
              <Text size="sm" c="dimmed">
                The first {MOST_RULES} of {qc.by_rule.length} rules: errors first, then by their number.
              </Text>
            )}
            {qc.by_rule?.length === 0 && <Empty>The checks found nothing.</Empty>}
          </Stack>
        )}
      </Read>
    </Part>
  );
}

const rulesOf = (dealId: string, rows: number): readonly Column<Records['RuleCount']>[] => [
  {
    id: 'rule_id',
    title: 'Rule',
    value: ({ rule_id }) => rule_id,
    cell: ({ rule_id }) => (
      <To to="/deals/$dealId" params={{ dealId }} search={{ tab: 'findings', rule: rule_id }} size="sm">
        {rule_id}
      </To>
    ),
  },
  statusColumn('severity', 'Severity'),
  { id: 'count', title: 'Findings', number: true, value: (rule) => rule.count, cell: (rule) => count(rule.count) },
  { id: 'share', title: 'Per row', number: true, value: (rule) => rule.count / rows, cell: (rule) => share(rule.count, rows) },
];

/** The moves of the deal and why. */
function Moves({ dealId }: { dealId: string }): ReactNode {
  const checks = useChecks(dealId);
  return (
    <Part
      title="History"
      acts={
        <To to="/audit" search={{ deal_id: dealId }} size="sm">
          Audit log of the deal
        </To>
      }
    >
      <Read from={checks}>{({ data }) => <History history={data.history} />}</Read>
    </Part>
  );
}

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
