import { Worker } from 'node:worker_threads';
import { ComputeDied, ComputeFailure, ComputeTimeout } from './failures.ts';

/** A thread's reply to a task: its output, the subjects whose data it still has, and the memory that it holds. */
export type ThreadReply<Output> = { output: Output; keeps: readonly string[]; memoryBytes: number };

export type ThreadRunOptions = {
  /** Aborting ends the thread at once. */
  signal: AbortSignal;
  /** From the start of the task; beyond it the task fails with ComputeTimeout. */
  deadlineMs: number;
};

/** A thread while its holder uses it. */
export type Thread = AsyncDisposable & {
  /** Whether it still has the data of a subject from an earlier task. */
  keeps(subject: string): boolean;
  /**
   * Runs a task until it ends, reaches its deadline or is aborted; in the latter two cases the thread has ended before this settles. Throws
   * ComputeDied for a thread that ended without a reply, ComputeTimeout, or the signal's reason.
   */
  run<Input, Output>(input: Input, options: ThreadRunOptions): Promise<Output>;
  /** Ends the thread when its holder disposes of it: its state may be broken. */
  discard(): void;
};

/**
 * Threads of this process that run the tasks of one module, one at a time each, and stay alive between tasks: a thread costs more to start
 * than most tasks, and may keep data for the next one. The module posts a `ThreadReply` for every message.
 */
export type Threads = AsyncDisposable & {
  /** An idle thread, preferably one that keeps the subject, or one that starts with its first task. Disposing of it gives it back. */
  take(subject: string): Thread;
};

export type ThreadsOptions = {
  /** The module that the threads run. */
  url: URL;
  /** Limit of the heap of each thread. */
  heapMb: number;
  /** Threads that stay alive without a task. */
  mostIdle?: number;
  idleMs?: number;
  /** Number of tasks after which a thread is replaced. */
  mostTasks?: number;
  /** A thread that holds more after a task is replaced. */
  retiredFromBytes?: number;
};

const MOST_IDLE = 2;
const IDLE_MS = 5 * 60_000;
/** A thread that has run this many tasks is replaced, so that slow growth of its heap never adds up; what it kept is read again. */
const MOST_TASKS = 1_000;
const RETIRED_FROM_BYTES = 384 * 2 ** 20;

/** Starts no thread before the first task. */
export function openThreads(options: ThreadsOptions): Threads {
  return new ThreadPool(options);
}

class ThreadPool implements Threads {
  readonly #options: ThreadsOptions;
  readonly #idle: { thread: WarmThread; timer: NodeJS.Timeout }[] = [];
  readonly #threads = new Set<WarmThread>();
  #closed = false;

  constructor(options: ThreadsOptions) {
    this.#options = options;
  }

  take(subject: string): Thread {
    let thread = this.#takeIdle(subject);
    return {
      keeps: (each) => thread?.keeps.has(each) ?? false,
      run: (input, options) => {
        thread ??= this.#start();
        return thread.run(input, options);
      },
      discard: () => thread?.discard(),
      [Symbol.asyncDispose]: async () => thread && this.#putBack(thread),
    };
  }

  #takeIdle(subject: string): WarmThread | undefined {
    const usable = this.#idle.filter(({ thread }) => thread.isUsable);
    const entry = usable.findLast(({ thread }) => thread.keeps.has(subject)) ?? usable.at(-1);
    if (!entry) return undefined;
    this.#removeIdle(entry.thread);
    return entry.thread;
  }

  #start(): WarmThread {
    if (this.#closed) throw new ComputeDied('the process is stopping');
    const { url, heapMb } = this.#options;
    const thread = new WarmThread(url, heapMb, () => this.#forget(thread));
    this.#threads.add(thread);
    return thread;
  }

  async #putBack(thread: WarmThread): Promise<void> {
    const {
      mostIdle = MOST_IDLE,
      idleMs = IDLE_MS,
      mostTasks = MOST_TASKS,
      retiredFromBytes = RETIRED_FROM_BYTES,
    } = this.#options;
    const spent = thread.tasks >= mostTasks || thread.memoryBytes > retiredFromBytes;
    if (this.#closed || !thread.isUsable || spent) return thread.end();
    const timer = setTimeout(() => void thread.end(), idleMs);
    timer.unref();
    this.#idle.push({ thread, timer });
    // The ones that have waited longest go, out of the list at once: another that comes back meanwhile counts only those that stay.
    const leaving = this.#idle.splice(0, Math.max(0, this.#idle.length - mostIdle));
    for (const each of leaving) clearTimeout(each.timer);
    await Promise.all(leaving.map((each) => each.thread.end()));
  }

  #forget(thread: WarmThread): void {
    this.#threads.delete(thread);
    this.#removeIdle(thread);
  }

  #removeIdle(thread: WarmThread): void {
    const index = this.#idle.findIndex((entry) => entry.thread === thread);
    for (const { timer } of index < 0 ? [] : this.#idle.splice(index, 1)) clearTimeout(timer);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }
}

/** A thread and its current task. One that was discarded or has ended is not used again. */
class WarmThread {
  readonly #worker: Worker;
  readonly #ended: Promise<void>;
  #isUsable = true;
  /** Receives the reply to the current task, or the reason why there is none. */
  #settle: (outcome: ThreadReply<unknown> | ComputeFailure) => void = () => {};
  keeps: ReadonlySet<string> = new Set();
  memoryBytes = 0;
  tasks = 0;

  constructor(url: URL, heapMb: number, onEnd: () => void) {
    this.#worker = new Worker(url, { resourceLimits: { maxOldGenerationSizeMb: heapMb } });
    this.#worker.on('message', (reply: ThreadReply<unknown>) => this.#settle(reply));
    this.#worker.on('error', (error: Error) => this.#fail(String(error.stack ?? error)));
    this.#ended = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        this.#fail(`the thread ended with code ${code}`);
        onEnd();
        resolve();
      });
    });
    // A busy thread keeps the process alive; an idle one does not.
    this.#worker.unref();
  }

  get isUsable(): boolean {
    return this.#isUsable;
  }

  async run<Input, Output>(input: Input, { signal, deadlineMs }: ThreadRunOptions): Promise<Output> {
    signal.throwIfAborted();
    this.tasks += 1;
    const replied = new Promise<ThreadReply<unknown> | ComputeFailure>((resolve) => {
      this.#settle = resolve;
    });
    const timer = setTimeout(() => this.#settle(new ComputeTimeout(`the task took more than ${deadlineMs} ms`)), deadlineMs);
    const abort = () => this.#settle(new ComputeDied('the task was aborted'));
    signal.addEventListener('abort', abort, { once: true });
    this.#worker.ref();
    try {
      if (this.#isUsable) this.#worker.postMessage(input);
      else this.#fail('the thread ended before its task');
      const reply = await replied;
      if (reply instanceof ComputeFailure) {
        await this.end();
        signal.throwIfAborted();
        throw reply;
      }
      this.keeps = new Set(reply.keeps);
      this.memoryBytes = reply.memoryBytes;
      // The module of the threads runs the tasks of its own inputs and outputs alone.
      return reply.output as Output;
    } finally {
      this.#settle = () => {};
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      this.#worker.unref();
    }
  }

  discard(): void {
    this.#isUsable = false;
  }

  /** Ends the thread whatever it is doing. */
  async end(): Promise<void> {
    this.#isUsable = false;
    await this.#worker.terminate();
    await this.#ended;
  }

  #fail(message: string): void {
    this.#isUsable = false;
    this.#settle(new ComputeDied(message));
  }
}
