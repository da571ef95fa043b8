import { type Command, InvalidArgumentError, Option } from 'commander';
import { ENVIRONMENTS, type Environment } from '../config.ts';
import type { Page } from '../platform/pages.ts';
import type { Role } from '../platform/http/caller.ts';
import type { Runtime } from '../runtime.ts';
import { type Scope, SCOPES } from '../features/keys/scopes.ts';
import { notice } from './notice.ts';
import { platformActor } from '../platform/http/platform-actor.ts';
import { asId } from '../platform/ids.ts';

const DAY_SECONDS = 86_400;
const COMMAND_LINE = platformActor('command line');

type Means = {
  withRuntime(work: (runtime: Runtime) => Promise<void>): Promise<void>;
  print(line: string): void;
  printJson(value: unknown): void;
  printNewest(page: Page<unknown>): void;
};

/** `sluice keys …`: each command is one operation in the platform's scope. */
export function addKeyCommands(program: Command, means: Means): void {
  const keys = program.command('keys').description('issue, list, revoke and rotate API keys');
  addIssue(keys, means);
  addOthers(keys, means);
}

function addIssue(keys: Command, { withRuntime, print }: Means): void {
  keys
    .command('issue')
    .description('issue a key; the token alone goes to standard output, once')
    .requiredOption('--organization <name>', 'name of the organization', words(200))
    .addOption(
      new Option('--role <role>', 'role of the key')
        .choices(['originator', 'investor', 'both', 'operator'])
        .makeOptionMandatory(),
    )
    .addOption(new Option('--environment <environment>', 'where the key works').choices([...ENVIRONMENTS]).makeOptionMandatory())
    .requiredOption('--requester <who>', 'who requested the key', words(200))
    .requiredOption('--use-case <why>', 'purpose of the key', words(1_000))
    .option('--expires-in <duration>', 'life of the key, such as 90d or 12h (default 90d, at most 365d)', seconds(1, 365))
    .option('--label <label>', 'what the key is called', words(100))
    .addOption(
      new Option('--scope <scope...>', 'what the key may do of what its role may (default: all of it)').choices([...SCOPES]),
    )
    .option('--network <network...>', 'networks that the key may be used from, such as 10.1.0.0/16 (default: any)')
    .addOption(new Option('--profile <profile>', 'compliance profile of a new organization').choices(['verified', 'none']))
    .action(
      (options: {
        organization: string;
        role: Role;
        environment: Environment;
        requester: string;
        useCase: string;
        expiresIn?: number;
        profile?: 'verified' | 'none';
        label?: string;
        scope?: Scope[];
        network?: string[];
      }) =>
        withRuntime(async (runtime) => {
          const { defaultProfile, issueKey } = await import('../features/keys/issue-key.ts');
          const { useCase, expiresIn, scope, network, ...request } = options;
          const issued = await runtime.db.tx({ platform: true }, (tx) =>
            issueKey(
              tx,
              COMMAND_LINE,
              {
                ...defaultProfile(runtime.config.environment),
                ...request,
                use_case: useCase,
                ...(scope ? { scopes: scope } : {}),
                ...(network ? { networks: network } : {}),
                ...(expiresIn ? { expires_in_seconds: expiresIn } : {}),
              },
              runtime,
            ),
          );
          notice(`key ${issued.key_id} of ${issued.organization_id}, expires ${issued.expires_at.toISOString()}`);
          print(issued.token);
        }),
    );
}

function addOthers(keys: Command, { withRuntime, print, printJson, printNewest }: Means): void {
  keys
    .command('list')
    .description('list the keys of all organizations, newest first')
    .action(() =>
      withRuntime(async (runtime) => {
        const { listKeys } = await import('../features/keys/queries.ts');
        printNewest(await runtime.db.tx({ platform: true }, (tx) => listKeys(tx, { page: 1, limit: 1_000 })));
      }),
    );
  keys
    .command('revoke <key-id>')
    .description('end a key at once')
    .action((keyId: string) =>
      withRuntime(async (runtime) => {
        const { revokeKey } = await import('../features/keys/issue-key.ts');
        printJson(
          await runtime.db.tx({ platform: true }, (tx) =>
            revokeKey(tx, COMMAND_LINE, { keyId: asId('key', keyId), reason: null }),
          ),
        );
      }),
    );
  keys
    .command('rotate <key-id>')
    .description('issue another key in the place of one, which stays valid for the overlap')
    .option('--overlap <duration>', 'how long the old key stays valid, at most 30d', seconds(0, 30), DAY_SECONDS)
    .action((keyId: string, options: { overlap: number }) =>
      withRuntime(async (runtime) => {
        const { rotateKey } = await import('../features/keys/issue-key.ts');
        const issued = await runtime.db.tx({ platform: true }, (tx) =>
          rotateKey(tx, COMMAND_LINE, { keyId: asId('key', keyId), overlapSeconds: options.overlap }, runtime),
        );
        notice(`key ${issued.key_id} replaces ${keyId}`);
        print(issued.token);
      }),
    );
}

/** Reads a duration as seconds. */
function seconds(least: number, mostDays: number): (text: string) => number {
  return (text) => {
    const match = /^(\d{1,9})(s|m|h|d)$/.exec(text);
    if (!match) throw new InvalidArgumentError('expected a duration such as 90d, 12h, 30m or 45s');
    const value = Number(match[1]) * ({ s: 1, m: 60, h: 3_600, d: DAY_SECONDS }[match[2] ?? 's'] ?? 1);
    if (value < least) throw new InvalidArgumentError(`expected at least ${least} second`);
    if (value > mostDays * DAY_SECONDS) throw new InvalidArgumentError(`expected at most ${mostDays} days`);
    return value;
  };
}

function words(most: number): (text: string) => string {
  return (text) => {
    if (/^[^\p{Cc}]+$/u.test(text) && text.trim() !== '' && text.length <= most) return text;
    throw new InvalidArgumentError(`expected 1 to ${most} printable characters`);
  };
}
