export type FieldType = 'string' | 'date' | 'money' | 'percent' | 'integer' | 'number' | 'enum' | 'boolean';

/** Bounds of the values of a field; `AS_OF` is the date of the ingest, `NEXT_YEAR` the year after it. */
export type FieldRange = {
  min: number | string | null;
  max: number | string | null;
  /** The lower bound is exclusive. */
  min_exclusive: boolean;
  text: string;
};

/** How one known source codes a field: applied only where the column's header is one of `headers` (normalised). */
export type Coding = {
  headers: readonly string[];
  name: string;
  codes: Readonly<Record<string, string | null>>;
  scale?: number;
  note?: string;
};

/** How the field is derived when no column fills it. */
export type Derivation = 'LTV' | 'UTILIZATION' | 'DAYS_PAST_DUE' | 'OBLIGOR' | 'CONTRACT_NUMBER';

/** One canonical field of a loan type. */
export type Field = {
  field: string;
  type: FieldType;
  unit: string | null;
  required: boolean;
  range: FieldRange | null;
  enum: readonly string[] | null;
  /** Words of real sources → canonical word (text of a number or boolean for such fields); null is missing. Upper case. */
  codes: Readonly<Record<string, string | null>>;
  codings: readonly Coding[];
  aliases: readonly string[];
  /** Those aliases that are not of the sources of the type: a column under any other goes before one under them. */
  secondary: ReadonlySet<string>;
  /** Those aliases that name another quantity, and which: it serves where no column gives the field itself, and that is told. */
  standIns: Readonly<Record<string, string>>;
  /** Whole values that mean a missing value. */
  sentinels: readonly string[];
  derive: Derivation | null;
  description: string;
  source: string | null;
};

type RangeSpec = { min?: number | string; max?: number | string; min_exclusive?: boolean; text: string };

type FieldSpec = Pick<Field, 'field' | 'type' | 'aliases' | 'description'> &
  Partial<Omit<Field, 'field' | 'type' | 'aliases' | 'description' | 'range'>> & { range?: RangeSpec };

/** Completes field definitions with their defaults. */
export function defineFields(specs: readonly FieldSpec[]): readonly Field[] {
  return specs.map(defineField);
}

/** Codes of the fields of the European templates: annexes 2 and 4 to 7 of Regulation (EU) 2020/1225. */
const ESMA_CODE = /^(?:RREL|RREC|CRPL|AUTL|CMRL|CCDL)\d+$/;

/** What the European templates report in place of a value that is not available (ND1 to ND4) or not applicable (ND5). */
const NO_DATA_OPTIONS: Readonly<Record<string, null>> = { ND1: null, ND2: null, ND3: null, ND4: null, ND5: null };

/**
 * Columns of the European templates have no-data options, and their percentages are hundredths: a pool whose rates are all below
 * 2 % is no pool of fractions. Words read the options everywhere, since no word of an enum is one of them.
 */
function withEsma(spec: FieldSpec): Pick<Field, 'codes' | 'codings'> {
  const { codes = {}, codings = [] } = spec;
  const headers = spec.aliases.filter((alias) => ESMA_CODE.test(alias)).map((alias) => alias.toLowerCase());
  if (headers.length === 0 || spec.type === 'date') return { codes, codings };
  if (spec.type === 'enum' || spec.type === 'boolean') return { codes: { ...NO_DATA_OPTIONS, ...codes }, codings };
  const scale = spec.type === 'percent' ? { scale: 1 } : {};
  return { codes, codings: [...codings, { headers, name: 'ESMA template', codes: NO_DATA_OPTIONS, ...scale }] };
}

function defineField(spec: FieldSpec): Field {
  return {
    field: spec.field,
    type: spec.type,
    unit: spec.unit ?? null,
    required: spec.required ?? false,
    range: spec.range ? { min: null, max: null, min_exclusive: false, ...spec.range } : null,
    enum: spec.enum ?? null,
    ...withEsma(spec),
    aliases: spec.aliases,
    secondary: spec.secondary ?? new Set(),
    standIns: spec.standIns ?? {},
    sentinels: spec.sentinels ?? [],
    derive: spec.derive ?? null,
    description: spec.description,
    source: spec.source ?? null,
  };
}

/** Whether the values of a field are numbers. */
export function isNumeric(field: Field): boolean {
  return field.type === 'money' || field.type === 'percent' || field.type === 'number' || field.type === 'integer';
}

/** SQL type of the column of a field in the loan table. */
export function columnType(field: Field): 'VARCHAR' | 'DATE' | 'BOOLEAN' | 'DECIMAL(18,6)' {
  if (field.type === 'string' || field.type === 'enum') return 'VARCHAR';
  if (field.type === 'date') return 'DATE';
  return field.type === 'boolean' ? 'BOOLEAN' : 'DECIMAL(18,6)';
}
