import { Argument, type Command } from 'commander';
import { addAccountCommands } from './account/account-commands.ts';
import { addApiCommand } from './api-command.ts';
import { loadOperations, operationNamed } from './catalogue/load.ts';
import { NOUNS, type Noun } from './catalogue/nouns.ts';
import type { Operation } from './catalogue/operation.ts';
import { completionScript, type Shell, SHELLS } from './completion.ts';
import { addListen } from './listen-command.ts';
import { addOperationCommand } from './operation-command.ts';
import type { Run } from './run.ts';
import { addTail } from './tail-commands.ts';
import { addDocumentCommands, addTapeUpload } from './upload-commands.ts';

const OWN = ['login', 'logout', 'whoami', 'api', 'trigger', 'listen'];
const TAILED = ['events', 'alerts', 'requests'];

/** Whether the command speaks to a gateway over its API, or is of this program alone; it needs nothing of the gateway's own. */
export const isClientCommand = (name: string | undefined, verb: string | undefined): boolean =>
  name !== undefined && (OWN.includes(name) || (name in NOUNS && !(name === 'webhooks' && verb === 'verify')));

/** Adds the commands of the client: those of the noun that is asked for with their options, the others by name. */
export function addClientCommands(program: Command, asked: string | undefined, run: Run): void {
  addAccountCommands(program, run);
  addApiCommand(program, run);
  addTrigger(program, run);
  addListen(program, run);
  program
    .command('completion')
    .addArgument(new Argument('<shell>').choices([...SHELLS]))
    .description('print the completion script of a shell')
    .addHelpText(
      'after',
      '\nExamples:\n  source <(sluice completion bash)\n  sluice completion fish > ~/.config/fish/completions/sluice.fish',
    )
    .action((shell: Shell) => {
      const operations = loadOperations();
      for (const [name, noun] of nouns()) fill(nounCommand(program, name, noun), { name, noun, operations, run });
      process.stdout.write(completionScript(program, shell));
    });
  for (const [name, noun] of nouns()) {
    if (asked === 'completion') continue;
    const command = nounCommand(program, name, noun);
    if (asked === name) fill(command, { name, noun, operations: loadOperations(), run });
  }
}

const nouns = (): [string, Noun][] => Object.entries(NOUNS);

/** The command of a noun; the gateway's own tools have some of them already. */
const nounCommand = (program: Command, name: string, noun: Noun): Command =>
  program.commands.find((each) => each.name() === name) ?? program.command(name).description(noun.about);

type Filling = { name: string; noun: Noun; operations: ReadonlyMap<string, Operation>; run: Run };

function fill(command: Command, { name, noun, operations, run }: Filling): void {
  for (const [verb, ids] of Object.entries(noun.verbs))
    addOperationCommand(
      command,
      noun,
      verb,
      ids.map((id) => operationNamed(operations, id)),
      run,
    );
  if (name === 'tapes') addTapeUpload(command, run);
  if (name === 'documents') addDocumentCommands(command, run);
  if (TAILED.includes(name)) addTail(command, run);
}

/** `sluice trigger EVENT`: an event of the sandbox to everything that follows events. */
function addTrigger(program: Command, run: Run): void {
  program
    .command('trigger <event>')
    .description('fire an event in the sandbox: it is delivered as a real one')
    .option('-f, --field <field=value>', 'a field of its data', (text: string, before: string[] = []) => [...before, text])
    .option('--json', 'print JSON')
    .option('--profile <name>', 'profile to sign in with')
    .option('--url <url>', 'address of the gateway')
    .addHelpText('after', '\nExample:\n  sluice trigger trade.settled')
    .action((event: string, options: { field?: string[] }) =>
      run(async (signal) => {
        const { perform } = await import('./perform.ts');
        const operation = operationNamed(loadOperations(), 'fireSandboxEvent');
        const field = options.field?.map((each) => `data.${each}`) ?? [];
        return await perform({
          noun: null,
          operations: [operation],
          ids: [],
          given: new Map([['event', event]]),
          means: { ...options, field },
          signal,
        });
      }),
    );
}
