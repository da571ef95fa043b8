import { statfs } from 'node:fs/promises';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { inTime } from './in-time.ts';

/** A file system of the network that hangs must not take the other metrics with it. */
const DISK_MS = 1_000;

/** The process's metrics, in the exposition format of Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>;

/** `folders`: whose disks are measured, by what they hold. */
export function createMetrics(folders: Record<string, string>) {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    requests: new Histogram({
      name: 'sluice_http_request_seconds',
      help: 'Time to respond, by route and status.',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    shed: new Counter({ name: 'sluice_http_shed_total', help: 'Requests refused because the process had too many.', registers }),
    rateLimited: new Counter({ name: 'sluice_http_rate_limited_total', help: 'Requests refused by the rate limit.', registers }),
    jobs: new Counter({
      name: 'sluice_jobs_total',
      help: 'Jobs ended, by name and outcome.',
      labelNames: ['name', 'outcome'],
      registers,
    }),
    deliveries: new Counter({
      name: 'sluice_webhook_attempts_total',
      help: 'Webhook attempts, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    deliveryLag: new Histogram({
      name: 'sluice_webhook_lag_seconds',
      help: 'Time from the commit of an event to the first byte sent.',
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300],
      registers,
    }),
    emails: new Counter({
      name: 'sluice_email_attempts_total',
      help: 'Attempts to send an e-mail, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    emailDepth: new Gauge({ name: 'sluice_email_queue_depth', help: 'E-mails that wait.', registers }),
    emailOldest: new Gauge({
      name: 'sluice_email_queue_oldest_due_seconds',
      help: 'Age of the oldest due e-mail.',
      registers,
    }),
    requestsNotLogged: new Counter({
      name: 'sluice_request_log_dropped_total',
      help: 'Requests that are missing from the log of requests: full, too many waited; failed, they could not be written; stopped, at the end of the process.',
      labelNames: ['reason'],
      registers,
    }),
    logLinesDropped: new Counter({
      name: 'sluice_log_lines_dropped_total',
      help: 'Log lines that could not be written: the disk is full, or the reader is gone or too slow.',
      registers,
    }),
    replicaReads: new Counter({
      name: 'sluice_replica_reads_total',
      help: 'Reads for which there is a replica. served: by it. All others went to the primary: it was behind, away, foreign (no standby of this primary, or not yet), its statement failed, or it was left alone after one of these (resting).',
      labelNames: ['outcome'],
      registers,
    }),
    queueDepth: new Gauge({ name: 'sluice_webhook_queue_depth', help: 'Deliveries that wait.', registers }),
    queueOldest: new Gauge({
      name: 'sluice_webhook_queue_oldest_due_seconds',
      help: 'Age of the oldest due delivery.',
      registers,
    }),
    breakersOpen: new Gauge({
      name: 'sluice_webhook_breakers_open',
      help: 'Receivers whose circuit breaker is open.',
      registers,
    }),
    diskFree: new Gauge({
      name: 'sluice_disk_free_bytes',
      help: 'Room left on the file system of a folder: data, the state of this machine; objects, where they are local files. Absent where it cannot be read.',
      labelNames: ['folder'],
      registers,
      async collect() {
        await Promise.all(
          Object.entries(folders).map(async ([folder, path]) => {
            const found = await inTime(statfs(path), DISK_MS).catch(() => null);
            if (found) this.set({ folder }, found.bavail * found.bsize);
            else this.remove(folder);
          }),
        );
      },
    }),
  };
}
