import { Checkbox, Group, List, Select, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, type QueryOf, type Records, sent } from '../../app/api.ts';
import { useAddress } from '../../app/address.ts';
import type { Column } from '../../ui/column.ts';
import { choice } from '../../ui/filters.tsx';
import { count } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { RecordList } from '../../ui/list.tsx';
import type { Deal } from '../deals/deal-data.ts';
import { type Run, type RunSet, sayFailure } from './run-data.ts';
import { RequestWaiver } from './waiver-request.tsx';
import { moneyColumn, statusColumn } from '../../ui/columns.tsx';

type LoanOutcome = Records['LoanOutcome'];

const OUTCOMES = [choice('outcome', 'Outcome', ['FAILED', 'PASSED', 'WAIVED'])];

/** Every loan of a run with the rules that it does not pass; some of them can be chosen for a waiver. */
export function RunLoans({ deal, run, set }: { deal: Deal; run: Run; set: RunSet }): ReactNode {
  const [values, setAddress] = useAddress();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const toggle = (id: string): void => setChosen(chosen.includes(id) ? chosen.filter((each) => each !== id) : [...chosen, id]);
  const ids = set.body.loan_rules.map(({ id }) => id);
  return (
    <>
      <Group gap="sm" mb="xs" align="flex-end">
        <Select
          size="xs"
          w={170}
          label="Do not pass the rule"
          placeholder="Any rule"
          clearable
          searchable
          data={[...new Set([...ids, ...(values.rule ? [values.rule] : [])])]}
          value={values.rule ?? null}
          onChange={(rule) => setAddress({ rule })}
        />
        {run.exception_file_id && (
          <>
            <RequestWaiver
              key={`${values.rule} ${chosen.join(' ')}`}
              run={run}
              set={set}
              loans={chosen}
              rule={values.rule}
              label={chosen.length > 0 ? `Request a waiver of ${count(chosen.length)} chosen` : undefined}
              done={() => setChosen([])}
            />
            <Text size="xs" c="dimmed" pb={5}>
              Choose failed loans, of any page, to ask that they pass despite a rule.
            </Text>
          </>
        )}
      </Group>
      <RecordList
        name={['criteria-runs', run.sc_job_id, 'loans']}
        label="Loans of the run"
        read={(query: QueryOf<'/v1/api/originator/sc/jobs/{scJobId}/loans'>) =>
          sent(
            api.GET('/v1/api/originator/sc/jobs/{scJobId}/loans', {
              params: { path: { scJobId: run.sc_job_id }, query },
            }),
          )
        }
        fixed={values.rule ? { rule: values.rule } : {}}
        filters={OUTCOMES}
        columns={columnsOf(deal.deal_id, set, chosen, toggle)}
        rowKey={({ row_number }) => String(row_number)}
        empty={values.rule ? 'Every loan passes this rule.' : 'The run has no loan.'}
      />
    </>
  );
}

function columnsOf(
  dealId: string,
  set: RunSet,
  chosen: readonly string[],
  toggle: (id: string) => void,
): readonly Column<LoanOutcome>[] {
  return [
    {
      id: 'chosen',
      title: '',
      value: () => null,
      cell: ({ loan_id, outcome }) =>
        outcome === 'FAILED' ? (
          <Checkbox
            size="xs"
            aria-label={`Choose loan ${loan_id}`}
            checked={chosen.includes(loan_id)}
            onChange={() => toggle(loan_id)}
          />
        ) : null,
    },
    {
      id: 'loan_id',
      title: 'Loan',
      value: ({ loan_id }) => loan_id,
      cell: ({ loan_id, row_number }) => (
        <To to="/deals/$dealId/loans/$rowNumber" params={{ dealId, rowNumber: String(row_number) }} size="sm">
          {loan_id}
        </To>
      ),
    },
    { id: 'row_number', title: 'Row', number: true, value: ({ row_number }) => row_number },
    statusColumn('outcome', 'Outcome'),
    moneyColumn('balance', 'Balance (US$)'),
    {
      id: 'failures',
      title: 'Rules that it does not pass',
      value: ({ failures }) => failures.map((each) => `${each.rule_id}: ${sayFailure(each, set.fields)}`).join('; '),
      cell: ({ failures }) => <Failures failures={failures} set={set} />,
    },
  ];
}

/** The rules that a loan does not pass, each with what was seen and what was expected. */
export function Failures({
  failures,
  set,
}: {
  failures: readonly Records['RuleFailure'][];
  set: Pick<RunSet, 'fields'>;
}): ReactNode {
  if (failures.length === 0) return 'Passes every rule';
  return (
    <List size="xs" listStyleType="none">
      {failures.map((failure) => (
        <List.Item key={failure.rule_id}>
          <b>{failure.rule_id}</b>
          {failure.severity === 'warn' ? ' (warns)' : ''}: {sayFailure(failure, set.fields)}
        </List.Item>
      ))}
    </List>
  );
}
