import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { type Asked, settingsOf } from './account/settings.ts';
import { connect, type Connection } from './connection.ts';
import { endOfEvents } from './end-of-events.ts';
import { EXIT, isUnavailable, tellLost } from './failure.ts';
import { type Look, lookAtNewest } from './newest.ts';
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
    const from = after ?? (await endOfEvents(connection, operator));
    yield* sluice.events({ follow: true, operator, signal, onLost: tellLost, ...(from ? { after: from } : {}) });
  },
  alerts: ({ sluice, signal }, { after }, operator) =>
    sluice.alerts({ operator, signal, onLost: tellLost, ...(after ? { after } : {}) }),
};

async function* requestsOf(connection: Connection, _options: Options, operator: boolean): AsyncGenerator<unknown> {
  const path = operator ? '/v1/operator/requests' : '/v1/api/requests';
  let known: Set<string> | null = null;
  for (;;) {
    const look: Look | null = await lookAtNewest(connection, path, known, nameOfRequest).catch((error: unknown) => {
      if (known === null || !isUnavailable(error)) throw error;
      tellLost(error);
      return null;
    });
    if (look !== null) {
      // What this tail itself asks is not what is followed.
      yield* look.fresh.filter((each) => each.path !== path);
      known = look.known;
    }
    await sleep(POLL_MS, undefined, { signal: connection.signal });
  }
}

/** An id of a request can recur: a client may send one for several attempts. */
const nameOfRequest = ({ request_id, at, method, path }: Record_): string => [request_id, at, method, path].join(' ');

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
