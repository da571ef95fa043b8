import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, notFound, orNotFound } from '../../platform/http/errors.ts';
import type { SharingRequest } from './sharing-request.ts';
import type { Recipient } from './recipient.ts';
import { named, schemaOf, type Share, sharesOf } from './table.ts';
import { wrongParameter } from './wrong-parameter.ts';
import { listSharedSchemas, listSharedTables } from './table-queries.ts';

/** Most entries of a page. */
const MOST_RESULTS = 500;

/** Reads what a recipient sees: its organization's rows, and the market's view of others' where it buys. */
export function readAs<Result>(
  { db }: Pick<Deps, 'db'>,
  { organization_id }: Recipient,
  share: Share,
  work: (tx: Tx) => Promise<Result>,
): Promise<Result> {
  return db.tx(share === 'market' ? { market: [organization_id] } : { organization: organization_id }, work);
}

/** The share of a path; 404 where the recipient has none of this name. */
export function shareOf(recipient: Recipient, { share = '' }: Record<string, string>): Share {
  const found = named(sharesOf(recipient), share);
  if (!found) throw notFound('share');
  return found;
}

type Listed<Item> = { items: Item[]; nextPageToken?: string };
/** A name of a share, a schema or a table. */
const NAME = /^\w{0,80}$/;
/** The position behind an entry: its names. */
type Position = readonly [string, string];

export async function listShares({ recipient, query }: SharingRequest): Promise<Listed<{ name: Share }>> {
  const { after, most } = readPage(query);
  const shares = sharesOf(recipient).sort();
  return page(
    shares.filter((name) => name > after[0]).map((name) => ({ name })),
    { most, after },
    ({ name }) => [name, ''],
  );
}

export async function listSchemas({
  deps,
  recipient,
  params,
  query,
}: SharingRequest): Promise<Listed<{ name: string; share: Share }>> {
  const share = shareOf(recipient, params);
  const { after, most } = readPage(query);
  const found = await readAs(deps, recipient, share, (tx) => listSharedSchemas(tx, recipient, share, { after, limit: most + 1 }));
  return page(
    found.map(({ schema }) => ({ name: schema, share })),
    { most, after },
    ({ name }) => [name, ''],
  );
}

/** Tables of a schema, or of the whole share where the path names none. */
export async function listTables({
  deps,
  recipient,
  params,
  query,
}: SharingRequest): Promise<Listed<{ name: string; schema: string; share: Share; id: string }>> {
  const share = shareOf(recipient, params);
  const schema = params.schema === undefined ? null : orNotFound(schemaOf(params.schema), 'schema');
  const { after, most } = readPage(query);
  const found = await readAs(deps, recipient, share, async (tx) => {
    const tables = await listSharedTables(tx, recipient, share, { schema, after, limit: most + 1 });
    // A page behind the last table of a schema is empty; a schema without any is none.
    const first = tables[0] ?? (await listSharedTables(tx, recipient, share, { schema, after: ['', ''], limit: 1 }))[0];
    if (schema !== null && !first) throw notFound('schema');
    return tables;
  });
  return page(
    found.map(({ schema: of, table }) => ({ name: table, schema: of, share, id: `${of}.${table}` })),
    { most, after },
    (table) => [table.schema, table.name],
  );
}

/** A page of a list that was read one entry beyond it. */
function page<Item>(
  found: readonly Item[],
  { most, after }: { most: number; after: Position },
  positionOf: (item: Item) => Position,
): Listed<Item> {
  const items = found.slice(0, most);
  const last = items.at(-1);
  if (found.length <= most) return { items };
  return { items, nextPageToken: tokenOf(last ? positionOf(last) : after) };
}

const tokenOf = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url');

function readPage({ maxResults, pageToken }: Record<string, unknown>): { after: Position; most: number } {
  if (maxResults !== undefined && !/^\d{1,9}$/.test(String(maxResults)))
    throw wrongParameter('maxResults', maxResults, 'a whole number from 0');
  const most = Math.min(Number(maxResults ?? MOST_RESULTS), MOST_RESULTS);
  return { after: pageToken === undefined || pageToken === '' ? ['', ''] : readToken(String(pageToken)), most };
}

function readToken(token: string): Position {
  try {
    const position: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (Array.isArray(position) && position.length === 2 && position.every((each) => typeof each === 'string' && NAME.test(each)))
      return [String(position[0]), String(position[1])];
  } catch {
    // Refused below.
  }
  throw new ApiError('VALIDATION_FAILED', 'pageToken has to be the nextPageToken of the page before.');
}
