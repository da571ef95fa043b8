import type { Command } from 'commander';
import { takesPlace } from './catalogue/fields.ts';
import { loadOperations } from './catalogue/load.ts';
import type { Operation } from './catalogue/operation.ts';
import { CommandFailure, EXIT } from './failure.ts';
import type { Place } from './list.ts';
import type { Means } from './perform.ts';
import type { Run } from './run.ts';
import { looseJson } from './values.ts';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** `sluice api METHOD PATH`: any operation by its path. */
export function addApiCommand(program: Command, run: Run): void {
  program
    .command('api <method> <path>')
    .description(
      'call any operation by method and path; fields go into the query of a GET or DELETE and into the body of the others',
    )
    .option('-f, --field <field=value>', 'a field; JSON where it is JSON', (text: string, before: string[] = []) => [
      ...before,
      text,
    ])
    .option('--body <file>', 'the body as a file, or - for standard input')
    .option('--yes', 'do not ask before a DELETE')
    .option('--page <number>', 'which page of a list')
    .option('--limit <number>', 'at most so many records of a list')
    .option('--all', 'every record of a list; with --json one a line')
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV')
    .option('--columns <names>', 'columns, separated by commas')
    .option('-o, --output <file>', 'write a file to this path')
    .option('--profile <name>', 'profile to sign in with')
    .option('--url <url>', 'address of the gateway')
    .addHelpText(
      'after',
      '\nExamples:\n  sluice api GET /v1/api/originator/loans -f limit=5 --json\n  sluice api POST /v1/sandbox/events -f event=trade.settled',
    )
    .action((method: string, path: string, options: Means) =>
      run(async (signal) => {
        const { perform } = await import('./perform.ts');
        const operation = operationAt(method, path);
        const query = /[?](.*)$/.exec(path)?.[1] ?? '';
        const fields = ['get', 'delete'].includes(operation.method) ? (options.field ?? []) : [];
        const given = new Map<string, unknown>([...new URLSearchParams(query), ...fields.map(pairOf)]);
        const isList = takesPlace(operation);
        const [place] = isList ? [] : (['page', 'limit', 'all'] as const).filter((name) => options[name] !== undefined);
        if (place)
          throw new CommandFailure(`--${place} is for lists, and ${method.toUpperCase()} ${path} is not one`, EXIT.usage);
        const means = isList ? { ...takePlace(given), ...options } : options;
        const asked = {
          ...operation,
          query: [...operation.query.filter(({ name }) => !given.has(name)), ...[...given.keys()].map(plainField)],
        };
        return await perform({ noun: null, operations: [asked], ids: idsIn(operation, path), given, means, signal });
      }),
    );
}

/** Takes the place in a list out of the fields: it is asked for as by the command that lists. */
function takePlace(given: Map<string, unknown>): Place {
  const place: Place = {};
  for (const name of ['limit', 'page'] as const) {
    if (given.has(name)) place[name] = String(given.get(name));
    given.delete(name);
  }
  return place;
}

const plainField = (name: string): Operation['query'][number] => ({
  name,
  kind: 'text',
  list: false,
  required: false,
  values: [],
  description: '',
});

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new CommandFailure(`-f ${text}: expected field=value`, EXIT.usage);
  const value = text.slice(at + 1);
  const read = looseJson(value);
  // Only a text in quotes is another text as JSON: 007 stays 007, and an object is sent as it was written.
  return [text.slice(0, at), typeof read === 'string' ? read : value];
}

const patternOf = ({ path }: Operation): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '([^/]+)')}$`);

const idsIn = (operation: Operation, path: string): string[] =>
  (patternOf(operation).exec(path.replace(/[?].*$/, '')) ?? []).slice(1).map(decodeURIComponent);

/** The operation at the path; a path without a parameter wins over one with it. */
function operationAt(method: string, path: string): Operation {
  const verb = METHODS.find((each) => each === method.toLowerCase());
  if (!verb) throw new CommandFailure(`${method} is not a method; expected ${METHODS.join(', ').toUpperCase()}`, EXIT.usage);
  const matching = [...loadOperations().values()].filter((each) => patternOf(each).test(path.replace(/[?].*$/, '')));
  const [found] = matching
    .filter((each) => each.method === verb)
    .sort((one, other) => one.path_fields.length - other.path_fields.length);
  if (found) return found;
  const others = matching.map((each) => each.method.toUpperCase());
  throw new CommandFailure(
    `the API has no ${method.toUpperCase()} ${path}${others.length > 0 ? `, but ${others.join(', ')}` : '; its paths begin with /v1/'}`,
    EXIT.usage,
  );
}
