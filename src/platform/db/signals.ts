import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { listen } from './listen.ts';

/**
 * Notifies processes of news. Many signals become one notification: a notifying commit takes a lock of the whole server, so it happens at
 * most once per gap and process. A signal may be lost with its process, so listeners also poll.
 */
export type Signals = {
  send(channel: string): void;
  /** Calls back at every signal of any process, and after a lost connection. Returns the function that stops it. */
  on(channel: string, callback: () => void): () => void;
  [Symbol.asyncDispose](): Promise<void>;
};

const GAP_MS = 15;
const NAME = 'sluice_signals';

export function createSignals(options: {
  connect(): Promise<pg.Client>;
  notify(sql: string, params: readonly unknown[]): Promise<unknown>;
  /** Told once when the signals of other processes are not received, with the reason, and with null when they are again. */
  troubled(reason: unknown): void;
}): Signals {
  const self = randomUUID();
  const callbacks = new Map<string, Set<() => void>>();
  const pending = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let listener: { close(): Promise<void> } | undefined;
  const call = (channel: string): void => {
    for (const callback of callbacks.get(channel) ?? []) callback();
  };
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (pending.size === 0) return;
    const payload = `${self} ${[...pending].join(' ')}`;
    pending.clear();
    await options.notify('select pg_notify($1, $2)', [NAME, payload]).catch(() => {});
  };
  return {
    send(channel) {
      call(channel);
      pending.add(channel);
      timer ??= setTimeout(() => void flush(), GAP_MS);
    },
    on(channel, callback) {
      const known = callbacks.get(channel) ?? new Set();
      callbacks.set(channel, known.add(callback));
      listener ??= listen({
        connect: options.connect,
        channel: NAME,
        troubled: options.troubled,
        received: (payload) => {
          const [from, ...channels] = payload?.split(' ') ?? ['', ...callbacks.keys()];
          if (from !== self) for (const each of channels) call(each);
        },
      });
      return () => void known.delete(callback);
    },
    async [Symbol.asyncDispose]() {
      await flush();
      await listener?.close();
    },
  };
}
