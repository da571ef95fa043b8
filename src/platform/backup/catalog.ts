import pg from 'pg';
import { RELIED_ON, setAll } from '../db/connection.ts';

/** A table of the gateway or of its job queue; a partitioned table counts once, with the rows of all its partitions. */
export type Table = {
  schema: string;
  name: string;
  /** Columns with data of their own, without generated ones. */
  columns: string[];
};

export type Partition = {
  schema: string;
  name: string;
  parent: string;
  /** As in `create table … partition of`. */
  bound: string;
  options: string[];
  /** Whether row-level security is forced on it. */
  guarded: boolean;
};

export type Sequence = { schema: string; name: string; value: string };

export type Catalog = { tables: Table[]; partitions: Partition[]; sequences: Sequence[] };

/** Schemas whose tables are part of a backup. */
const SCHEMAS = ['public', 'pgboss'];
/** The list of migrations, which the migrations of the restored database write themselves. */
const OWN_LIST = 'schema_migrations';

/** Settings with which both sides write and read values as text, for as long as it takes. */
const TEXT_SETTINGS = setAll({
  ...RELIED_ON,
  client_encoding: 'UTF8',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_in_transaction_session_timeout: '0',
  row_security: 'on',
});

/** All rows must be visible, also to a login that row-level security binds. */
const WHOLE_PLATFORM = `select set_config('sluice.scope', 'platform', false), set_config('sluice.organization', '', false)`;

/** A connection without statement timeouts; the caller ends it. */
export async function connectToAll(url: string, name: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    application_name: name,
  });
  client.on('error', () => {});
  await client.connect();
  await client.query(TEXT_SETTINGS);
  await client.query(WHOLE_PLATFORM);
  return client;
}

/**
 * The tables and sequences to back up. Unlogged tables are left out: they may be empty after any crash, so nothing in them is worth
 * keeping.
 */
export async function readCatalog(client: pg.Client): Promise<Catalog> {
  const query = async <Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> =>
    (await client.query<Row>(sql, [SCHEMAS])).rows;
  const tables = await query<Table>(
    `select n.nspname as schema, c.relname as name, array(
       select a.attname::text from pg_attribute a
       where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
       and c.relname <> '${OWN_LIST}' order by 1, 2`,
  );
  const partitions = await query<Partition>(
    `select n.nspname as schema, c.relname as name, p.relname as parent, pg_get_expr(c.relpartbound, c.oid) as bound,
       coalesce(c.reloptions, '{}') as options, c.relrowsecurity as guarded
     from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any($1) and c.relispartition and c.relkind in ('r', 'p') order by 1, 2`,
  );
  const sequences = await query<Sequence>(
    `select schemaname as schema, sequencename as name, last_value::text as value
     from pg_sequences where schemaname = any($1) and last_value is not null order by 1, 2`,
  );
  return { tables, partitions, sequences };
}

export const nameOf = ({ schema, name }: { schema: string; name: string }): string => `${quoted(schema)}.${quoted(name)}`;

export const columnsOf = (table: Table): string => table.columns.map(quoted).join(', ');

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
