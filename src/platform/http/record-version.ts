import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import type { Reader, Tx } from '../db/database.ts';
import type { Id } from '../ids.ts';
import { ApiError, invalidField } from './errors.ts';
import type { Route } from './route.ts';
import type { RecordOfPath } from './stored-record.ts';

/** Tags of a header: `*`, or a list; `weak` ones match no strong comparison. */
type Condition = '*' | readonly { tag: string; weak: boolean }[];

const TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;
const TAGS = /^[ \t]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:[ \t]*,[ \t]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*[ \t]*$/;

function readCondition(request: FastifyRequest, name: 'If-Match' | 'If-None-Match'): Condition | null {
  const text = request.headers[name === 'If-Match' ? 'if-match' : 'if-none-match'];
  if (text === undefined) return null;
  if (text.trim() === '*') return '*';
  if (!TAGS.test(text))
    throw invalidField(name, 'INVALID', `expected *, or one or more tags in double quotes, as ETag gives them${unquoted(text)}`);
  return [...text.matchAll(TAG)].map(([, weak, tag]) => ({ tag: tag ?? '', weak: weak !== undefined }));
}

/** How to write a tag of ours that was sent without its quotes. */
const unquoted = (text: string): string =>
  /^'?[0-9a-f]{32}(-[0-9a-f]{12})?'?$/.test(text) ? `: "${text.replaceAll("'", '')}"` : '';

/** The version of the record that a request names, and the conditions that the request makes on it (RFC 9110, section 13). */
export class RecordVersion {
  /** The value of `ETag`; null before it was read, and where there is no such record. */
  tag: string | null = null;
  readonly #record: RecordOfPath;
  readonly #id: string;
  readonly #organizationId: Id<'org'>;
  readonly #suffix: string;
  readonly #match: Condition | null;
  readonly #noneMatch: Condition | null;
  readonly #changes: boolean;

  constructor(record: RecordOfPath, route: Route, request: FastifyRequest, organizationId: Id<'org'>) {
    this.#record = record;
    this.#organizationId = organizationId;
    const params = request.params as Record<string, string>;
    const named = record.param?.split('/').map((name) => params[name] ?? '');
    this.#id = named?.join('/') ?? organizationId;
    this.#changes = route.method !== 'GET';
    this.#suffix = this.#changes ? '' : suffixOf(request.query);
    this.#match = this.#changes ? readCondition(request, 'If-Match') : null;
    this.#noneMatch = readCondition(request, 'If-None-Match');
  }

  /** Whether the change that the request asks for depends on the record's version. */
  get conditional(): boolean {
    return this.#changes && (this.#match !== null || this.#noneMatch !== null);
  }

  async read(reader: Reader): Promise<void> {
    const versions = this.#record.records.map(
      ({ table, where, fields }) =>
        `select encode(sha256(convert_to((${fields})::text, 'UTF8')), 'hex') as version from ${table} r where ${where}`,
    );
    const found = await reader.one<{ version: string }>(versions.join('\nunion all\n'), [this.#id]);
    this.tag = found && `"${found.version.slice(0, 32)}${this.#suffix}"`;
  }

  /** Locks the record until the end of the transaction, so that the version that is read then is the one that the transaction changes. */
  async lock(tx: Tx): Promise<void> {
    for (const { table, where, hold } of this.#record.records) {
      await hold?.(tx, this.#id, this.#organizationId);
      await tx.rows(`select from ${table} r where ${where} for update of r`, [this.#id]);
    }
  }

  /** 412 if the record is there and is not in the version that the request names. */
  check(): void {
    if (this.tag !== null && !this.#holds()) throw new ApiError('STALE');
  }

  /** 412 for a request that names a version of a record that its transaction has only just made. */
  checkMade(existed: boolean): void {
    if (!existed && this.#match !== null) throw new ApiError('STALE');
  }

  /** Whether the reader has this version already: 304. */
  isKnown(): boolean {
    return !this.#changes && this.tag !== null && this.#noneMatch !== null && this.#isAmong(this.#noneMatch, true);
  }

  #holds(): boolean {
    if (this.#match !== null) return this.#isAmong(this.#match, false);
    return this.#noneMatch === null || !this.#isAmong(this.#noneMatch, true);
  }

  #isAmong(condition: Condition, weakly: boolean): boolean {
    return condition === '*' || condition.some(({ tag, weak }) => tag === this.tag && (weakly || !weak));
  }
}

/** Parameters of a query choose a representation, such as an earlier version of criteria. */
function suffixOf(query: unknown): string {
  const chosen = Object.entries((query ?? {}) as Record<string, unknown>);
  if (chosen.length === 0) return '';
  return `-${createHash('sha256').update(JSON.stringify(chosen)).digest('hex').slice(0, 12)}`;
}
