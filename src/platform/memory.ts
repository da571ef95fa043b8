import { totalmem } from 'node:os';

/** Memory that is available to this process; in a container, the container's limit. */
export function machineMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}
