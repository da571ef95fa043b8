import { distance } from 'fastest-levenshtein';
import { nearestName } from '../../platform/http/nearest.ts';
import { dictionary, findField } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';
import { normalizeHeader } from '../reading/header.ts';
import { sourceName } from '../reading/source-name.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import type { LoanType, Mapping, MappingRequest } from '../types.ts';
import { checkTransform } from './check-transform.ts';
import { type FindSource, sourceFinder } from './source-finder.ts';
import { absentInputs } from './transform-inputs.ts';

export type MappingProblem = {
  /** Position in the request. */
  index: number;
  code: 'UNKNOWN_SOURCE' | 'UNKNOWN_TARGET' | 'DUPLICATE_SOURCE' | 'DUPLICATE_TARGET' | 'INVALID_TRANSFORM';
  message: string;
};

/** The columns of a tape, and the mapping in force, with which requests are merged. */
export type MappedColumns = { columns: readonly RawColumn[]; mappings: Mapping['mappings'] };

/** Problems of a mapping requested by a user; an empty list means that it can be applied. */
export function checkMappingRequests(
  requests: readonly MappingRequest[],
  { columns, mappings }: MappedColumns,
  loanType: LoanType,
): MappingProblem[] {
  const find = sourceFinder(columns);
  const mapped = new Map(mappings.map(({ source, target }) => [keyOf(source, find), { source, target }]));
  const tape: Tape = { columns, find, mapped, hints: HINTS_MAX };
  const sources = new Map<SourceKey, number>();
  const named = new Set(requests.map(({ source }) => keyOf(source, find)));
  const fillers = new Map<string, Filler>(
    [...mapped].flatMap(([key, { source, target }]) => (named.has(key) ? [] : [[target, { source, entry: null }]])),
  );
  return requests.flatMap((request, index) => [
    ...sourceProblems(request, index, tape, sources),
    ...inputProblems(request, index, tape),
    ...targetProblems(request, index, loanType, fillers),
  ]);
}

/** A column by its place, or a name that no column has, of a number that a formula makes. */
type SourceKey = number | string;
const keyOf = (source: string, find: FindSource): SourceKey => find(source)?.index ?? normalizeHeader(source);

/** What fills a field: the entry of the request, or null where it does so already. */
type Filler = { source: string; entry: number | null };

/** Names are compared with all columns for so many problems of a request. */
const HINTS_MAX = 10;

/** The columns of a tape, what they are now, and for how many more names the nearest column is looked for. */
type Tape = {
  columns: readonly RawColumn[];
  find: FindSource;
  mapped: ReadonlyMap<SourceKey, { source: string }>;
  hints: number;
};

function sourceProblems(request: MappingRequest, index: number, tape: Tape, seen: Map<SourceKey, number>): MappingProblem[] {
  const key = keyOf(request.source, tape.find);
  // What a formula makes is no column of the tape, and gives its field up by its name.
  const isGivenUp = request.target === null && tape.mapped.has(key);
  if (typeof key === 'string' && !request.transform?.formula && !isGivenUp) return [unknownSource(request.source, index, tape)];
  const earlier = seen.get(key);
  seen.set(key, index);
  if (earlier === undefined) return [];
  return [{ index, code: 'DUPLICATE_SOURCE', message: `"${request.source}" is already mapped by entry ${earlier}` }];
}

/** The further columns that the transform reads have to be on the tape. */
function inputProblems({ transform }: MappingRequest, index: number, tape: Tape): MappingProblem[] {
  return absentInputs(transform, tape.find).map((name) => unknownSource(name, index, tape));
}

/** Names that differ in more letters are not suggested. */
const MOST_EDITS = 3;

function unknownSource(name: string, index: number, tape: Tape): MappingProblem {
  const near = nearestColumn(name, tape);
  const hint = near ? `; did you mean "${sourceName(near, tape.columns)}"?` : '';
  return { index, code: 'UNKNOWN_SOURCE', message: `the tape has no column "${name}"${hint}` };
}

function nearestColumn(name: string, tape: Tape): RawColumn | undefined {
  tape.hints -= 1;
  const normalized = normalizeHeader(name);
  if (tape.hints < 0 || normalized.length > 100) return undefined;
  return tape.columns
    .filter((column) => Math.abs(column.normalized.length - normalized.length) <= MOST_EDITS)
    .map((column) => ({ column, edits: distance(normalized, column.normalized) }))
    .filter(({ edits }) => edits <= MOST_EDITS && edits < normalized.length)
    .toSorted((a, b) => a.edits - b.edits)[0]?.column;
}

function targetProblems(
  request: MappingRequest,
  index: number,
  loanType: LoanType,
  fillers: Map<string, Filler>,
): MappingProblem[] {
  if (request.target === null) return [];
  const field = findField(loanType, request.target);
  if (!field) return [unknownTarget(request.target, index, loanType)];
  const filler = fillers.get(field.field);
  if (!filler) fillers.set(field.field, { source: request.source, entry: index });
  const taken = filler ? [{ index, code: 'DUPLICATE_TARGET' as const, message: takenMessage(request, filler) }] : [];
  return [...taken, ...transformProblems(request, field).map((message) => invalid(index, message))];
}

function unknownTarget(target: string, index: number, loanType: LoanType): MappingProblem {
  const near = nearestName(
    target,
    dictionary(loanType).map(({ field }) => field),
  );
  const hint = near?.alike ? `did you mean ${near.nearest}?` : 'see the dictionary';
  return { index, code: 'UNKNOWN_TARGET', message: `"${target}" is not a field of ${loanType} loans; ${hint}` };
}

function takenMessage({ source, target }: MappingRequest, filler: Filler): string {
  const by = filler.entry === null ? 'which fills it now' : `as entry ${filler.entry} says`;
  return `"${source}" cannot fill "${target}" beside "${filler.source}", ${by}: send "${filler.source}" with "target": null in the same request to give the field up`;
}

function invalid(index: number, message: string): MappingProblem {
  return { index, code: 'INVALID_TRANSFORM', message };
}

function transformProblems({ source, transform }: MappingRequest, field: Field): string[] {
  return transform ? checkTransform(source, transform, field) : [];
}
