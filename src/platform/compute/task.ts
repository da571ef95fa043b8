/**
 * Work for a child process: JSON in, JSON out, files by their paths. It has no database and no store: the submitter fetches its inputs
 * and stores its results.
 */
export type Task<Input, Output, Progress = never> = {
  name: string;
  /** `report` tells the submitter how far the work has come. */
  run(input: Input, report?: (progress: Progress) => void): Promise<Output>;
};

// oxlint-disable-next-line typescript/no-explicit-any
export type AnyTask = Task<any, any, any>;

export function task<Input, Output, Progress = never>(
  name: string,
  run: Task<Input, Output, Progress>['run'],
): Task<Input, Output, Progress> {
  return { name, run };
}

/** A task whose work is read when it first runs: who submits it needs nothing of that. */
export function lazyTask<Input, Output, Progress = never>(
  name: string,
  read: () => Promise<Task<Input, Output, Progress>['run']>,
): Task<Input, Output, Progress> {
  return { name, run: async (input, report) => (await read())(input, report) };
}

/** The message to a child process, one at a time. */
export type TaskRequest = { name: string; input: unknown };

/** Its reply, with the memory that it holds after the task. */
export type TaskReply = { memoryBytes: number } & ({ ok: true; output: unknown } | { ok: false; error: ThrownError });

/** What a task threw; `code` is that of an error of the system. */
export type ThrownError = { name: string; message: string; stack: string | undefined; code: string | undefined };

/** A message from a child process before its reply. */
export type TaskProgress = { progress: unknown };
