import type { ThrownError } from './task.ts';

/** Why a task has no result. The process that submitted it is not affected. */
export abstract class ComputeFailure extends Error {}

/** It reached its deadline. */
export class ComputeTimeout extends ComputeFailure {
  override name = 'ComputeTimeout';
}

/** It needed more memory than a task may have. */
export class ComputeExhausted extends ComputeFailure {
  override name = 'ComputeExhausted';
}

/** Its process ended without a result: a crash of native code, or the system killed it to free memory. */
export class ComputeDied extends ComputeFailure {
  override name = 'ComputeDied';
}

/** No process was free within the wait, or too many tasks wait already. */
export class ComputeBusy extends ComputeFailure {
  override name = 'ComputeBusy';
}

/** The task itself threw; `name`, `code` and `stack` are those of what it threw. */
export class TaskFailed extends ComputeFailure {
  readonly code: string | undefined;

  constructor(error: ThrownError) {
    super(error.message);
    this.name = error.name;
    this.code = error.code;
    if (error.stack !== undefined) this.stack = error.stack;
  }
}
