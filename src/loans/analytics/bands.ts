import type { Field } from '../dictionary/field.ts';
import type { Engine } from '../engine/engine.ts';

/** How loans are grouped by one field: SQL of the group's key (text or NULL), and the meaning of the keys. */
export type Banding = {
  /** Edges of numeric bands, ascending; null when values or dates are the groups. */
  edges: number[] | null;
  key: string;
  describe: (key: string | null) => { key: string; lower: number | null; upper: number | null };
  /** Bands and dates come in their order, other groups by balance. */
  ordered: boolean;
};

export const MISSING = '(missing)';
const DATE_UNITS = ['month', 'quarter', 'year'] as const;

/** Edges that are usual in the market. Percent, scores, days. */
const USUAL: Record<string, number[]> = {
  credit_score: [580, 620, 660, 700, 740, 780],
  owner_credit_score: [580, 620, 660, 700, 740, 780],
  days_past_due: [1, 30, 60, 90, 120],
  ltv: [60, 70, 80, 90, 100, 110, 120],
  cltv: [60, 70, 80, 90, 100, 110, 120],
  dti: [10, 20, 30, 36, 43, 50],
};

export type BandFault = { parameter: 'bands'; message: string };

/**
 * Bands of a field: the requested ones (`0,580,620`; for dates `month`, `quarter`, `year`), else the usual ones, else about ten of equal
 * width, or the values themselves if they are few. A band includes its lower edge and excludes its upper edge.
 */
export async function bandsOf(
  engine: Engine,
  source: string,
  field: Pick<Field, 'field' | 'type'>,
  requested: string | undefined,
): Promise<Banding | BandFault> {
  const { field: name, type } = field;
  const column = `"${name}"`;
  if (type === 'date') return dateBands(column, requested ?? 'year');
  const numeric = type === 'money' || type === 'percent' || type === 'integer' || type === 'number';
  if (!numeric) {
    if (requested !== undefined)
      return { parameter: 'bands', message: `${name} is not a number or a date: its values are the groups` };
    return valueBands(`CAST(${column} AS VARCHAR)`);
  }
  if (requested === undefined) {
    const usual = USUAL[name];
    return usual ? numberBands(column, usual) : await ownBands(engine, source, column);
  }
  const edges = requested.split(',').map((edge) => (NUMBER.test(edge.trim()) ? Number(edge) : Number.NaN));
  const wrong = edges.findIndex((edge, index) => !Number.isFinite(edge) || (index > 0 && edge <= edges[index - 1]));
  if (wrong !== -1)
    return { parameter: 'bands', message: `edge ${wrong + 1} is ${requested.split(',')[wrong] || 'empty'}; numbers must ascend` };
  return numberBands(column, edges);
}

/** A decimal number: the language's own conversion takes `0x10` for 16 as well. */
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

function valueBands(key: string): Banding {
  return { edges: null, key, describe: (value) => ({ key: value ?? MISSING, lower: null, upper: null }), ordered: false };
}

function dateBands(column: string, unit: string): Banding | BandFault {
  if (!DATE_UNITS.includes(unit as (typeof DATE_UNITS)[number])) {
    return { parameter: 'bands', message: `expected one of ${DATE_UNITS.join(', ')} for a date` };
  }
  return { ...valueBands(dateKey(column, unit)), ordered: true };
}

/** `2025`, `2025-Q1` or `2025-01` of a date. */
export function dateKey(column: string, unit: string): string {
  if (unit === 'year') return `strftime(${column}, '%Y')`;
  if (unit === 'month') return `strftime(${column}, '%Y-%m')`;
  return `strftime(${column}, '%Y') || '-Q' || quarter(${column})`;
}

function numberBands(column: string, edges: number[]): Banding {
  const cases = edges.map((edge, index) => `WHEN ${column} < ${edge} THEN ${index}`);
  return {
    edges,
    key: `CAST(CASE WHEN ${column} IS NULL THEN NULL ${cases.join(' ')} ELSE ${edges.length} END AS VARCHAR)`,
    describe: (key) => describeBand(key === null ? null : Number(key), edges),
    ordered: true,
  };
}

function describeBand(band: number | null, edges: readonly number[]) {
  if (band === null) return { key: MISSING, lower: null, upper: null };
  const [lower, upper] = [edges[band - 1] ?? null, edges[band] ?? null];
  return { ...bandName(lower, upper), lower, upper };
}

/** The name of a band by its edges; null at an open end. */
export function bandName(lower: number | null, upper: number | null): { key: string } {
  if (lower === null) return { key: upper === null ? 'all' : `below ${upper}` };
  return { key: upper === null ? `${lower} and above` : `${lower} to below ${upper}` };
}

const FEW_VALUES = 20;
const BANDS = 10;

async function ownBands(engine: Engine, source: string, column: string): Promise<Banding> {
  const row = await engine.first<{ few: number; low: number | null; high: number | null }>(
    `SELECT count(DISTINCT ${column}) AS few, CAST(min(${column}) AS DOUBLE) AS low, CAST(max(${column}) AS DOUBLE) AS high FROM ${source}`,
  );
  if (!row || row.low === null || row.high === null || row.few <= FEW_VALUES) {
    const plain = valueBands(`CAST(${column} AS VARCHAR)`);
    return {
      ...plain,
      describe: (key) => ({ ...plain.describe(key), key: key === null ? MISSING : String(Number(key)) }),
      ordered: true,
    };
  }
  const step = niceStep((row.high - row.low) / BANDS);
  const first = Math.floor(row.low / step) + 1;
  const count = Math.max(1, Math.ceil(row.high / step) - first);
  return numberBands(
    column,
    Array.from({ length: count }, (_, index) => Number(((first + index) * step).toPrecision(12))),
  );
}

/** 1, 2, 2.5 or 5 times a power of ten, at least `width`. */
function niceStep(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  return (([1, 2, 2.5, 5, 10] as const).find((step) => step * power >= width) ?? 10) * power;
}
