import type { Schemas } from './calls.ts';
import { growingInterval } from './clock.ts';
import type { Connection } from './connection.ts';
import { isPassing, SluiceError } from './errors.ts';

export type AlertOptions = {
  /** Id of the last alert that you have; without it, only alerts that are raised from now on. */
  after?: string;
  /** Follows the alerts of the platform's operator. */
  operator?: boolean;
  /** Told each time that the stream broke off or could not be opened again; the loop waits, and goes on behind the last alert. */
  onLost?: (error: unknown) => void;
  signal?: AbortSignal | null;
};

type Alert = Schemas['Alert'];

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** The gateway writes at least each 15 seconds: a connection that says nothing for longer leads nowhere, although nobody has closed it. */
const LONGEST_SILENCE_MS = 60_000;
/** Stands before the first alert of all, for whoever has none yet. */
const BEFORE_ALL = `alt_${'0'.repeat(26)}`;

/**
 * The alerts as they are raised. The first connection fails as any other call; one that is lost is made again behind the last alert. Ends by
 * the signal, or by leaving the loop.
 */
export async function* alertsOf(connection: Connection, options: AlertOptions): AsyncGenerator<Alert, void, void> {
  const { onLost, signal = null } = options;
  const path = options.operator ? '/v1/operator/alerts' : '/v1/api/alerts';
  const wait = growingInterval(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  let last = options.after ?? (await newest(connection, path, signal));
  let hasOpened = false;
  for (;;) {
    try {
      const body = await openStream(connection, `${path}/stream`, last, signal);
      hasOpened = true;
      for await (const alert of alertsIn(body)) {
        last = alert.id;
        wait.reset();
        yield alert;
      }
    } catch (error) {
      if (!hasOpened || !isPassing(error) || signal?.aborted) throw error;
      onLost?.(error);
    }
    await connection.settings.clock.sleep(wait.next(), signal);
  }
}

/** Where the stream begins, so that nothing is lost when the first connection is. */
async function newest(connection: Connection, path: '/v1/operator/alerts' | '/v1/api/alerts', signal: AbortSignal | null) {
  const { envelope } = await connection.read(path, { params: { query: { limit: 1 } }, signal });
  return envelope.data[0]?.id ?? BEFORE_ALL;
}

async function openStream(
  connection: Connection,
  path: string,
  last: string,
  signal: AbortSignal | null,
): Promise<ReadableStream<Uint8Array>> {
  const headers = { 'last-event-id': last };
  const { body, headers: received } = await connection.request('get', path, { headers, signal, parseAs: 'stream' });
  const type = received.get('content-type') ?? 'no type';
  if (body instanceof ReadableStream && type.includes('text/event-stream')) return body;
  if (body instanceof ReadableStream) await body.cancel();
  throw new SluiceError(`The stream of alerts was answered with a body of ${type}: check the address.`, {
    status: 200,
    code: 'UNEXPECTED_RESPONSE',
  });
}

async function* alertsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<Alert> {
  for await (const frame of framesOf(body)) {
    const data = frame.flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []));
    // The stream of alerts has nothing else in its data.
    if (data.length > 0) yield JSON.parse(data.join('\n')) as Alert;
  }
}

/** The frames of server-sent events, each as its lines. */
async function* framesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string[]> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await soon(reader.read());
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) yield frame.split('\n');
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

async function soon<T>(read: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const silence = new Promise<never>((_resolve, reject) => {
    const message = `The stream of alerts was silent for ${LONGEST_SILENCE_MS} ms.`;
    timer = setTimeout(() => reject(new SluiceError(message, { status: 0, code: 'TIMEOUT' })), LONGEST_SILENCE_MS);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    clearTimeout(timer);
  }
}
