import { invalidArgument } from './tool-problem.ts';

/** A step of a path: a name, an item of a list, or a part of a list or text. */
type Step = string | number | { from: number; to: number };

const NAME = String.raw`[^.[\]"]+`;
/** A name that has one of the signs of a path, as a JSON text in brackets. */
const QUOTED = String.raw`\["(?:[^"\\]|\\.)*"\]`;
const PART = String.raw`\[\d{0,9}:?\d{0,9}\]`;
const PATH = new RegExp(`^(?:${NAME}|${QUOTED}|${PART})(?:\\.${NAME}|${QUOTED}|${PART})*$`);
const STEP = new RegExp(`\\[(\\d*)(:?)(\\d*)\\]|${QUOTED}|${NAME}`, 'g');
const MOST_PATHS = 50;

export type Chosen = { data: unknown; missing: string[] };

/** The argument `fields` as a list of paths. */
export function readFields(given: unknown): string[] {
  if (given === undefined) return [];
  const listed: unknown[] = Array.isArray(given) ? given : [given];
  const paths = listed.filter((path): path is string => typeof path === 'string');
  const wrong = paths.find((path) => path.length > 200 || !PATH.test(path));
  if (paths.length < listed.length || wrong !== undefined || paths.length > MOST_PATHS)
    throw invalidArgument('fields', `expected at most ${MOST_PATHS} paths such as "status", "tranches.name" or "rows[20:40]".`);
  return paths;
}

/** Of each record only what the paths name, each under its path; and the paths that name nothing in any record. */
export function chooseFields(data: unknown, paths: readonly string[]): Chosen {
  if (paths.length === 0) return { data, missing: [] };
  const steps = paths.map((path) => [path, stepsOf(path)] as const);
  const found = new Set<string>();
  const choose = (record: unknown): unknown => {
    const values = steps.map(([path, of]) => [path, valueAt(record, of)] as const).filter(([, value]) => value !== undefined);
    for (const [path] of values) found.add(path);
    return Object.fromEntries(values);
  };
  const ofList = steps.every(([, [first]]) => typeof first === 'string');
  const chosen = Array.isArray(data) && ofList ? data.map(choose) : choose(data);
  const isEmpty = Array.isArray(data) && data.length === 0;
  return { data: chosen, missing: isEmpty ? [] : paths.filter((path) => !found.has(path)) };
}

/** The fields of a record, or of the first of a list. */
export function namesIn(data: unknown): string[] {
  const record: unknown = Array.isArray(data) ? data[0] : data;
  return typeof record === 'object' && record !== null ? Object.keys(record) : [];
}

const stepsOf = (path: string): Step[] =>
  [...path.matchAll(STEP)].map(([whole, from = '', colon = '', to = '']) => {
    if (whole.startsWith('["')) return nameIn(whole.slice(1, -1));
    if (!whole.startsWith('[')) return whole;
    const start = from === '' ? 0 : Number(from);
    if (colon === '') return start;
    return { from: start, to: to === '' ? Number.POSITIVE_INFINITY : Number(to) };
  });

/** A path with one more name. */
export const below = (path: string, name: string): string => {
  if (!new RegExp(`^${NAME}$`).test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
};

function nameIn(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw invalidArgument('fields', 'a name in quotation marks is written as in JSON.');
  }
}

function valueAt(value: unknown, [step, ...more]: readonly Step[]): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') return Array.isArray(value) ? valueAt(value[step], more) : undefined;
  if (typeof step === 'object') {
    if (typeof value === 'string') return more.length === 0 ? value.slice(step.from, step.to).toWellFormed() : undefined;
    return Array.isArray(value) ? valueAt(value.slice(step.from, step.to), more) : undefined;
  }
  if (Array.isArray(value)) {
    const values = value.map((each) => valueAt(each, [step, ...more]));
    return values.some((each) => each !== undefined) ? values : undefined;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  return valueAt((value as Record<string, unknown>)[step], more);
}
