import { openAsBlob } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { type Asked, settingsOf } from './account/settings.ts';
import type { Noun } from './catalogue/nouns.ts';
import { allFieldsOf, takesPlace } from './catalogue/fields.ts';
import type { Operation } from './catalogue/operation.ts';
import { chooseOperation } from './choose-operation.ts';
import { confirm, isDestructive } from './confirm.ts';
import { type Call, connect } from './connection.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { type Place, showList } from './list.ts';
import { requireFile } from './local-file.ts';
import { writeBytes } from './output/bytes.ts';
import { printRecord, type Shown } from './output/print.ts';
import { isRecord } from './output/record.ts';
import { readJson, setField, valueOf } from './values.ts';
import { exitCodeFor, finished } from './wait.ts';

export type Means = Asked &
  Place & {
    as?: string;
    json?: boolean;
    csv?: boolean;
    columns?: string;
    output?: string;
    yes?: boolean;
    wait?: boolean;
    body?: string;
    field?: string[];
    ifMatch?: string;
    idempotencyKey?: string;
  };
export type Performance = {
  noun: Noun | null;
  operations: readonly Operation[];
  ids: readonly string[];
  given: ReadonlyMap<string, unknown>;
  means: Means;
  signal: AbortSignal;
};

/** Calls the operation of a command and shows what came back; resolves to the exit code. */
export async function perform({ noun, operations, ids, given, means, signal }: Performance): Promise<number> {
  const settings = settingsOf(process.env, means);
  const operation = chooseOperation(operations, means.as ?? settings.role);
  const shown = shownOf(operation, noun, means);
  if (means.output !== undefined && !canBeFile(operation)) throw noFile();
  const call = await callOf(operation, ids, given, means);
  if (isDestructive(operation))
    await confirm(`${operation.summary}: ${ids.join(' ') || settings.url}`, means.yes ?? false, signal);
  const connection = await connect(settings, signal);
  if (takesPlace(operation)) {
    await showList(connection, operation, call, means, shown);
    return EXIT.ok;
  }
  const received = await connection.call(operation.method, operation.path, call);
  if (received instanceof ReadableStream) {
    await writeBytes(received, connection.contentType(), means.output);
    return EXIT.ok;
  }
  const record = means.wait ? await finished(connection, operation, call, received) : received;
  if (means.output !== undefined) throw noFile();
  printRecord(record, shown);
  return exitCodeFor(record);
}

const noFile = (): CommandFailure => new CommandFailure('-o is for files, and this prints records: use > FILE', EXIT.usage);

/** Whether it answers with a file, always or in one of its formats. */
const canBeFile = ({ reply, query }: Operation): boolean =>
  ['file', 'stream'].includes(reply.kind) || query.some(({ name }) => name === 'format');

const shownOf = (operation: Operation, noun: Noun | null, { json, csv, columns }: Means): Shown => {
  if (json && csv) throw new CommandFailure('--json or --csv, not both', EXIT.usage);
  if (json && columns !== undefined)
    throw new CommandFailure('--columns is for tables and --csv: --json prints whole records', EXIT.usage);
  return { operation, noun, format: json ? 'json' : csv ? 'csv' : 'human', columns: columns?.split(',') ?? null };
};

async function callOf(
  operation: Operation,
  ids: readonly string[],
  given: ReadonlyMap<string, unknown>,
  means: Means,
): Promise<Call> {
  const { path_fields } = operation;
  if (ids.length !== path_fields.length)
    throw new CommandFailure(
      `${operation.summary}: expected ${path_fields.length === 0 ? 'no id' : path_fields.join(' ')}, got ${ids.length} argument(s); see --help`,
      EXIT.usage,
    );
  const known = allFieldsOf(operation).map(({ name }) => name);
  const stranger = [...given.keys()].find((name) => !known.includes(name));
  if (stranger)
    throw new CommandFailure(`${operation.summary} has no field ${stranger}; another role's operation has it (--as)`, EXIT.usage);
  const query = fieldsIn(operation.query, given);
  const headers = {
    ...(means.ifMatch === undefined ? {} : { 'if-match': means.ifMatch }),
    ...(means.idempotencyKey === undefined ? {} : { 'idempotency-key': means.idempotencyKey }),
  };
  const body = await bodyOf(operation, given, means);
  return {
    path: Object.fromEntries(path_fields.map((name, index) => [name, ids[index]])),
    query,
    headers,
    ...(body === undefined ? {} : { body }),
  };
}

function fieldsIn(fields: readonly Operation['query'][number][], given: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = given.get(field.name);
      if (value === undefined) return [];
      if (Array.isArray(value)) return [[field.name, value.map((each) => valueOf(field, String(each)))]];
      return [[field.name, typeof value === 'string' ? valueOf(field, value) : value]];
    }),
  );
}

async function bodyOf({ body, method }: Operation, given: ReadonlyMap<string, unknown>, means: Means): Promise<unknown> {
  if (!body) return undefined;
  if (body.kind === 'bytes') return await bytesOf(means.body ?? '-');
  const whole = means.body === undefined ? {} : readJson(means.body);
  const own = fieldsIn(body.fields, given);
  if (!isRecord(whole)) {
    if (Object.keys(own).length > 0)
      throw new CommandFailure('fields go into a JSON object, and the body is not one', EXIT.usage);
    return whole;
  }
  const merged = { ...whole, ...own };
  for (const text of means.field ?? []) setField(merged, text, body.fields);
  const isEmpty = Object.keys(merged).length === 0 && means.body === undefined;
  return isEmpty && !body.required && method !== 'patch' ? undefined : merged;
}

async function bytesOf(file: string): Promise<Blob> {
  if (file === '-') return new Blob([Uint8Array.from(await buffer(process.stdin))]);
  await requireFile(file);
  return await openAsBlob(file);
}
