import { type Command, Option } from 'commander';
import type { Noun } from './catalogue/nouns.ts';
import { fieldsOf } from './catalogue/fields.ts';
import type { Field, Operation } from './catalogue/operation.ts';
import { ROLES } from './choose-operation.ts';
import { isDestructive } from './confirm.ts';
import type { Run } from './run.ts';
import { canWait } from './wait.ts';

/** One command: the operations that it calls, one for each role where there are several. */
export function addOperationCommand(parent: Command, noun: Noun, verb: string, operations: readonly Operation[], run: Run): void {
  const command = parent
    .command(`${verb} [ids...]`)
    .summary(operations[0]?.summary ?? '')
    .usage(`${[...new Set(operations.map(idsOf))].join(' | ')} [options]`.trim())
    .description(operations.map(({ summary, description }) => [summary, description].filter(Boolean).join('\n')).join('\n\n'));
  const fields = addFields(command, operations);
  addMeans(command, operations);
  command.addHelpText(
    'after',
    `\nExamples:\n${[...new Set(operations.map(exampleOf))].map((each) => `  sluice ${parent.name()} ${verb}${each}`).join('\n')}`,
  );
  command.action((ids: string[], options: Record<string, unknown>) =>
    run(async (signal) => {
      const { perform } = await import('./perform.ts');
      return await perform({ noun, operations, ids, given: given(fields, options), means: options, signal });
    }),
  );
}

/** `dealId` as DEAL_ID. */
const placeholder = (name: string): string => name.replace(/([A-Z])/g, '_$1').toUpperCase();

/** `loanType` and `loan_type` as loan-type. */
const optionName = (name: string): string => placeholder(name).replaceAll('_', '-').toLowerCase();

const idsOf = ({ path_fields }: Operation): string => path_fields.map(placeholder).join(' ');

/** Options of the command itself. */
const OWN_OPTIONS = [
  'profile',
  'url',
  'as',
  'json',
  'csv',
  'columns',
  'output',
  'all',
  'yes',
  'wait',
  'body',
  'field',
  'help',
  'page',
  'limit',
];

/** An option for each field of the query and the body; a name that an option of the command has is for -f. */
function addFields(command: Command, operations: readonly Operation[]): Map<string, string> {
  const taken = new Set(OWN_OPTIONS);
  const fields = new Map<string, string>();
  for (const field of operations.flatMap(fieldsOf)) {
    if (taken.has(field.name)) continue;
    taken.add(field.name);
    for (const option of optionsOf(field)) {
      command.addOption(option);
      fields.set(option.attributeName(), field.name);
    }
  }
  return fields;
}

function optionsOf(field: Field): Option[] {
  const name = optionName(field.name);
  const told = [
    field.description,
    field.values.length > 0 ? `one of ${field.values.join(', ')}` : '',
    field.required ? '(required)' : '',
  ]
    .filter(Boolean)
    .join(' ');
  if (field.kind === 'boolean') return [new Option(`--${name}`, told), new Option(`--no-${name}`, 'the opposite').hideHelp()];
  const option = new Option(
    `--${name} <${field.kind === 'json' ? 'json|@file' : field.kind === 'number' ? 'number' : 'text'}>`,
    told,
  );
  return [field.list ? option.argParser((text: string, before: string[] = []) => [...before, text]) : option];
}

function addMeans(command: Command, operations: readonly Operation[]): void {
  const some = (holds: (each: Operation) => boolean): boolean => operations.some(holds);
  if (some(({ body }) => body?.kind === 'json'))
    command
      .option(
        '-f, --field <field=value>',
        'a field of the body, such as offering.kind=x; JSON where it is JSON',
        (text: string, before: string[] = []) => [...before, text],
      )
      .option('--body <file>', 'the body as a JSON file, or - for standard input; fields given beside it win');
  if (some(({ body }) => body?.kind === 'bytes'))
    command.requiredOption('--body <file>', 'the file to send, or - for standard input');
  if (some(({ headers }) => headers.includes('If-Match')))
    command.option('--if-match <version>', 'only where the record still has this ETag');
  if (some(({ headers }) => headers.includes('Idempotency-Key')))
    command.option('--idempotency-key <key>', 'a key of your own: the same request with it is carried out once');
  if (some(({ reply }) => reply.paged)) command.option('--page <number>', 'which page');
  if (some(({ query }) => query.some(({ name }) => name === 'limit')))
    command.option('--limit <number>', 'at most so many records');
  if (some(({ reply }) => reply.paged)) command.option('--all', 'every record; with --json one a line');
  if (some(canWait)) command.option('--wait', 'wait until it is finished, and print the outcome');
  if (some(isDestructive)) command.option('--yes', 'do not ask');
  if (operations.length > 1) command.addOption(new Option('--as <role>', 'the operation of this role').choices([...ROLES]));
  command
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV')
    .option('--columns <names>', 'columns, separated by commas')
    .option('-o, --output <file>', 'write a file to this path')
    .option('--profile <name>', 'profile to sign in with')
    .option('--url <url>', 'address of the gateway');
}

/** The fields that options gave. */
const given = (fields: ReadonlyMap<string, string>, options: Record<string, unknown>): Map<string, unknown> =>
  new Map([...fields].flatMap(([option, name]) => (options[option] === undefined ? [] : [[name, options[option]] as const])));

/** The arguments of an example, from that of the description. */
function exampleOf({ path_fields, body, reply }: Operation): string {
  const ids = path_fields.map((name) => ` ${placeholder(name)}`).join('');
  if (body?.kind !== 'json')
    return `${ids}${body ? ' --body FILE' : ''}${reply.kind === 'file' ? ' -o FILE' : reply.kind === 'list' ? ' --json' : ''}`;
  const required = body.fields.filter((each) => each.required);
  if (required.some(({ kind }) => kind === 'json')) return `${ids} --body body.json`;
  const options = required.flatMap((field) => {
    const value = body.example?.[field.name];
    const values: unknown[] = field.list && Array.isArray(value) ? value : [value ?? '…'];
    return values.slice(0, 2).map((each) => ` ${givenAs(field, each)}`);
  });
  return ids + options.join('');
}

function givenAs({ name, kind }: Field, value: unknown): string {
  if (OWN_OPTIONS.includes(name)) return `-f ${quoted(`${name}=${String(value)}`)}`;
  if (kind === 'boolean') return `--${value === false ? 'no-' : ''}${optionName(name)}`;
  return `--${optionName(name)} ${quoted(String(value))}`;
}

const quoted = (text: string): string => (/^[\w.:/@-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
