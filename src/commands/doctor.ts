import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Config, readConfig } from '../config.ts';
import { checkEncryptionKey } from '../encryption-key.ts';
import { readPolicy } from '../features/approvals/policy.ts';
import { listMixedOrganizations } from '../features/keys/queries.ts';
import { listUnapplied } from '../features/tapes/destructions.ts';
import { createIdentityProvider } from '../features/sessions/identity-provider.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import type { Deps } from '../platform/deps.ts';
import { countPoolsOfOtherKeys } from '../features/pools/queries.ts';
import { missingMigrations, refuseNewerDatabase, serverVersion } from '../platform/db/migrate.ts';
import { refuseSharedSessions } from '../platform/db/pooler.ts';
import { checkReplica } from '../platform/db/replica.ts';
import { requireWrites } from '../platform/http/readiness.ts';
import { createSmtpClient } from '../platform/net/smtp.ts';
import { type ObjectStore, StoreUnavailable } from '../platform/files/store.ts';
import { openRuntime, openStore } from '../runtime.ts';
import { readKeys } from '../secret-keys.ts';

const CLOCKS_APART_MS = 5_000;
const MOST_NAMED = 10;

/** Checks everything that a server needs, part by part; exit code 1 when a part does not work. The records of an external database are not changed. */
export async function doctor(env: Record<string, string | undefined>, print: (line: string) => void): Promise<number> {
  const config = readConfig({ LOG_LEVEL: 'silent', ...env });
  const { databaseUrl, databaseReplicaUrl } = config;
  print(`ok    Node ${process.versions.node}`);
  print(`ok    settings: ${config.environment}, data in ${config.dataDir}`);
  const look = async (part: string, work: () => Promise<string>): Promise<boolean> => {
    try {
      print(`ok    ${part}: ${await work()}`);
      return true;
    } catch (error) {
      print(`FAIL  ${part}: ${(error as Error).message}`);
      return false;
    }
  };
  const works = [
    await look('keys', async () => keys(config)),
    await look('e-mail', () => mailServer(config)),
    await look('sign-in', () => signInOf(config)),
    await look('database', () => (databaseUrl ? external(config, databaseUrl, print) : embedded(config, print))),
    ...(databaseReplicaUrl ? [await look('replica', () => replica(databaseUrl ?? '', databaseReplicaUrl))] : []),
    await look('object store', async () => {
      const store = await openStore(config);
      await store.ready();
      await tryObject(store);
      return store.kind;
    }),
  ];
  return works.every(Boolean) ? 0 : 1;
}

/** Before the migrations: a key that cannot be used would end the start only behind them. */
function keys(config: Config): string {
  readKeys(config);
  return config.signingKey && config.encryptionKey ? 'set' : `made once into ${config.dataDir}`;
}

/** A bucket that is there may still refuse what the gateway does with it. */
async function tryObject(store: ObjectStore): Promise<void> {
  const key = `doctor-${randomUUID()}`;
  await store.put(key, Readable.from([key]), key.length);
  try {
    const found = await store.get(key);
    if (!found || (await text(found.stream)) !== key) throw new Error('an object that was written cannot be read');
  } finally {
    await store.delete(key);
  }
}

/** Connects and signs in; sends nothing. */
async function mailServer({ mail }: Config): Promise<string> {
  if (!mail) return 'off: SLUICE_SMTP_URL is not set';
  const { server, from } = mail;
  const how = await createSmtpClient(server).check();
  return `${server.host}:${server.port} answers, ${how}${server.user === null ? '' : ', signed in'}; sender ${from.address}`;
}

/** Reads what the provider says of itself; whether it knows the client is seen at the first sign-in alone. */
async function signInOf({ identityProvider, environment }: Config): Promise<string> {
  if (!identityProvider)
    return environment === 'development'
      ? 'a page asks who one is: SLUICE_OIDC_ISSUER is not set'
      : 'off: SLUICE_OIDC_ISSUER is not set';
  await createIdentityProvider(identityProvider, () => '').check();
  return `${identityProvider.issuer} answers`;
}

type Print = (line: string) => void;

