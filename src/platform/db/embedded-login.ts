import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { START_TIMEOUT_MS } from './embedded-server.ts';
import { createWhole } from './file-lock.ts';

/** The login of the gateway's processes: no superuser, bound by row-level security, owner of nothing. */
export const LOGIN = 'sluice_gateway';

/** The login's password, generated once beside the server's files. */
export function loginPassword(directory: string): string {
  const path = join(directory, 'login-password');
  createWhole(path, randomBytes(24).toString('base64url'));
  return readFileSync(path, 'utf8').trim();
}

/**
 * Creates the database and the login, also on an existing server of an earlier version; afterwards both are as this version needs them.
 */
export async function ensureDatabase(adminUrl: string, name: string, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: START_TIMEOUT_MS });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select datname as name from pg_database where datname = $1 union all select rolname from pg_roles where rolname = any($2)`,
      [name, ['sluice_app', LOGIN]],
    );
    const there = new Set(rows.map((row) => row.name));
    if (!there.has(name)) await client.query(`create database ${name}`);
    if (!there.has('sluice_app')) await client.query('create role sluice_app nologin nobypassrls');
    if (!there.has(LOGIN)) await client.query(`create role ${LOGIN} login in role sluice_app`);
    await client.query(
      `alter role ${LOGIN} login nosuperuser nocreatedb nocreaterole noreplication nobypassrls inherit password ${pg.escapeLiteral(password)}`,
    );
    await client.query(`grant sluice_app to ${LOGIN}`);
    // The server's own log would show rows that it refused, with their values.
    await client.query(`alter role ${LOGIN} set log_error_verbosity = 'terse'`);
  } finally {
    await client.end();
  }
}
