import type { Decimal } from '../../finance/decimal.ts';
import { findField } from '../dictionary/dictionary.ts';
import type { Engine } from '../engine/engine.ts';
import { parquet } from '../engine/sql.ts';
import type { LoanType } from '../types.ts';
import { type BandFault, type Banding, bandName, bandsOf, MISSING } from './bands.ts';
import { commonColumns } from './columns.ts';
import { joinSmall, OTHER } from './small-groups.ts';
import {
  addSums,
  type FigureRow,
  type Figures,
  figureColumns,
  figuresOf,
  readSums,
  sharesOf,
  type Sums,
  weightedValues,
} from './figures.ts';

export type StratsInput = {
  engine: Engine;
  loansPath: string;
  loanType: LoanType;
  /** YYYY-MM-DD. */
  asOf: string;
  by: string;
  bands?: string | undefined;
  thenBy?: string | undefined;
  thenBands?: string | undefined;
  /** Groups of fewer loans are joined with others. */
  least?: number;
  /** The averages are those of these fields alone; all by default. */
  fields?: readonly string[] | undefined;
};

export type Stratum = Figures & {
  key: string;
  /** Edges of a numeric band: from, below; null at an open end and where values are the groups. */
  lower: number | null;
  upper: number | null;
  /** Balance over that of the whole, 6 decimals; inside a group, over that of the group. */
  share: number;
  groups?: Stratum[];
};

export type Strats = { bands: number[] | null; then_bands: number[] | null; total: Figures; groups: Stratum[] };

export type StratsFault =
  | { code: 'UNKNOWN_FIELD'; parameter: 'by' | 'then_by'; field: string; message: string }
  | { code: 'INVALID_BANDS'; parameter: 'bands' | 'then_bands'; message: string }
  | { code: 'TOO_MANY_GROUPS'; parameter: 'by'; message: string };

const GROUPS_MAX = 1_000;

/** Groups of loans by one field or two, with exact sums and balance-weighted averages. Faults of the request are returned. */
export async function strats(input: StratsInput): Promise<{ ok: true; strats: Strats } | { ok: false; fault: StratsFault }> {
  const first = await banding(input, 'by', input.by, input.bands);
  if ('fault' in first) return { ok: false, fault: first.fault };
  const second = input.thenBy === undefined ? null : await banding(input, 'then_by', input.thenBy, input.thenBands);
  if (second && 'fault' in second) return { ok: false, fault: second.fault };
  const columns = commonColumns(input.loanType, input.asOf);
  const values = weightedValues(input.loanType, columns, input.fields);
  const rows = await input.engine.rows<FigureRow & { k1: string | null; k2: string | null }>(
    `SELECT ${first.banding.key} AS k1, ${second?.banding.key ?? 'NULL'} AS k2, ${figureColumns(columns.balance, values)}
     FROM ${parquet(input.loansPath)} GROUP BY ALL LIMIT ${GROUPS_MAX + 1}`,
  );
  if (rows.length > GROUPS_MAX) {
    const message = `gives more than ${GROUPS_MAX} groups: give bands, or another field`;
    return { ok: false, fault: { code: 'TOO_MANY_GROUPS', parameter: 'by', message } };
  }
  const cells = rows.map((row) => ({ k1: row.k1, k2: row.k2, sums: readSums(row, values) }));
  const groups = group(
    cells,
    (cell) => cell.k1,
    first.banding,
    input.least,
    (members) => (second ? group(members, (cell) => cell.k2, second.banding, input.least) : undefined),
  );
  const total = figuresOf(addSums(cells.map((cell) => cell.sums)));
  return { ok: true, strats: { bands: first.banding.edges, then_bands: second?.banding.edges ?? null, total, groups } };
}

async function banding(
  { engine, loansPath, loanType }: StratsInput,
  parameter: 'by' | 'then_by',
  name: string,
  bands: string | undefined,
): Promise<{ banding: Banding } | { fault: StratsFault }> {
  const field = name === 'deal_id' ? { field: 'deal_id', type: 'string' as const } : findField(loanType, name);
  if (!field) {
    const message = `"${name}" is not a field of ${loanType} loans; see the dictionary`;
    return { fault: { code: 'UNKNOWN_FIELD', parameter, field: name, message } };
  }
  const found: Banding | BandFault = await bandsOf(engine, parquet(loansPath), field, bands);
  if (!('message' in found)) return { banding: found };
  return { fault: { code: 'INVALID_BANDS', parameter: parameter === 'by' ? 'bands' : 'then_bands', message: found.message } };
}

type StratCell = { k1: string | null; k2: string | null; sums: Sums };

function group(
  cells: readonly StratCell[],
  keyOf: (cell: StratCell) => string | null,
  { describe, ordered }: Banding,
  least = 0,
  inside: (members: StratCell[]) => Stratum[] | undefined = () => undefined,
): Stratum[] {
  const members = Map.groupBy(cells, keyOf);
  const found = [...members].map(([key, list]) => ({ key, list, sums: addSums(list.map((cell) => cell.sums)) }));
  found.sort((a, b) => (ordered ? byKey(a.key, b.key) : byBalance(a.sums.balance, b.sums.balance)) || byKey(a.key, b.key));
  const joined = joinSmall(found, { countOf: ({ sums }) => sums.loan_count, ordered, least }).map((parts) => ({
    described:
      parts.length === 1
        ? describe(parts[0].key)
        : describeJoined(
            parts.map(({ key }) => describe(key)),
            ordered,
          ),
    list: parts.flatMap((part) => part.list),
    sums: addSums(parts.map((part) => part.sums)),
  }));
  const shares = sharesOf(joined.map(({ sums }) => sums.balance));
  return joined.map(({ described, list, sums }, index) => {
    const groups = inside(list);
    return { ...described, share: shares[index], ...figuresOf(sums), ...(groups ? { groups } : {}) };
  });
}

type Described = Pick<Stratum, 'key' | 'lower' | 'upper'>;

/** The range of neighbours, and loans without a value where they are among them; other groups that were joined have no name. */
function describeJoined(parts: readonly Described[], ordered: boolean): Described {
  if (!ordered) return { key: OTHER, lower: null, upper: null };
  const known = parts.filter(({ key }) => key !== MISSING);
  const [first, last] = [known[0], known.at(-1)];
  if (!first || !last) return { key: MISSING, lower: null, upper: null };
  const range = rangeOf(first, last);
  return { ...range, key: known.length < parts.length ? `${range.key}, and ${MISSING}` : range.key };
}

function rangeOf(first: Described, last: Described): Described {
  if (first === last) return first;
  const { lower } = first;
  const { upper } = last;
  if (first.upper === null && last.lower === null) return { key: `${first.key} to ${last.key}`, lower, upper };
  return { ...bandName(lower, upper), lower, upper };
}

/** Numbers as numbers, text as text, missing last. */
function byKey(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const [left, right] = [Number(a), Number(b)];
  if (!Number.isNaN(left) && !Number.isNaN(right)) return left - right;
  return a < b ? -1 : a > b ? 1 : 0;
}

function byBalance(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = b.units * 10n ** BigInt(scale - b.scale) - a.units * 10n ** BigInt(scale - a.scale);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}
