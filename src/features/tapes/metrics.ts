import { Counter, type Registry } from 'prom-client';

const NAME = 'sluice_tape_rows_total';

/** Counts the accepted and rejected rows of an ingested tape. */
export function countRows(registry: Registry, rows: { accepted: number; rejected: number }): void {
  const known = registry.getSingleMetric(NAME);
  const options = { name: NAME, help: 'Tape rows read, by outcome.', labelNames: ['outcome'], registers: [registry] };
  const counter = known instanceof Counter ? known : new Counter(options);
  counter.inc({ outcome: 'accepted' }, rows.accepted);
  counter.inc({ outcome: 'rejected' }, rows.rejected);
}
