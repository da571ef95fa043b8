import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { newSecret, signedHeaders } from '../../features/webhooks/signature.ts';
import { notice } from '../notice.ts';
import { type Asked, isHttp, settingsOf } from './account/settings.ts';
import { connect, type Connection } from './connection.ts';
import { endOfEvents } from './end-of-events.ts';
import { EXIT, isUnavailable, tellLost } from './failure.ts';
import { lookAtNewest } from './newest.ts';
import type { Record_ } from './output/cells.ts';
import { safeText } from './output/safe-text.ts';
import type { Run } from './run.ts';

const POLL_MS = 2_000;
const FORWARD_TIMEOUT_MS = 15_000;
/** Replays are looked for at every nth look at the events alone, because requests count against the rate limit. */
const REPLAYS_EVERY = 2;

export type ListenOptions = {
  forwardTo: string;
  /** The secret that signs the forwarded requests; a new one where none is given. */
  secret?: string;
  pollMs?: number;
  log?: (line: string) => void;
};

/** `sluice listen`: the events of the organization at a program on this machine, until Ctrl-C. */
export function addListen(program: Command, run: Run): void {
  program
    .command('listen')
    .description('forward your organization’s events to a program on this machine, without a public address')
    .requiredOption('--forward-to <url>', 'where to post them', httpAddress)
    .option('--secret <secret>', 'sign with this secret instead of a new one')
    .option('--profile <name>', 'profile to sign in with')
    .option('--url <url>', 'address of the gateway')
    .addHelpText('after', '\nExample:\n  sluice listen --forward-to http://127.0.0.1:3000/hooks')
    .action((options: Asked & ListenOptions) =>
      run(async (signal) => {
        const connection = await connect(settingsOf(process.env, options), signal);
        await listen(connection, options).catch((error: unknown) => {
          // Ctrl-C is how it ends.
          if (!signal.aborted) throw error;
        });
        return EXIT.ok;
      }),
    );
}

/**
 * Follows the log of events from its present end, and the replays that are requested from now on; signs each with the secret and posts it.
 * While the gateway is away it waits and says so; a refusal, as of a revoked key, ends it.
 */
export async function listen(connection: Connection, options: ListenOptions): Promise<void> {
  const { sluice, signal } = connection;
  const { forwardTo, secret = newSecret(), pollMs = POLL_MS, log = notice } = options;
  const operator = connection.settings.role === 'operator';
  const deliveries = operator ? '/v1/operator/webhooks/deliveries' : '/v1/api/webhooks/deliveries';
  const forward = async (message: Forwarded): Promise<void> => log(safeText(await post(forwardTo, secret, message, signal)));
  let after = await endOfEvents(connection, operator);
  let { known } = await lookAtNewest(connection, deliveries, null, nameOfDelivery);
  log(`events go to ${forwardTo}, signed with ${secret}`);
  for (let round = 0; ; round += 1) {
    try {
      for await (const { id, event, timestamp, data } of sluice.events({ operator, signal, ...(after ? { after } : {}) })) {
        const body = JSON.stringify({ event, timestamp, data });
        await forward({ eventId: id, deliveryId: id.replace('evt_', 'dlv_'), event, body });
        after = id;
      }
      if (round % REPLAYS_EVERY === 0) {
        const look = await lookAtNewest(connection, deliveries, known, nameOfDelivery);
        for (const replay of look.fresh.filter(({ kind }) => kind === 'REPLAY')) {
          const id = nameOfDelivery(replay);
          const message = await readReplay(connection, `${deliveries}/{id}`, id);
          if (message) await forward(message);
          else log(safeText(`${String(replay.event)} ${id}: its body is not kept any more`));
          known.add(id);
        }
        known = look.known;
      }
    } catch (error) {
      if (signal.aborted || !isUnavailable(error)) throw error;
      tellLost(error);
    }
    await sleep(pollMs, undefined, { signal });
  }
}

const nameOfDelivery = ({ id }: Record_): string => String(id);

type Forwarded = { eventId: string; deliveryId: string; event: string; body: string };

/** A replay as it is sent; null where its body is not kept any more. */
async function readReplay(connection: Connection, path: string, id: string): Promise<Forwarded | null> {
  const { event_id, event, request } = (await connection.call('get', path, { path: { id } })) as {
    event_id: string;
    event: string;
    request: { body: string | null };
  };
  return request.body === null ? null : { eventId: event_id, deliveryId: id, event, body: request.body };
}

/** Posts an event as a delivery would; what it says of it tells the outcome and the time it took. */
async function post(forwardTo: string, secret: string, message: Forwarded, signal: AbortSignal): Promise<string> {
  const body = Buffer.from(message.body);
  const headers = signedHeaders({ ...message, body }, { current: secret, previous: null }, Date.now());
  const startedAt = performance.now();
  let outcome: string;
  try {
    const response = await fetch(forwardTo, {
      method: 'POST',
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]),
    });
    await response.arrayBuffer();
    outcome = String(response.status);
  } catch (error) {
    outcome = reasonOf(error);
  }
  return `${message.event} ${message.eventId} → ${outcome} (${Math.round(performance.now() - startedAt)} ms)`;
}

const reasonOf = (error: unknown): string => (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;

function httpAddress(text: string): string {
  if (isHttp(text)) return text;
  throw new InvalidArgumentError('expected an address of http or https, such as http://127.0.0.1:3000/hooks');
}
