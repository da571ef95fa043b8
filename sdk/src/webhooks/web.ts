import { cutOff, handleAfter, LARGEST_BODY_BYTES, receive, type ReceiverOptions, tooLarge, type Verdict } from './receive.ts';

export type { ReceiverOptions } from './receive.ts';
export { type WebhookEvent, type WebhookRefusal, WebhookVerificationError } from './verify.ts';

/** What a runtime lends a handler, so that work may go on after the response (`ctx` of Workers). */
export type WebContext = { waitUntil(work: Promise<unknown>): void };

/** A receiver for everything that has `Request` and `Response`: workers, Deno, Bun, the routes of web frameworks. It responds before `handle` runs. */
export function webhookReceiver(options: ReceiverOptions): (request: Request, context?: WebContext) => Promise<Response> {
  return async (request, context) => {
    const verdict = await verdictOn(request, options).catch((error: unknown) => cutOff(error, options));
    // The response leaves first: what a handler does at once would hold it up.
    const work = new Promise<void>((resolve) => setTimeout(resolve)).then(() => handleAfter(verdict, options));
    context?.waitUntil(work);
    return new Response(verdict.message, { status: verdict.status });
  };
}

async function verdictOn(request: Request, options: ReceiverOptions): Promise<Verdict> {
  if (Number(request.headers.get('content-length') ?? 0) > LARGEST_BODY_BYTES) return tooLarge;
  const body = await bytesUpTo(request.body, LARGEST_BODY_BYTES);
  return body === null ? tooLarge : await receive(body, request.headers, options);
}

/** The bytes of a stream; null when they are more than `limit`. */
async function bytesUpTo(stream: ReadableStream<Uint8Array> | null, limit: number): Promise<Uint8Array | null> {
  const reader = stream?.getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  for (let size = 0; reader; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > limit) {
      await reader.cancel();
      return null;
    }
    chunks.push(new Uint8Array(value));
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}
