import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { hash } from 'node:crypto';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { disclosedLoansTask } from '../../loans/tasks/tasks.ts';
import { runForRequest } from '../../platform/compute/run-for-request.ts';
import type { Deps } from '../../platform/deps.ts';
import { newId } from '../../platform/ids.ts';
import { disclosedLoans, type DisclosedPool } from '../securitizations/disclosed-loans.ts';
import { claimStored } from '../uploads/sweep-queries.ts';
import { storeUnclaimed } from '../uploads/upload.ts';
import type { Part, SharedTable } from './find-table.ts';
import { ADDRESS_MINUTES, type Recipient } from './recipient.ts';
import { deleteOldSharedFiles, findSharedFile, insertSharedFile } from './table-queries.ts';

const DEADLINE_MS = 120_000;
const WAIT_MS = 30_000;
const MOST_BYTES = 64 * 1024 ** 3;
const INSTEAD = 'Read the loans in pages instead: GET /v1/api/investor/deals/{dealId}/loans.';

/** Who waits for a file. */
export type Client = { deps: Deps; recipient: Recipient; reply: FastifyReply };

/** The name of a part of a table: the same as long as its bytes are. */
export function partId({ schema, disclosed }: SharedTable, { loans_key }: Part): string {
  const made = disclosed ? [schema, loans_key, disclosed.disclosure_version] : [loans_key];
  return hash('sha256', JSON.stringify(made), 'hex').slice(0, 32);
}

/** The object with the Parquet file of a part: the owner's own, or one of the disclosed fields, which is made where there is none yet. */
export async function objectOf(client: Client, table: SharedTable, part: Part): Promise<string> {
  if (!table.disclosed) return part.loans_key;
  const fileId = partId(table, part);
  const known = await client.deps.db.tx({ platform: true }, (tx) => findSharedFile(tx, fileId));
  return known?.object_key ?? (await makeFile(client, table.disclosed, part, fileId));
}

async function makeFile(client: Client, pool: DisclosedPool, { loans_key }: Part, fileId: string): Promise<string> {
  const { deps, recipient, reply } = client;
  const { organization_id, pool_id, disclosure_version } = pool;
  const workDir = await mkdtemp(join(deps.workDir, 'shared-'));
  const path = join(workDir, 'loans.parquet');
  const objectKey = `shared/${organization_id}/${pool_id}/${newId('set')}.parquet`;
  try {
    const loans = await disclosedLoans(deps, pool, loans_key);
    const input = { ...loans, workDir, path, format: 'parquet' as const };
    await runForRequest({ deps, caller: recipient, reply }, disclosedLoansTask, input, {
      deadlineMs: DEADLINE_MS,
      waitMs: WAIT_MS,
      instead: INSTEAD,
    });
    await storeUnclaimed(deps, organization_id, objectKey, () => createReadStream(path), MOST_BYTES);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
  return deps.db.tx({ platform: true }, async (tx) => {
    const file = { file_id: fileId, organization_id, pool_id, loans_key, disclosure_version, object_key: objectKey };
    // Of two requests at once the first one's file is kept; the other's is deleted as one that no row names.
    if (await insertSharedFile(tx, file)) await claimStored(tx, [objectKey]);
    return (await findSharedFile(tx, fileId))?.object_key ?? objectKey;
  });
}

/** Forgets files that nobody may read any more, or that are old. */
export const sweepSharedFiles = ({ db }: Pick<Deps, 'db'>): Promise<number> =>
  db.tx({ platform: true }, (tx) => deleteOldSharedFiles(tx, ADDRESS_MINUTES));
