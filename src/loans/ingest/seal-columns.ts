import { randomBytes } from 'node:crypto';
import { rename, rm } from 'node:fs/promises';
import { tapeFinding } from '../checks/tape-checks.ts';
import { roles } from '../dictionary/dictionary.ts';
import type { Engine } from '../engine/engine.ts';
import { together } from '../engine/together.ts';
import { columnSlices, copyToParquet, parquet, rowGroupRows, sqlText } from '../engine/sql.ts';
import { type ColumnSample, sampleOf } from '../mapping/content.ts';
import { matchColumns, type MatchOutcome } from '../mapping/match-columns.ts';
import { isPersonalHeader, isPersonalValue, PERSONAL_SHARE, personalValueSql } from '../mapping/personal-data.ts';
import { type FindSource, sourceFinder } from '../mapping/source-finder.ts';
import { transformInputs } from '../mapping/transform-inputs.ts';
import { copyRaw, type RawManifest, readRawManifest } from '../reading/raw-file.ts';
import type { NoticeCode, RawColumn } from '../reading/raw-table.ts';
import { DESTROYED_TEXT, type MappingRequest, SEALED_TEXT, type SealReason, type TapeFinding } from '../types.ts';
import { missingSql, presentCellSql, trimmedSql } from '../values/missing.ts';
import { tokenSql } from '../values/token.ts';
import { textColumn, textName } from './column-readings.ts';
import type { IngestContext, SealedTape } from './ingest-types.ts';
import { makeTexts } from './made-texts.ts';
import { IS_MALFORMED, setMalformed } from './malformed-rows.ts';

/** Number of rows sampled to match a column by content: no more than the engine passes on at once, so that a list has them in their order. */
export const SAMPLE_ROWS = 2_000;

/** The only fields that a sealed column can fill: by a token. */
export const OBLIGOR_FIELDS: ReadonlySet<string> = new Set(['obligor_id', 'obligor_name']);

export type SealInput = IngestContext & {
  /** SQL of the rows of the tape, every value as it was sent. */
  rows: string;
  manifest: RawManifest;
  requests: readonly MappingRequest[];
  /** Normalized names of columns that were sealed in the version that the tape extends. */
  sealedBefore?: ReadonlySet<string>;
  /** The raw.parquet that has these rows already, where there is one: it stays when nothing has to be sealed. */
  storedAt?: string;
};

/**
 * Writes raw.parquet without the values of personal columns, and those into a file of their own. From here on the ingest reads raw.parquet
 * alone, so that nothing that it writes or says can hold a sealed value.
 */
export async function sealTape(input: SealInput): Promise<SealedTape> {
  const { engine, manifest, rows, signal } = input;
  const rawPath = `${input.outDir}/raw.parquet`;
  const samples = await sampleColumns(engine, `(${rows})`, manifest.columns, signal);
  const decided = decideColumns(input, samples);
  const unsealed = async (): Promise<SealedTape> => {
    if (!input.storedAt) await copyRaw(engine, rows, manifest, rawPath, signal);
    const plain = { manifest, samples, requests: [...input.requests], decisions: [], findings: [] };
    return { ...plain, rawPath: input.storedAt ?? rawPath, sealedPath: null };
  };
  if (decided.size === 0) return await unsealed();
  await setMalformed(engine, manifest);
  const sealedPath = `${input.outDir}/sealed.parquet`;
  const candidates = manifest.columns.filter(({ index }) => decided.get(index) === 'CONTENT');
  if (candidates.length > 0) {
    await writeSealedValues(input, [...decided.keys()], sealedPath);
    for (const index of await notPersonal(engine, sealedPath, candidates)) decided.delete(index);
    if (decided.size === 0) {
      await rm(sealedPath);
      return await unsealed();
    }
    await keepColumns(engine, sealedPath, [...decided.keys()], candidates);
  }
  const sealed = sealManifest(manifest, decided);
  const { requests, findings } = withoutSealed(input.requests, sealed.columns);
  const tokens = await tokenColumns({ ...input, requests, manifest: sealed }, samples);
  await engine.run('SET VARIABLE mix_key = $1', [randomBytes(32).toString('hex')]);
  const storing = copyRaw(engine, storedRows(tokens.from, sealed, tokens.values), sealed, rawPath, signal);
  // Where nothing had to be counted in them, the sealed values are written at the same time.
  await (candidates.length > 0 ? storing : together(storing, writeSealedBeside(input, [...decided.keys()], sealedPath)));
  await engine.run(`SET VARIABLE mix_key = ''`);
  return {
    rawPath,
    manifest: sealed,
    sealedPath,
    samples,
    requests,
    decisions: tokens.decisions,
    findings: [...findings, ...tokens.findings],
  };
}

