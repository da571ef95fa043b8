import { type ChildProcess, fork } from 'node:child_process';
import type { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { ComputeDied, ComputeExhausted, ComputeTimeout, TaskFailed } from './failures.ts';
import type { TaskProgress, TaskReply, TaskRequest } from './task.ts';
import { EXHAUSTED } from './watch.ts';

const MAIN = fileURLToPath(new URL('./child-main.ts', import.meta.url));
const STDERR_KEPT = 2_000;
const STOP_MS = 2_000;
const LAST_WORDS_MS = 20;

/** Memory limits of a child. The engine's own limit is below both. */
export type ChildLimits = { heapBytes: number; memoryBytes: number };

/** A child process and its current task. A child that was killed or has died is not used again. */
export class Child {
  #process: ChildProcess;
  #stderr = '';
  /** How it has ended, or why it could not be started. */
  #exited: Promise<string | Error>;
  #memoryBytes = 0;
  #tasks = 0;
  #doomed = false;
  /** Receives the reply to the current task, or the reason why there is none. */
  #settle: (outcome: TaskReply | Error) => void = () => {};
  /** Receives the progress of the current task. */
  #tell: (progress: unknown) => void = () => {};

  constructor(tableUrl: string, limits: ChildLimits) {
    this.#process = fork(MAIN, [tableUrl, String(limits.memoryBytes)], {
      execArgv: ['--disable-warning=ExperimentalWarning', `--max-old-space-size=${Math.floor(limits.heapBytes / 2 ** 20)}`],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#exited = new Promise((resolve) => {
      // Its last output may arrive a moment after its exit.
      this.#process.once('exit', (code, signal) => setTimeout(resolve, LAST_WORDS_MS, signal ?? `code ${code}`));
      this.#process.on('error', resolve);
    });
    this.#process.on('message', (message) => {
      const received = message as TaskReply | TaskProgress;
      if ('progress' in received) this.#tell(received.progress);
      else this.#settle(received);
    });
    void this.#exited.then((how) => this.#settle(this.#death(how)));
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    this.#rest();
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Memory that the process held when its latest task had ended. */
  get memoryBytes(): number {
    return this.#memoryBytes;
  }

  /** Number of tasks that it has run. */
  get tasks(): number {
    return this.#tasks;
  }

  get isUsable(): boolean {
    return !this.#doomed && this.#process.connected && this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /**
   * Runs a task until it ends, reaches its deadline or is cancelled; in the latter two cases the process has exited before this settles.
   */
  async run(
    request: TaskRequest,
    signal: AbortSignal | undefined,
    deadlineMs: number | undefined,
    tell: (progress: unknown) => void = () => {},
  ): Promise<unknown> {
    signal?.throwIfAborted();
    this.#tasks += 1;
    this.#tell = tell;
    const outcome = new Promise<TaskReply | Error>((resolve) => {
      this.#settle = resolve;
    });
    let overdue = false;
    const kill = () => {
      this.#doomed = true;
      this.#process.kill('SIGKILL');
    };
    const timer = setTimeout(
      () => {
        overdue = true;
        kill();
      },
      deadlineMs ?? 2 ** 31 - 1,
    );
    signal?.addEventListener('abort', kill, { once: true });
    this.#work();
    try {
      // One that could not be started has no channel.
      if (this.#process.connected) this.#process.send(request, (error) => error && kill());
      else kill();
      const reply = await outcome;
      if (reply instanceof Error) {
        signal?.throwIfAborted();
        throw overdue ? new ComputeTimeout(`the task took more than ${deadlineMs} ms`) : reply;
      }
      this.#memoryBytes = reply.memoryBytes;
      if (reply.ok) return reply.output;
      throw reply.error.name === 'ComputeExhausted' ? new ComputeExhausted(reply.error.message) : new TaskFailed(reply.error);
    } finally {
      this.#tell = () => {};
      clearTimeout(timer);
      signal?.removeEventListener('abort', kill);
      this.#rest();
    }
  }

  /** Closes the channel of an idle process, which then exits; kills it if it does not. */
  async stop(): Promise<void> {
    this.#work();
    if (this.#process.connected) this.#process.disconnect();
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), STOP_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  /** Kills the process whatever it is doing. */
  async kill(): Promise<void> {
    this.#work();
    this.#process.kill('SIGKILL');
    await this.#exited;
  }

  #death(how: string | Error): Error {
    if (how instanceof Error) return new ComputeDied(`the process of the task failed: ${how.message}`, { cause: how });
    if (how === EXHAUSTED || /heap out of memory|Allocation failed/.test(this.#stderr))
      return new ComputeExhausted('the task needed more memory than a task may have');
    return new ComputeDied([`the process of the task exited with ${how}`, ...lastWords(this.#stderr)].join('\n'));
  }

  /** A busy child keeps its parent's process alive; an idle one does not. */
  #work(): void {
    this.#process.ref();
    this.#process.channel?.ref();
  }

  #rest(): void {
    this.#process.unref();
    this.#process.channel?.unref();
    (this.#process.stderr as Socket | null)?.unref();
  }
}

const LAST_WORDS = /^\s+at |^FATAL ERROR: |^terminate called|^\w*Error\b/;

/** Where a process died, by what it said: frames and kinds of errors. The message of an error may quote what the process read. */
function lastWords(stderr: string): string[] {
  const lines = stderr.split('\n').filter((line) => LAST_WORDS.test(line));
  return lines.map((line) => (/^\w*Error\b/.exec(line)?.[0] ?? line).trimEnd());
}
