import { Resolver as NameServers } from 'node:dns/promises';
import { readFile, stat } from 'node:fs/promises';
import { type Resolved, type Resolver, systemResolver } from './lookup.ts';

export type ResolverOptions = { servers?: readonly string[]; hostsFile?: string; serversFile?: string; system?: Resolver };

/** A name server has this long for an answer, and is asked so many times. */
const ANSWER_MS = 1_000;
const TRIES = 2;
/** Once the addresses of one family are known, those of the other have this long: some name servers never answer for addresses of IPv6. */
const GRACE_MS = 200;
/** Whoever waits longer for the system's look-up gets none. */
const TURN_MS = 5_000;
/** Answers after which the system may know the name all the same: by its search domains, or by what it has beside name servers. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Looks up names that customers give. The system's own look-up takes one of the few threads of this process for as long as a name server
 * is silent, and two such names would stop every other look-up, that of the database's host too. So name servers are asked over sockets
 * of this process; the system looks up what its file of hosts has, and one at a time what the name servers do not know.
 */
export function createResolver({
  servers,
  hostsFile = '/etc/hosts',
  serversFile = '/etc/resolv.conf',
  system = systemResolver,
}: ResolverOptions = {}): Resolver {
  const presentServers = createNameServers(serversFile, servers);
  const systemInTurn = inTurn(system);
  return async (name) => {
    if (await isIn(hostsFile, name)) return system(name);
    const { found, refusals } = await ask(await presentServers(), name);
    if (found.length > 0) return found.toSorted((a, b) => a.family - b.family);
    if (refusals.every((code) => UNKNOWN.has(code))) return systemInTurn(name);
    throw noAnswer();
  };
}

/** The name servers of the machine as they are now: its network may change while the process runs. */
function createNameServers(file: string, servers: readonly string[] | undefined): () => Promise<NameServers> {
  const make = (): NameServers => {
    const made = new NameServers({ timeout: ANSWER_MS, tries: TRIES });
    if (servers) made.setServers(servers);
    return made;
  };
  let [present, since] = [make(), 0];
  return async () => {
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: 0 }));
    if (since !== 0 && mtimeMs !== since) present = make();
    since = mtimeMs;
    return present;
  };
}

/** The addresses of both families, or the codes of the refusals. */
async function ask(nameServers: NameServers, name: string): Promise<{ found: Resolved[]; refusals: string[] }> {
  const [found, refusals]: [Resolved[], string[]] = [[], []];
  const over = Promise.withResolvers<void>();
  const take = async (asked: Promise<string[]>, family: number): Promise<void> => {
    try {
      for (const address of await asked) found.push({ address, family });
      setTimeout(over.resolve, GRACE_MS).unref();
    } catch (error) {
      refusals.push((error as NodeJS.ErrnoException).code ?? '');
    }
  };
  await Promise.race([Promise.all([take(nameServers.resolve4(name), 4), take(nameServers.resolve6(name), 6)]), over.promise]);
  return { found, refusals };
}

const noAnswer = (): Error => Object.assign(new Error('no name server answers for the name'), { code: 'EAI_AGAIN' });

async function isIn(hostsFile: string, name: string): Promise<boolean> {
  const text = await readFile(hostsFile, 'utf8').catch(() => '');
  return text
    .toLowerCase()
    .split('\n')
    .some((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1).includes(name.toLowerCase()));
}

/** One look-up at a time, in the order in which they were asked for. */
function inTurn(resolve: Resolver): Resolver {
  let last: Promise<unknown> = Promise.resolve();
  return (name) => {
    const askedAt = performance.now();
    const turn = last.then(() => {
      if (performance.now() - askedAt > TURN_MS) throw noAnswer();
      return resolve(name);
    });
    last = turn.catch(() => {});
    return turn;
  };
}
