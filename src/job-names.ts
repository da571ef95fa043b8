/** Every kind of job that a worker runs; each has its own queue. */
export const JOB_NAMES = [
  'ingest-tape',
  'run-criteria',
  'run-calculation',
  'bulk-ingest',
  'read-pool-tape',
  'notices',
  'housekeeping',
] as const;

declare module './platform/jobs/jobs.ts' {
  interface JobNames extends Record<(typeof JOB_NAMES)[number], true> {}
}
