import type { ReactNode } from 'react';
import { api, sent } from '../../app/api.ts';
import { Strats } from '../deals/strats.tsx';

/** The loans behind a deal, in groups of a field. */
export const Collateral = ({ dealId }: { dealId: string }): ReactNode => (
  <Strats
    name={['market', dealId]}
    read={(by) =>
      sent(api.GET('/v1/api/investor/deals/{dealId}/analytics/strats', { params: { path: { dealId }, query: { by } } }))
    }
  />
);
