/** Why a job's signal is aborted when its worker stops: the job goes back to the queue and another worker starts it again. */
export class WorkerStopping extends Error {
  override name = 'WorkerStopping';
  constructor() {
    super('the worker is stopping; the job continues elsewhere');
  }
}

/** Whether a job must end because its worker stops: its record stays unchanged and the attempt does not count. */
export function isStopping(signal: AbortSignal): boolean {
  return signal.aborted && signal.reason instanceof WorkerStopping;
}