/** A sample of each column, in the order of the columns. */
export async function sampleColumns(
  engine: Engine,
  from: string,
  columns: readonly RawColumn[],
  signal?: AbortSignal,
): Promise<ColumnSample[]> {
  const samples: ColumnSample[] = [];
  for (const some of columnSlices(columns.map(({ index }) => `c${index}`))) {
    const texts = await engine.texts(`SELECT ${some.join(', ')} FROM ${from} LIMIT ${SAMPLE_ROWS}`, signal);
    samples.push(...some.map((_, position) => sampleOf(texts[position] ?? [])));
  }
  return samples;
}

/** Samples by the index of their column. */
export function byIndex(columns: readonly RawColumn[], samples: readonly ColumnSample[]): ColumnSample[] {
  const indexed: ColumnSample[] = [];
  columns.forEach((column, position) => {
    const sample = samples[position];
    if (sample) indexed[column.index] = sample;
  });
  return indexed;
}

type Decided = Map<number, SealReason>;

/** The columns to seal, by index; those by CONTENT have still to be counted over all rows. */
function decideColumns({ loanType, manifest, requests, sealedBefore }: SealInput, samples: readonly ColumnSample[]): Decided {
  const { columns } = manifest;
  const find = sourceFinder(columns);
  const outcome = matchColumns({ loanType, columns, samples: byIndex(columns, samples), requests });
  const asked = new Map(
    requests.flatMap(({ source, sealed }) => (sealed === undefined ? [] : [[find(source)?.index, sealed] as const])),
  );
  const decided: Decided = new Map();
  columns.forEach((column, position) => {
    const sample = samples[position] ?? { texts: [], distinct: 0 };
    const reason = asked.has(column.index)
      ? asked.get(column.index) && 'REQUEST'
      : reasonOf(column, sample, fieldsOf(column, outcome), sealedBefore);
    if (reason) decided.set(column.index, reason);
  });
  return decided;
}

type Fields = { targets: string[]; isRequested: boolean };

function reasonOf(
  { name, normalized }: RawColumn,
  sample: ColumnSample,
  { targets, isRequested }: Fields,
  sealedBefore: ReadonlySet<string> | undefined,
): SealReason | null {
  if (targets.some((target) => OBLIGOR_FIELDS.has(target))) return 'OBLIGOR';
  const isPersonal = isPersonalHeader(name);
  // A column that was matched to another field is named like that field; one that was asked for has to be unsealed by name.
  if (targets.length > 0 && !(isRequested && isPersonal)) return null;
  if (isPersonal) return 'HEADER';
  if (sealedBefore?.has(normalized)) return 'REQUEST';
  return sample.texts.length === 0 || sample.texts.some(isPersonalValue) ? 'CONTENT' : null;
}

/** The fields that a column fills or would fill as well as another one. */
function fieldsOf(column: RawColumn, { matches, contests }: MatchOutcome): Fields {
  const own = [...matches, ...contests.flatMap(({ rivals }) => rivals)].filter((match) => match.column.index === column.index);
  return { targets: own.map(({ target }) => target), isRequested: own.some(({ requested }) => requested) };
}

/** Writes the values of the columns as they were sent, and all values of malformed rows: what was moved there by a delimiter may be anything. */
async function writeSealedValues(
  { engine, rows, manifest, signal }: SealInput,
  indices: readonly number[],
  path: string,
): Promise<void> {
  const names = indices.map((index) => `c${index}`);
  const all = manifest.columns.map(({ index }) => `c${index}`);
  const rest = manifest.malformedRows.length > 0 ? `, CASE WHEN ${IS_MALFORMED} THEN [${all.join(', ')}] END AS rest` : '';
  const query = `SELECT row_number, ${names.join(', ')}${rest} FROM (${rows})`;
  await engine.run(copyToParquet(query, path, '', rowGroupRows(all.length, manifest.rowCount)), [], signal);
}

