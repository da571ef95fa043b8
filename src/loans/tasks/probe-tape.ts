import { task } from '../../platform/compute/task.ts';
import { probeTape } from '../reading/probe.ts';

/** Reads the beginning of a tape in a child process. */
export const probeTapeTask = task('probe-tape', ({ path }: { path: string }) => probeTape(path));
