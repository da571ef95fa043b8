import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { BEGINNING, hashedText } from '../../platform/audit-chain.ts';
import { type CheckpointDeps, listCheckpoints, seriesOf, signExport } from '../../platform/audit-checkpoints.ts';
import type { Reader } from '../../platform/db/database.ts';
import { invalidField } from '../../platform/http/errors.ts';
import type { Id } from '../../platform/ids.ts';
import { type ExportedEntry, findBounds, listForExport, listOwnForExport } from './queries.ts';

const ROWS_AT_ONCE = 1_000;

/*
 * An export is JSON lines: what it is and the public key of the gateway; entries, in the order of the log; of the log of all also the signed
 * checkpoints, each behind the entry that it covers; and an end with the number of entries and a signature over all lines before. One that
 * was cut off has no end. docs/verify-audit.mjs checks it.
 */

/** The log of all from one entry on, with what is needed to compute every hash again. */
export async function exportLog(deps: CheckpointDeps, fromSequence: number): Promise<Readable> {
  const { db } = deps;
  const series = seriesOf(deps);
  // Read before the log's end: a checkpoint beyond it then tells of entries that are not there any more.
  const signed = await db.peek({ platform: true }, (reader) => listCheckpoints(reader, series));
  const { last, before } = await db.peek({ platform: true }, (reader) => findBounds(reader, fromSequence));
  if (fromSequence > 1 && before === null)
    throw invalidField('from_sequence', 'INVALID', `expected at most ${last + 1}, the entry that comes next`);
  const { hash: previous_hash } = before ?? BEGINNING;
  const checkpoints = signed.filter(({ sequence }) => sequence >= fromSequence);
  async function* lines(): AsyncGenerator<Line> {
    let at = fromSequence - 1;
    const next = (reader: Reader, after: number) => listForExport(reader, after, last, ROWS_AT_ONCE);
    for await (const entry of entriesOf(deps, { platform: true }, fromSequence - 1, next)) {
      const { sequence, hash, previous_hash } = entry;
      yield {
        entry: `{"type":"entry","sequence":${sequence},${fieldsOf(entry)},${pair({ previous_hash, hash, hashed: hashedText(entry) })}}`,
      };
      at = sequence;
      while (checkpoints[0]?.sequence === sequence) {
        const { number, hash: covered, at, signature } = checkpoints[0];
        yield { other: JSON.stringify({ type: 'checkpoint', number, sequence, hash: covered, at, signature }) };
        checkpoints.shift();
      }
    }
    // Without an end the export is not valid, and nothing that this gateway has signed says that it was.
    if (at < last || checkpoints.length > 0)
      throw new Error(
        `the audit log ends with entry ${at}; its head says ${last}, and ${checkpoints.length} checkpoints cover later entries`,
      );
  }
  return signedLines(deps, { organization_id: null, more: { from_sequence: fromSequence, previous_hash } }, lines());
}

/** The entries of one organization. How many others have is not its business, so that they do not follow from one another. */
export function exportOwn(
  deps: CheckpointDeps,
  organization_id: Id<'org'>,
  { from, to }: { from: Date | null; to: Date | null },
): Readable {
  async function* lines(): AsyncGenerator<Line> {
    const next = (reader: Reader, after: number) =>
      listOwnForExport(reader, organization_id, { after, from, to, limit: ROWS_AT_ONCE });
    for await (const entry of entriesOf(deps, { organization: organization_id }, 0, next))
      yield { entry: `{"type":"entry",${fieldsOf(entry)},${pair({ hash: entry.hash })}}` };
  }
  return signedLines(deps, { organization_id, more: { from, to } }, lines());
}

type Line = { entry: string } | { other: string };

async function* entriesOf(
  { db }: CheckpointDeps,
  scope: Parameters<CheckpointDeps['db']['peek']>[0],
  first: number,
  next: (reader: Reader, after: number) => Promise<ExportedEntry[]>,
): AsyncGenerator<ExportedEntry> {
  for (let after = first; ; ) {
    const rows = await db.peek(scope, (reader) => next(reader, after));
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_AT_ONCE) return;
    after = last.sequence;
  }
}

/** `before` and `after` are spelled as in the database. */
function fieldsOf({
  entry_id,
  organization_id,
  actor,
  actor_name,
  action,
  entity_type,
  entity_id,
  before,
  after,
  reason,
  at,
}: ExportedEntry): string {
  return `${pair({ id: entry_id, organization_id, actor, actor_name, action, entity_type, entity_id })},"before":${before},"after":${after},${pair({ reason, at })}`;
}

/** Some readers take other characters than a line feed for the end of a line too. */
const oneLine = (json: string): string =>
  json.replace(/[\u2028\u2029\u0085]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);

const pair = (fields: object): string => JSON.stringify(fields).slice(1, -1);

function signedLines(
  deps: CheckpointDeps,
  { organization_id, more }: { organization_id: string | null; more: object },
  lines: AsyncGenerator<Line>,
): Readable {
  const { tokens } = deps;
  const series = seriesOf(deps);
  const digest = createHash('sha256');
  async function* all(): AsyncGenerator<string> {
    let entries = 0;
    const public_key = tokens.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    const head = JSON.stringify({ type: 'audit-export', version: 1, series, public_key, organization_id, ...more });
    digest.update(`${head}\n`);
    yield `${head}\n`;
    for await (const line of lines) {
      if ('entry' in line) entries += 1;
      const text = oneLine('entry' in line ? line.entry : line.other);
      digest.update(`${text}\n`);
      yield `${text}\n`;
    }
    const signed = { series, organization_id, entries, sha256: digest.digest('hex'), at: new Date().toISOString() };
    const signature = signExport(tokens, signed);
    yield `${JSON.stringify({ type: 'end', entries, sha256: signed.sha256, at: signed.at, signature })}\n`;
  }
  return Readable.from(all());
}
