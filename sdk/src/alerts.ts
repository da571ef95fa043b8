import type { Schemas } from './calls.ts';
import { growingInterval } from './clock.ts';
import type { Connection } from './connection.ts';
import { SluiceError } from './errors.ts';

export type AlertOptions = {
  /** Id of the last alert that you have; without it, only alerts that are raised from now on. */
  after?: string;
  /** Follows the alerts of the platform's operator. */
  operator?: boolean;
  signal?: AbortSignal | null;
};

type Alert = Schemas['Alert'];

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

/** The alerts as they are raised. A connection that is lost is made again behind the last alert. Ends by the signal, or by leaving the loop. */
export async function* alertsOf(connection: Connection, options: AlertOptions): AsyncGenerator<Alert, void, void> {
  const { signal = null } = options;
  const path = options.operator ? '/v1/operator/alerts' : '/v1/api/alerts';
  const wait = growingInterval(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  let last = options.after ?? (await newest(connection, path, signal));
  for (;;) {
    try {
      for await (const alert of streamed(connection, `${path}/stream`, last, signal)) {
        last = alert.id;
        wait.reset();
        yield alert;
      }
    } catch (error) {
      if (!isPassing(error) || signal?.aborted) throw error;
    }
    await connection.settings.clock.sleep(wait.next(), signal);
  }
}

/** Where the stream begins, so that nothing is lost when the first connection is. */
async function newest(connection: Connection, path: '/v1/operator/alerts' | '/v1/api/alerts', signal: AbortSignal | null) {
  const { envelope } = await connection.read(path, { params: { query: { limit: 1 } }, signal });
  return envelope.data[0]?.id ?? null;
}

/** A connection that ended within the stream throws what the runtime makes of it; refusals are errors of the API. */
const isPassing = (error: unknown): boolean => !(error instanceof SluiceError) || [0, 429, 502, 503, 504].includes(error.status);

async function* streamed(
  connection: Connection,
  path: string,
  last: string | null,
  signal: AbortSignal | null,
): AsyncGenerator<Alert> {
  const headers: Record<string, string> = last === null ? {} : { 'last-event-id': last };
  const { body, headers: received } = await connection.request('get', path, { headers, signal, parseAs: 'stream' });
  const type = received.get('content-type') ?? 'no type';
  if (!(body instanceof ReadableStream) || !type.includes('text/event-stream')) {
    if (body instanceof ReadableStream) await body.cancel();
    throw new SluiceError(`The stream of alerts was answered with a body of ${type}: check the address.`, {
      status: 200,
      code: 'UNEXPECTED_RESPONSE',
    });
  }
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
      const { done, value } = await reader.read();
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
