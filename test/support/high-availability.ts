import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, globSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { isRunning } from '../../src/platform/running.ts';
import { canConnect } from './postgres.ts';
import { freePorts } from './ports.ts';
import { killGroup, killQuietly, processesBelow } from './process-tree.ts';
import { until } from './until.ts';

const CONFIGURATION = fileURLToPath(new URL('../../deploy/ha/', import.meta.url));
const PROGRAMS = {
  etcd: '/usr/bin/etcd',
  patroni: '/usr/bin/patroni',
  haproxy: '/usr/sbin/haproxy',
  pgbouncer: '/usr/sbin/pgbouncer',
};
const BIN_DIR = globSync('/usr/lib/postgresql/*/bin').sort().at(-1);
const NODES = ['node1', 'node2', 'node3'] as const;
type NodeName = (typeof NODES)[number];

const absent = [
  ...Object.values(PROGRAMS).filter((path) => !existsSync(path)),
  ...(BIN_DIR && existsSync(join(BIN_DIR, 'postgres')) ? [] : ['PostgreSQL']),
];
/** Why no cluster can run here; false where one can. */
export const NO_CLUSTER: string | false =
  process.getuid?.() !== 0
    ? 'it needs root, to run PostgreSQL as another user'
    : absent.length > 0 && `${absent.join(', ')} not installed`;

export type Member = { name: NodeName; role: string; state: string };

export type Cluster = {
  /** Through PgBouncer and HAProxy, as the gateway connects. */
  url: string;
  /** The standbys, the same way. */
  standbysUrl: string;
  /** The servers as Patroni sees them; empty while none of its agents responds. */
  members(): Promise<Member[]>;
  /** Waits until all servers run, one of them a standby that confirms the primary's commits; the primary. */
  healthy(timeoutMs?: number): Promise<NodeName>;
  /** Kills a server with everything of it, or with its agent too, as a machine that loses its power. */
  kill(node: NodeName, what: 'server' | 'machine'): Promise<void>;
  /** Starts the agent of a node again, where it does not run. */
  revive(node: NodeName): void;
  [Symbol.asyncDispose](): Promise<void>;
};

