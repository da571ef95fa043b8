/**
 * Work for a child process: JSON in, JSON out, files by their paths. It has no database and no store: what it needs is fetched
 * before it, what it makes is kept after it.
 */
export type Task<Input, Output> = { name: string; run(input: Input): Promise<Output> };

// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTask = Task<any, any>;

export function task<Input, Output>(name: string, run: (input: Input) => Promise<Output>): Task<Input, Output> {
  return { name, run };
}

/** What a child process is sent, one at a time. */
export type TaskRequest = { name: string; input: unknown };

/** What it sends back, with the memory that it holds once the task has ended. */
export type TaskReply = { memoryBytes: number } & (
  | { ok: true; output: unknown }
  | { ok: false; error: { name: string; message: string; stack: string | undefined } }
);
