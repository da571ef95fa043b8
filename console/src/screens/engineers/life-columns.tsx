import type { Records } from '../../app/api.ts';
import type { Column } from '../../ui/column.ts';
import { statusColumn, whenColumn } from '../../ui/columns.tsx';

type Credential = Pick<Records['ApiKey'], 'status' | 'expires_at' | 'last_used_at'>;

/** Whether a credential is in force, until when, and when it was used. */
export const LIFE: readonly Column<Credential>[] = [
  statusColumn('status', 'Status'),
  whenColumn('expires_at', 'Expires'),
  whenColumn('last_used_at', 'Last used'),
];
