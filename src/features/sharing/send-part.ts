import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';
import type { Deps } from '../../platform/deps.ts';
import { PARQUET } from '../../platform/files/content-types.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { endDownloadWithHolder } from '../../platform/http/end-download.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { RecipientAuthenticator } from './authenticate-recipient.ts';
import { findTable } from './find-table.ts';
import { readAs } from './list-tables.ts';
import type { Recipient } from './recipient.ts';
import { named, SHARES, sharesOf, TABLES, type TableName } from './table.ts';
import { objectOf, partId } from './table-files.ts';

const RANGE_NOT_SATISFIABLE = 416;
const PARTIAL = 206;

/**
 * Sends a file of a table, or the range of it that the request names. Whether the recipient may still read it is looked up each time: an
 * address ends with its recipient, and with what it is the address of.
 */
export async function sendPart(
  deps: Deps,
  authenticate: RecipientAuthenticator,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { token } = request.params as { token: string };
  const grant = deps.addresses.verify(token, 'share', Date.now());
  const [recipientId = '', share = '', schema = '', table = '', version = '', id = ''] = grant?.ids ?? [];
  const [ofShare, ofTable] = [named(SHARES, share), named(TABLES, table)];
  if (!grant || !ofShare || !ofTable) throw new ApiError('SIGNATURE_INVALID', deps.addresses.refusal(token, 'share'));
  // An address carries no credential to send another of, so that its end is a 403 whatever ends it.
  const recipient = await authenticate.byId(recipientId).catch((error: unknown) => {
    throw error instanceof ApiError && error.statusCode === 401 ? new ApiError('SIGNATURE_INVALID', error.message) : error;
  });
  const name = { share: ofShare, schema, table: ofTable };
  const objectKey = await keyOf({ deps, recipient, reply }, name, { version: Number(version), id });
  const path = await localFile(deps, objectKey);
  const { size } = await stat(path);
  const etag = `"${id}"`;
  reply.header('accept-ranges', 'bytes').header('etag', etag).header('content-type', PARQUET);
  const range = rangeOf(request, size, etag);
  if (range === 'none') {
    reply.header('content-range', `bytes */${size}`);
    return reply.status(RANGE_NOT_SATISFIABLE).type('text/plain').send(`The file has ${size} bytes.`);
  }
  if (range) reply.status(PARTIAL).header('content-range', `bytes ${range.start}-${range.end}/${size}`);
  reply.header('content-length', range ? range.end - range.start + 1 : size);
  endDownloadWithHolder(deps, request, reply, () => authenticate.isInForce(recipientId));
  return reply.send(request.method === 'HEAD' ? null : createReadStream(path, range ?? {}));
}

type Named = { version: number; id: string };

/** The object of a part that the recipient still reads; 403 once it does not. */
async function keyOf(
  client: { deps: Deps; recipient: Recipient; reply: FastifyReply },
  name: TableName,
  { version, id }: Named,
): Promise<string> {
  const { deps, recipient } = client;
  const ended = new ApiError(
    'SIGNATURE_INVALID',
    'The table is not shared any more, or is another version by now: ask for its files again.',
  );
  if (!sharesOf(recipient).includes(name.share)) throw ended;
  const table = await readAs(deps, recipient, name.share, (tx) => findTable(tx, recipient, name, { version })).catch(
    (error: unknown) => {
      throw error instanceof ApiError ? ended : error;
    },
  );
  const part = table.parts.find((each) => partId(table, each) === id);
  if (!part) throw ended;
  return objectOf(client, table, part);
}

/** The range of a request: null for the whole file, `none` for one outside of it. Several ranges at once are answered with the whole file. */
function rangeOf({ headers }: FastifyRequest, size: number, etag: string): { start: number; end: number } | 'none' | null {
  const { range, 'if-range': ofFile = etag } = headers;
  if (range === undefined || ofFile !== etag) return null;
  // Columnar readers begin with the last bytes, of which a small file may have fewer: the parser takes that for a range outside of it.
  const asked = range.replace(/^bytes=-(\d+)$/i, (_whole, length: string) => `bytes=-${Math.min(Number(length), size)}`);
  const ranges = parseRange(size, asked);
  if (ranges === -1) return 'none';
  const [first, ...others] = ranges === -2 || ranges.type !== 'bytes' ? [] : ranges;
  return first && others.length === 0 ? { start: first.start, end: first.end } : null;
}
