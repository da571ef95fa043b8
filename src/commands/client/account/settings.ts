import { readSecret } from '../../../read-secret.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { type Environment, type Profile, profilesFile, readProfiles } from './profiles.ts';

export type Asked = { profile?: string; url?: string };
export type Settings = { url: string; key: string; keyFrom: string; profile: string | null; role: string | null };

export const DEFAULT_URL = 'http://127.0.0.1:8080';

export const profileName = (env: Environment, asked: Asked): string => asked.profile ?? (env.SLUICE_PROFILE || 'default');

/** `localhost:8080` is a URL, of the scheme localhost. */
export const isHttp = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** The gateway of a command: that of --url, of the environment, of the profile, or of this machine. */
export function addressOf(env: Environment, asked: Asked, profile: Profile | undefined): string {
  const url = asked.url ?? (env.SLUICE_URL || profile?.url || DEFAULT_URL);
  if (isHttp(url)) return url;
  throw new CommandFailure(`the address ${url} is not a URL of http or https; expected one such as ${DEFAULT_URL}`, EXIT.usage);
}

/** Address and key of a command: the environment wins over the profile, except over a profile that was asked for by --profile. */
export function settingsOf(environment: Environment, asked: Asked): Settings {
  const env = asked.profile ? withoutSignIn(environment) : environment;
  const name = profileName(env, asked);
  const profile = readProfiles(env)[name];
  if (!profile && (asked.profile || env.SLUICE_PROFILE))
    throw new CommandFailure(`there is no profile ${name}: sluice login --profile ${name}`, EXIT.refused);
  const url = addressOf(env, asked, profile);
  const given = keyOf(env);
  if (given) return { url, ...given, profile: null, role: roleIn(given.key) };
  if (!profile)
    throw new CommandFailure(
      'you are not signed in: sluice login, or set SLUICE_KEY (or SLUICE_KEY_FILE) and SLUICE_URL',
      EXIT.refused,
    );
  // A key goes to the gateway for which it was stored and to no other.
  if (new URL(url).origin !== new URL(profile.url).origin)
    throw new CommandFailure(
      `the key of profile ${name} is for ${profile.url}, not for ${url}: sign in there with sluice login --url ${url} --profile NAME, or set SLUICE_KEY`,
      EXIT.refused,
    );
  return { url, key: profile.key, keyFrom: `profile ${name} in ${profilesFile(env)}`, profile: name, role: profile.role };
}

const withoutSignIn = (env: Environment): Environment => ({
  ...env,
  SLUICE_URL: undefined,
  SLUICE_KEY: undefined,
  SLUICE_KEY_FILE: undefined,
});

/** The key of the environment, or null; a file that holds it wins over the variable, as everywhere. */
function keyOf(env: Environment): { key: string; keyFrom: string } | null {
  const problems: string[] = [];
  const key = readSecret(env, 'SLUICE_KEY', problems);
  if (problems.length > 0) throw new CommandFailure(problems.join('\n'), EXIT.usage);
  return key === null ? null : { key, keyFrom: env.SLUICE_KEY_FILE ? 'SLUICE_KEY_FILE' : 'SLUICE_KEY' };
}

/** The role that a key names. The gateway decides what it may do; here it only chooses between the operations of a command. */
function roleIn(key: string): string | null {
  try {
    const claims: { role?: unknown } = JSON.parse(Buffer.from(key.split('.')[1] ?? '', 'base64url').toString());
    return typeof claims.role === 'string' ? claims.role : null;
  } catch {
    return null;
  }
}
