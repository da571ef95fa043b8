import { Anchor, SegmentedControl, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { Falls } from '../../charts/falls.tsx';
import type { Column } from '../../ui/column.ts';
import { count, money, share, shortMoney } from '../../ui/format.tsx';
import { Empty, Note, Part } from '../../ui/page.tsx';
import { DataTable } from '../../ui/table.tsx';
import type { Deal } from '../deals/deal-data.ts';
import { MEASURES } from './language.ts';
import type { Run, RunSet } from './run-data.ts';
import { sayCondition, sayFigure, sayTest } from './say.ts';
import { TestVerdict } from './verdict.tsx';
import { countColumn, moneyColumn } from '../../ui/columns.tsx';

type Props = { deal: Deal; run: Run; set: RunSet };

/** What a run found: how the pool falls rule by rule, why loans fail, and how the eligible ones stand to their limits. */
export function RunSummary(props: Props): ReactNode {
  return (
    <>
      <Eligibility {...props} />
      <FailedRules {...props} />
      <PoolTests {...props} />
    </>
  );
}

function Eligibility({ run }: Props): ReactNode {
  const [values, set] = useAddress();
  const byLoans = values.by === 'loans';
  const unit = byLoans ? 'loans' : 'US$';
  const removing = run.waterfall.filter(({ step, removed }) => step !== 'RULE' || removed > 0);
  const idle = run.waterfall.length - removing.length;
  const nameOf = ({ step, rule_id }: Run['waterfall'][number]): string =>
    step === 'TOTAL' ? 'All loans' : step === 'ELIGIBLE' ? 'Eligible' : (rule_id ?? '');
  return (
    <Part
      title="Waterfall of eligibility"
      about="Each rule takes away the loans that no rule before it has taken."
      acts={
        <SegmentedControl
          size="xs"
          aria-label="Measured in"
          value={byLoans ? 'loans' : 'balance'}
          onChange={(by) => set({ by: by === 'loans' ? by : null }, { keepPage: true })}
          data={[
            { value: 'balance', label: 'Balance' },
            { value: 'loans', label: 'Loans' },
          ]}
        />
      }
    >
      <Falls
        title={byLoans ? 'Loans left after each rule' : 'Balance left after each rule'}
        unit={unit}
        format={byLoans ? count : shortMoney}
        steps={removing.map((step) => ({
          name: nameOf(step),
          left: byLoans ? step.loans : step.balance,
          removed: byLoans ? step.removed : step.removed_balance,
          total: step.step !== 'RULE',
        }))}
        table={{
          header: ['Step', 'Loans removed', 'Balance removed (US$)', 'Loans left', 'Balance left (US$)'],
          rows: run.waterfall.map((step) => [nameOf(step), step.removed, step.removed_balance, step.loans, step.balance]),
        }}
      />
      {idle > 0 && (
        <Text size="xs" c="dimmed">
          {idle === 1 ? '1 rule takes' : `${count(idle)} rules take`} away nothing that a rule before did not; the table has all.
        </Text>
      )}
    </Part>
  );
}

type RuleRow = Run['rule_results'][number];

function FailedRules({ run, set }: Props): ReactNode {
  const [, change] = useAddress();
  const rules = new Map(set.body.loan_rules.map((rule) => [rule.id, rule]));
  const columns: Column<RuleRow>[] = [
    {
      id: 'rule_id',
      title: 'Rule',
      value: ({ rule_id }) => rule_id,
      cell: ({ rule_id, failed }) =>
        failed === 0 ? (
          rule_id
        ) : (
          <Anchor component="button" type="button" size="sm" onClick={() => change({ view: 'loans', rule: rule_id })}>
            {rule_id}
          </Anchor>
        ),
    },
    {
      id: 'says',
      title: 'What it says',
      value: ({ rule_id }) => {
        const rule = rules.get(rule_id);
        return rule ? sayCondition(rule.rule, set.fields) : null;
      },
    },
    { id: 'severity', title: 'Severity', value: ({ rule_id }) => (rules.get(rule_id)?.severity === 'warn' ? 'Warns' : 'Fails') },
    countColumn('failed', 'Loans'),
    {
      id: 'share',
      title: 'Share of loans',
      number: true,
      value: ({ failed }) => failed / Math.max(1, run.total),
      cell: ({ failed }) => share(failed, run.total),
    },
    moneyColumn('failed_balance', 'Balance (US$)'),
    countColumn('missing', 'Missing value'),
    countColumn('only_reason', 'For this rule alone'),
  ];
  return (
    <Part
      title="Rules"
      about="Counts of every loan that does not pass a rule, whatever the other rules say. A loan may stand at several."
    >
      {run.rule_results.length === 0 ? (
        <Empty>The set has no loan rule.</Empty>
      ) : (
        <DataTable label="Rules of the run" columns={columns} rows={run.rule_results} rowKey={({ rule_id }) => rule_id} whole />
      )}
    </Part>
  );
}

function PoolTests({ run, set }: Props): ReactNode {
  const tests = new Map((set.body.pool_tests ?? []).map((test) => [test.id, test]));
  return (
    <Part title="Pool tests" about="Figures of the eligible loans together against their limits.">
      {run.pool_tests.length === 0 && <Empty>The set has no pool test.</Empty>}
      {run.pool_tests.length > 0 && (
        <Table.ScrollContainer minWidth={760} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table aria-label="Pool tests of the run" fz="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Test</Table.Th>
                <Table.Th>What it says</Table.Th>
                <Table.Th className="number">Measured</Table.Th>
                <Table.Th className="number">Limit</Table.Th>
                <Table.Th className="number">Headroom</Table.Th>
                <Table.Th className="number">Excess (US$)</Table.Th>
                <Table.Th>Verdict</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {run.pool_tests.map((each) => {
                const test = tests.get(each.rule_id);
                return (
                  <Table.Tr key={each.rule_id}>
                    <Table.Td title={test ? MEASURES[test.type] : ''}>{each.rule_id}</Table.Td>
                    <Table.Td>{test ? sayTest(test, set.fields) : '–'}</Table.Td>
                    <Table.Td className="number">
                      {sayFigure(each.actual, test, set.fields)}
                      {each.group ? ` (${each.group})` : ''}
                    </Table.Td>
                    <Table.Td className="number">{sayFigure(each.limit, test, set.fields)}</Table.Td>
                    <Table.Td className="number">{sayFigure(each.headroom, test, set.fields)}</Table.Td>
                    <Table.Td className="number">{money(each.excess_balance)}</Table.Td>
                    <Table.Td>
                      <TestVerdict passed={each.passed} />
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {run.pool_tests.map((each) => (
        <Offenders key={each.rule_id} result={each} set={set} />
      ))}
    </Part>
  );
}

type Offender = NonNullable<Run['pool_tests'][number]['offenders']>[number];

/** Groups over their limit, the worst first. */
function Offenders({ result, set }: { result: Run['pool_tests'][number]; set: RunSet }): ReactNode {
  const { rule_id, offenders, more_offenders, passed } = result;
  const test = set.body.pool_tests?.find(({ id }) => id === rule_id);
  if (passed !== false) return null;
  if (offenders === null) return <Note color="gray">This run was stored before the groups over a limit were kept.</Note>;
  if (offenders.length === 0) return null;
  const columns: Column<Offender>[] = [
    { id: 'group', title: 'Group', value: ({ group }) => group },
    {
      id: 'actual',
      title: 'Measured',
      number: true,
      value: ({ actual }) => actual,
      cell: ({ actual }) => sayFigure(actual, test, set.fields),
    },
    {
      id: 'limit',
      title: 'Its limit',
      number: true,
      value: ({ limit }) => (typeof limit === 'number' ? limit : null),
      cell: ({ limit }) => (limit === null ? 'together' : sayFigure(limit, test, set.fields)),
    },
    moneyColumn('excess_balance', 'Excess (US$)'),
  ];
  return (
    <>
      <Text size="sm" fw={600} mt="sm">
        Offenders of {rule_id}
      </Text>
      <DataTable label={`Offenders of ${rule_id}`} columns={columns} rows={offenders} rowKey={({ group }) => group} whole />
      {more_offenders && <Note color="gray">The 1,000 worst groups are listed; more are over their limit.</Note>}
    </>
  );
}
