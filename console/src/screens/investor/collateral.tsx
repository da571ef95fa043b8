import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, sent } from '../../app/api.ts';
import { Read } from '../../ui/read.tsx';
import { loansOnMarket } from '../analytics/loan-source.ts';
import { LoanAnalytics } from '../analytics/loans.tsx';

/** The loans behind a deal, in groups, by vintage and by risk. */
export function Collateral({ dealId }: { dealId: string }): ReactNode {
  const deal = useQuery({
    queryKey: ['market', dealId],
    queryFn: () => sent(api.GET('/v1/api/investor/deals/{dealId}', { params: { path: { dealId } } })),
  });
  return <Read from={deal}>{({ data }) => <LoanAnalytics source={loansOnMarket(dealId, data.asset_type)} />}</Read>;
}