function writeSealedBeside(input: SealInput, indices: readonly number[], path: string): Promise<void> {
  return input.engine.beside(async (engine) => {
    await setMalformed(engine, input.manifest);
    await writeSealedValues({ ...input, engine }, indices, path);
  });
}

/** Columns that were taken for personal by a few values, and of which not enough values are. */
async function notPersonal(engine: Engine, path: string, candidates: readonly RawColumn[]): Promise<number[]> {
  const dropped: number[] = [];
  const isPresent = (text: string) => `NOT ${missingSql(text)}`;
  for (const some of columnSlices(candidates)) {
    const present = await countTexts(engine, path, some, isPresent);
    // Of a blank column nothing more is asked: the expressions of personal values are long, and each column compiles its own.
    const filled = some.filter(({ index }) => present(index) > 0);
    const personal = await countTexts(engine, path, filled, (text) => `${isPresent(text)} AND ${personalValueSql(text)}`);
    const kept = new Set(filled.filter(({ index }) => personal(index) >= PERSONAL_SHARE * present(index)));
    dropped.push(...some.filter((column) => !kept.has(column)).map(({ index }) => index));
  }
  return dropped;
}

/** How many texts of each column meet a condition. */
async function countTexts(
  engine: Engine,
  path: string,
  columns: readonly RawColumn[],
  condition: (text: string) => string,
): Promise<(index: number) => number> {
  if (columns.length === 0) return () => 0;
  const texts = columns.map(({ index }) => `${trimmedSql(`c${index}`)} AS t${index}`);
  const counts = columns.map(({ index }) => `count(CASE WHEN ${condition(`t${index}`)} THEN 1 END) AS n${index}`);
  const row = await engine.first<Record<string, number>>(
    `SELECT ${counts.join(', ')} FROM (SELECT ${texts.join(', ')} FROM ${parquet(path)})`,
  );
  return (index) => row?.[`n${index}`] ?? 0;
}

/** Rewrites the file of sealed values without the columns that turned out not to be personal. */
async function keepColumns(
  engine: Engine,
  path: string,
  indices: readonly number[],
  candidates: readonly RawColumn[],
): Promise<void> {
  const dropped = candidates.filter(({ index }) => !indices.includes(index)).map(({ index }) => `c${index}`);
  if (dropped.length === 0) return;
  await engine.run(copyToParquet(`SELECT * EXCLUDE (${dropped.join(', ')}) FROM ${parquet(path)}`, `${path}.kept`));
  await rename(`${path}.kept`, path);
}

/** What the reader saw in a line that is no loan may hold values of any column. */
const LINES: ReadonlySet<NoticeCode> = new Set([
  'TOTALS_ROW',
  'TOTALS_ROW_SUSPECTED',
  'FOOTER_LINE',
  'SECOND_HEADER_ROW',
  'OTHER_HEADER_ROW',
]);

function sealManifest(manifest: RawManifest, decided: Decided): RawManifest {
  const columns = manifest.columns.map((column): RawColumn => {
    const { sealed: _before, under, ...plain } = column;
    const reason = decided.get(column.index);
    // What stands under the name may be a value.
    return reason ? { ...plain, sealed: reason } : { ...plain, ...(under !== undefined && { under }) };
  });
  const names = new Set(columns.flatMap(({ sealed, name }) => (sealed ? [name] : [])));
  const notices = manifest.notices.map((notice) => {
    const isHidden = LINES.has(notice.code) || (notice.column !== undefined && names.has(notice.column));
    return isHidden && notice.actual !== undefined ? { ...notice, actual: SEALED_TEXT } : notice;
  });
  return { ...manifest, columns, notices };
}

/** Requests that read sealed columns into fields which are shown are not applied: a remembered mapping may be older than the seal. */
function withoutSealed(
  requests: readonly MappingRequest[],
  columns: readonly RawColumn[],
): { requests: MappingRequest[]; findings: TapeFinding[] } {
  const find = sourceFinder(columns);
  const findings: TapeFinding[] = [];
  const kept = requests.map((request): MappingRequest => {
    const column = shownColumn(request, find);
    if (!column) return request;
    const message = `the mapping of "${request.source}" to ${request.target} reads "${column.name}", which is sealed as personal data; it was not applied. If the column is not personal, unseal it with PUT …/mapping ("sealed": false)`;
    findings.push(
      tapeFinding('SEALED_FIELD', message, {
        field: request.target,
        column: request.source,
        actual: SEALED_TEXT,
        expected: 'a column that is not sealed',
      }),
    );
    const { transform: _transform, ...plain } = request;
    return { ...plain, target: null };
  });
  return { requests: kept, findings };
}

