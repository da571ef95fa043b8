import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Route } from '../platform/http/route.ts';
import { templateOf } from '../platform/http/path-template.ts';
import type { ApiRequest, ApiResponse } from './api.ts';
import { isRead } from './catalog.ts';
import { type Cut, cutToSize, sizeOf } from './cut-to-size.ts';
import { chooseFields, namesIn } from './fields.ts';
import { ToolProblem } from './tool-problem.ts';

/** Largest text of a result. */
export const MOST_RESULT_BYTES = 16 * 1024;
const MOST_NOTES = 12;
const NOTES_BYTES = 3 * 1024;
/** The names and brackets around the parts of a result. */
const MARKS_BYTES = 64;
/** Notes about cuts repeat names of fields and paths. */
const MOST_PATH = 120;

type Envelope = Readonly<Record<string, unknown>>;
type Called = { route: Route; request: ApiRequest; fields: readonly string[] };

/** The response of the API as the result of a tool. */
export function toolResult(called: Called, response: ApiResponse): CallToolResult {
  const envelope = readEnvelope(response);
  if (!envelope) return noJson(called, response);
  return response.status >= 400 ? refused(envelope, response) : succeeded(called, envelope, response);
}

/** A value as a result: cut to the size of one, with notes that say so. */
export function sized(data: unknown, more: Record<string, unknown> = {}, notes: readonly string[] = []): CallToolResult {
  const around = sizeOf(more) + sizeOf(notes) + MARKS_BYTES;
  if (sizeOf(data) + around <= MOST_RESULT_BYTES) return dataResult(data, more, notes);
  const fitted = cutToSize(data, Math.max(1_024, MOST_RESULT_BYTES - NOTES_BYTES - around));
  return dataResult(fitted.value, more, [...notes, ...notesOf(fitted.cuts)]);
}

const dataResult = (data: unknown, more: Record<string, unknown>, notes: readonly string[]): CallToolResult =>
  textResult({ data, ...more, ...(notes.length > 0 ? { notes } : {}) });

/** A refusal of a call that was not sent to the API. */
export const problemResult = ({ code, message, field }: ToolProblem): CallToolResult => ({
  ...textResult({ code, message, ...(field === null ? {} : { fields: [{ field, code, message }] }), request_id: null }),
  isError: true,
});

const textResult = (value: unknown): CallToolResult => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });

function readEnvelope({ headers, text }: ApiResponse): Envelope | null {
  if (!headers.get('content-type')?.startsWith('application/json')) return null;
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && 'success' in parsed ? parsed : null;
  } catch {
    return null;
  }
}

/** A file, or the page of something between here and the gateway. */
function noJson({ route, request }: Called, { status, headers }: ApiResponse): CallToolResult {
  const type = headers.get('content-type') ?? 'no content type';
  const isFile = status < 400 && !type.startsWith('application/json');
  const message = isFile
    ? `The response is a file (${type}), which is not shown here. Leave format out to get the same as data, or send ${route.method} ${request.path} with a client of the API.`
    : `What responded with ${status} and ${type} is no gateway: look whether its address is right.`;
  return problemResult(new ToolProblem(isFile ? 'FILE' : 'NO_GATEWAY', message));
}

function refused(envelope: Envelope, { status, headers }: ApiResponse): CallToolResult {
  const { success: _success, statusCode: _statusCode, errors, code, message, request_id, doc_url: _page, ...facts } = envelope;
  const wait = headers.get('retry-after');
  const about = {
    code,
    message,
    status,
    ...(errors === undefined ? {} : { fields: errors }),
    request_id,
    ...(wait === null ? {} : { retry_after_seconds: Number(wait) }),
  };
  const fitted = cutToSize({ ...about, ...facts }, MOST_RESULT_BYTES - NOTES_BYTES);
  const notes = notesOf(fitted.cuts);
  return { ...textResult({ ...(fitted.value as object), ...(notes.length > 0 ? { notes } : {}) }), isError: true };
}

function succeeded({ route, request, fields }: Called, envelope: Envelope, { headers }: ApiResponse): CallToolResult {
  const { data, message } = envelope;
  const shown = withoutSecrets(route, request, data);
  const chosen = chooseFields(shown.data, fields);
  const etag = headers.get('etag');
  const key = request.headers['idempotency-key'];
  const more = {
    ...(message === undefined ? {} : { message }),
    ...(etag === null ? {} : { etag }),
    ...(isRead(route) || key === undefined ? {} : { idempotency_key: key }),
    request_id: headers.get('x-request-id'),
  };
  const notes = [...shown.notes, ...missingNotes(chosen.missing, shown.data)];
  const page = pageOf(route, envelope);
  return page ? list({ records: chosen.data as unknown[], page, more, notes }) : sized(chosen.data, more, notes);
}

