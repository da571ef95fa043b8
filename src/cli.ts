import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { notice } from './commands/notice.ts';
import { ConfigError, type Environment, ENVIRONMENTS, readConfig } from './config.ts';
import type { Page, Role } from './platform/http/route.ts';
import { LOAN_TYPES, type LoanType } from './platform/http/schemas.ts';

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;
const DAY_SECONDS = 86_400;

const program = new Command('sluice').description('Securitization platform gateway').exitOverride().showHelpAfterError();

// Data goes to standard output, everything else to standard error.
const print = (line: string): void => void process.stdout.write(`${line}\n`);
// A reader that has seen enough closes the pipe: that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  notice(`sluice: standard output cannot be written: ${error.message}`);
  process.exit(EXIT_FAILURE);
});
// What cannot be said on standard error ends nothing.
process.stderr.on('error', () => {});
const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

function printNewest({ rows, total }: Page<unknown>): void {
  printJson(rows);
  if (rows.length < total) notice(`the newest ${rows.length} of ${total}; the API has the others, page by page`);
}

async function withRuntime(
  work: (runtime: import('./runtime.ts').Runtime) => Promise<void>,
  config = readConfig({ LOG_LEVEL: 'warn', ...process.env }),
): Promise<void> {
  const { openRuntime } = await import('./runtime.ts');
  await using runtime = await openRuntime(config, { log: notice });
  // No request waits for a command: its statements may take their time.
  await work({ ...runtime, db: runtime.db.patient() });
}

program
  .command('serve')
  .description('serve the API, with a worker inside')
  .option('--no-worker', 'serve the API alone')
  .action(async (options: { worker: boolean }) =>
    (await import('./commands/serve.ts')).serve(readConfig(process.env), { api: true, worker: options.worker }),
  );

program
  .command('work')
  .description('work on queued jobs and webhook deliveries')
  .action(async () => (await import('./commands/serve.ts')).serve(readConfig(process.env), { api: false, worker: true }));

program
  .command('dev')
  .description('everything in one process tree: database, seeded sandbox, API, worker, docs')
  .action(async () => (await import('./commands/dev.ts')).dev(process.env));

program
  .command('migrate')
  .description('bring the database to this version')
  .action(() => withRuntime(async () => notice('the database is up to date')));

program
  .command('backup <directory>')
  .description('keep the database and its objects, consistent with each other, in a new directory; the gateway works on')
  .action(async (directory: string) => {
    const { backup } = await import('./commands/backup.ts');
    process.exitCode = await backup(readConfig({ LOG_LEVEL: 'warn', ...process.env }), directory, { printJson, notice });
  });

program
  .command('restore <directory>')
  .description('bring a backup into an empty database and its objects into the store')
  .action(async (directory: string) => {
    const { restore } = await import('./commands/restore.ts');
    process.exitCode = await restore(readConfig({ LOG_LEVEL: 'warn', ...process.env }), directory, { printJson, notice });
  });

program
  .command('openapi')
  .description('print the OpenAPI description')
  .action(async () => {
    const [{ ROUTES }, { openApi }, { API_VERSION }] = await Promise.all([
      import('./app.ts'),
      import('./platform/http/openapi.ts'),
      import('./platform/http/pages.ts'),
    ]);
    printJson(openApi(ROUTES, API_VERSION));
  });

const keys = program.command('keys').description('issue, list, revoke and rotate API keys');
keys
  .command('issue')
  .requiredOption('--organization <name>', 'name of the organization', words(200))
  .addOption(
    new Option('--role <role>', 'what the key may reach')
      .choices(['originator', 'investor', 'both', 'operator'])
      .makeOptionMandatory(),
  )
  .addOption(new Option('--environment <environment>', 'where the key works').choices([...ENVIRONMENTS]).makeOptionMandatory())
  .requiredOption('--requester <who>', 'who asked for the key', words(200))
  .requiredOption('--use-case <why>', 'what it is for', words(1_000))
  .option('--expires-in <duration>', 'life of the key, such as 90d or 12h (default 90d, at most 365d)', seconds(1, 365))
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
    }) =>
      withRuntime(async (runtime) => {
        const { defaultProfile, issueKey } = await import('./features/keys/issue-key.ts');
        const { useCase, expiresIn, ...request } = options;
        const issued = await runtime.db.tx({ platform: true }, (tx) =>
          issueKey(
            tx,
            runtime.tokens,
            {
              ...defaultProfile(runtime.config.environment),
              ...request,
              use_case: useCase,
              ...(expiresIn ? { expires_in_seconds: expiresIn } : {}),
            },
            'command line',
          ),
        );
        notice(`key ${issued.key_id} of ${issued.organization_id}, expires ${issued.expires_at.toISOString()}`);
        print(issued.token);
      }),
  );
