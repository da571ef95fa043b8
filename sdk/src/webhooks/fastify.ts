import type { FastifyPluginAsync } from 'fastify';
import { handleAfter, LARGEST_BODY_BYTES, receive, type ReceiverOptions } from './receive.ts';

export type { ReceiverOptions } from './receive.ts';
export { type WebhookEvent, type WebhookRefusal, WebhookVerificationError } from './verify.ts';

/** Where the receiver is, beside what it does. */
export type FastifyReceiverOptions = ReceiverOptions & {
  /** Path of the receiver; `/` (under the prefix of the registration) unless said otherwise. */
  path?: string;
};

/**
 * A receiver as a plugin of Fastify: `app.register(webhookReceiver, { path: '/hooks', secret, handle, onError })`. Its own scope reads JSON as
 * bytes; the other routes of the application keep their parsers. It responds before `handle` runs.
 */
export const webhookReceiver: FastifyPluginAsync<FastifyReceiverOptions> = async (scope, options) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: LARGEST_BODY_BYTES }, (_request, body, done) =>
    done(null, body),
  );
  scope.post<{ Body: Uint8Array | undefined }>(options.path ?? '/', async (request, reply) => {
    const verdict = await receive(request.body ?? new Uint8Array(), request.headers, options);
    const handle = (): void => void handleAfter(verdict, options);
    // A response also closes where the sender is gone, perhaps before this: what was accepted is not sent again.
    if (reply.raw.closed) handle();
    else reply.raw.once('close', handle);
    return await reply.status(verdict.status).send(verdict.message ?? undefined);
  });
};
