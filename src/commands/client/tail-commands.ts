import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type Asked, settingsOf } from './account/settings.ts';
import { connect, type Connection } from './connection.ts';
import { EXIT } from './failure.ts';
import { cellText, type Record_ } from './output/cells.ts';
import { print } from './output/print.ts';
import { isRecord } from './output/record.ts';
import { safeJson } from './output/safe-text.ts';
import type { Run } from './run.ts';

type Options = Asked & { after?: string; json?: boolean; as?: string };
type Tail = (connection: Connection, options: Options, operator: boolean) => AsyncIterable<unknown>;

const POLL_MS = 2_000;

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
    yield* sluice.events({ follow: true, operator, signal, ...(from ? { after: from } : {}) });
  },
  alerts: ({ sluice, signal }, { after }, operator) => sluice.alerts({ operator, signal, ...(after ? { after } : {}) }),
};

/** A tail begins at the end of the log. */
async function newestEvent(connection: Connection, operator: boolean): Promise<string | null> {
  const path = operator ? '/v1/operator/events' : '/v1/api/events';
  const { next_after } = (await connection.call('get', path, { query: { limit: 1, order: 'newest' } })) as {
    next_after: string | null;
  };
  return next_after;
}

async function* requestsOf(connection: Connection, _options: Options, operator: boolean): AsyncGenerator<unknown> {
  const path = operator ? '/v1/operator/requests' : '/v1/api/requests';
  let seen: Set<unknown> | null = null;
  for (;;) {
    const { data } = (await connection.call('get', path, { query: { limit: 100 } })) as { data: Record_[] };
    const known: Set<unknown> = seen ?? new Set(data.map((each) => each.request_id));
    // What this tail itself asks is not what is followed.
    for (const each of [...data].reverse()) if (!known.has(each.request_id) && each.path !== path) yield each;
    seen = new Set([...data.map((each) => each.request_id), ...known].slice(0, 1_000));
    await sleep(POLL_MS, undefined, { signal: connection.signal });
  }
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
