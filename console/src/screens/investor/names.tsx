import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { To } from '../../ui/link.tsx';
import { ToCome } from '../../ui/page.tsx';

export type OfTranche = { deal_id: string; tranche_id: string };

const MINUTES = 300_000;

/** A deal on the market, read once for all who name it or its tranches. */
export const useMarketDeal = (dealId: string): UseQueryResult<{ data: Records['MarketDeal'] }> =>
  useQuery({
    queryKey: ['market', dealId],
    staleTime: MINUTES,
    queryFn: () => sent(api.GET('/v1/api/investor/deals/{dealId}', { params: { path: { dealId } } })),
  });

/** The name of a deal, which leads to it. */
export function DealName({ deal_id }: { deal_id: string }): ReactNode {
  const { data, isPending } = useMarketDeal(deal_id);
  if (isPending) return <ToCome width={160} />;
  return (
    <To to="/market/$dealId" params={{ dealId: deal_id }} size="sm">
      {data?.data.name ?? deal_id}
    </To>
  );
}

/** The names of a deal and one of its tranches; they lead to the deal, or to what is held of the tranche. */
export function TrancheName({ deal_id, tranche_id, held = false }: OfTranche & { held?: boolean }): ReactNode {
  const { data, isPending } = useMarketDeal(deal_id);
  if (isPending) return <ToCome width={200} />;
  const deal = data?.data;
  const tranche = deal?.tranches.find((each) => each.tranche_id === tranche_id)?.tranche;
  // The tranche first: where there is little room, the name of the deal is cut.
  const name = deal ? `${tranche ?? tranche_id}, ${deal.name}` : tranche_id;
  return held ? (
    <To to="/portfolio/$dealId/$trancheId" params={{ dealId: deal_id, trancheId: tranche_id }} size="sm" title={name}>
      {name}
    </To>
  ) : (
    <To to="/market/$dealId" params={{ dealId: deal_id }} size="sm" title={name}>
      {name}
    </To>
  );
}
