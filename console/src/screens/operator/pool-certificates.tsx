import type { ReactNode } from 'react';
import { api, type QueryOf, sent } from '../../app/api.ts';
import { RecordList } from '../../ui/list.tsx';
import { REPORT } from './certificates.tsx';

/** The reports of the servicer of one pool. */
export const PoolCertificates = ({ poolId }: { poolId: string }): ReactNode => (
  <RecordList
    name={['operator-pools', poolId, 'certificates']}
    label="Certificates"
    read={(query: QueryOf<'/v1/operator/pools/{poolId}/remittances'>) =>
      sent(api.GET('/v1/operator/pools/{poolId}/remittances', { params: { path: { poolId }, query } }))
    }
    columns={REPORT}
    rowKey={({ remittance_id }) => remittance_id}
    empty="The servicer has not reported yet."
  />
);