async function embedded(config: Config, print: Print): Promise<string> {
  await using runtime = await openRuntime(config);
  await checkEncryptionKey(runtime);
  await warn(runtime, print);
  return `${await serverVersion((sql) => runtime.limits.direct(sql))} (embedded), migrated`;
}

async function external(config: Config, url: string, print: Print): Promise<string> {
  await refuseSharedSessions(url);
  await using database = openDatabase({ url, max: 1 });
  const server = await serverVersion((sql) => database.direct(sql));
  await requireWrites(database);
  await refuseNewerDatabase((sql) => database.direct<{ name: string }>(sql));
  const missing = await missingMigrations((sql) => database.direct<{ name: string }>(sql));
  if (missing.length > 0) return `${server}, ${missing.length} migrations to apply: run sluice migrate, or start the gateway`;
  await using runtime = await openRuntime(config, { migrate: false, supervise: false });
  await checkEncryptionKey(runtime);
  await warn(runtime, print);
  return `${server}, migrated`;
}

async function replica(url: string, replicaUrl: string): Promise<string> {
  await using primary = openDatabase({ url, max: 1 });
  const missing = await missingMigrations((sql) => primary.direct<{ name: string }>(sql));
  if (missing.length > 0) return 'not looked at before the migrations of the primary are applied';
  await checkReplica(primary, replicaUrl);
  return 'follows the primary';
}

/** What works and should be otherwise. */
async function warn({ db, limits, fingerprints, config, store }: Deps, print: Print): Promise<void> {
  await compareClocks(limits, print);
  await nameUnapplied(db, store, print);
  await nameMixedOrganizations(db, print);
  const { advice } = await db.tx({ platform: true }, (tx) => readPolicy(tx, config.environment));
  for (const line of advice) print(`WARN  approvals: ${line}`);
  const pools = await db.tx({ platform: true }, (tx) => countPoolsOfOtherKeys(tx, fingerprints.keyId));
  if (pools === 0) return;
  print(
    `WARN  fingerprints: live pools are compared under another key than the one here (${pools} of them): let SLUICE_FINGERPRINT_KEY be the same for every process, or, where it was changed, run sluice fingerprints rebuild`,
  );
}

/**
 * A database that was taken back to an earlier moment has what was destroyed since; one that failed when a destruction was committed has
 * what that one has listed. A store that is away is told by its own part.
 */
async function nameUnapplied(db: Database, store: ObjectStore, print: Print): Promise<void> {
  const deals = await db
    .tx({ platform: true }, (tx) => listUnapplied(store, tx))
    .catch((error: Error) => {
      if (error instanceof StoreUnavailable) return [];
      throw error;
    });
  if (deals.length === 0) return;
  const more = deals.length > MOST_NAMED ? ` and ${deals.length - MOST_NAMED} more` : '';
  print(
    `WARN  destructions: personal data whose destruction was requested are in this database, since it was taken back to an earlier moment or the request was not carried out, of ${deals.slice(0, MOST_NAMED).join(', ')}${more}: run sluice destructions apply`,
  );
}

/** Signed addresses, the timestamps of webhooks and the life of keys go by the clock of a process, the order of records by that of the database. */
async function compareClocks(database: Database, print: Print): Promise<void> {
  const asked = Date.now();
  const [{ now } = { now: new Date(asked) }] = await database.direct<{ now: Date }>('select clock_timestamp() as now');
  const aheadMs = (asked + Date.now()) / 2 - now.getTime();
  if (Math.abs(aheadMs) < CLOCKS_APART_MS) return;
  print(
    `WARN  clock: this machine is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database: an address that one process signs, another may refuse as expired; let the same time service set both clocks`,
  );
}

/**
 * Organizations from before the rule that hold keys of both kinds: their keys still work, but an operator must not decide on its own
 * organization.
 */
async function nameMixedOrganizations(db: Database, print: Print): Promise<void> {
  for (const { organization_id, name, keys } of await db.tx({ platform: true }, listMixedOrganizations)) {
    print(
      `WARN  organization ${organization_id} "${name}" holds operator keys and customer keys: revoke one kind of ${keys.join(', ')}`,
    );
  }
}
