import type { Records } from '../../app/api.ts';

export type Structure = Records['Structure'];
export type Tranche = Structure['tranches'][number];
export type Step = Structure['waterfall'][number];
export type Trigger = NonNullable<Structure['triggers']>[number];

/** What the API says of a structure, by the path of the part. */
export type Problems = readonly { field: string; message: string }[];

export const problemsAt = (problems: Problems, path: string): string[] =>
  problems
    .filter(({ field }) => field === path || field.startsWith(`${path}.`) || field.startsWith(`${path}[`))
    .map(({ message }) => message);

export type Change = { path: string; before: unknown; after: unknown };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What differs between two values, part by part. */
export function changesBetween(before: unknown, after: unknown, path = ''): Change[] {
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length);
    return Array.from({ length }, (_, at) => changesBetween(before[at], after[at], `${path}[${at}]`)).flat();
  }
  if (isRecord(before) && isRecord(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => changesBetween(before[name], after[name], path === '' ? name : `${path}.${name}`));
  }
  return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
}

/** The parts of a record that no field of the form shows. */
export const restOf = (record: object, shown: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !shown.includes(name)));

/** The record with another value of a field; without the field where there is none. */
export function withField<Of extends object>(record: Of, name: string, value: unknown): Of {
  const { [name]: _, ...rest } = record as Record<string, unknown>;
  // Written as it was typed; whether the structure takes it, the API says.
  return (value === undefined ? rest : { ...rest, [name]: value }) as Of;
}

export const moved = <Of>(list: readonly Of[], from: number, to: number): Of[] => {
  const rest = list.filter((_, at) => at !== from);
  const item = list[from];
  return item === undefined ? rest : [...rest.slice(0, to), item, ...rest.slice(to)];
};

export const replaced = <Of>(list: readonly Of[], at: number, item: Of): Of[] =>
  list.map((each, index) => (index === at ? item : each));
