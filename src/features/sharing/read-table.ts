import type { FastifyReply } from 'fastify';
import { type SparkField, sparkFieldsOf } from '../../loans/export/spark-schema.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { ApiError, notFound, orNotFound } from '../../platform/http/errors.ts';
import { type DisclosedPool, recordLoanAccess } from '../securitizations/disclosed-loans.ts';
import type { SharingRequest } from './sharing-request.ts';
import { findTable, type Part, type SharedTable, type When } from './find-table.ts';
import { readAs, shareOf } from './list-tables.ts';
import { type Hints, mayHold } from './predicate-hints.ts';
import { ADDRESS_MINUTES, SHARING_PATH } from './recipient.ts';
import { named, PARTITION, schemaOf, type TableName, TABLES } from './table.ts';
import { objectOf, partId } from './table-files.ts';
import { readTime } from './timestamp.ts';
import { wrongParameter } from './wrong-parameter.ts';

const NDJSON = 'application/x-ndjson; charset=utf-8';

/** A table's version alone, in a header. */
export async function tellVersion(call: SharingRequest): Promise<string> {
  const { startingTimestamp } = call.query;
  const from = startingTimestamp === undefined ? {} : { from: readTime('startingTimestamp', startingTimestamp) };
  const table = await find(call, from);
  setVersion(call.reply, table);
  return '';
}

/** What a table is and which columns it has: two lines of JSON. */
export async function describeTable(call: SharingRequest): Promise<string> {
  const table = await find(call, readWhen(call.query));
  return linesOf(call.reply, table, [await metadataOf(call, table)]);
}

/** The files of a table, each with an address that this recipient reads it at. */
export async function queryTable(call: SharingRequest): Promise<string> {
  const body = readBody(call.request.body);
  if (body.startingVersion !== undefined) return refuseChanges();
  const when = readWhen(body);
  const table = await find(call, when);
  const metadata = await metadataOf(call, table);
  const files: { file: Record<string, unknown> }[] = [];
  for (const part of table.parts.filter(({ period }) => period === null || mayHold(body, period)))
    files.push({ file: await fileOf(call, table, part) });
  if (table.disclosed) await noteReading(call, table, table.disclosed);
  if (when.version === undefined && when.at === undefined) return linesOf(call.reply, table, [metadata, ...files]);
  const { version, since } = table;
  metadata.metaData.version = version;
  for (const { file } of files) Object.assign(file, { version, ...(since ? { timestamp: since.getTime() } : {}) });
  return linesOf(call.reply, table, [metadata, ...files]);
}

/** What differs between two versions is no feed of rows: a tape is sent whole. */
export async function refuseChanges(): Promise<never> {
  throw new ApiError('BAD_REQUEST', 'The tables have no change data feed: read two versions of a tape and compare them.');
}

/** The owner of disclosed loans sees that they were read. 409 when it has changed in the meantime what it discloses. */
async function noteReading({ deps, recipient }: SharingRequest, table: SharedTable, disclosed: DisclosedPool): Promise<void> {
  const { organization_id, recipient_id, created_by } = recipient;
  await readAs(deps, recipient, table.share, async (tx) => {
    const now = await findTable(tx, recipient, table);
    if (now.version !== table.version)
      throw new ApiError('CONFLICT', 'What the deal discloses was changed while its files were made: ask for it again.');
    const details = { format: 'delta-sharing', table: table.table, recipient_id, fields: disclosed.disclosed_fields };
    await recordLoanAccess(tx, { organization_id, actor_id: created_by }, disclosed, 'DOWNLOADED', details);
  });
}

async function find({ deps, recipient, params }: SharingRequest, when: When): Promise<SharedTable> {
  const name = tableNameOf(shareOf(recipient, params), params);
  return readAs(deps, recipient, name.share, (tx) => findTable(tx, recipient, name, when));
}

function tableNameOf(share: TableName['share'], { schema = '', table = '' }: Record<string, string>): TableName {
  const found = named(TABLES, table);
  if (!found) throw notFound('table');
  return { share, schema: orNotFound(schemaOf(schema), 'schema'), table: found };
}

/** The newest file has the columns of the present dictionary; older ones may lack some, which read as null. */
async function metadataOf(call: SharingRequest, table: SharedTable): Promise<{ metaData: Record<string, unknown> }> {
  const { deps } = call;
  const newest = table.parts.at(-1);
  if (!newest) throw notFound('table');
  const path = await localFile(deps, await objectOf(call, table, newest));
  const fields = await sparkFieldsOf(deps.columns, path, table.loan_type);
  const partition: SparkField = {
    name: PARTITION,
    type: 'integer',
    nullable: false,
    metadata: { comment: 'Payment period of the tape.' },
  };
  const isDivided = table.table === 'monthly_loans';
  return {
    metaData: {
      id: `${table.share}.${table.schema}.${table.table}`,
      name: table.title,
      format: { provider: 'parquet' },
      schemaString: JSON.stringify({ type: 'struct', fields: isDivided ? [...fields, partition] : fields }),
      partitionColumns: isDivided ? [PARTITION] : [],
      configuration: {},
      numFiles: table.parts.length,
    },
  };
}

async function fileOf(call: SharingRequest, table: SharedTable, part: Part): Promise<Record<string, unknown>> {
  const { deps, recipient } = call;
  const stored = await deps.store.stat(await objectOf(call, table, part));
  if (!stored) throw new ApiError('UNAVAILABLE', 'A file of the table is not in the object store: tell the operator.');
  const id = partId(table, part);
  const expires = Date.now() + ADDRESS_MINUTES * 60_000;
  const ids = [recipient.recipient_id, table.share, table.schema, table.table, String(table.version), id];
  const token = deps.addresses.sign({ act: 'share', ids, generation: 1, expires });
  return {
    url: `${deps.publicUrl()}${SHARING_PATH}/files/${token}`,
    id,
    partitionValues: part.period === null ? {} : { [PARTITION]: String(part.period) },
    size: stored.size,
    ...(part.rows === null ? {} : { stats: JSON.stringify({ numRecords: part.rows }) }),
    expirationTimestamp: expires,
  };
}

type QueryBody = Hints & { version?: unknown; timestamp?: unknown; startingVersion?: unknown };

/** What this version of the gateway does not know in a body is left to the client, as the protocol has it. */
function readBody(body: unknown): QueryBody {
  if (body === undefined || body === null) return {};
  if (typeof body === 'object' && !Array.isArray(body)) return body;
  throw new ApiError('VALIDATION_FAILED', 'The body has to be a JSON object, such as {}.');
}

function readWhen({ version, timestamp }: { version?: unknown; timestamp?: unknown }): When {
  if (version === undefined && timestamp === undefined) return {};
  if (version !== undefined && timestamp !== undefined)
    throw new ApiError('VALIDATION_FAILED', 'version and timestamp name the same thing: send one of them.');
  if (timestamp !== undefined) return { at: readTime('timestamp', timestamp) };
  const isPlain = typeof version === 'string' || typeof version === 'number';
  if (isPlain && /^\d{1,15}$/.test(String(version))) return { version: Number(version) };
  throw wrongParameter('version', version, 'a whole number from 0');
}

function setVersion(reply: FastifyReply, { version }: SharedTable): void {
  reply.header('delta-table-version', version).header('delta-sharing-capabilities', 'responseformat=parquet');
}

function linesOf(reply: FastifyReply, table: SharedTable, lines: readonly unknown[]): string {
  setVersion(reply, table);
  reply.header('content-type', NDJSON);
  return [{ protocol: { minReaderVersion: 1 } }, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('');
}
