import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, type Records, sent } from '../../app/api.ts';
import { Id } from '../../ui/format.tsx';
import { To } from '../../ui/link.tsx';
import { ToCome } from '../../ui/page.tsx';

const FRESH_MS = 300_000;

const Named = ({ children, title }: { children: ReactNode; title?: string }): ReactNode => (
  <span className="named" title={title ?? ''}>
    {children}
  </span>
);
const NAME_TO_COME = (
  <Named>
    <ToCome />
  </Named>
);

/** The name of an organization, which leads to it; its id where it cannot be read. */
export function OrganizationName({ id }: { id: string }): ReactNode {
  const params = { path: { organizationId: id } };
  const { data, isPending } = useQuery({
    queryKey: ['organizations', id],
    staleTime: FRESH_MS,
    queryFn: () => sent(api.GET('/v1/operator/organizations/{organizationId}', { params })),
  });
  if (isPending) return NAME_TO_COME;
  return (
    <Named title={data?.data.name ?? id}>
      <To to="/organizations/$organizationId" params={{ organizationId: id }} size="sm">
        {data?.data.name ?? id}
      </To>
    </Named>
  );
}

export const useBook = (dealId: string): ReturnType<typeof useQuery<{ data: Records['DealBook'] }>> =>
  useQuery({
    queryKey: ['offerings', dealId, 'book'],
    staleTime: FRESH_MS,
    queryFn: () => sent(api.GET('/v1/operator/deals/{dealId}/book', { params: { path: { dealId } } })),
  });

type TrancheOfProps = {
  deal_id: string;
  tranche_id: string;
  /** Its name, where the record has it: the book has only what is on offer, which a residual is not. */
  name?: string;
};

/** A tranche with the deal that it belongs to, which leads to the deal. */
export function TrancheOf({ deal_id, tranche_id, name }: TrancheOfProps): ReactNode {
  const { data, isPending } = useBook(deal_id);
  if (isPending) return NAME_TO_COME;
  const tranche = name ?? data?.data.tranches.find((each) => each.tranche_id === tranche_id)?.tranche ?? tranche_id;
  // The tranche first: where there is little room, the name of the deal is cut.
  const text = data ? `${tranche}, ${data.data.name}` : tranche;
  return (
    <Named title={text}>
      <To to="/offerings/$dealId" params={{ dealId: deal_id }} size="sm">
        {text}
      </To>
    </Named>
  );
}

/** A deal on the market by its name, which leads to it. */
export function OfferingName({ id }: { id: string | null }): ReactNode {
  if (id === null) return '–';
  return <KnownOffering id={id} />;
}

function KnownOffering({ id }: { id: string }): ReactNode {
  const { data, isPending, error } = useQuery({
    queryKey: ['offerings', id],
    staleTime: FRESH_MS,
    queryFn: () => sent(api.GET('/v1/operator/deals/{dealId}', { params: { path: { dealId: id } } })),
  });
  if (isPending) return NAME_TO_COME;
  if (error) return <Id of={id} />;
  return (
    <Named title={data.data.name}>
      <To to="/offerings/$dealId" params={{ dealId: id }} size="sm">
        {data.data.name}
      </To>
    </Named>
  );
}

/** A pool by its name, which leads to it. */
export function PoolName({ id }: { id: string }): ReactNode {
  const { data, isPending } = useQuery({
    queryKey: ['operator-pools', id],
    staleTime: FRESH_MS,
    queryFn: () => sent(api.GET('/v1/operator/pools/{poolId}', { params: { path: { poolId: id } } })),
  });
  if (isPending) return NAME_TO_COME;
  return (
    <Named title={data?.data.name ?? id}>
      <To to="/platform-pools/$poolId" params={{ poolId: id }} size="sm">
        {data?.data.name ?? id}
      </To>
    </Named>
  );
}
