import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type Asked, settingsOf } from './account/settings.ts';
import { connect, type Connection } from './connection.ts';
import { EXIT, isUnavailable, tellLost } from './failure.ts';
import { cellText, type Record_ } from './output/cells.ts';
import { print } from './output/print.ts';
import { isRecord } from './output/record.ts';
import { safeJson } from './output/safe-text.ts';
import type { Run } from './run.ts';

type Options = Asked & { after?: string; json?: boolean; as?: string };
type Tail = (connection: Connection, options: Options, operator: boolean) => AsyncIterable<unknown>;

const POLL_MS = 2_000;
const PAGE = 100;
const KEPT_NAMES = 1_000;

/** `events tail`, `alerts tail` or `requests tail`: what comes, as it comes, until Ctrl-C. */
export function addTail(parent: Command, run: Run): void {
  const kind = parent.name();
  const tail = parent
    .command('tail')
    .description(`follow the ${kind} as they come, until Ctrl-C; with --json one a line`)
    .option('--json', 'print JSON, one record a line')
    .option('--profile <name>', 'profile to sign in with')
    .option('--url <url>', 'address of the gateway')
    .addOption(new Option('--as <role>', 'follow those of this role').choices(['originator', 'investor', 'operator']))
    .addHelpText('after', `\nExample:\n  sluice ${kind} tail --json`);
  if (kind !== 'requests') tail.option('--after <id>', 'begin behind this one');
  tail.action((options: Options) =>
    run(async (signal) => {
      const settings = settingsOf(process.env, options);
      const connection = await connect(settings, signal);
      const follow = TAILS[kind] ?? requestsOf;
      try {
        for await (const record of follow(connection, options, (options.as ?? settings.role) === 'operator'))
          if (isRecord(record)) print(options.json ? safeJson(record) : lineOf(record));
      } catch (error) {
        // Ctrl-C is how a tail ends.
        if (!signal.aborted) throw error;
      }
      return EXIT.ok;
    }),
  );
}

const TAILS: Readonly<Record<string, Tail>> = {
  events: async function* (connection, { after }, operator) {
    const { sluice, signal } = connection;
    const from = after ?? (await newestEvent(connection, operator));
    yield* sluice.events({ follow: true, operator, signal, onLost: tellLost, ...(from ? { after: from } : {}) });
  },
  alerts: ({ sluice, signal }, { after }, operator) =>
    sluice.alerts({ operator, signal, onLost: tellLost, ...(after ? { after } : {}) }),
};

/** A tail begins at the end of the log. */
async function newestEvent(connection: Connection, operator: boolean): Promise<string | null> {
  const path = operator ? '/v1/operator/events' : '/v1/api/events';
  const { next_after } = (await connection.call('get', path, { query: { limit: 1, order: 'newest' } })) as {
    next_after: string | null;
  };
  return next_after;
}

/** The log of requests has no order in which it grows: each look reads on until a whole page has nothing new. */
async function* requestsOf(connection: Connection, _options: Options, operator: boolean): AsyncGenerator<unknown> {
  const path = operator ? '/v1/operator/requests' : '/v1/api/requests';
  let known: Set<string> | null = null;
  for (;;) {
    const look: Look | null = await newRequests(connection, path, known).catch((error: unknown) => {
      if (known === null || !isUnavailable(error)) throw error;
      tellLost(error);
      return null;
    });
    if (look !== null) {
      // What this tail itself asks is not what is followed.
      if (known !== null) yield* look.fresh.filter((each) => each.path !== path).reverse();
      known = new Set([...look.read, ...(known ?? [])].slice(0, Math.max(KEPT_NAMES, look.read.length)));
    }
    await sleep(POLL_MS, undefined, { signal: connection.signal });
  }
}

type Look = { fresh: Record_[]; read: string[] };

/** What is not known among the latest requests, latest first, and the names of all that were read. */
async function newRequests(connection: Connection, path: string, known: ReadonlySet<string> | null): Promise<Look> {
  const look: Look = { fresh: [], read: [] };
  let knownInARow = 0;
  for await (const each of connection.pages(path, {})) {
    if (!isRecord(each)) continue;
    // An id of a request can recur: a client may send one for several attempts.
    const name = [each.request_id, each.at, each.method, each.path].join(' ');
    look.read.push(name);
    const isNew = known !== null && !known.has(name);
    if (isNew) look.fresh.push(each);
    knownInARow = isNew ? 0 : knownInARow + 1;
    if (knownInARow === PAGE) break;
  }
  return look;
}

const FIELDS = [
  'timestamp',
  'created_at',
  'started_at',
  'at',
  'event',
  'priority',
  'status',
  'method',
  'path',
  'title',
  'code',
  'id',
  'request_id',
];

/** A record on one line. */
function lineOf(record: Record_): string {
  const shown = FIELDS.filter((name) => record[name] !== undefined && record[name] !== null).map((name) =>
    cellText(record[name], false),
  );
  return [...shown, ...(isRecord(record.data) ? [safeJson(record.data)] : [])].join('  ');
}
