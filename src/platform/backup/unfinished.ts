import pg from 'pg';
import type { Database } from '../db/database.ts';
import type { Manifest } from './manifest.ts';

/*
 * From its rows on until the last act of a restore, the database says that it is one: rows alone bring back what was destroyed since the
 * backup. The mark is a comment, as no table of the backup's schema has a place for it.
 */
const MARKED = 'comment on table public.schema_migrations is';
const READ = `select obj_description(to_regclass('public.schema_migrations'), 'pg_class') as mark`;
const PREFIX = 'restore not finished:';

const markOf = ({ snapshot_at, objects }: Manifest): string => `${PREFIX} ${snapshot_at} ${objects.sha256}`;

export async function markUnfinished(client: pg.Client, manifest: Manifest): Promise<void> {
  await client.query(`${MARKED} ${pg.escapeLiteral(markOf(manifest))}`);
}

export async function markFinished(client: pg.Client): Promise<void> {
  await client.query(`${MARKED} null`);
}

/** Whether the database has the rows of this backup, and its restore was interrupted afterwards. */
export async function isUnfinished(client: pg.Client, manifest: Manifest): Promise<boolean> {
  const { rows } = await client.query<{ mark: string | null }>(READ);
  return rows[0]?.mark === markOf(manifest);
}

/** Refuses to serve a database whose restore was interrupted. */
export async function refuseUnfinished(db: Database): Promise<void> {
  const [row] = await db.direct<{ mark: string | null }>(READ);
  if (!row?.mark?.startsWith(PREFIX)) return;
  const [snapshotAt] = row.mark.slice(PREFIX.length).trim().split(' ');
  throw new Error(
    `the restore of the backup of ${snapshotAt} into this database was interrupted: run sluice restore with that backup again, which does what is left`,
  );
}
