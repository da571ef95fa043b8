import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { machineMemory } from '../memory.ts';
import { Child, type ChildLimits } from './child.ts';
import { ComputeDied, ComputeFailure, TaskFailed } from './failures.ts';
import type { Task } from './task.ts';
import { createTurns, type Turns } from './turns.ts';

export type RunOptions<Progress = never> = {
  /** The owner of the work: owners take turns. */
  owner: string;
  /** Aborting kills the task's process at once. */
  signal?: AbortSignal | undefined;
  /** From the start of the task; beyond it the task fails with ComputeTimeout. */
  deadlineMs?: number;
  /** Longest wait for a free process if a client waits for the result. Without it the task waits indefinitely. */
  waitMs?: number;
  /** Receives how far the task has come, as often as the task tells it. */
  onProgress?: (progress: Progress) => void;
};

/** Runs heavy work in child processes, so that it cannot block, exhaust or crash the process that submits it. */
export type Compute = AsyncDisposable & {
  /** Runs a task of the table; throws what `failures.ts` lists, or the signal's reason. */
  run<Input, Output, Progress = never>(
    task: Task<Input, Output, Progress>,
    input: Input,
    options: RunOptions<Progress>,
  ): Promise<Output>;
};

export type ComputeOptions = {
  /** Module that exports `tasks`. */
  tableUrl: string;
  log?: Pick<Logger, 'warn'>;
  /** Concurrent tasks of each kind: those that a client waits for, and those of jobs. */
  slots?: number;
  limits?: ChildLimits;
  idleMs?: number;
  /** Number of tasks after which a child is replaced. */
  mostTasks?: number;
};

const GIB = 2 ** 30;
/** Room for the engine's memory limit, the heap and everything else. */
const LIMITS: ChildLimits = { heapBytes: 1.5 * GIB, memoryBytes: 2.5 * GIB };
const IDLE_MS = 30_000;
/** A child that still holds this much memory after a task is replaced: only the end of a process returns freed memory. */
const RETIRED_FROM_BYTES = 384 * 2 ** 20;
/** A child that has run this many tasks is replaced too, so that slow growth of its heap never adds up. */
const MOST_TASKS = 100;

/** Starts no process before the first task. */
export function openCompute(options: ComputeOptions): Compute {
  return new Pool(options);
}

class Pool implements Compute {
  #options: ComputeOptions;
  #waitedFor: Turns;
  #others: Turns;
  #idle: { child: Child; timer: NodeJS.Timeout }[] = [];
  #children = new Set<Child>();
  #leaving = new Set<Promise<void>>();
  #closed = false;

  constructor(options: ComputeOptions) {
    this.#options = options;
    const slots = options.slots ?? defaultSlots();
    this.#waitedFor = createTurns(slots);
    this.#others = createTurns(slots);
  }

  async run<Input, Output, Progress>(
    task: Task<Input, Output, Progress>,
    input: Input,
    options: RunOptions<Progress>,
  ): Promise<Output> {
    const turns = options.waitMs === undefined ? this.#others : this.#waitedFor;
    const release = await turns.take(options.owner, options.signal, options.waitMs);
    try {
      return (await this.#runOn(this.#takeChild(), task.name, input, options)) as Output;
    } finally {
      release();
    }
  }

  async #runOn<Progress>(child: Child, name: string, input: unknown, options: RunOptions<Progress>): Promise<unknown> {
    const { signal, deadlineMs, onProgress } = options;
    try {
      // The child runs the function of the same name, so its progress has the type of the task.
      return await child.run({ name, input }, signal, deadlineMs, (progress) => onProgress?.(progress as Progress));
    } catch (error) {
      if (error instanceof ComputeFailure && !(error instanceof TaskFailed))
        this.#options.log?.warn({ task: name, err: error }, 'a task failed');
      throw error;
    } finally {
      this.#putBack(child);
    }
  }

  #takeChild(): Child {
    if (this.#closed) throw new ComputeDied('the process is stopping');
    for (let entry = this.#idle.pop(); entry; entry = this.#idle.pop()) {
      clearTimeout(entry.timer);
      if (entry.child.isUsable) return entry.child;
      this.#children.delete(entry.child);
    }
    const child = new Child(this.#options.tableUrl, this.#options.limits ?? defaultLimits());
    this.#children.add(child);
    return child;
  }

  #putBack(child: Child): void {
    const spent = child.memoryBytes > RETIRED_FROM_BYTES || child.tasks >= (this.#options.mostTasks ?? MOST_TASKS);
    if (this.#closed || !child.isUsable || spent) return this.#retire(child);
    const timer = setTimeout(() => {
      this.#idle = this.#idle.filter((entry) => entry.child !== child);
      this.#retire(child);
    }, this.#options.idleMs ?? IDLE_MS);
    timer.unref();
    this.#idle.push({ child, timer });
  }

  #retire(child: Child): void {
    this.#children.delete(child);
    const left = child.stop().finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer);
    await Promise.all([...[...this.#children].map((child) => child.kill()), ...this.#leaving]);
  }
}

/** One slot per core, limited by the available memory. */
function defaultSlots(): number {
  return Math.max(2, Math.min(availableParallelism(), Math.floor(machineMemory() / (2 * LIMITS.memoryBytes))));
}

/** On a small machine a task may take at most half of the memory. */
function defaultLimits(): ChildLimits {
  const memoryBytes = Math.min(LIMITS.memoryBytes, machineMemory() / 2);
  return { memoryBytes, heapBytes: Math.min(LIMITS.heapBytes, memoryBytes * 0.6) };
}
