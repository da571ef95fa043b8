import type { SecretBox } from '../secret-box.ts';
import type { Tx } from './database.ts';

const MARKED = 'encryption key of this database';

/** What the database says of the key under which it is sealed: nothing yet, that any key may be the next one, or whether it is this one. */
export type KeyMark = 'NONE' | 'ANY' | 'SAME' | 'OTHER';

export async function readKeyMark(tx: Tx, secrets: SecretBox): Promise<KeyMark> {
  const row = await tx.one<{ sealed: string | null }>('select sealed from encryption_key_mark');
  if (!row) return 'NONE';
  if (row.sealed === null) return 'ANY';
  return isOpened(secrets, row.sealed, MARKED) ? 'SAME' : 'OTHER';
}

/** Marks the database with the key, unless another process has marked it. */
export async function writeKeyMark(tx: Tx, secrets: SecretBox): Promise<void> {
  await tx.exec(
    `insert into encryption_key_mark (sealed) values ($1)
     on conflict (only_row) do update set sealed = excluded.sealed where encryption_key_mark.sealed is null`,
    [secrets.seal(MARKED, MARKED)],
  );
}

/** Lets the next start write its own mark: the key under which the database was sealed is lost. */
export async function forgetKeyMark(tx: Tx): Promise<void> {
  await tx.exec('insert into encryption_key_mark (sealed) values (null) on conflict (only_row) do update set sealed = null', []);
}

/** Whether the key of the box is the one that sealed a text. */
export function isOpened(secrets: SecretBox, sealed: string, boundTo: string): boolean {
  try {
    secrets.open(sealed, boundTo);
    return true;
  } catch {
    return false;
  }
}
