import type { ReactNode } from 'react';
import { To } from '../../ui/link.tsx';
import { useDeal } from './deal-data.ts';

/** A loan deal by its name, which leads to it. */
export function DealLink({ id }: { id: string }): ReactNode {
  const deal = useDeal(id);
  return (
    <To to="/deals/$dealId" params={{ dealId: id }} size="sm" title={id}>
      {deal.data?.name ?? (deal.error ? id : '…')}
    </To>
  );
}
