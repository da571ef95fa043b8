import type { MappingRequest, Transform } from '../types.ts';
import type { FindSource } from './source-finder.ts';

/** The further columns of the tape that a transform reads, as it names them. */
export function transformInputs(transform: Transform | undefined): string[] {
  const { formula, concat } = transform ?? {};
  return [...(formula ? [formula.num, formula.den] : []), ...(concat?.columns ?? [])];
}

/** The columns that a transform reads and the tape does not have. */
export function absentInputs(transform: Transform | undefined, find: FindSource): string[] {
  return transformInputs(transform).filter((name) => !find(name));
}

/** Whether the tape has everything that a request reads. A formula needs no column of its own: its source may name a computed one. */
export function canApply({ source, transform }: MappingRequest, find: FindSource): boolean {
  if (absentInputs(transform, find).length > 0) return false;
  return transform?.formula !== undefined || find(source) !== undefined;
}

/** Whether the mapping makes the text of a column before it is read. */
export function makesText(transform: Transform | undefined): boolean {
  const { formula, split, concat, replace } = transform ?? {};
  return [formula, split, concat, replace].some((each) => each !== undefined);
}

/** Whether the mapping settles in which unit the numbers of a column are, so that nothing about it is assumed. */
export function settlesUnit(transform: Transform | undefined): boolean {
  const { formula, scale, multiply, divide } = transform ?? {};
  return [formula, scale, multiply, divide].some((each) => each !== undefined);
}
