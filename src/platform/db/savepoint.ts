import type { Tx } from './database.ts';

/**
 * Runs a part of a transaction that the database may refuse: when it fails, its writes alone are undone, and the transaction can go on.
 * One at a time.
 */
export function inSavepoint<Result>(tx: Tx, work: (part: Tx) => Promise<Result>): Promise<Result> {
  return inPart(tx, work, 'kept');
}

/** Runs a part of a transaction to see whether it would succeed, and undoes all of it: nothing is written, signalled or told. */
export async function tryOut(tx: Tx, work: (part: Tx) => Promise<unknown>): Promise<void> {
  await inPart(
    tx,
    async (part) => {
      await work(part);
      // What the database checks at the end of a transaction counts too.
      await part.exec('set constraints all immediate');
    },
    'undone',
  );
}

async function inPart<Result>(tx: Tx, work: (part: Tx) => Promise<Result>, then: 'kept' | 'undone'): Promise<Result> {
  const later: (() => void)[] = [];
  const part: Tx = {
    ...tx,
    get now() {
      return tx.now;
    },
    get moment() {
      return tx.moment;
    },
    caused: [],
    unchanged: false,
    atCommit: (...statement) => void later.push(() => tx.atCommit(...statement)),
    afterCommit: (action) => void later.push(() => tx.afterCommit(action)),
    signal: (channel) => void later.push(() => tx.signal(channel)),
  };
  await tx.exec('savepoint part');
  try {
    const result = await work(part);
    await tx.exec(then === 'kept' ? 'release savepoint part' : 'rollback to savepoint part');
    if (then === 'undone') return result;
    tx.caused.push(...part.caused);
    for (const pass of later) pass();
    return result;
  } catch (error) {
    await tx.exec('rollback to savepoint part');
    throw error;
  }
}
