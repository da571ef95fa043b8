import type { Tx } from './database.ts';

/**
 * Runs a part of a transaction that the database may refuse: when it fails, its writes alone are undone and the transaction can go on.
 * One at a time.
 */
export async function inSavepoint<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  await tx.exec('savepoint part');
  try {
    const result = await work();
    await tx.exec('release savepoint part');
    return result;
  } catch (error) {
    await tx.exec('rollback to savepoint part');
    throw error;
  }
}
