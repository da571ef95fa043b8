import pg from 'pg';

/** The client gives a statement this much longer than the server does; after that the connection is considered silent. */
const SILENT_AFTER_MS = 1_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
/** How long an orderly close may take; a silent peer never confirms it. */
const CLOSE_MS = 3_000;
const IDLE_IN_TRANSACTION_MS = 60_000;
/** Of a page that is read in order. Any page is found about as fast as the next one; the server's 4 is that of turning disks, and sorts a list rather than read its index. */
const RANDOM_PAGE_COST = 1.1;

/** How long the parts of a statement may take. Waiting for a connection and then for the statement ends within their sum and a second. */
export type Patience = { connectMs: number; statementMs: number };

/**
 * For statements that a request waits for: with the second of grace it has its response within 15 seconds, whatever the database does.
 */
export const OF_REQUESTS: Patience = { connectMs: 4_000, statementMs: 9_000 };
/** For work that no request waits for. */
export const OF_WORK: Patience = { connectMs: 4_000, statementMs: 60_000 };
/** For the job queue: its fetch is at most this late after a connection fell silent. */
export const OF_QUEUE: Patience = { connectMs: 4_000, statementMs: 15_000 };
export const OF_MIGRATIONS: Patience = { connectMs: 10_000, statementMs: 3_600_000 };
/** For the rate limiter, which every request uses, and for connections that only listen. */
export const OF_LIMITER: Patience = { connectMs: 4_000, statementMs: 2_000 };

/**
 * What a server, a database or a login may have otherwise, and every statement here relies on: where its tables are, how values are written
 * as text, and that a statement behind a lock sees what was committed while it waited.
 */
export const RELIED_ON = {
  search_path: 'public',
  datestyle: 'ISO',
  timezone: 'UTC',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  default_transaction_isolation: 'read committed',
};

export type ConnectionOptions = {
  url: string;
  name: string;
  patience: Patience;
  role?: string | null;
  settings?: Record<string, string>;
};

const overrides = new pg.TypeOverrides();
overrides.setTypeParser(pg.types.builtins.INT8, Number);
const readDate: (text: string) => unknown = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ);
overrides.setTypeParser(pg.types.builtins.TIMESTAMPTZ, (text) => readUtc(text) ?? readDate(text));
/**
 * How values are read: `bigint` as a number, since every count of the platform fits into one, and a time without the driver's expressions,
 * which take four times as long.
 */
export const TYPES: pg.CustomTypesConfig = overrides;

/** A time as the server writes it in UTC, such as `2026-01-31 23:59:59.123+00`; null for any other text. */
function readUtc(text: string): Date | null {
  const isUtc = text.length >= UTC_SECONDS && text[4] === '-' && text[0] !== '0' && text.endsWith('+00');
  if (!isUtc) return null;
  const part = (from: number, to: number): number => {
    let number = 0;
    for (let at = from; at < to; at += 1) number = number * 10 + text.charCodeAt(at) - ZERO;
    return number;
  };
  // What is below a millisecond is cut off, as the driver does.
  const fraction = text.length - UTC_SECONDS;
  const ms = fraction === 0 ? 0 : part(20, Math.min(23, 19 + fraction)) * 10 ** Math.max(0, 4 - fraction);
  return new Date(Date.UTC(part(0, 4), part(5, 7) - 1, part(8, 10), part(11, 13), part(14, 16), part(17, 19), ms));
}

const UTC_SECONDS = '2026-01-31 23:59:59+00'.length;
const ZERO = '0'.charCodeAt(0);

/** A connection whose close is bounded. */
export class Connection extends pg.Client {
  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | void {
    setTimeout(() => this.connection.stream.destroy(), CLOSE_MS).unref();
    return callback ? super.end(callback) : super.end();
  }
}

/** Options of every connection: timeouts on both sides, and probes while it is idle, so that none stays silent for good. */
export function clientConfig({ url, name, patience }: ConnectionOptions): pg.ClientConfig {
  return {
    connectionString: url,
    types: TYPES,
    application_name: name,
    connectionTimeoutMillis: patience.connectMs,
    query_timeout: queryTimeout(patience),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  };
}

export const queryTimeout = (patience: Patience): number => patience.statementMs + SILENT_AFTER_MS;

/**
 * Settings of a session, to be run first on it. They are not part of the start-up message, because poolers refuse or drop parameters that
 * they do not know.
 */
export function sessionSettings({ patience, role, settings = {} }: ConnectionOptions): string {
  const all = {
    ...(role ? { role } : {}),
    ...RELIED_ON,
    statement_timeout: String(patience.statementMs),
    idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION_MS),
    random_page_cost: String(RANDOM_PAGE_COST),
    ...settings,
  };
  return setAll(all);
}

/** SQL that sets the settings of a session. */
export const setAll = (settings: Record<string, string>): string =>
  Object.entries(settings)
    .map(([name, value]) => `set ${name} = ${pg.escapeLiteral(value)}`)
    .join('; ');

/** A connection of its own; the caller ends it. */
export async function connectAlone(options: ConnectionOptions): Promise<pg.Client> {
  const client = new Connection(clientConfig(options));
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(sessionSettings(options));
    return client;
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
}
