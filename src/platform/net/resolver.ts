import { Resolver as NameServers } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { type Resolved, type Resolver, systemResolver } from './lookup.ts';

export type ResolverOptions = { servers?: readonly string[]; hostsFile?: string; system?: Resolver };

/** A name server has this long for an answer, and is asked so many times. */
const ANSWER_MS = 1_000;
const TRIES = 2;
/** Whoever waits longer for the system's look-up gets none. */
const TURN_MS = 5_000;
/** Answers after which the system may know the name all the same: by its search domains, or by what it has beside name servers. */
const UNKNOWN = new Set(['ENOTFOUND', 'ENODATA', 'ECONNREFUSED']);

/**
 * Looks up names that customers give. The system's own look-up takes one of the few threads of this process for as long as a name server
 * is silent, and two such names would stop every other look-up, that of the database's host too. So name servers are asked over sockets
 * of this process; the system looks up what its file of hosts has, and one at a time what the name servers do not know.
 */
export function createResolver({ servers, hostsFile = '/etc/hosts', system = systemResolver }: ResolverOptions = {}): Resolver {
  const nameServers = new NameServers({ timeout: ANSWER_MS, tries: TRIES });
  if (servers) nameServers.setServers(servers);
  const systemInTurn = inTurn(system);
  return async (name) => {
    if (await isIn(hostsFile, name)) return system(name);
    const [v4, v6] = await Promise.all([nameServers.resolve4(name).catch(codeOf), nameServers.resolve6(name).catch(codeOf)]);
    const found = [...resolved(v4, 4), ...resolved(v6, 6)];
    if (found.length > 0) return found;
    if ([v4, v6].every((each) => typeof each === 'string' && UNKNOWN.has(each))) return systemInTurn(name);
    throw noAnswer();
  };
}

const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? '';

const resolved = (answer: string[] | string, family: number): Resolved[] =>
  typeof answer === 'string' ? [] : answer.map((address) => ({ address, family }));

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
