import { ComputeDied, ComputeFailure, ComputeTimeout } from '../../platform/compute/failures.ts';
import { openThreads, type Threads } from '../../platform/compute/threads.ts';
import type { Deps } from '../../platform/deps.ts';
import { KEPT_BYTES, loansSubject } from './kept-loans.ts';
import type { CalculationRefusal, CalculationReply, CalculationTask, FlowsReply } from './thread.ts';

export const TIMEOUT_MS = 60 * 60 * 1000;
const HEAP_MB = 4_096;
const MIB = 2 ** 20;

/** The threads of calculations: each has its heap for the calculation, and more for the loans that it keeps of earlier ones. */
export function openCalculationThreads(): Threads {
  return openThreads({ url: new URL('./thread.ts', import.meta.url), heapMb: HEAP_MB + KEPT_BYTES / MIB });
}

/** The thread's reply. Throws when the worker stops: another worker then takes the job; and for a thread that died, which may be tried again. */
export async function runInThread<Reply extends CalculationReply | FlowsReply>(
  deps: Pick<Deps, 'calculationThreads' | 'store'>,
  { inputs, workDir, wants }: Omit<CalculationTask, 'loansPath'>,
  signal: AbortSignal,
): Promise<Reply | CalculationRefusal> {
  const subject = loansSubject(inputs);
  await using thread = deps.calculationThreads.take(subject);
  const loansPath = thread.keeps(subject) ? null : await deps.store.localPath(inputs.pool.loans_key);
  signal.throwIfAborted();
  if (loansPath === null && !thread.keeps(subject)) throw new Error(`${inputs.pool.loans_key} is not in the store`);
  try {
    const task: CalculationTask = { inputs, loansPath, workDir, wants };
    const reply = await thread.run<CalculationTask, Reply | CalculationRefusal>(task, { signal, deadlineMs: TIMEOUT_MS });
    if (!reply.ok && reply.defect) thread.discard();
    return reply;
  } catch (error) {
    if (!(error instanceof ComputeFailure) || error instanceof ComputeDied) throw error;
    return { ok: false, error: error.message, defect: true, timeout: error instanceof ComputeTimeout };
  }
}
