import { setTimeout as sleep } from 'node:timers/promises';
import { newSecret, signedHeaders } from '../features/webhooks/signature.ts';

export type ListenOptions = {
  gateway: string;
  key: string;
  forwardTo: string;
  /** The secret that signs the forwarded requests; generated when none is given. */
  secret?: string;
  pollMs?: number;
  signal: AbortSignal;
  log(line: string): void;
};

type Event = { id: string; event: string; timestamp: string; data: unknown };
type Delivery = { id: string; event_id: string; event: string; kind: string };

const POLL_MS = 2_000;
const FORWARD_TIMEOUT_MS = 15_000;
/** Replays are fetched only at every nth fetch of events, because requests count against the rate limit. */
const REPLAYS_EVERY = 2;

/**
 * Forwards the organization's events to a program on this machine, without a public address: follows the log of events from its present
 * end, and the requested replays; signs each one with its own secret and posts it. Runs until the signal.
 */
export async function listen(options: ListenOptions): Promise<void> {
  const { signal, log } = options;
  const secret = options.secret ?? newSecret();
  let after = await endOfLog(options);
  const seen = new Set((await replays(options)).map((each) => each.id));
  log(`events go to ${options.forwardTo}, signed with ${secret}`);
  for (let round = 0; !signal.aborted; round += 1) {
    try {
      const found = await page(options, after);
      for (const each of found) {
        const { id, ...body } = each;
        await forward(options, secret, {
          eventId: id,
          deliveryId: id.replace('evt_', 'dlv_'),
          event: each.event,
          body: JSON.stringify(body),
        });
        after = id;
      }
      if (round % REPLAYS_EVERY === 0) {
        for (const replay of (await replays(options)).filter((each) => !seen.has(each.id)).reverse()) {
          seen.add(replay.id);
          await forwardReplay(options, secret, replay);
        }
      }
      if (found.length > 0) continue;
    } catch (error) {
      if (signal.aborted) return;
      log(`trying again: ${(error as Error).message}`);
    }
    await sleep(options.pollMs ?? POLL_MS, undefined, { signal }).catch(() => {});
  }
}

async function endOfLog(options: ListenOptions): Promise<string | null> {
  const [newest] = await events(options, 'limit=1&order=newest');
  return newest?.id ?? null;
}

const page = (options: ListenOptions, after: string | null): Promise<Event[]> =>
  events(options, `limit=100${after === null ? '' : `&after=${encodeURIComponent(after)}`}`);

const events = async (options: ListenOptions, query: string): Promise<Event[]> =>
  (await request<{ data: Event[] }>(options, `/v1/api/events?${query}`)).data;

const replays = async (options: ListenOptions): Promise<Delivery[]> =>
  (await request<{ data: Delivery[] }>(options, '/v1/api/webhooks/deliveries?limit=100')).data.filter(
    (each) => each.kind === 'REPLAY',
  );

async function forwardReplay(options: ListenOptions, secret: string, replay: Delivery): Promise<void> {
  const { data } = await request<{ data: { request: { body: string | null } } }>(
    options,
    `/v1/api/webhooks/deliveries/${replay.id}`,
  );
  if (data.request.body === null) return;
  await forward(options, secret, {
    eventId: replay.event_id,
    deliveryId: replay.id,
    event: replay.event,
    body: data.request.body,
  });
}

async function request<Body>(options: ListenOptions, path: string): Promise<Body> {
  for (;;) {
    const response = await fetch(new URL(path, options.gateway), {
      headers: { authorization: `Bearer ${options.key}` },
      signal: options.signal,
    }).catch((error: unknown) => {
      throw new Error(`no response from ${options.gateway}: ${reasonOf(error)}`, { cause: error });
    });
    if (response.status === 429) {
      await sleep(1_000 * Number(response.headers.get('retry-after') ?? 1), undefined, { signal: options.signal });
      continue;
    }
    const body = (await response.json()) as Body & { message?: string };
    if (!response.ok) throw new Error(`${response.status} ${body.message ?? ''}`.trim());
    return body;
  }
}

type Forwarded = { eventId: string; deliveryId: string; event: string; body: string };

async function forward(options: ListenOptions, secret: string, message: Forwarded): Promise<void> {
  const body = Buffer.from(message.body);
  const headers = signedHeaders({ ...message, body }, { current: secret, previous: null }, Date.now());
  const startedAt = performance.now();
  let outcome: string;
  try {
    const response = await fetch(options.forwardTo, {
      method: 'POST',
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
      body,
      redirect: 'manual',
      signal: AbortSignal.any([options.signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]),
    });
    await response.arrayBuffer();
    outcome = String(response.status);
  } catch (error) {
    outcome = reasonOf(error);
  }
  options.log(`${message.event} ${message.eventId} → ${outcome} (${Math.round(performance.now() - startedAt)} ms)`);
}

function reasonOf(error: unknown): string {
  return (error as { cause?: { code?: string } }).cause?.code ?? (error as Error).name;
}
