import { setInterval as every } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../deps.ts';
import { LOOK_AGAIN_MS } from '../recent-looks.ts';

/**
 * Ends a download once whoever asked for it is out: its connection breaks off, so that what has arrived does not look like the whole file.
 * While nobody can say whether they are, as without a database, it goes on: nothing can be revoked then either.
 */
export function endDownloadWithHolder(
  { log }: Pick<Deps, 'log'>,
  request: FastifyRequest,
  reply: FastifyReply,
  isInForce: () => Promise<boolean>,
): void {
  const over = new AbortController();
  reply.raw.once('close', () => over.abort());
  const watch = async (): Promise<void> => {
    for await (const _tick of every(LOOK_AGAIN_MS, undefined, { signal: over.signal, ref: false })) {
      if (await isInForce().catch(() => true)) continue;
      if (over.signal.aborted) return;
      log.warn({ request_id: request.id, route: request.routeOptions.url }, 'a download was ended: its key or session is out');
      reply.raw.destroy();
      return;
    }
  };
  void watch().catch(() => {});
}
