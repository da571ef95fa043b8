import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { FieldProblem } from '../../app/api.ts';
import { ICON } from '../../ui/icon.ts';
import { Empty, Part } from '../../ui/page.tsx';
import { faultsAt } from './criteria-data.ts';
import { freeId, type RowActs } from './draft.ts';
import type { DryRun } from './dry-run-data.ts';
import type { ConditionContext, PoolTest } from './language.ts';
import { SetRow } from './row.tsx';
import { sayFigure } from './say.ts';
import { TestForm, TestMore } from './test-form.tsx';
import { TestVerdict } from './verdict.tsx';

type Props = {
  tests: RowActs<PoolTest>;
  context: ConditionContext;
  faults: readonly FieldProblem[];
  found: DryRun | null;
};

const NEW_TEST: Omit<PoolTest, 'id'> = { type: 'concentration', group_by: ['state'], op: 'lte', value: 0.4 };

/** The pool tests of a set: limits on the loans that are eligible, together. */
export function Tests({ tests, context, faults, found }: Props): ReactNode {
  const ids = tests.rows.map(({ item }) => item.id);
  return (
    <Part
      title="Pool tests"
      about="Limits on the eligible loans together: shares, concentrations, averages. A pool test fails no loan."
      acts={
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus {...ICON} />}
          onClick={() => tests.add({ ...NEW_TEST, id: freeId(ids, 'P') })}
        >
          Add a pool test
        </Button>
      }
    >
      {tests.rows.length === 0 && <Empty>No pool test: the eligible loans have no limits together.</Empty>}
      <ol className="set-rows" aria-label="Pool tests">
        {tests.rows.map(({ key, item }, at) => {
          const path = `pool_tests[${at}]`;
          const result = found?.pool_tests.find(({ rule_id }) => rule_id === item.id);
          return (
            <SetRow
              key={key}
              name={`Test ${item.id}`}
              fresh={key === tests.added}
              id={item.id}
              setId={(id) => tests.change(key, { ...item, id })}
              path={path}
              faults={faultsAt(faults, path)}
              found={
                <>
                  {item.description && <span>{item.description} · </span>}
                  {item.severity === 'warn' && <span>warns only · </span>}
                  {result ? (
                    <span>
                      {sayFigure(result.actual, item, context.fields)}
                      {result.group ? ` in ${result.group}` : ''}, limit {sayFigure(result.limit, item, context.fields)}{' '}
                      <TestVerdict passed={result.passed} />
                    </span>
                  ) : (
                    <span>not run yet</span>
                  )}
                </>
              }
              more={<TestMore test={item} change={(next) => tests.change(key, next)} context={context} />}
              up={at > 0 ? () => tests.move(key, -1) : null}
              down={at < tests.rows.length - 1 ? () => tests.move(key, 1) : null}
              duplicate={() => tests.add({ ...item, id: freeId(ids, 'P') }, key)}
              remove={() => tests.remove(key)}
            >
              <TestForm test={item} change={(next) => tests.change(key, next)} context={context} />
            </SetRow>
          );
        })}
      </ol>
    </Part>
  );
}
