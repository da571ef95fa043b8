import { Badge, Group, Progress, Select, Stack, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { ApiFailure, type Records } from '../../app/api.ts';
import { count, money, share, shortMoney, When } from '../../ui/format.tsx';
import { Empty, Note, Part } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { To } from '../../ui/link.tsx';
import { type DryRun, type Tried, useRunnableDeals } from './dry-run-data.ts';
import type { Fields, SetBody } from './language.ts';
import { sayFigure } from './say.ts';
import { TestVerdict } from './verdict.tsx';
import { numbers } from '../../ui/intl.ts';

type Props = {
  loanType: Records['LoanType'];
  tried: Tried;
  body: SetBody;
  fields: Fields;
  refused: string | null;
  waits: boolean;
};

/** What the set, as it stands, does to a deal: how much passes, which rule fails what, and how near the limits are. */
export function DryRunPanel({ loanType, tried, body, fields, refused, waits }: Props): ReactNode {
  const [values, set] = useAddress();
  const deals = useRunnableDeals(loanType);
  const { result, error } = tried;
  const chosen = values.deal ?? null;
  return (
    <Part title="Dry run" about="Over a deal of yours, as you write. Nothing is stored.">
      <Stack gap="xs">
        <Select
          size="xs"
          label="Deal"
          placeholder="Choose a deal"
          searchable
          clearable
          nothingFoundMessage={`No checked ${loanType} deal has that name.`}
          data={(deals.data?.deals ?? []).map(({ deal_id, name, loan_count }) => ({
            value: deal_id,
            label: `${name} (${count(loan_count)} loans)`,
          }))}
          value={chosen}
          onChange={(deal) => set({ deal })}
        />
        {deals.error && <Problem error={deals.error} retry={() => void deals.refetch()} />}
        {deals.data?.deals.length === 0 && (
          <Empty>
            No {loanType} deal has passed its checks.{' '}
            <To to="/deals" size="sm" underline="always">
              Send a loan tape
            </To>{' '}
            to try criteria on it.
          </Empty>
        )}
        {deals.data && deals.data.left > 0 && (
          <Text size="xs" c="dimmed">
            The newest 100 deals are looked through; {count(deals.data.left)} older ones are not listed.
          </Text>
        )}
        {refused && <Note color="gray">{refused}</Note>}
        {chosen && !refused && <State tried={tried} waits={waits} />}
        {error instanceof ApiFailure && error.fields.length > 0 ? (
          <Note color="red">{error.message} The faults stand at their rules.</Note>
        ) : (
          error !== null && error !== undefined && <Problem error={error} retry={tried.retry} />
        )}
        {chosen && result && <Figures tried={tried} result={result} body={body} fields={fields} />}
        {!chosen && <Empty>Choose a deal to see how many of its loans pass while you write.</Empty>}
      </Stack>
    </Part>
  );
}

function State({ tried: { result, running, outOfDate, error }, waits }: Pick<Props, 'tried' | 'waits'>): ReactNode {
  const [color, text] = running ? ['yellow', 'Running'] : outOfDate || error ? ['gray', 'Out of date'] : ['teal', 'Up to date'];
  return (
    <Group gap="xs" role="status" aria-label="State of the dry run" mih={22}>
      {(running || result || error !== null) && (
        <Badge color={color} variant="light" radius="sm" tt="none" fz="xs" fw={500}>
          {text}
        </Badge>
      )}
      {waits && (
        <Text size="xs" c="dimmed">
          It waits for what is not finished.
        </Text>
      )}
      {result && (
        <Text size="xs" c="dimmed">
          as of <When at={result.run_at} />, tape version {result.tape_version}
        </Text>
      )}
    </Group>
  );
}

const points = numbers({ minimumFractionDigits: 1, maximumFractionDigits: 1, signDisplay: 'exceptZero' });

/** By how many percentage points a share has moved; nothing where it has not. */
function moved(now: number, before: number | null): string {
  if (before === null || Math.abs(now - before) < 0.0005) return '';
  return `${points((now - before) * 100)} points since the last change`;
}

type FiguresProps = { tried: Tried; result: DryRun; body: SetBody; fields: Fields };

function Figures({ tried: { before }, result, body, fields }: FiguresProps): ReactNode {
  const rate = (run: DryRun): number => (run.total === 0 ? 0 : run.passed / run.total);
  const balance = (run: DryRun): number => run.passed_balance + run.failed_balance;
  const byBalance = (run: DryRun): number => (balance(run) === 0 ? 0 : run.passed_balance / balance(run));
  const failing = result.rule_results.filter(({ failed }) => failed > 0);
  return (
    <div>
      <Rate
        name="Pass rate by loans"
        part={rate(result)}
        text={`${count(result.passed)} of ${count(result.total)} loans`}
        moved={moved(rate(result), before && rate(before))}
      />
      <Rate
        name="Pass rate by balance"
        part={byBalance(result)}
        text={`${money(result.passed_balance)} of ${money(balance(result))}`}
        moved={moved(byBalance(result), before && byBalance(before))}
      />
      {result.waived > 0 && <Text size="xs">{count(result.waived)} of them pass by a waiver.</Text>}
      {result.absent_columns && result.absent_columns.length > 0 && (
        <Note title="The tape does not have these columns">
          {result.absent_columns.join(', ')}: every rule on them fails for a missing value.
        </Note>
      )}
      <Table aria-label="Failures by rule" mt="xs" fz="xs" withRowBorders={false} verticalSpacing={3}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Loan rule</Table.Th>
            <Table.Th className="number">Fail</Table.Th>
            <Table.Th className="number">Share</Table.Th>
            <Table.Th className="number">Balance</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {failing.length === 0 && (
            <Table.Tr>
              <Table.Td colSpan={4}>No loan fails a rule.</Table.Td>
            </Table.Tr>
          )}
          {failing.map(({ rule_id, failed, failed_balance }) => (
            <Table.Tr key={rule_id}>
              <Table.Td>{rule_id}</Table.Td>
              <Table.Td className="number">{count(failed)}</Table.Td>
              <Table.Td className="number">{share(failed, result.total)}</Table.Td>
              <Table.Td className="number">{shortMoney(failed_balance)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {result.pool_tests.length > 0 && (
        <Table aria-label="Pool tests of the dry run" mt="xs" fz="xs" withRowBorders={false} verticalSpacing={3}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Pool test</Table.Th>
              <Table.Th className="number">Measured</Table.Th>
              <Table.Th className="number">Limit</Table.Th>
              <Table.Th>Verdict</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {result.pool_tests.map((each) => {
              const test = body.pool_tests?.find(({ id }) => id === each.rule_id);
              return (
                <Table.Tr key={each.rule_id}>
                  <Table.Td>
                    {each.rule_id}
                    {each.group ? ` (${each.group})` : ''}
                  </Table.Td>
                  <Table.Td className="number">{sayFigure(each.actual, test, fields)}</Table.Td>
                  <Table.Td className="number">{sayFigure(each.limit, test, fields)}</Table.Td>
                  <Table.Td>
                    <TestVerdict passed={each.passed} />
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      )}
    </div>
  );
}

type RateProps = { name: string; part: number; text: string; moved: string };

const Rate = ({ name, part, text, moved: since }: RateProps): ReactNode => (
  <div className="rate">
    <Group justify="space-between" gap="xs">
      <Text size="xs" fw={600}>
        {name}
      </Text>
      <Text size="sm" fw={600} className="number" data-rate={name}>
        {share(part, 1)}
      </Text>
    </Group>
    <Progress value={part * 100} size="sm" aria-label={name} />
    <Group justify="space-between" gap="xs">
      <Text size="xs" c="dimmed">
        {text}
      </Text>
      <Text size="xs" role="status">
        {since}
      </Text>
    </Group>
  </div>
);
