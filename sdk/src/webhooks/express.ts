import { cutOff, handleAfter, LARGEST_BODY_BYTES, receive, type ReceiverOptions, tooLarge, type Verdict } from './receive.ts';

export type { ReceiverOptions } from './receive.ts';
export { type WebhookEvent, type WebhookRefusal, WebhookVerificationError } from './verify.ts';

/** A request of Express, or of `node:http`. */
export type NodeRequest = AsyncIterable<Uint8Array> & {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body?: unknown;
};
/** A response of Express, or of `node:http`. */
export type NodeResponse = { statusCode: number; setHeader(name: string, value: string): unknown; end(text?: string): unknown };

/**
 * A receiver for Express and for `node:http`: `app.post('/hooks', webhookReceiver({…}))`. It reads the body itself: put it before
 * `express.json()`, or behind `express.raw({ type: 'application/json' })`. It responds before `handle` runs.
 */
export function webhookReceiver(options: ReceiverOptions): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  return async (request, response) => {
    // Nobody waits for the promise of a listener: a rejection would end the program.
    const verdict = await verdictOn(request, options).catch((error: unknown) => cutOff(error, options));
    response.statusCode = verdict.status;
    if (verdict.message !== null) response.setHeader('content-type', 'text/plain; charset=utf-8');
    // Without the rest of the body the connection cannot serve another request.
    if (verdict.status === 413) response.setHeader('connection', 'close');
    response.end(verdict.message ?? undefined);
    await handleAfter(verdict, options);
  };
}

async function verdictOn(request: NodeRequest, options: ReceiverOptions): Promise<Verdict> {
  const { body, headers } = request;
  if (body instanceof Uint8Array || typeof body === 'string') return await receive(body, headers, options);
  if (body !== undefined && body !== null) return parsedBefore(options);
  const read = await bytesUpTo(request, LARGEST_BODY_BYTES);
  return read === null ? tooLarge : await receive(read, headers, options);
}

/** A signature is over bytes: those of a parsed body are gone. */
function parsedBefore(options: ReceiverOptions): Verdict {
  const message =
    'A parser has read the body before the receiver: put the receiver before express.json(), or behind express.raw().';
  options.onError(new TypeError(message), null);
  return { status: 500, message: 'The receiver is set up wrongly; see its log.', event: null };
}

async function bytesUpTo(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array | null> {
  const kept: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.byteLength;
    if (size > limit) return null;
    kept.push(new Uint8Array(chunk));
  }
  return new Uint8Array(await new Blob(kept).arrayBuffer());
}
