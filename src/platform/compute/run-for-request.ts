import type { FastifyReply } from 'fastify';
import type { Deps } from '../deps.ts';
import { ApiError } from '../http/errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Id } from '../ids.ts';
import { ComputeBusy, ComputeDied, ComputeExhausted, ComputeTimeout } from './failures.ts';
import { takeLease } from './lease.ts';
import type { Task } from './task.ts';

/** Longest wait for a free process; a client that is refused can retry when it wants. */
const WAIT_MS = 10_000;
const RETRY_SECONDS = 5;

/** The request of the waiting client. */
export type WaitingClient = { deps: Deps; caller: Caller; reply: FastifyReply };

export type WaitOptions = {
  deadlineMs: number;
  /** Longest wait for a free process; 10 seconds by default. */
  waitMs?: number;
  /** What the client can do instead if the work is too large to wait for. */
  instead: string;
  /** One at a time per organization, in all processes together. */
  alone?: boolean;
};

/** Runs a task that a client waits for. Its failures become API errors; when the client disconnects, the task ends at once. */
export async function runForRequest<Input, Output>(
  client: Pick<WaitingClient, 'deps' | 'reply'> & { caller: { organization_id: Id<'org'> } },
  task: Task<Input, Output>,
  input: Input,
  { deadlineMs, waitMs = WAIT_MS, instead, alone = false }: WaitOptions,
): Promise<Output> {
  const { deps, caller } = client;
  const owner = caller.organization_id;
  await using lease = alone ? await takeLease(deps.limits, owner) : null;
  if (alone && !lease) throw busy('Another dry run, cure or search of this organization is running: one runs at a time.');
  const signal = clientSignal(client.reply);
  try {
    return await deps.compute.run(task, input, { owner, signal, deadlineMs, waitMs });
  } catch (error) {
    if (signal.aborted) throw new ApiError('REQUEST_TIMEOUT', 'The connection was closed before the response.');
    throw asApiError(error, deadlineMs, instead);
  }
}

function asApiError(error: unknown, deadlineMs: number, instead: string): unknown {
  if (error instanceof ComputeBusy) return busy();
  if (error instanceof ComputeTimeout)
    return new ApiError('TOO_EXPENSIVE', `The work was stopped after ${deadlineMs / 1_000} seconds. ${instead}`);
  if (error instanceof ComputeExhausted)
    return new ApiError('TOO_EXPENSIVE', `The work needs more memory than a request may have. ${instead}`);
  if (error instanceof ComputeDied)
    return new ApiError('UNAVAILABLE', undefined, { headers: { 'retry-after': String(RETRY_SECONDS) } });
  return error;
}

function busy(message?: string): ApiError {
  return new ApiError('COMPUTE_BUSY', message, { headers: { 'retry-after': String(RETRY_SECONDS) } });
}

/** Aborts when the connection ends before the response. */
function clientSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const check = () => {
    if (!raw.writableFinished) gone.abort();
  };
  if (raw.destroyed) check();
  else raw.once('close', check);
  return gone.signal;
}
