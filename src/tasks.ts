import * as loanTasks from './loans/tasks/tasks.ts';
import type { AnyTask } from './platform/compute/task.ts';

/** Every task of the child processes. */
export const tasks: readonly AnyTask[] = Object.values(loanTasks);
