import { totalmem } from 'node:os';

/** Memory that this process may count on, in a container what the container has. */
export function machineMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
