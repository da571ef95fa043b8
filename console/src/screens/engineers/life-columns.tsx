import type { Records } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { When } from '../../ui/format.tsx';
import { Status } from '../../ui/status.tsx';

type Credential = Pick<Records['ApiKey'], 'status' | 'expires_at' | 'last_used_at'>;

/** Whether a credential is in force, until when, and when it was used. */
export const LIFE: readonly Column<Credential>[] = [
  { id: 'status', title: 'Status', value: ({ status }) => status, cell: ({ status }) => <Status of={status} /> },
  {
    id: 'expires_at',
    title: 'Expires',
    value: ({ expires_at }) => expires_at,
    cell: ({ expires_at }) => <When at={expires_at} />,
  },
  {
    id: 'last_used_at',
    title: 'Last used',
    value: ({ last_used_at }) => last_used_at,
    cell: ({ last_used_at }) => <When at={last_used_at} />,
  },
];
