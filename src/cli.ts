import { CommanderError, InvalidArgumentError, Option } from 'commander';
import { type Asked, settingsOf } from './commands/client/account/settings.ts';
import { addClientCommands, isClientCommand } from './commands/client/client-commands.ts';
import { CommandFailure } from './commands/client/failure.ts';
import { run } from './commands/client/run.ts';
import { addExamples } from './commands/examples.ts';
import { notice } from './commands/notice.ts';
import { TellingCommand } from './commands/telling-command.ts';
import { ConfigError, readBusinessZone, readConfig } from './config.ts';
import type { Page } from './platform/pages.ts';
import type { GenerateOptions } from './loans/generate/generate-tape.ts';
import { LOAN_TYPES, type LoanType } from './loans/types.ts';
import { VERSION } from './version.ts';

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;
const PARENT_MS = 500;
/** Commands on the gateway's own database whose options are those of the API, and what completes them. */
const OF_OPERATORS = new Set(['keys', 'members', 'approval-policy', 'completion']);

const program = new TellingCommand('sluice')
  .description('Securitization platform gateway')
  .version(VERSION)
  .enablePositionalOptions()
  .option('--no-color', 'no colours, as with NO_COLOR')
  .exitOverride()
  // Names of subcommands alone, so that what they do keeps its room at 80 columns.
  .configureHelp({ subcommandTerm: (command) => command.name(), minWidthToWrap: 20 })
  .showHelpAfterError('The same command with --help shows what it takes, with examples.');
if (process.argv.includes('--no-color')) process.env.NO_COLOR = '1';
const words = process.argv.slice(2).filter((word) => !word.startsWith('-'));
// `help NOUN` is about that noun, whose verbs are added only then.
const [asked, verb] = words[0] === 'help' ? words.slice(1) : words;

// npm passes no signal on to what its shell runs, and a killed one cannot: then this process has another parent.
if (process.env.npm_lifecycle_event) {
  const parent = process.ppid;
  setInterval(() => process.ppid === parent || process.kill(process.pid, 'SIGTERM'), PARENT_MS).unref();
}

// Data goes to standard output, everything else to standard error.
const print = (line: string): void => void process.stdout.write(`${line}\n`);
// A reader that has enough closes the pipe, which is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  notice(`sluice: standard output cannot be written: ${error.message}`);
  process.exit(EXIT_FAILURE);
});
// A closed standard error does not end a command.
process.stderr.on('error', () => {});
const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));

function printNewest({ rows, total }: Page<unknown>): void {
  printJson(rows);
  if (total !== null && rows.length < total)
    notice(`the newest ${rows.length} of ${total}; the API lists the others, page by page`);
}

