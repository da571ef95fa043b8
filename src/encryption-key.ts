import { join } from 'node:path';
import { isOwnDataKey } from './features/tapes/data-key.ts';
import { listEdgeDataKeys } from './features/tapes/seal-queries.ts';
import { listEdgeSecrets } from './features/webhooks/queries.ts';
import type { Tx } from './platform/db/database.ts';
import { isOpened, readKeyMark, writeKeyMark } from './platform/db/key-mark.ts';
import type { Deps } from './platform/deps.ts';
import type { SecretBox } from './platform/secret-box.ts';

type Parts = Pick<Deps, 'config' | 'db' | 'secrets'>;

/** Refuses an encryption key under which the database is not sealed: nobody could open afterwards what would be sealed under it. */
export async function checkEncryptionKey({ config, db, secrets }: Parts): Promise<void> {
  await db.tx({ platform: true }, (tx) => refuseOther(tx, secrets, config));
}

/** The same, at a start: the first one marks the database with its key. */
export async function takeEncryptionKey({ config, db, secrets }: Parts): Promise<void> {
  await db.tx({ platform: true }, async (tx) => {
    if ((await refuseOther(tx, secrets, config)) === 'SAME') return;
    await writeKeyMark(tx, secrets);
    // Another first start may have been faster.
    await refuseOther(tx, secrets, config);
  });
}

async function refuseOther(tx: Tx, secrets: SecretBox, config: Deps['config']) {
  const mark = await readKeyMark(tx, secrets);
  if (mark === 'OTHER' || (mark === 'NONE' && !(await opensSealed(tx, secrets)))) throw otherKey(config);
  return mark;
}

/**
 * A database from before the mark is known by what was sealed in it first and last: its key is the one that opens either, since it may have
 * been changed once.
 */
async function opensSealed(tx: Tx, secrets: SecretBox): Promise<boolean> {
  const opened = [
    ...(await listEdgeDataKeys(tx)).map((tape) => isOwnDataKey(secrets, tape)),
    ...(await listEdgeSecrets(tx)).map((hook) => isOpened(secrets, hook.secret_sealed, hook.subscription_id)),
  ];
  return opened.length === 0 || opened.includes(true);
}

function otherKey({ encryptionKey, dataDir }: Deps['config']): Error {
  const setting = encryptionKey === null ? join(dataDir, 'secrets', 'encryption-key') : 'SLUICE_ENCRYPTION_KEY';
  const remedy = encryptionKey === null ? 'put that one there, or set SLUICE_ENCRYPTION_KEY to it' : 'set it to that one';
  return new Error(
    `${setting} is not the encryption key under which this database is sealed: ${remedy}, or see docs/operating-backup.md if it is lost`,
  );
}
