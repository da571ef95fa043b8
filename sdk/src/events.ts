import type { Schemas } from './calls.ts';
import { growingInterval } from './clock.ts';
import type { Connection } from './connection.ts';
import { isPassing } from './errors.ts';

/** The data of each event by its name. */
export type EventData = Schemas['EventData'];
export type EventName = keyof EventData;

/** An event by its name: `if (event.event === 'trade.settled') event.data.net_amount`. A newer gateway may send names that are not in the union. */
export type PlatformEvent = { [Name in EventName]: { event: Name; data: EventData[Name] } }[EventName] & {
  /** `evt_…`: the same in the log of events, in webhooks, their retries and replays. */
  id: string;
  /** When it happened, ISO 8601, UTC. */
  timestamp: string;
};

export type EventOptions = {
  /** Id of the last event that you have; without it, the log from its beginning, 30 days back. */
  after?: string;
  /** Only events of this name. */
  type?: EventName;
  /** Waits for further events instead of ending at the newest one. */
  follow?: boolean;
  /** With `follow`: told each time that the gateway could not be read; the loop waits, and goes on behind the last event. */
  onLost?: (error: unknown) => void;
  /** Reads the log of the platform's operator. */
  operator?: boolean;
  signal?: AbortSignal | null;
};

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;
const LARGEST_SLICE = 100;

/**
 * The events in the order of the log. With `follow` the first read fails as any other, and what passes, such as a restart of the gateway, is
 * waited out from then on. Keep the id of the last one: passed as `after`, the next loop goes on behind it.
 */
export async function* eventsOf(connection: Connection, options: EventOptions): AsyncGenerator<PlatformEvent, void, void> {
  const { type, follow = false, onLost, signal = null } = options;
  const path = options.operator ? '/v1/operator/events' : '/v1/api/events';
  const wait = growingInterval(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  let after = options.after ?? null;
  let hasRead = false;
  const read = async () => {
    const query = { limit: LARGEST_SLICE, ...(type ? { type } : {}), ...(after === null ? {} : { after }) };
    try {
      return (await connection.read(path, { params: { query }, signal })).envelope;
    } catch (error) {
      if (!follow || !hasRead || signal?.aborted || !isPassing(error)) throw error;
      onLost?.(error);
      return null;
    }
  };
  for (;;) {
    const envelope = await read();
    if (envelope === null) {
      await connection.settings.clock.sleep(wait.next(), signal);
      continue;
    }
    hasRead = true;
    // The log of events carries the data that the schema of the event's name describes.
    yield* envelope.data as PlatformEvent[];
    const isNewest = envelope.data.length < LARGEST_SLICE;
    after = envelope.next_after ?? after;
    if (!isNewest || envelope.data.length > 0) wait.reset();
    if (!isNewest) continue;
    if (!follow) return;
    await connection.settings.clock.sleep(wait.next(), signal);
  }
}
