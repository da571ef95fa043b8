import { List, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiFailure, api, type Records, sent } from '../../app/api.ts';
import { words } from '../../ui/format.tsx';
import { Note } from '../../ui/page.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Status } from '../../ui/status.tsx';

const SETTLED_MS = 400;

type ChecksProps = {
  dealId: string;
  trancheId: string;
  /** Of a subscription that the amount would replace. */
  subscriptionId?: string;
  amount: number;
};

/** The compliance checks of the amount as it stands, which change nothing. */
export function Checks({ dealId, trancheId, subscriptionId, amount }: ChecksProps): ReactNode {
  const [settled] = useDebouncedValue(amount, SETTLED_MS);
  const checks = useQuery({
    queryKey: ['ticket', dealId, trancheId, subscriptionId, settled],
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: () =>
      sent(
        api.POST('/v1/api/investor/deals/{dealId}/subscribe/check', {
          params: { path: { dealId } },
          body: {
            subscription_amount: settled,
            tranche_id: trancheId,
            ...(subscriptionId ? { subscription_id: subscriptionId } : {}),
          },
        }),
      ),
  });
  const waits = settled !== amount || checks.isPlaceholderData;
  return (
    <div aria-busy={waits}>
      {checks.error && <Refusal error={checks.error} />}
      {!checks.error && !checks.data && <Text size="xs">Checking …</Text>}
      {!checks.error && checks.data && <CheckList checks={checks.data.data.compliance_checks} />}
    </div>
  );
}

/** A refusal by compliance has the checks as its fields. */
export const Refusal = ({ error }: { error: unknown }): ReactNode =>
  error instanceof ApiFailure && error.code === 'COMPLIANCE_FAILED' ? (
    <Note color="red" title={error.message}>
      <List size="sm">
        {error.fields.map(({ field, message }) => (
          <List.Item key={`${field} ${message}`}>{message}</List.Item>
        ))}
      </List>
    </Note>
  ) : (
    <Problem error={error} />
  );

export const CheckList = ({ checks }: { checks: readonly Records['ComplianceCheck'][] }): ReactNode => (
  <List size="sm" aria-label="Compliance checks" spacing={4}>
    {checks.map(({ check, result, reason }) => (
      <List.Item key={check} icon={<Status of={result} />}>
        <b>{words(check)}</b>: {reason}
      </List.Item>
    ))}
  </List>
);
