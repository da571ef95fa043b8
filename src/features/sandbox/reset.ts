import type { Deps } from '../../platform/deps.ts';

/** What a reset leaves: who there is, what they may do, what was done, and the clock. */
const KEPT = [
  'organizations',
  'organization_looks',
  'keys',
  'audit_log',
  'audit_head',
  'audit_checkpoints',
  'schema_migrations',
  'platform_clock',
  'rate_windows',
];

/** Empties every table but those; as the owner of the tables, since the gateway's own role cannot. */
export async function reset(deps: Deps): Promise<void> {
  if (deps.config.environment === 'production') throw new Error('a production database is never reset');
  const client = await deps.db.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I', c.relname) as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
         and not c.relispartition and c.relname <> all($1)`,
      [KEPT],
    );
    await client.query(`truncate ${rows.map((row) => row.name).join(', ')} cascade`);
    await client.query(`update platform_clock set advanced = '0'`);
  } finally {
    await client.end();
  }
}
