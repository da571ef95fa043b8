import type { Command } from 'commander';
import { Option } from 'commander';
import { notice } from '../../notice.ts';
import { connect } from '../connection.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { print } from '../output/print.ts';
import { safeJson, safeText } from '../output/safe-text.ts';
import type { Run } from '../run.ts';
import { readProfiles, writeProfiles } from './profiles.ts';
import { readKey } from './read-key.ts';
import { addressOf, type Asked, DEFAULT_URL, profileName, settingsOf } from './settings.ts';

/** `sluice login`, `logout` and `whoami`. */
export function addAccountCommands(program: Command, run: Run): void {
  program
    .command('login')
    .description('sign in: store a key, typed without an echo or from standard input, once the gateway has accepted it')
    .option('--url <url>', `address of the gateway (default $SLUICE_URL, else ${DEFAULT_URL})`)
    .option('--profile <name>', 'profile to store it in (default $SLUICE_PROFILE, else default)')
    .option('--key-stdin', 'read the key from standard input')
    .addOption(new Option('--key [key]').hideHelp())
    .addHelpText(
      'after',
      '\nExamples:\n  sluice login --url https://sluice.example.com\n  sluice login --profile desk --key-stdin < key.txt',
    )
    .action((options: Asked & { keyStdin?: boolean; key?: string | true }) => run((signal) => login(options, signal)));
  program
    .command('logout')
    .description('forget the key of a profile; it keeps working until it is revoked')
    .option('--profile <name>', 'the profile (default $SLUICE_PROFILE, else default)')
    .addHelpText('after', '\nExample:\n  sluice logout --profile desk')
    .action((options: Asked) => run(async () => logout(options)));
  program
    .command('whoami')
    .description('whose key is in use: organization, role, environment, expiry, API version, address')
    .option('--url <url>', 'address of the gateway')
    .option('--profile <name>', 'the profile')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExamples:\n  sluice whoami\n  sluice whoami --json')
    .action((options: Asked & { json?: boolean }) => run((signal) => whoami(options, signal)));
}

async function login(options: Asked & { keyStdin?: boolean; key?: string | true }, signal: AbortSignal): Promise<number> {
  if (options.key !== undefined)
    throw new CommandFailure(
      'a key is never an argument: other programs and the history of the shell see it. Type it, or use --key-stdin; if this one was real, revoke it',
      EXIT.usage,
    );
  const name = profileName(process.env, options);
  const known = readProfiles(process.env);
  const url = addressOf(process.env, options, known[name]);
  if (travelsOpenly(url)) notice(`sluice: ${safeText(url)} is not https: the key travels unencrypted`);
  const key = await readKey(options.keyStdin ?? false);
  const connection = await connect({ url, key, keyFrom: 'standard input', profile: name, role: null }, signal);
  const me = await connection.sluice.get('/v1/api/me', { signal });
  const path = writeProfiles(process.env, { ...known, [name]: { url, key, role: me.role, organization: me.organization } });
  notice(`signed in at ${safeText(url)} as ${safeText(me.organization)} (${me.role}); profile ${name} in ${path}`);
  const from = process.env.SLUICE_KEY_FILE ? 'SLUICE_KEY_FILE' : process.env.SLUICE_KEY ? 'SLUICE_KEY' : null;
  if (from) notice(`sluice: ${from} is set and wins over the profile, unless --profile names it`);
  return EXIT.ok;
}

function travelsOpenly(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

function logout(options: Asked): number {
  const name = profileName(process.env, options);
  const { [name]: found, ...others } = readProfiles(process.env);
  if (!found) throw new CommandFailure(`there is no profile ${name}`, EXIT.refused);
  writeProfiles(process.env, others);
  notice(`profile ${name} is forgotten; its key works until it expires or is revoked`);
  return EXIT.ok;
}

async function whoami(options: Asked & { json?: boolean }, signal: AbortSignal): Promise<number> {
  const settings = settingsOf(process.env, options);
  const me = await (await connect(settings, signal)).sluice.get('/v1/api/me', { signal });
  const { rate_limit: _limit, ...rest } = me;
  const shown: Record<string, unknown> = { ...rest, url: settings.url, key_from: settings.keyFrom };
  if (options.json) print(safeJson(shown, 2));
  else for (const [field, value] of Object.entries(shown)) print(`${field.padEnd(16)}${safeText(String(value))}`);
  return EXIT.ok;
}
