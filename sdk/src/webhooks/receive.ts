import { verifyWebhook, type WebhookEvent, type WebhookHeaders, WebhookVerificationError } from './verify.ts';

/** A receiver of webhooks. */
export type ReceiverOptions = {
  /** The secret of the webhook subscription, several while it is being changed, or a function that gives them for each request. */
  secret: string | readonly string[] | (() => string | readonly string[] | Promise<string | readonly string[]>);
  /** Does what the event asks for, after the response. What must survive a crash belongs into `accept`. */
  handle: (event: WebhookEvent) => void | Promise<void>;
  /** Told of what was refused or did not arrive whole (the event is null), and of what `accept` or `handle` threw. */
  onError: (error: unknown, event: WebhookEvent | null) => void;
  /**
   * Runs before the response. Store `event.id` and return whether it was new: false is a duplicate, which is answered with 2xx and not handled.
   * What it throws is answered with 500, so that the gateway sends the event again.
   */
  accept?: (event: WebhookEvent) => boolean | Promise<boolean>;
  /** Seconds by which the time of the request may differ from the clock here; 300 unless said otherwise. */
  toleranceSeconds?: number;
};

/** The response to a request: its status, its text for people, and the event that is to be handled after it. */
export type Verdict = { status: 204 | 400 | 401 | 413 | 500; message: string | null; event: WebhookEvent | null };

export const LARGEST_BODY_BYTES = 1_048_576;

export async function receive(body: Uint8Array | string, headers: WebhookHeaders, options: ReceiverOptions): Promise<Verdict> {
  let event: WebhookEvent | null = null;
  try {
    const secret = typeof options.secret === 'function' ? await options.secret() : options.secret;
    const { toleranceSeconds } = options;
    event = await verifyWebhook(body, headers, secret, toleranceSeconds === undefined ? {} : { toleranceSeconds });
    const isNew = options.accept === undefined || (await options.accept(event));
    return { status: 204, message: null, event: isNew ? event : null };
  } catch (error) {
    options.onError(error, event);
    const refused = error instanceof WebhookVerificationError;
    return { status: refused ? 401 : 500, message: refused ? error.message : 'The event was not accepted.', event: null };
  }
}

/** Handles the event of a verdict, if it has one; what the handler throws goes to `onError`. */
export async function handleAfter({ event }: Verdict, options: ReceiverOptions): Promise<void> {
  if (event === null) return;
  try {
    await options.handle(event);
  } catch (error) {
    options.onError(error, event);
  }
}

export const tooLarge: Verdict = { status: 413, message: `A webhook has at most ${LARGEST_BODY_BYTES} bytes.`, event: null };

/** The verdict on a request whose body did not arrive whole, as of a sender that is gone. */
export function cutOff(error: unknown, { onError }: ReceiverOptions): Verdict {
  onError(error, null);
  return { status: 400, message: 'The body ended early.', event: null };
}
