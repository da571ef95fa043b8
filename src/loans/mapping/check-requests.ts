import { distance } from 'fastest-levenshtein';
import { findField } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';
import { normalizeHeader } from '../reading/header.ts';
import { sourceName } from '../reading/source-name.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import type { LoanType, MappingRequest } from '../types.ts';
import { checkTransform } from './check-transform.ts';
import { type FindSource, sourceFinder } from './source-finder.ts';
import { absentInputs } from './transform-inputs.ts';

export type MappingProblem = {
  /** Position in the request. */
  index: number;
  code: 'UNKNOWN_SOURCE' | 'UNKNOWN_TARGET' | 'DUPLICATE_SOURCE' | 'DUPLICATE_TARGET' | 'INVALID_TRANSFORM';
  message: string;
};

/** Problems of a mapping requested by a user; an empty list means that it can be applied. */
export function checkMappingRequests(
  requests: readonly MappingRequest[],
  columns: readonly RawColumn[],
  loanType: LoanType,
): MappingProblem[] {
  const sources = new Map<number | string, number>();
  const targets = new Map<string, number>();
  const tape: Tape = { columns, find: sourceFinder(columns), hints: HINTS_MAX };
  return requests.flatMap((request, index) => [
    ...sourceProblems(request, index, tape, sources),
    ...inputProblems(request, index, tape),
    ...targetProblems(request, index, loanType, targets),
  ]);
}

/** Names are compared with all columns for so many problems of a request. */
const HINTS_MAX = 10;

/** The columns of a tape, and for how many more names the nearest column is looked for. */
type Tape = { columns: readonly RawColumn[]; find: FindSource; hints: number };

function sourceProblems(
  request: MappingRequest,
  index: number,
  tape: Tape,
  seen: Map<number | string, number>,
): MappingProblem[] {
  const column = tape.find(request.source);
  if (!column && !request.transform?.formula) return [unknownSource(request.source, index, tape)];
  const key = column?.index ?? normalizeHeader(request.source);
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

function targetProblems(request: MappingRequest, index: number, loanType: LoanType, seen: Map<string, number>): MappingProblem[] {
  if (request.target === null) return [];
  const field = findField(loanType, request.target);
  if (!field)
    return [
      { index, code: 'UNKNOWN_TARGET', message: `"${request.target}" is not a field of ${loanType} loans; see the dictionary` },
    ];
  const earlier = seen.get(field.field);
  seen.set(field.field, index);
  const duplicate: MappingProblem[] =
    earlier === undefined
      ? []
      : [{ index, code: 'DUPLICATE_TARGET', message: `two sources cannot fill "${field.field}"; entry ${earlier} already does` }];
  return [...duplicate, ...transformProblems(request, field).map((message) => invalid(index, message))];
}

function invalid(index: number, message: string): MappingProblem {
  return { index, code: 'INVALID_TRANSFORM', message };
}

function transformProblems({ source, transform }: MappingRequest, field: Field): string[] {
  return transform ? checkTransform(source, transform, field) : [];
}