/** Three servers under Patroni and etcd, with HAProxy and PgBouncer before them, all with the configuration that is shipped in `deploy/ha`. */
export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-cluster-'));
  const { uid, gid } = idsOf('postgres');
  chownSync(folder, uid, gid);
  const ports = await freePorts(2 + NODES.length * 2 + 3);
  const next = (): string => `127.0.0.1:${ports.pop()}`;
  const etcd = { client: next(), peer: next() };
  const nodes = NODES.map((name) => ({ name, postgres: next(), rest: next(), folder: join(folder, name) }));
  const [primary, standbys, bouncer] = [next(), next(), next()];
  const password = randomBytes(12).toString('hex');
  const children = new Map<string, ChildProcess>();

  const write = (from: string, to: string, values: Record<string, string>): string => {
    const text = readFileSync(join(CONFIGURATION, from), 'utf8').replace(/\$\{(\w+)\}/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined) throw new Error(`${from} needs ${name}`);
      return value;
    });
    writeFileSync(to, text, { mode: 0o600 });
    chownSync(to, uid, gid);
    return to;
  };
  const run = (name: string, command: string, args: string[]): void => {
    const log = openSync(join(folder, `${name}.log`), 'a');
    const child = spawn('setpriv', ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups', '--', command, ...args], {
      cwd: folder,
      stdio: ['ignore', log, log],
      env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', HOME: folder },
      detached: true,
    });
    children.set(name, child);
  };
  const isAlive = (name: string): boolean => {
    const child = children.get(name);
    return child !== undefined && child.exitCode === null && child.signalCode === null;
  };
  const hostAndPort = (name: string, address: string): Record<string, string> => {
    const [host = '', port = ''] = address.split(':');
    return { [`${name}_HOST`]: host, [`${name}_PORT`]: port };
  };

  const etcdConfig = write('etcd.yml', join(folder, 'etcd.yml'), {
    NAME: 'etcd1',
    DATA_DIR: folder,
    ETCD_CLIENT: etcd.client,
    ETCD_PEER: etcd.peer,
    ETCD_CLUSTER: `etcd1=http://${etcd.peer}`,
  });
  run('etcd', PROGRAMS.etcd, ['--config-file', etcdConfig]);
  for (const node of nodes) {
    mkdirSync(node.folder);
    chownSync(node.folder, uid, gid);
    write('patroni.yml', join(node.folder, 'patroni.yml'), {
      NAME: node.name,
      REST: node.rest,
      POSTGRES: node.postgres,
      ETCD_HOSTS: etcd.client,
      DATA_DIR: node.folder,
      BIN_DIR: BIN_DIR ?? '',
      NETWORK: '127.0.0.1/32',
      SUPERUSER_PASSWORD: password,
      REPLICATION_PASSWORD: password,
    });
  }
  const revive = (name: NodeName): void => {
    if (!isAlive(name)) run(name, PROGRAMS.patroni, [join(folder, name, 'patroni.yml')]);
  };
  for (const { name } of nodes) revive(name);
  const haproxyConfig = write('haproxy.cfg', join(folder, 'haproxy.cfg'), {
    PRIMARY: primary,
    STANDBYS: standbys,
    ...Object.fromEntries(nodes.map(({ postgres }, index) => [`POSTGRES_${index + 1}`, postgres])),
    ...Object.assign({}, ...nodes.map(({ rest }, index) => hostAndPort(`REST_${index + 1}`, rest))),
  });
  run('haproxy', PROGRAMS.haproxy, ['-f', haproxyConfig, '-db']);
  writeFileSync(join(folder, 'userlist.txt'), `"sluice" "${password}"\n`, { mode: 0o600 });
  chownSync(join(folder, 'userlist.txt'), uid, gid);
  const bouncerConfig = write('pgbouncer.ini', join(folder, 'pgbouncer.ini'), {
    DATA_DIR: folder,
    ...hostAndPort('PRIMARY', primary),
    ...hostAndPort('STANDBYS', standbys),
    ...hostAndPort('BOUNCER', bouncer),
  });
  run('pgbouncer', PROGRAMS.pgbouncer, ['-q', bouncerConfig]);

  const members = async (): Promise<Member[]> => {
    for (const { rest } of nodes) {
      const response = await fetch(`http://${rest}/cluster`, { signal: AbortSignal.timeout(2_000) }).catch(() => null);
      if (response?.ok) return ((await response.json()) as { members: Member[] }).members;
    }
    return [];
  };
  const healthy = async (timeoutMs = 120_000): Promise<NodeName> => {
    let leader: NodeName | undefined;
    await until(
      async () => {
        const found = await members();
        leader = found.find(({ role }) => role === 'leader')?.name;
        const isWhole = found.length === NODES.length && found.every(({ state }) => ['running', 'streaming'].includes(state));
        return leader !== undefined && isWhole && found.some(({ role }) => role === 'sync_standby');
      },
      timeoutMs,
      'a primary, a standby that confirms its commits, and another one',
      250,
    );
    return leader as NodeName;
  };
  const stop = async (): Promise<void> => {
    for (const child of children.values()) if (child.pid !== undefined) killGroup(child.pid);
    for (const { name } of nodes) for (const pid of serverOf(folder, name)) killQuietly(pid);
    await until(() => nodes.every(({ name }) => serverOf(folder, name).length === 0), 120_000, 'the end of the servers', 50);
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  try {
    await healthy();
    const [host = '', port = ''] = primary.split(':');
    const owner = new pg.Client({ host, port: Number(port), user: 'postgres', password, database: 'postgres' });
    await until(
      () => canConnect({ host, port: Number(port), user: 'postgres', password, database: 'postgres' }),
      120_000,
      'HAProxy',
      250,
    );
    await owner.connect();
    await owner.query(`create role sluice login createrole password '${password}'`);
    await owner.query('create database sluice owner sluice');
    await owner.end();
  } catch (error) {
    const logs = [...children.keys()].map((name) => `${name}: ${readFileSync(join(folder, `${name}.log`), 'utf8').slice(-600)}`);
    await stop();
    throw new Error(`the cluster did not start\n${logs.join('\n')}`, { cause: error });
  }
  return {
    url: `postgresql://sluice:${password}@${bouncer}/sluice`,
    standbysUrl: `postgresql://sluice:${password}@${bouncer}/sluice_standbys`,
    members,
    healthy,
    revive,
    async kill(name, what) {
      if (what === 'machine') killGroup(children.get(name)?.pid ?? 0);
      for (const pid of serverOf(folder, name)) killQuietly(pid);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** The processes of a node's server: the postmaster and its children. */
function serverOf(folder: string, node: NodeName): number[] {
  const file = join(folder, node, 'postgres', 'postmaster.pid');
  const postmaster = existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : 0;
  if (!(postmaster > 0) || !isRunning(postmaster)) return [];
  return [postmaster, ...processesBelow(postmaster)];
}

function idsOf(user: string): { uid: number; gid: number } {
  const [uid, gid] = ['-u', '-g'].map((option) => Number(spawnSync('id', [option, user], { encoding: 'utf8' }).stdout));
  return { uid: uid ?? 0, gid: gid ?? 0 };
}
