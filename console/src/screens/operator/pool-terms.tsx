import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiFailure, api, sent } from '../../app/api.ts';
import { Empty } from '../../ui/page.tsx';
import { Read } from '../../ui/read.tsx';
import { Terms } from '../pools/terms.tsx';

/** How a pool pays, as the platform reads it before the issue. */
export function PoolTerms({ poolId }: { poolId: string }): ReactNode {
  const structure = useQuery({
    queryKey: ['operator-pools', poolId, 'structure'],
    queryFn: () => sent(api.GET('/v1/operator/pools/{poolId}/structure', { params: { path: { poolId } } })),
    retry: false,
  });
  if (structure.error instanceof ApiFailure && structure.error.status === 404)
    return <Empty>The originator has not set a structure yet.</Empty>;
  return <Read from={structure}>{({ data }) => <Terms terms={data} />}</Read>;
}
