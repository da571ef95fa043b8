import { Errors } from 'typebox/schema';
import { amountFields } from './amount-faults.ts';
import { type Amount, FormSchema, MAX_NESTING, partsOf, ScheduleSchema } from './amount.ts';
import type { Structure } from './structure.ts';
import { invalid, type StructureIssue } from './issue.ts';

/** Amounts within amounts that are none: the schema of a structure knows only the outermost. The other rules read what has this shape. */
export function findMalformedAmounts(structure: Structure): StructureIssue[] {
  const issues: StructureIssue[] = [];
  const open: { path: string; amount: Amount; depth: number }[] = amountFields(structure).map(({ path, amount }) => ({
    path,
    amount,
    depth: 0,
  }));
  for (let each = open.pop(); each; each = open.pop()) {
    const { path, amount, depth } = each;
    if (depth > MAX_NESTING) {
      issues.push(
        invalid(path, `amounts stand in each other at most ${MAX_NESTING} deep, with those in percent, floor and amount`),
      );
      continue;
    }
    const found = faultsOf(path, amount);
    issues.push(...found);
    if (found.length > 0) continue;
    const parts = partsOf(amount).map((part) => ({ path: path + part.path, amount: part.amount, depth: depth + 1 }));
    open.push(...parts.toReversed());
  }
  return issues;
}

function faultsOf(path: string, amount: Amount): StructureIssue[] {
  if (typeof amount === 'number' || typeof amount === 'string') return [];
  if (typeof amount !== 'object' || amount === null) {
    return [invalid(path, `is ${String(amount)}, expected an amount: a number, a schedule or an object of one form`)];
  }
  if (!Array.isArray(amount)) return schemaFaults(path, FormSchema, amount);
  const unknown = amount.flatMap((point: unknown, place) =>
    typeof point === 'object' && point !== null
      ? Object.keys(point).flatMap((field) =>
          POINT_FIELDS.includes(field) ? [] : [unknownField(`${path}[${place}].${field}`, field)],
        )
      : [],
  );
  return [...unknown, ...schemaFaults(path, ScheduleSchema, amount)];
}

const POINT_FIELDS = ['from_period', 'from_date', 'value'];

const unknownField = (path: string, field: string): StructureIssue => ({
  code: 'UNKNOWN_FIELD',
  path,
  message: `a point of a schedule has no field "${field}"; expected from_period or from_date, and value`,
});

function schemaFaults(path: string, schema: typeof FormSchema | typeof ScheduleSchema, amount: Amount): StructureIssue[] {
  const [valid, errors] = Errors(schema, amount);
  if (valid) return [];
  return errors.map(({ instancePath, message }) => invalid(path + jsonPath(instancePath), message));
}

/** `.max_of[0]` of `/max_of/0`. */
const jsonPath = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('');