keys.command('list').action(() =>
  withRuntime(async (runtime) => {
    const { listKeys } = await import('./features/keys/queries.ts');
    printNewest(await runtime.db.tx({ platform: true }, (tx) => listKeys(tx, { page: 1, limit: 1_000 })));
  }),
);
keys.command('revoke <key-id>').action((keyId: string) =>
  withRuntime(async (runtime) => {
    const { revokeKey } = await import('./features/keys/issue-key.ts');
    printJson(await runtime.db.tx({ platform: true }, (tx) => revokeKey(tx, keyId, 'command line', null)));
  }),
);
keys
  .command('rotate <key-id>')
  .option('--overlap <duration>', 'how long the old key works on, at most 30d', seconds(0, 30), DAY_SECONDS)
  .action((keyId: string, options: { overlap: number }) =>
    withRuntime(async (runtime) => {
      const { rotateKey } = await import('./features/keys/issue-key.ts');
      const issued = await runtime.db.tx({ platform: true }, (tx) =>
        rotateKey(tx, runtime.tokens, keyId, options.overlap, 'command line'),
      );
      notice(`key ${issued.key_id} replaces ${keyId}`);
      print(issued.token);
    }),
  );

const tape = program.command('tape').description('check a tape, or make one');
tape
  .command('check <file>')
  .description('check a tape as the gateway would; the report is JSON')
  .addOption(new Option('--type <type>', 'loan type').choices([...LOAN_TYPES]).makeOptionMandatory())
  .action(async (file: string, options: { type: LoanType }) => {
    const { tapeCheck } = await import('./commands/tape.ts');
    process.exitCode = await tapeCheck(file, options.type, { print, notice });
  });
tape
  .command('generate')
  .description('write a generated tape as CSV')
  .addOption(new Option('--type <type>', 'loan type').choices([...LOAN_TYPES]).makeOptionMandatory())
  .requiredOption('--rows <number>', 'how many loans', wholeNumber)
  .option('--defects', 'plant defects; the findings that they should make go to standard error')
  .option('--seed <number>', 'another seed makes another tape', wholeNumber, 1)
  .action(async (options: { type: LoanType; rows: number; defects?: boolean; seed: number }) => {
    const { tapeGenerate } = await import('./commands/tape.ts');
    await tapeGenerate(options, { notice });
  });

program
  .command('doctor')
  .description('look whether this machine and these settings can run the gateway')
  .action(async () => {
    const { doctor } = await import('./commands/doctor.ts');
    process.exitCode = await doctor(process.env, print);
  });

const ledger = program.command('ledger').description('look at the ledger of face and cash');
ledger
  .command('verify')
  .description('add the whole ledger up: zero everywhere, and equal to the positions')
  .action(() =>
    withRuntime(async (runtime) => {
      const { verifyLedger } = await import('./features/trades/ledger.ts');
      const verdict = await runtime.db.tx({ platform: true }, verifyLedger);
      printJson(verdict);
      if (!verdict.valid) process.exitCode = EXIT_FAILURE;
    }),
  );

const webhooks = program.command('webhooks').description('help for those who receive webhooks');
webhooks
  .command('verify <body>')
  .description('say whether a signature fits a body (a file, or - for standard input), and what differs if it does not')
  .requiredOption('--signature <header>', 'value of X-Platform-Signature')
  .option('--secret <secret>', 'signing secret of the subscription')
  .option('--secret-file <file>', 'file with the secret')
  .action(async (body: string, options: { signature: string; secret?: string; secretFile?: string }) => {
    const { webhooksVerify } = await import('./commands/webhooks-verify.ts');
    process.exitCode = webhooksVerify({ body, ...options }, { print });
  });

program
  .command('listen')
  .description('bring your organization’s events to a program on this machine, without a public address')
  .requiredOption('--forward-to <url>', 'where to post them')
  .option('--gateway <url>', 'the gateway (default $BASE, else http://127.0.0.1:8080)')
  .option('--key <key>', 'API key (default $KEY)')
  .option('--secret <secret>', 'sign with this secret instead of a new one')
  .action(async (options: { forwardTo: string; gateway?: string; key?: string; secret?: string }) => {
    const { listen } = await import('./commands/listen.ts');
    const key = options.key ?? process.env.KEY;
    if (!key) throw new Error('a key is needed: --key, or KEY in the environment');
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
    const gateway = options.gateway ?? process.env.BASE ?? 'http://127.0.0.1:8080';
    await listen({ ...options, gateway, key, signal: stop.signal, log: notice });
  });

const organizations = program.command('organizations').description('look at organizations');
organizations.command('list').action(() =>
  withRuntime(async (runtime) => {
    const { listOrganizations } = await import('./features/keys/queries.ts');
    printNewest(await runtime.db.tx({ platform: true }, (tx) => listOrganizations(tx, { page: 1, limit: 1_000 })));
  }),
);

function wholeNumber(text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
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

try {
  await program.parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : EXIT_USAGE;
  else {
    const { unavailableReason } = await import('./platform/unavailable.ts');
    const reason = unavailableReason(error);
    notice(`sluice: ${reason ? `${reason}: ` : ''}${(error as Error).message}`);
    process.exitCode = error instanceof ConfigError ? EXIT_USAGE : EXIT_FAILURE;
  }
}
