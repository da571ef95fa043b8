import type { ReactNode } from 'react';
import { api, sent } from '../../app/api.ts';
import { PoolPerformance } from '../servicing/performance.tsx';
import { triggersOf } from '../servicing/performance-limits.ts';

/** What the pool of a deal has paid and lost. */
export const Performance = ({ dealId }: { dealId: string }): ReactNode => (
  <PoolPerformance
    name={['market', dealId]}
    read={() => sent(api.GET('/v1/api/investor/deals/{dealId}/performance', { params: { path: { dealId } } }))}
    triggers={async () => {
      const { data } = await sent(api.GET('/v1/api/investor/deals/{dealId}/structure', { params: { path: { dealId } } }));
      return triggersOf(data.structure);
    }}
  />
);
