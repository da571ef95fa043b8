import type { Field } from './catalogue/operation.ts';
import { CommandFailure, EXIT } from './failure.ts';
import { readLocal } from './local-file.ts';
import { isRecord } from './output/record.ts';

/** The value of an option as the API takes it: by the kind of its field. */
export function valueOf(field: Field, text: string): unknown {
  if (field.kind === 'number') {
    // Numbers that are no numbers go as they are: the API says what it expects.
    return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
  }
  if (field.kind === 'json') return text.startsWith('@') ? readJson(text.slice(1)) : looseJson(text);
  return text;
}

/** JSON where the text is JSON, else the text itself. */
export function looseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The JSON in a file, or with `-` on standard input. */
export function readJson(file: string): unknown {
  const text = readLocal(file === '-' ? 0 : file).toString();
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(`${file === '-' ? 'standard input' : file} is not JSON: ${(error as Error).message}`, EXIT.usage);
  }
}

/** `a.b=value` put into the object, by the kind of the field where it is known. */
export function setField(target: Record<string, unknown>, text: string, fields: readonly Field[]): void {
  const at = text.indexOf('=');
  if (at < 1)
    throw new CommandFailure(`-f ${text}: expected field=value, such as -f name=Harbor or -f offering.kind=x`, EXIT.usage);
  const names = text.slice(0, at).split('.');
  const last = names.pop() ?? '';
  if ([...names, last].some((name) => name === '' || name === '__proto__'))
    throw new CommandFailure(`-f ${text}: there is no such field`, EXIT.usage);
  const known = names.length === 0 ? fields.find(({ name }) => name === last) : undefined;
  let inner = target;
  for (const name of names) {
    const next = Object.hasOwn(inner, name) ? inner[name] : undefined;
    const object: Record<string, unknown> = isRecord(next) ? next : {};
    inner[name] = object;
    inner = object;
  }
  const value = text.slice(at + 1);
  if (known?.list) inner[last] = [...(Array.isArray(inner[last]) ? inner[last] : []), valueOf(known, value)];
  else inner[last] = known ? (known.kind === 'boolean' ? looseJson(value) : valueOf(known, value)) : looseJson(value);
}
