import { resolve } from 'node:path';
import type { Config } from '../config.ts';
import { type Applied, applyDestructions } from '../features/tapes/destructions.ts';
import { verifyLedger } from '../features/trades/ledger-queries.ts';
import { readManifest } from '../platform/backup/manifest.ts';
import { restore as restoreBackup } from '../platform/backup/restore.ts';
import { OF_WORK } from '../platform/db/connection.ts';
import { openDatabase } from '../platform/db/database.ts';
import { JOB_NAMES } from '../job-names.ts';
import { openColumns, openStore } from '../runtime.ts';
import { withAdministrator } from './administrator.ts';
import { type Output, summaryOf } from './backup-summary.ts';
import { keyLocations, missingKeys } from './key-fingerprints.ts';

/** What a restore takes back, and only people know of. */
const DO_AGAIN =
  'keys revoked, rotated or narrowed, members removed or changed, share recipients revoked, organizations suspended, compliance profiles changed, disclosures narrowed, documents made private, webhooks deleted, deals withdrawn, approvals denied, the policy of approvals';

/** Restores a backup into an empty database and the object store; 1 when the ledger in it does not add up, or a destruction could not be applied again. */
export async function restore(config: Config, path: string, { printJson, notice }: Output): Promise<number> {
  const directory = resolve(path);
  notice(`comparing ${directory} with its manifest`);
  const manifest = await readManifest(directory);
  const store = await openStore(config);
  const { ledger, destructions } = await withAdministrator(config, notice, async (url) => {
    let destructions: Applied = { listed: 0, destroyed: 0, failures: [] };
    const finish = async (): Promise<void> => {
      await using database = openDatabase({ url, max: 4, patience: OF_WORK });
      await using columns = openColumns(config);
      destructions = await applyDestructions({ store, ...columns }, (work) => database.tx({ platform: true }, work));
    };
    await restoreBackup({ directory, manifest, url, store, jobNames: JOB_NAMES, finish, log: notice });
    await using database = openDatabase({ url, max: 4, patience: OF_WORK });
    return { destructions, ledger: await database.tx({ platform: true }, verifyLedger) };
  });
  printJson({
    ...summaryOf(directory, manifest),
    ledger,
    destructions: { listed: destructions.listed, destroyed: destructions.destroyed },
  });
  if (destructions.destroyed > 0)
    notice(
      `the personal data of ${destructions.destroyed} versions in the backup had been destroyed since: they were destroyed again`,
    );
  for (const failure of destructions.failures)
    notice(
      `${failure}. This destruction was not applied: its personal data are readable, destroy them with DELETE …/personal-data`,
    );
  for (const problem of missingKeys(config, manifest.keys)) notice(`${problem}. Put it in place before the first start.`);
  notice(`keys are read from ${keyLocations(config)}`);
  notice(
    `people sign in again. Do again what was done after ${manifest.snapshot_at}, before the gateway is open to all: ${DO_AGAIN}`,
  );
  for (const { key, problem } of manifest.problems) notice(`${key} was ${problem === 'missing' ? 'missing' : 'damaged'} already`);
  return ledger.valid && destructions.failures.length === 0 ? 0 : 1;
}
