import { findField } from '../dictionary/dictionary.ts';
import type { Field } from '../dictionary/field.ts';
import { findSource } from '../reading/source-name.ts';
import type { RawColumn } from '../reading/raw-table.ts';
import type { LoanType, MappingRequest } from '../types.ts';
import { isDatePattern } from '../values/date.ts';

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
  const sources = new Map<number, number>();
  const targets = new Map<string, number>();
  return requests.flatMap((request, index) => [
    ...sourceProblems(request, index, columns, sources),
    ...targetProblems(request, index, loanType, targets),
  ]);
}

function sourceProblems(
  request: MappingRequest,
  index: number,
  columns: readonly RawColumn[],
  seen: Map<number, number>,
): MappingProblem[] {
  const column = findSource(request.source, columns);
  if (!column) return [{ index, code: 'UNKNOWN_SOURCE', message: `the tape has no column "${request.source}"` }];
  const earlier = seen.get(column.index);
  seen.set(column.index, index);
  if (earlier === undefined) return [];
  return [{ index, code: 'DUPLICATE_SOURCE', message: `"${request.source}" is already mapped by entry ${earlier}` }];
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

const NUMERIC: ReadonlySet<Field['type']> = new Set(['money', 'percent', 'number', 'integer']);

function transformProblems({ transform }: MappingRequest, field: Field): string[] {
  if (!transform) return [];
  const problems: string[] = [];
  if (transform.scale !== undefined && !NUMERIC.has(field.type))
    problems.push(`scale needs a number; "${field.field}" is ${field.type}`);
  if (transform.scale !== undefined && !(transform.scale > 0 && transform.scale <= 1_000_000))
    problems.push(`scale must be above 0 and at most 1,000,000, not ${transform.scale}`);
  if (transform.unit !== undefined && field.type !== 'percent')
    problems.push(`unit needs a percent field; "${field.field}" is ${field.type}`);
  if (transform.date !== undefined && field.type !== 'date')
    problems.push(`date needs a date field; "${field.field}" is ${field.type}`);
  if (transform.date !== undefined && !isDatePattern(transform.date))
    problems.push(`date "${transform.date}" is not a pattern such as MMYYYY, MM/DD/YYYY, DD-MON-YY, SAS or EXCEL`);
  return [...problems, ...valueProblems(transform.values, field)];
}

function valueProblems(values: Record<string, string | number | boolean | null> | undefined, field: Field): string[] {
  if (!values || !field.enum) return [];
  const unknown = Object.values(values).filter((value) => value !== null && !field.enum?.includes(String(value)));
  if (unknown.length === 0) return [];
  return [`${[...new Set(unknown)].map((value) => `"${value}"`).join(', ')} is not one of ${field.enum.join(', ')}`];
}
