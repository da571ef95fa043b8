import type { ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { can, useMe } from '../../app/me.tsx';
import type { Column } from '../../ui/column.ts';
import { BETWEEN, choice } from '../../ui/filters.tsx';
import { count, Id } from '../../ui/format.tsx';
import { ButtonTo, To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import { Page } from '../../ui/page.tsx';
import { PageTabs } from '../../ui/page-tabs.tsx';
import { LOAN_TYPES } from '../deals/new-deal.tsx';
import { Templates } from './templates.tsx';
import { whenColumn } from '../../ui/columns.tsx';

type CriteriaSet = Records['CriteriaSet'];

/** The organization's sets of criteria, and templates of real deals to begin with. */
export function CriteriaList(): ReactNode {
  const me = useMe();
  return (
    <Page
      title="Criteria"
      about="Which loans may enter a deal. A set has versions that never change; a deal’s runs say which version they ran."
      acts={
        can(me, 'EDIT') && (
          <ButtonTo to="/criteria/new" size="compact-sm">
            New criteria
          </ButtonTo>
        )
      }
    >
      <PageTabs
        tabs={[
          [
            'sets',
            'Sets',
            () => (
              <RecordList
                name={['criteria']}
                label="Criteria sets"
                read={(query: QueryOf<'/v1/api/originator/sc/criteria'>) =>
                  sent(api.GET('/v1/api/originator/sc/criteria', { params: { query } }))
                }
                filters={[choice('type', 'Loan type', LOAN_TYPES), ...BETWEEN]}
                columns={COLUMNS}
                rowKey={({ criteria_id }) => criteria_id}
                empty="No criteria yet: begin with a template, or with a blank set."
              />
            ),
          ],
          ['templates', 'Templates', () => <Templates />],
        ]}
        clears={['type', 'templates']}
      />
    </Page>
  );
}

const COLUMNS: readonly Column<CriteriaSet>[] = [
  {
    id: 'name',
    title: 'Name',
    value: ({ name }) => name,
    cell: ({ criteria_id, name }) => (
      <To to="/criteria/$criteriaId" params={{ criteriaId: criteria_id }} size="sm">
        {name}
      </To>
    ),
  },
  { id: 'loan_type', title: 'Loan type', value: ({ loan_type }) => loan_type },
  {
    id: 'version',
    title: 'Versions',
    number: true,
    value: ({ version }) => version,
    cell: ({ criteria_id, version }) => (
      <To to="/criteria/$criteriaId" params={{ criteriaId: criteria_id }} search={{ tab: 'versions' }} size="sm">
        {count(version)}
      </To>
    ),
  },
  { id: 'loan_rules', title: 'Loan rules', number: true, value: ({ loan_rules }) => loan_rules.length },
  { id: 'pool_tests', title: 'Pool tests', number: true, value: ({ pool_tests }) => pool_tests.length },
  {
    id: 'missing_policy',
    title: 'A missing value',
    value: ({ missing_policy }) => missing_policy,
    cell: ({ missing_policy }) => (missing_policy === 'pass' ? 'Passes' : 'Fails'),
  },
  whenColumn('created_at', 'Last version saved'),
  {
    id: 'criteria_id',
    title: 'Id',
    hidden: true,
    value: ({ criteria_id }) => criteria_id,
    cell: ({ criteria_id }) => <Id of={criteria_id} />,
  },
];