async function withRuntime(work: (runtime: import('./runtime.ts').Runtime) => Promise<void>): Promise<void> {
  const { openRuntime } = await import('./runtime.ts');
  await using runtime = await openRuntime(readConfig({ LOG_LEVEL: 'warn', ...process.env }), { log: notice });
  // No request waits for a command, so its statements may run longer.
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
  .description('migrate the database to this version')
  .action(() => withRuntime(async () => notice('the database is up to date')));

program
  .command('backup <directory>')
  .description('back up the database and its objects, consistent with each other, to a new directory while the gateway runs')
  .action(async (directory: string) => {
    const { backup } = await import('./commands/backup.ts');
    process.exitCode = await backup(readConfig({ LOG_LEVEL: 'warn', ...process.env }), directory, { printJson, notice });
  });

program
  .command('restore <directory>')
  .description('restore a backup to an empty database and its objects to the store')
  .action(async (directory: string) => {
    const { restore } = await import('./commands/restore.ts');
    process.exitCode = await restore(readConfig({ LOG_LEVEL: 'warn', ...process.env }), directory, { printJson, notice });
  });

program
  .command('openapi')
  .description('print the OpenAPI description')
  .action(async () => {
    const [{ ROUTES }, { describeApi }] = await Promise.all([import('./app.ts'), import('./description.ts')]);
    printJson(describeApi(ROUTES));
  });

// A command starts with the modules that it needs alone.
if (asked !== undefined && OF_OPERATORS.has(asked) && !isClientCommand(asked, verb)) {
  const { addKeyCommands } = await import('./commands/keys.ts');
  const { addApprovalCommand } = await import('./commands/approvals.ts');
  const { addMemberCommands } = await import('./commands/members.ts');
  addKeyCommands(program, { withRuntime, print, printJson, printNewest });
  addMemberCommands(program, { withRuntime, printJson, printNewest });
  addApprovalCommand(program, { withRuntime, printJson });
} else {
  program.command('keys').description('issue, list, revoke and rotate API keys on the gateway’s own database');
  program.command('members').description('add, list, change and remove people on the gateway’s own database');
  program.command('approval-policy').description('show or set how many people each act of the operators needs');
}

const tape = program.command('tape').description('check or generate a tape');
tape
  .command('check <file>')
  .description('check a tape as the gateway would; the report is JSON')
  .addOption(new Option('--type <type>', 'loan type').choices([...LOAN_TYPES]).makeOptionMandatory())
  .action(async (file: string, options: { type: LoanType }) => {
    const { requireFile } = await import('./commands/client/local-file.ts');
    await requireFile(file);
    const { tapeCheck } = await import('./commands/tape.ts');
    const asked = { loanType: options.type, zone: readBusinessZone(process.env) };
    process.exitCode = await tapeCheck(file, asked, { print, notice });
  });
tape
  .command('generate')
  .description('write a generated tape as CSV')
  .addOption(new Option('--type <type>', 'loan type').choices([...LOAN_TYPES]).makeOptionMandatory())
  .requiredOption('--rows <number>', 'how many loans', wholeNumber)
  .option('--defects', 'plant defects; the expected findings go to standard error')
  .option('--seed <number>', 'seed of the generator; another seed gives another tape', wholeNumber, 1)
  .addOption(
    new Option('--month <number>', 'the tape of the servicer so many months later').argParser(wholeNumber).conflicts('defects'),
  )
  .option('--reporting-date <date>', 'day of the tape, YYYY-MM-DD: the dates of its loans lie around it', day)
  .action(async (options: GenerateOptions & { month?: number }) => {
    const { tapeGenerate } = await import('./commands/tape.ts');
    await tapeGenerate(options, { notice });
  });

program
  .command('doctor')
  .description('check whether this machine and these settings can run the gateway')
  .action(async () => {
    const { doctor } = await import('./commands/doctor.ts');
    process.exitCode = await doctor(process.env, print);
  });

const ledger = program.command('ledger').description('verify the ledger of face and cash');
ledger
  .command('verify')
  .description('check that the whole ledger adds up to zero and equals the positions')
  .action(() =>
    withRuntime(async (runtime) => {
      const { verifyLedger } = await import('./features/trades/ledger-queries.ts');
      const verdict = await runtime.db.tx({ platform: true }, verifyLedger);
      printJson(verdict);
      if (!verdict.valid) process.exitCode = EXIT_FAILURE;
    }),
  );

program
  .command('fingerprints')
  .description('rebuild the digests by which loans of organizations are compared')
  .command('rebuild')
  .description('rebuild the digests under the present key, and compare all live pools and pledges')
  .action(() =>
    withRuntime(async (runtime) => {
      const { encumberPools } = await import('./features/pools/encumber-pools.ts');
      const { settlePledges } = await import('./features/pledges/report-pledge.ts');
      printJson({ key: runtime.fingerprints.keyId, pools: await encumberPools(runtime), pledges: await settlePledges(runtime) });
    }),
  );

program
  .command('destructions')
  .description('destroy personal data again in a database that was restored to an earlier moment')
  .command('apply')
  .description('destroy all personal data of the list of destructions that the database still has')
  .action(() =>
    withRuntime(async (runtime) => {
      const { applyDestructions } = await import('./features/tapes/destructions.ts');
      const applied = await applyDestructions(runtime, (work) => runtime.db.tx({ platform: true }, work));
      printJson(applied);
      if (applied.failures.length > 0) process.exitCode = EXIT_FAILURE;
    }),
  );

program
  .command('encryption-key')
  .description('give up a lost encryption key')
  .command('forget')
  .description(
    'the next gateway that starts marks the database with its own key, and everything sealed under the lost one is lost',
  )
  .option('--yes', 'confirm that what was sealed under the key is given up')
  .action(async ({ yes }: { yes?: boolean }) => {
    if (!yes) throw new CommandFailure('what was sealed under the key can never be read again: confirm with --yes', EXIT_USAGE);
    await withRuntime(async (runtime) => {
      const { forgetKeyMark } = await import('./platform/db/key-mark.ts');
      await runtime.db.tx({ platform: true }, forgetKeyMark);
      printJson({ forgotten: true });
    });
  });

const webhooks = program.command('webhooks').description('tools for receivers of webhooks');
webhooks
  .command('verify <body>')
  .description('check a signature against a body (a file, or - for standard input) and show what differs')
  .requiredOption('--signature <header>', 'value of X-Platform-Signature')
  .addOption(new Option('--secret <secret>', 'signing secret of the subscription').conflicts('secretFile'))
  .option('--secret-file <file>', 'file with the secret')
  .action(async (body: string, options: { signature: string; secret?: string; secretFile?: string }) => {
    const { webhooksVerify } = await import('./commands/webhooks-verify.ts');
    process.exitCode = webhooksVerify({ body, ...options }, { print });
  });

program
  .command('mcp')
  .description('serve the API to an assistant over the Model Context Protocol, on standard input and output')
  .option('--allow-writes', 'offer operations that change records; each still has to be confirmed', false)
  .option('--tools <sets>', 'which operations are tools of their own: default, all, or chapters such as pools, with commas')
  .option('--profile <name>', 'profile to sign in with')
  .option('--url <url>', 'address of the gateway')
  .action(async (options: Asked & { allowWrites: boolean; tools?: string }) => {
    const { url, key } = settingsOf(process.env, options);
    const { mcp } = await import('./commands/mcp.ts');
    await mcp({ ...options, url, key, notice });
  });

const organizations = program.command('organizations').description('list the organizations on the gateway’s own database');
organizations
  .command('list')
  .description('list the organizations, newest first')
  .action(() =>
    withRuntime(async (runtime) => {
      const { listOrganizations } = await import('./features/organizations/queries.ts');
      printNewest(await runtime.db.tx({ platform: true }, (tx) => listOrganizations(tx, { page: 1, limit: 1_000 })));
    }),
  );

addClientCommands(program, asked, run);
addExamples(program);

function day(text: string): string {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
    throw new InvalidArgumentError('expected a date as YYYY-MM-DD');
  return text;
}

function wholeNumber(text: string): number {
  if (!/^\d{1,8}$/.test(text)) throw new InvalidArgumentError('expected a whole number of at most 8 digits');
  return Number(text);
}

try {
  await program.parseAsync(process.argv);
} catch (thrown) {
  if (thrown instanceof CommanderError) process.exitCode = thrown.exitCode === 0 ? 0 : EXIT_USAGE;
  else {
    const { firstError, unavailableReason } = await import('./platform/unavailable.ts');
    const error = firstError(thrown);
    const reason = unavailableReason(error);
    notice(`sluice: ${reason ? `${reason}: ` : ''}${(error as Error).message}`);
    process.exitCode =
      error instanceof CommandFailure ? error.exitCode : error instanceof ConfigError ? EXIT_USAGE : EXIT_FAILURE;
  }
}
