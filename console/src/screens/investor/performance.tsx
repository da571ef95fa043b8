import type { ReactNode } from 'react';
import { api, sent } from '../../app/api.ts';
import { PoolPerformance } from '../servicing/performance.tsx';

/** What the pool of a deal has paid and lost. */
export const Performance = ({ dealId }: { dealId: string }): ReactNode => (
  <PoolPerformance
    name={['market', dealId]}
    read={() => sent(api.GET('/v1/api/investor/deals/{dealId}/performance', { params: { path: { dealId } } }))}
  />
);