type ListPage = { total: number | null; next: string | null; argument: 'cursor' | 'after' };

/** How a list goes on; null for what is no list with pages. */
function pageOf({ replyKind }: Route, { pagination, meta, next_after, data }: Envelope): ListPage | null {
  if (!Array.isArray(data)) return null;
  if (replyKind === 'cursor') return { total: null, next: data.length === 0 ? null : (next_after as string), argument: 'after' };
  if (replyKind !== 'page' && replyKind !== 'meta') return null;
  const { total, next_cursor: next } = (pagination ?? meta) as { total: number | null; next_cursor: string | null };
  return { total, next, argument: 'cursor' };
}

type List = { records: unknown[]; page: ListPage; more: Record<string, unknown>; notes: readonly string[] };

/** A page of a list. One that is too large has its first records alone, and says how to get the others: its cursor would skip them. */
function list({ records, page, more, notes }: List): CallToolResult {
  const about = page.total === null ? more : { total: page.total, ...more };
  const cursor = page.next === null ? {} : { [`next_${page.argument}`]: page.next };
  const next =
    page.next === null ? [] : [`More records follow: call again with ${page.argument} as given in next_${page.argument}.`];
  const whole = sizeOf(records) + sizeOf({ ...about, ...cursor }) + sizeOf([...notes, ...next]) + MARKS_BYTES;
  if (whole <= MOST_RESULT_BYTES) return dataResult(records, { ...about, ...cursor }, [...notes, ...next]);
  const room = MOST_RESULT_BYTES - NOTES_BYTES - sizeOf(about) - sizeOf(notes);
  const { value, cuts } = cutToSize(records, room);
  const kept = (value as unknown[] | null)?.length ?? 0;
  const cut =
    kept < records.length
      ? [
          `The page has ${records.length} records, too many for one result: these are the first ${kept}. Call again with limit: ${Math.max(1, kept)} and follow its cursor, or with fields: ["name", …] for a few fields of each.`,
        ]
      : next;
  const inside = notesOf(cuts.filter(({ path }) => path !== ''));
  return dataResult(value, { ...about, ...(kept < records.length ? {} : cursor) }, [...notes, ...cut, ...inside]);
}

function withoutSecrets(route: Route, request: ApiRequest, data: unknown): { data: unknown; notes: string[] } {
  const secrets = (route.secretFields ?? []).filter((name) => typeof data === 'object' && data !== null && name in data);
  if (secrets.length === 0) return { data, notes: [] };
  const key = request.headers['idempotency-key'];
  const note = `${secrets.join(', ')} is a signed address, which acts without a key and is left out here. To use it, a person or program sends the same request (${route.method} ${templateOf(route.path)}, with the same body and the header Idempotency-Key: ${key}) with a client of the API, and gets this record with an address.`;
  const hidden = Object.fromEntries(secrets.map((name) => [name, '[left out: see notes]']));
  return { data: { ...(data as object), ...hidden }, notes: [note] };
}

function missingNotes(missing: readonly string[], data: unknown): string[] {
  if (missing.length === 0) return [];
  const known = namesIn(data).slice(0, 40).join(', ');
  return [`fields: ${missing.slice(0, 5).join(', ')} names nothing in the data, which has ${known || 'no fields'}.`];
}

function notesOf(cuts: readonly Cut[]): string[] {
  const notes = cuts.slice(0, MOST_NOTES).map(noteOf);
  return cuts.length > MOST_NOTES ? [...notes, `${cuts.length - MOST_NOTES} more lists or texts are cut.`] : notes;
}

function noteOf({ path, shown, of, unit, names }: Cut): string {
  const short = path.replace(/^\[\d+\]\.?/, '').slice(0, MOST_PATH);
  const what = `${short || 'The data'}: ${shown} of ${of} ${unit}, the rest is left out for size.`;
  if (unit === 'fields') return `${what} Not shown: ${names?.join(', ') ?? ''}. Name what is needed in fields.`;
  const step = Math.max(1, shown);
  return `${what} For more call again with fields: ["${short}[${shown}:${shown + step}]"].`;
}