/** The sealed column that a request would show: read into a field that is no obligor's. */
export function shownColumn({ source, target, transform }: MappingRequest, find: FindSource): RawColumn | null {
  if (target === null || (OBLIGOR_FIELDS.has(target) && !transform?.formula)) return null;
  const read = [find(source), ...transformInputs(transform).map(find)];
  return read.find((column) => column?.sealed) ?? null;
}

type Tokens = { from: string; values: Map<number, string>; decisions: string[]; findings: TapeFinding[] };

/** SQL of the tokens of the columns that identify the obligor, by index, over the rows of `from`. */
async function tokenColumns(input: SealInput, samples: readonly ColumnSample[]): Promise<Tokens> {
  const { engine, loanType, manifest, rows, requests } = input;
  const { columns } = manifest;
  const outcome = matchColumns({ loanType, columns, samples: byIndex(columns, samples), requests });
  const found = [...outcome.matches, ...outcome.contests.flatMap(({ rivals }) => rivals)].filter(
    ({ target, column }) => OBLIGOR_FIELDS.has(target) && column.sealed,
  );
  // A column may be a rival of two fields.
  const matches = found.filter(({ column }, at) => found.findIndex((each) => each.column.index === column.index) === at);
  const made = await makeTexts({ engine, from: `(${rows})`, columns, matches });
  const texts = made.isMade
    ? `(SELECT o.*, ${matches.map(({ column }) => `m.c${column.index} AS m${column.index}`).join(', ')} FROM (${rows}) o JOIN ${made.from} m USING (row_number) ORDER BY row_number)`
    : `(SELECT *, ${['NULL AS unmade', ...matches.map(({ column }) => `c${column.index} AS m${column.index}`)].join(', ')} FROM (${rows}))`;
  const trimmed = matches.map((match) => `${presentCellSql(`m${match.column.index}`, true)} AS ${textName(match)}`);
  const idFields = new Set([roles(loanType).id, 'obligor_id']);
  const values = matches.map((match) => `${textColumn(match, { idFields }).value} AS w${match.column.index}`);
  const tokens = matches.map(
    ({ column: { index } }) => `CASE WHEN w${index} IS NOT NULL THEN ${tokenSql(`w${index}`)} END AS v${index}`,
  );
  // A layer for each step: written out in place, the text of a value would be computed once for each time that it is named.
  const layers = [trimmed, values, tokens].filter((layer) => layer.length > 0);
  const layered = layers.reduce((inner, layer) => `(SELECT *, ${layer.join(', ')} FROM ${inner})`, texts);
  return {
    from: layered,
    values: new Map(matches.map(({ column }) => [column.index, `v${column.index}`])),
    decisions: [
      ...made.decisions,
      ...matches.map(({ source, target }) => `${target}: the token of "${source}" serves, which is sealed`),
    ],
    findings: made.findings,
  };
}

/** The rows as they are stored: tokens and marks in the place of sealed values, and `mix`. */
function storedRows(from: string, { columns, malformedRows }: RawManifest, tokens: ReadonlyMap<number, string>): string {
  const mark = (name: string) =>
    `CASE WHEN ${name} IS NULL OR trim(${name}) IN ('', ${sqlText(DESTROYED_TEXT)}) THEN ${name} ELSE ${sqlText(SEALED_TEXT)} END`;
  const hasMalformed = malformedRows.length > 0;
  const cells = columns.map(({ index, sealed }) => {
    const name = `c${index}`;
    const value = sealed ? (tokens.get(index) ?? mark(name)) : name;
    return hasMalformed ? `CASE WHEN is_malformed THEN ${mark(name)} ELSE ${value} END AS ${name}` : `${value} AS ${name}`;
  });
  const hidden = columns.filter(({ sealed }) => sealed);
  // With its length before each text, two rows give one text only where all their values are equal.
  const text = (index: number) => `coalesce(strlen(c${index}) || ':' || c${index}, '-')`;
  // A token says all of a value that was read as it stands.
  const told = (index: number) => `CASE WHEN c${index} IS NOT DISTINCT FROM w${index} THEN '' ELSE ${text(index)} END`;
  // One call of them all: the engine parses no chain of a thousand operators, each inside the next.
  const joined = (texts: readonly string[]) => `concat(${texts.join(', ')})`;
  const own = joined(hidden.map(({ index }) => (tokens.has(index) ? told(index) : text(index))));
  const every = joined(columns.map(({ index }) => text(index)));
  const mixed = hasMalformed ? `CASE WHEN is_malformed THEN ${every} ELSE ${own} END` : own;
  const flagged = hasMalformed ? `(SELECT *, ${IS_MALFORMED} AS is_malformed FROM ${from})` : from;
  // The key is made for this file and forgotten: without it nobody can try values until one gives the hash.
  const mix = `CASE WHEN mixed = '' THEN '' ELSE sha256(getvariable('mix_key') || mixed) END AS mix`;
  return `SELECT row_number, line, ${cells.join(', ')}, ${mix} FROM (SELECT *, ${mixed} AS mixed FROM ${flagged})`;
}

