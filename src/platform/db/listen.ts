import type pg from 'pg';

const HEARTBEAT_MS = 10_000;
const RECONNECT_MS = 1_000;

export type Listening = {
  connect(): Promise<pg.Client>;
  channel: string;
  /** Gets every notification, and null after every reconnection: notifications sent before may have been missed. */
  received(payload: string | null): void;
  /** Told once when no notification is received any more, with the reason, and with null when they are received again. */
  troubled(reason: unknown): void;
};

/** Listens on a connection of its own, with a heartbeat; a broken or silent connection is replaced. */
export function listen({ connect, channel, received, troubled }: Listening): { close(): Promise<void> } {
  let closed = false;
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isTold = false;
  const later = (action: () => Promise<void>, delayMs: number): void => {
    if (!closed) timer = setTimeout(() => void action(), delayMs).unref();
  };
  const lose = (reason: unknown, delayMs: number): void => {
    leave();
    if (!closed && !isTold) troubled(reason);
    isTold = true;
    later(open, delayMs);
  };
  const leave = (): void => {
    client
      ?.removeAllListeners('notification')
      .end()
      .catch(() => {});
    client = undefined;
  };
  const open = async (): Promise<void> => {
    try {
      client = await connect();
      client.on('notification', (message) => received(message.payload ?? ''));
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      if (closed) return leave();
      if (isTold) troubled(null);
      isTold = false;
      received(null);
      later(beat, HEARTBEAT_MS);
    } catch (error) {
      lose(error, RECONNECT_MS);
    }
  };
  const beat = async (): Promise<void> => {
    try {
      await client?.query('select 1');
      later(beat, HEARTBEAT_MS);
    } catch (error) {
      lose(error, 0);
    }
  };
  const opening = open();
  return {
    async close() {
      closed = true;
      clearTimeout(timer);
      await opening;
      leave();
    },
  };
}
