import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { api, type Records, sent } from '../../app/api.ts';
import { isOperator, useMe } from '../../app/me.tsx';

/** A deal as its originator sees it; of what only they see, the operator has nothing. */
export type Deal = Records['DealSummary'] &
  Partial<Pick<Records['Deal'], 'as_of_date' | 'qc' | 'history'>> & { organization_id?: string };

const POLL_MS = 1_500;

const isChecked = ({ status, qc }: Deal): boolean => qc?.state === 'RUNNING' || (status === 'IN_REVIEW' && !qc);

/** The deal, again and again while it is checked. */
export function useDeal(dealId: string): UseQueryResult<Deal> {
  const operator = isOperator(useMe());
  const params = { path: { dealId } };
  return useQuery({
    queryKey: ['deals', dealId],
    queryFn: async (): Promise<Deal> =>
      operator
        ? (await sent(api.GET('/v1/operator/deals/{dealId}', { params }))).data
        : (await sent(api.GET('/v1/api/originator/loans/{dealId}', { params }))).data,
    refetchInterval: ({ state }) => (state.data && isChecked(state.data) ? POLL_MS : false),
  });
}