/** SQL of the rows of a version as they were sent: raw.parquet with the sealed values put back. Without these they read `[destroyed]`. */
function openedRows(rawPath: string, { columns }: RawManifest, sealedPath: string | null, hasRest: boolean): string {
  if (sealedPath === null) {
    const cells = columns.map(({ index, sealed }) =>
      sealed
        ? `CASE WHEN c${index} = ${sqlText(SEALED_TEXT)} THEN ${sqlText(DESTROYED_TEXT)} ELSE c${index} END AS c${index}`
        : `c${index}`,
    );
    return `SELECT row_number, line, ${cells.join(', ')} FROM ${parquet(rawPath)}`;
  }
  const cells = columns.map(({ index, sealed }, position) => {
    const value = sealed ? `s.c${index}` : `r.c${index}`;
    return hasRest
      ? `CASE WHEN s.rest IS NOT NULL THEN s.rest[${position + 1}] ELSE ${value} END AS c${index}`
      : `${value} AS c${index}`;
  });
  return (
    `SELECT r.row_number, r.line, ${cells.join(', ')} FROM ${parquet(rawPath)} r ` +
    `JOIN ${parquet(sealedPath)} s ON s.row_number = r.row_number ORDER BY r.row_number`
  );
}

/** The same for a version whose columns are known by its own file. */
export async function openTape(
  engine: Engine,
  rawPath: string,
  manifest: RawManifest,
  sealedPath: string | null,
): Promise<{ rows: string; manifest: RawManifest }> {
  const plain = { ...manifest, columns: manifest.columns.map(({ sealed: _sealed, ...column }) => column) };
  const columns =
    sealedPath === null ? [] : await engine.rows<{ column_name: string }>(`DESCRIBE SELECT * FROM ${parquet(sealedPath)}`);
  const hasRest = columns.some(({ column_name }) => column_name === 'rest');
  return { rows: openedRows(rawPath, manifest, sealedPath, hasRest), manifest: plain };
}

/** SQL of the rows of a raw table that has nothing sealed. */
export function rowsOf(path: string, { columns }: RawManifest): string {
  return `SELECT row_number, line, ${columns.map(({ index }) => `c${index}`).join(', ')} FROM ${parquet(path)}`;
}

/** A tape that is read again: without samples where its sealed values are destroyed. */
export type Resealed = Omit<SealedTape, 'samples'> & Partial<Pick<SealedTape, 'samples'>>;

/** Seals a stored version anew for another mapping: the sealed values are put back first, where they are still there. */
export async function resealTape(
  context: IngestContext,
  { rawPath, sealedPath }: { rawPath: string; sealedPath: string | null },
  requests: readonly MappingRequest[],
): Promise<Resealed> {
  const stored = await readRawManifest(context.engine, rawPath);
  const hasSealed = stored.columns.some((column) => column.sealed);
  if (!hasSealed) {
    return await sealTape({ ...context, rows: rowsOf(rawPath, stored), manifest: stored, storedAt: rawPath, requests });
  }
  if (sealedPath !== null) {
    const opened = await openTape(context.engine, rawPath, stored, sealedPath);
    return await sealTape({ ...context, ...opened, requests });
  }
  // The columns stay as they are, and tokens that were left still serve.
  return { rawPath, manifest: stored, sealedPath: null, decisions: [], ...withoutSealed(requests, stored.columns) };
}
