import { Button, Checkbox, Select, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { FieldProblem } from '../../app/api.ts';
import { count, share, shortMoney } from '../../ui/format.tsx';
import { ICON } from '../../ui/icon.ts';
import { Empty, Part } from '../../ui/page.tsx';
import { ConditionForm } from './condition.tsx';
import { faultsAt } from './criteria-data.ts';
import { freeId, type RowActs } from './draft.ts';
import type { DryRun } from './dry-run-data.ts';
import { type ConditionContext, NEW_COMPARISON, type Rule } from './language.ts';
import { SetRow } from './row.tsx';

type Props = {
  rules: RowActs<Rule>;
  context: ConditionContext;
  faults: readonly FieldProblem[];
  found: DryRun | null;
};

/** The loan rules of a set, one row each, in the order in which the waterfall of eligibility takes them. */
export function Rules({ rules, context, faults, found }: Props): ReactNode {
  const ids = rules.rows.map(({ item }) => item.id);
  return (
    <Part
      title="Loan rules"
      about="What each loan must meet. The waterfall takes them in this order."
      acts={
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus {...ICON} />}
          onClick={() => rules.add({ id: freeId(ids, 'R'), rule: NEW_COMPARISON })}
        >
          Add a loan rule
        </Button>
      }
    >
      {rules.rows.length === 0 && <Empty>No loan rule: every loan is eligible. Add one, or begin with a template.</Empty>}
      <ol className="set-rows" aria-label="Loan rules">
        {rules.rows.map(({ key, item }, at) => (
          <RuleRow
            key={key}
            rule={item}
            fresh={key === rules.added}
            path={`loan_rules[${at}]`}
            faults={faults}
            found={found}
            context={context}
            change={(next) => rules.change(key, next)}
            up={at > 0 ? () => rules.move(key, -1) : null}
            down={at < rules.rows.length - 1 ? () => rules.move(key, 1) : null}
            duplicate={() => rules.add({ ...item, id: freeId(ids, 'R') }, key)}
            remove={() => rules.remove(key)}
          />
        ))}
      </ol>
    </Part>
  );
}

type RowProps = {
  rule: Rule;
  path: string;
  fresh: boolean;
  change: (rule: Rule) => void;
  up: (() => void) | null;
  down: (() => void) | null;
  duplicate: () => void;
  remove: () => void;
} & Pick<Props, 'context' | 'faults' | 'found'>;

const SEVERITIES = [
  { value: 'fail', label: 'Fails the loan' },
  { value: 'warn', label: 'Warns only' },
];

function RuleRow({ rule, path, faults, found, context, change, ...acts }: RowProps): ReactNode {
  const { id, description, severity, waivable, rule: condition } = rule;
  const result = found?.rule_results.find(({ rule_id }) => rule_id === id);
  const name = `Rule ${id}`;
  return (
    <SetRow
      name={name}
      id={id}
      setId={(next) => change({ ...rule, id: next })}
      path={path}
      faults={faultsAt(faults, path)}
      found={
        <>
          {description && <span>{description} · </span>}
          {severity === 'warn' && <span>warns only · </span>}
          {waivable === false && <span>cannot be waived · </span>}
          {result && found ? (
            <span>
              {result.failed === 0
                ? 'no loan fails it'
                : `${count(result.failed)} loans fail it (${share(result.failed, found.total)}), ${shortMoney(result.failed_balance)}`}
              {result.missing > 0 && `, ${count(result.missing)} for a missing value`}
            </span>
          ) : (
            <span>not run yet</span>
          )}
        </>
      }
      more={
        <>
          <TextInput
            size="xs"
            w={320}
            maw="100%"
            label="Description"
            value={description ?? ''}
            onChange={({ currentTarget }) => {
              const { description: _before, ...rest } = rule;
              change(currentTarget.value === '' ? rest : { ...rest, description: currentTarget.value });
            }}
          />
          <Select
            size="xs"
            w={150}
            label="Severity"
            allowDeselect={false}
            data={SEVERITIES}
            value={severity ?? 'fail'}
            onChange={(next) => change({ ...rule, severity: next === 'warn' ? 'warn' : 'fail' })}
          />
          <Checkbox
            size="xs"
            pb={6}
            label="Can be waived"
            checked={waivable !== false}
            onChange={({ currentTarget }) => {
              const { waivable: _before, ...rest } = rule;
              change(currentTarget.checked ? rest : { ...rest, waivable: false });
            }}
          />
        </>
      }
      {...acts}
    >
      <ConditionForm label={name} condition={condition} onChange={(next) => change({ ...rule, rule: next })} context={context} />
    </SetRow>
  );
}
