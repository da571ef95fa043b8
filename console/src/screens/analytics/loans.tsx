import { SegmentedControl, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAddress } from '../../app/address.ts';
import { isOperator, useMe } from '../../app/me.tsx';
import { Strats } from '../deals/strats.tsx';
import { type LoanSource, loansOfDeal, loansOfPlatformDeal } from './loan-source.ts';
import { RiskView } from './risk.tsx';
import { VintagesView } from './vintages.tsx';

/** Loans looked at from all sides: in groups of a field, by the time of their origination, and by what can go wrong. */
export function LoanAnalytics({ source }: { source: LoanSource }): ReactNode {
  const [values, set] = useAddress();
  const { risk } = source;
  const views: [name: string, title: string, content: () => ReactNode][] = [
    ['groups', 'Groups', () => <Strats name={source.key} loanType={source.loanType} read={source.strats} />],
    ['vintages', 'Vintages', () => <VintagesView source={source} />],
    ...(risk ? [['risk', 'Risk', () => <RiskView name={source.key} read={risk} />] as (typeof views)[number]] : []),
  ];
  const [, , content] = views.find(([name]) => name === values.look) ?? views[0] ?? [];
  return (
    <Stack gap="md">
      <div>
        <SegmentedControl
          size="xs"
          aria-label="How the loans are looked at"
          data={views.map(([value, label]) => ({ value, label }))}
          value={views.some(([name]) => name === values.look) ? (values.look ?? 'groups') : 'groups'}
          onChange={(look) => set({ look: look === 'groups' ? null : look })}
        />
      </div>
      {content?.()}
    </Stack>
  );
}

type DealProps = { dealId: string; loanType: LoanSource['loanType'] };

/** The loans of a deal, as the person may see them. */
export function DealLoans({ dealId, loanType }: DealProps): ReactNode {
  const operator = isOperator(useMe());
  return <LoanAnalytics source={operator ? loansOfPlatformDeal(dealId, loanType) : loansOfDeal(dealId, loanType)} />;
}
