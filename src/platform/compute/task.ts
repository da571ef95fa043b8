/**
 * Work for a child process: JSON in, JSON out, files by their paths. It has no database and no store: the submitter fetches its inputs
 * and stores its results.
 */
export type Task<Input, Output> = { name: string; run(input: Input): Promise<Output> };

// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTask = Task<any, any>;

export function task<Input, Output>(name: string, run: (input: Input) => Promise<Output>): Task<Input, Output> {
  return { name, run };
}

/** The message to a child process, one at a time. */
export type TaskRequest = { name: string; input: unknown };

/** Its reply, with the memory that it holds after the task. */
export type TaskReply = { memoryBytes: number } & (
  | { ok: true; output: unknown }
  | { ok: false; error: { name: string; message: string; stack: string | undefined } }
);
