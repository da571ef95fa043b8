import type { Tx } from './database.ts';

/**
 * Runs one part of an organization's transaction in the platform's scope, for its effects on other organizations' records. The caller's
 * scope is restored when it ends or throws, so that code that catches the error continues in its own scope.
 */
export async function asPlatform<Result>(tx: Tx, work: () => Promise<Result>): Promise<Result> {
  const before = await tx.one<{ scope: string }>(`select current_setting('sluice.scope', true) as scope`);
  await tx.rows(SET_SCOPE, ['platform']);
  // A statement that failed has ended the transaction, and its scope with it.
  const goBack = (): Promise<unknown> => tx.rows(SET_SCOPE, [before?.scope ?? 'organization']);
  const result = await work().catch(async (error: unknown) => {
    await goBack().catch(() => {});
    throw error;
  });
  await goBack();
  return result;
}

const SET_SCOPE = `select set_config('sluice.scope', $1, true)`;
