import { randomUUID } from 'node:crypto';
import { takesKey } from '../platform/http/idempotency.ts';
import { nearestName } from '../platform/http/nearest.ts';
import { shown } from '../platform/http/shown.ts';
import type { Route } from '../platform/http/route.ts';
import type { ApiRequest } from './api.ts';
import { isRead } from './catalog.ts';
import { type InputSchema, inputSchema, PAGE_RECORDS } from './input-schema.ts';
import { invalidArgument, ToolProblem } from './tool-problem.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** The request that a tool call stands for. What its values have to be is checked by the API itself. */
export function toRequest(route: Route, given: Arguments): ApiRequest {
  const { properties, required } = inputSchema(route);
  checkNames(given, properties, required);
  if (!isRead(route)) checkConfirmation(route, given);
  return {
    method: route.method,
    path: `${pathOf(route, given)}${queryOf(route, given)}`,
    headers: headersOf(route, given),
    ...(given.body === undefined ? {} : { body: given.body }),
  };
}

function checkNames(given: Arguments, properties: InputSchema['properties'], required: readonly string[]): void {
  const known = Object.keys(properties);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const near = nearestName(unknown.slice(0, 100), known);
    const nearest = near?.alike ? ` Did you mean ${near.nearest}?` : '';
    throw invalidArgument(
      unknown.slice(0, 100),
      `no argument of this tool.${nearest} It takes ${known.join(', ') || 'none'}; fields of a record belong in body.`,
    );
  }
  const missing = required.find((name) => name !== 'confirm' && given[name] === undefined);
  if (missing !== undefined) throw invalidArgument(missing, 'this argument is required.');
}

/** A change needs the word for it in the call itself, whatever the connection allows. */
function checkConfirmation(route: Route, { confirm }: Arguments): void {
  if (confirm === route.operation) return;
  throw new ToolProblem(
    'CONFIRMATION_REQUIRED',
    `Nothing was sent. ${route.operation} changes records: ${route.summary}. Show the person for whom you act what this call does, and once they agree repeat it with confirm: "${route.operation}".`,
    'confirm',
  );
}

function pathOf(route: Route, given: Arguments): string {
  return route.path.replace(/:(\w+)/g, (_part, name: string) => {
    const value = given[name];
    if (typeof value !== 'string' && typeof value !== 'number') throw invalidArgument(name, 'expected text or a number.');
    const text = String(value);
    // These are the parts of a path that an HTTP client resolves to another path.
    if (['', '.', '..'].includes(text) || !text.isWellFormed()) throw invalidArgument(name, `${shown(text)} names no record.`);
    return encodeURIComponent(text);
  });
}

function queryOf(route: Route, given: Arguments): string {
  const names = Object.keys(route.query?.properties ?? {});
  const query = new URLSearchParams();
  for (const name of names) {
    const value = given[name] ?? (name === 'limit' ? PAGE_RECORDS : undefined);
    if (value !== undefined) query.set(name, textOf(name, value));
  }
  return query.size === 0 ? '' : `?${query.toString()}`;
}

function textOf(name: string, value: unknown): string {
  // A route that chooses fields itself takes their names with commas between them.
  if (name === 'fields' && Array.isArray(value)) return value.map((each) => textOf(name, each)).join(',');
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw invalidArgument(name, 'expected text, a number, true or false.');
}

function headersOf(route: Route, given: Arguments): Record<string, string> {
  if (isRead(route)) return {};
  const { idempotency_key: key = randomUUID(), if_match: ifMatch } = given;
  return {
    ...(takesKey(route) ? { 'idempotency-key': headerOf('idempotency_key', key) } : {}),
    ...(ifMatch === undefined ? {} : { 'if-match': headerOf('if_match', ifMatch) }),
  };
}

function headerOf(name: string, value: unknown): string {
  if (typeof value === 'string' && /^[\x20-\x7e]{1,255}$/.test(value)) return value;
  throw invalidArgument(name, 'expected 1 to 255 printable characters.');
}
