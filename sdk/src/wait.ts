import { overAbsences } from './absence.ts';
import type { CallOptions, PathOf, Unwrapped, Envelope } from './calls.ts';
import { growingInterval, retryAfterMs } from './clock.ts';
import type { Connection } from './connection.ts';
import { SluiceError } from './errors.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 10_000;
const PATIENCE_MS = 30 * 60_000;
const UNFINISHED = ['PENDING', 'PROCESSING', 'RUNNING'];

/** The record that a path reads. */
export type RecordOf<P extends PathOf<'get'>> = Unwrapped<Envelope<P, 'get'>>;

export type WaitOptions<Record> = {
  /** Whether the record is what is waited for. Without it: its `qc.state`, `state` or `status` is none of PENDING, PROCESSING and RUNNING. */
  until?: (record: Record) => boolean;
  /** Sees every record that was read, the last one included. */
  onRead?: (record: Record) => void;
  /** Told each time that the gateway could not be read; it is asked again for two minutes, once the record has been read. */
  onLost?: (error: unknown) => void;
  /** Milliseconds to wait at most, 30 minutes unless said otherwise; then it rejects with `WAIT_TIMEOUT`. */
  timeout?: number;
};

/** Reads a record again and again, in growing intervals, until it is finished. What it became, FAILED included, is the caller's to judge. */
export async function waitFor<P extends PathOf<'get'>>(
  connection: Connection,
  path: P,
  options: CallOptions<P, 'get'>,
  { until = isFinished, onRead, onLost, timeout = PATIENCE_MS }: WaitOptions<RecordOf<P>>,
): Promise<RecordOf<P>> {
  const { clock } = connection.settings;
  const wait = growingInterval(FIRST_WAIT_MS, LONGEST_WAIT_MS);
  const deadline = clock.now() + timeout;
  const read = overAbsences(connection.settings, { signal: options.signal, onLost });
  for (;;) {
    const received = await read(() => connection.request('get', path, { ...options, parseAs: 'json' }));
    if (received !== null) {
      // The path names the type of what it reads.
      const record = (received.body as { data: RecordOf<P> }).data;
      onRead?.(record);
      if (until(record)) return record;
    }
    const askedMs = received === null ? null : retryAfterMs(received.headers, clock.now());
    const pauseMs = Math.max(wait.next(), askedMs ?? 0);
    if (clock.now() + pauseMs > deadline) throw tooLong(path, timeout);
    await clock.sleep(pauseMs, options.signal);
  }
}

function isFinished(record: unknown): boolean {
  const state = stateOf(record);
  if (state === undefined)
    throw new TypeError('The record has no `qc.state`, `state` or `status`: pass `until`, which says what is waited for.');
  return state === null || !UNFINISHED.includes(state);
}

/** Undefined for a record without a state. Null: there is nothing that could run, such as the checks of a deal without a tape. */
function stateOf(record: unknown): string | null | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const { qc, state, status } = record as { qc?: { state: string | null }; state?: string; status?: string };
  return qc ? qc.state : (state ?? status);
}

const tooLong = (path: string, timeoutMs: number): SluiceError =>
  new SluiceError(`${path} was not finished within ${timeoutMs} ms; wait for it again, or longer with \`timeout\`.`, {
    status: 0,
    code: 'WAIT_TIMEOUT',
  });
