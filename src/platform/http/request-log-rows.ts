import type { Database } from '../db/database.ts';

/** A request of an organization, as it is kept. */
export type LogEntry = {
  organization_id: string;
  request_id: string;
  /** When it arrived, in whole milliseconds since 1970. */
  at_ms: number;
  ms: number;
  method: string;
  path: string;
  route: string | null;
  status: number;
  code: string | null;
  key_id: string;
  idempotency_key: string | null;
  replayed: boolean;
  deal_id: string | null;
  request: string;
  response: string;
  event_ids: readonly string[];
  delivery_ids: readonly string[];
  job_ids: readonly string[];
  caused_more: number;
  dropped_before: number;
};

const INSERT = `insert into request_log (organization_id, request_id, at, ms, method, path, route, status, code, key_id, idempotency_key,
    replayed, deal_id, request, response, event_ids, delivery_ids, job_ids, caused_more, dropped_before)
  select organization_id, request_id, to_timestamp(at_ms / 1000), ms, method, path, route, status, code, key_id, idempotency_key, replayed, deal_id,
    convert_from(substring($1::bytea from starts for request_bytes), 'UTF8'),
    convert_from(substring($1::bytea from starts + request_bytes for response_bytes), 'UTF8'),
    string_to_array(event_ids, ','), string_to_array(delivery_ids, ','), string_to_array(job_ids, ','), caused_more, dropped_before
  from unnest($2::text[], $3::text[], $4::float8[], $5::int[], $6::text[], $7::text[], $8::text[], $9::int[], $10::text[], $11::text[],
      $12::text[], $13::bool[], $14::text[], $15::int[], $16::int[], $17::int[], $18::text[], $19::text[], $20::text[], $21::int[], $22::int[])
    as t(organization_id, request_id, at_ms, ms, method, path, route, status, code, key_id, idempotency_key, replayed, deal_id,
      starts, request_bytes, response_bytes, event_ids, delivery_ids, job_ids, caused_more, dropped_before)`;

/** Writes entries, of whichever organizations, in one statement. */
export async function writeRequests(db: Database, entries: readonly LogEntry[]): Promise<void> {
  const column = <Key extends keyof LogEntry>(key: Key): LogEntry[Key][] => entries.map((each) => each[key]);
  // The sides of all entries are one binary value: as elements of an array each of their quotes would be escaped and read again.
  const bytes = entries.flatMap(({ request, response }) => [Buffer.byteLength(request), Buffer.byteLength(response)]);
  let end = 1;
  const starts = entries.map((_, index) => (end += (bytes[2 * index - 2] ?? 0) + (bytes[2 * index - 1] ?? 0)));
  const ids = (key: 'event_ids' | 'delivery_ids' | 'job_ids'): (string | null)[] =>
    entries.map((each) => (each[key].length > 0 ? each[key].join() : null));
  const values = [
    Buffer.from(entries.map(({ request, response }) => request + response).join('')),
    column('organization_id'),
    column('request_id'),
    column('at_ms'),
    column('ms'),
    column('method'),
    column('path'),
    column('route'),
    column('status'),
    column('code'),
    column('key_id'),
    column('idempotency_key'),
    column('replayed'),
    column('deal_id'),
    starts,
    bytes.filter((_, index) => index % 2 === 0),
    bytes.filter((_, index) => index % 2 === 1),
    ids('event_ids'),
    ids('delivery_ids'),
    ids('job_ids'),
    column('caused_more'),
    column('dropped_before'),
  ];
  await db.tx({ platform: true }, (tx) => tx.exec(INSERT, values));
}
