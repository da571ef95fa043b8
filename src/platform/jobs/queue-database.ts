import type { Db } from 'pg-boss';
import { connectAlone, OF_LIMITER, type Patience } from '../db/connection.ts';
import { listen } from '../db/listen.ts';
import { openPool } from '../db/pool.ts';

const CONNECTIONS = 6;

export type QueueCalls = {
  /** Called whenever a statement has ended. */
  onStatement(): void;
  /** Called when the news of queued jobs is no longer received: they are found by polling then. */
  onDeaf(reason: unknown): void;
};

/** The job queue's own connections, bounded as all others. */
export function openQueueDatabase(
  url: string,
  patience: Patience,
  { onStatement, onDeaf }: QueueCalls,
): Db & { end(): Promise<void> } {
  const pool = openPool({ url, name: 'sluice-jobs', patience, max: CONNECTIONS });
  return {
    async executeSql(text, values = []) {
      try {
        return await pool.query({ text, values });
      } finally {
        onStatement();
      }
    },
    listen: async (channel, onNotification, onReconnect) =>
      listen({
        connect: () => connectAlone({ url, name: 'sluice-jobs', patience: OF_LIMITER }),
        channel,
        troubled: (reason) => reason === null || onDeaf(reason),
        received: (payload) => (payload === null ? onReconnect() : onNotification(payload)),
      }),
    end: () => pool.end(),
  };
}
