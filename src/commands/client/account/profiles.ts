import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { notice } from '../../notice.ts';
import { CommandFailure } from '../failure.ts';

export type Profile = { url: string; key: string; role: string; organization: string };
export type Environment = Readonly<Record<string, string | undefined>>;

const OTHERS = 0o077;

/** Where the profiles are: under XDG_CONFIG_HOME, else ~/.config. */
export const profilesFile = (env: Environment): string =>
  join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'sluice', 'profiles.json');

export function readProfiles(env: Environment): Record<string, Profile> {
  const path = profilesFile(env);
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0)
      notice(`sluice: others can read ${path}, which holds API keys: chmod 600 ${path}`);
    const { profiles }: { profiles: Record<string, Profile> } = JSON.parse(readFileSync(path, 'utf8'));
    return { ...profiles };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CommandFailure(`${path} cannot be read: ${(error as Error).message}; sign in again after removing it`);
  }
}

/** Written beside and renamed: a reader never sees half of it, and it is never readable by others. */
export function writeProfiles(env: Environment, profiles: Readonly<Record<string, Profile>>): string {
  const path = profilesFile(env);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}.new`;
  try {
    writeFileSync(temporary, `${JSON.stringify({ profiles }, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  return path;
}
