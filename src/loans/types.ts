/** Types that several rooms of `loans/` share. */

export const LOAN_TYPES = ['Auto', 'Personal', 'Mortgage', 'Student', 'Business', 'Credit Card'] as const;
export type LoanType = (typeof LOAN_TYPES)[number];

/** `num / den × scale`, rounded half-even to six places; a zero or missing denominator is MISSING. */
export interface Ratio {
  num: string;
  den: string;
  scale?: number;
}

/**
 * How a source column is read into its field where the values alone do not determine it. The text is made first, in this order:
 * - `formula`: the number of a ratio of columns of the row, in the place of the column's own text;
 * - `split`: one part of the text; parts count from 1, from the end as -1;
 * - `concat`: the texts of further columns behind it;
 * - `replace`: literal texts in it, one after the other.
 *
 * Then it is read:
 * - `scale`: the number is multiplied by it (1000 for amounts in thousands, 12 for a monthly income).
 * - `multiply`, `divide`: exact decimals; the result is rounded once, half-even to six places.
 * - `unit`: a percent column holds fractions (`0.125`) or percents (`12.5`).
 * - `date`: the pattern of the text: YYYY, YY, MM, M, DD, D, MON, HH, MI, SS and separators; `SAS` and `EXCEL` for day numbers.
 * - `values`: word of the source → word of the field; compared without regard to case and blanks; null makes it missing.
 */
export type Transform = {
  formula?: Ratio;
  split?: { separator: string; part: number };
  concat?: { columns: string[]; separator?: string; skip_blank?: boolean };
  replace?: { find: string; with: string }[];
  scale?: number;
  multiply?: number;
  divide?: number;
  unit?: 'fraction' | 'percent';
  date?: string;
  values?: Record<string, string | number | boolean | null>;
};

/** A requested mapping of a source column to a field; `target: null` unmaps it. `sealed` says whether its values are sealed, whatever they look like. */
export type MappingRequest = { source: string; target: string | null; transform?: Transform; sealed?: boolean };

/** What stands in the loan table and in files of findings for a sealed value, and once its data key is destroyed. */
export const SEALED_TEXT = '[sealed]';
export const DESTROYED_TEXT = '[destroyed]';

/** Why a column is sealed: its header, its values, that it identifies the obligor, or a request. */
export type SealReason = 'HEADER' | 'CONTENT' | 'OBLIGOR' | 'REQUEST';

/** A sealed column of a tape; only the obligor's fields can be filled from one, by a token. */
export type SealedColumn = { source: string; target: string | null; sealed: true; reason: SealReason };

/** One decided match. `confidence` is 0..1; 1 means that a person requested it or that header and values agree fully. */
export type MappingEntry = { source: string; target: string; transform?: Transform; confidence: number; sealed?: true };

/** A text of a column, and what it would be as a value of a field; null where it cannot be read or means a missing value. */
export type SampleValue = { value: string; reads_as: string | null; unreadable: boolean };

/** A match below the threshold: shown, never applied. */
export type MappingSuggestion = {
  source: string;
  target: string;
  confidence: number;
  reason: string;
  /** Up to three values of the column; none where `samples_withheld` says why. */
  samples?: SampleValue[];
  samples_withheld?: string | null;
};

export type Mapping = {
  mappings: MappingEntry[];
  /** Source columns without a field; their text is kept. */
  unmapped: string[];
  /** Required fields that no column and no derivation fills. */
  missing_required: string[];
  suggestions: MappingSuggestion[];
  /** Absent in mappings from before columns were sealed. */
  sealed?: SealedColumn[];
};

export type Severity = 'ERROR' | 'WARNING';

/** A finding about the tape as a whole (a row's findings are in issues.parquet). */
export type TapeFinding = {
  rule_id: string;
  severity: Severity;
  message: string;
  field: string | null;
  column: string | null;
  line: number | null;
  actual: string | null;
  expected: string | null;
};

/** How many findings of a rule a tape has, those about the whole tape included. */
export type RuleCount = { rule_id: string; severity: Severity; count: number };

/** A finding as it is listed: one row of `issues.parquet`. */
export type IssueRow = TapeFinding & { row_number: number | null };

export type BalanceBasis = 'CURRENT' | 'ORIGINAL' | 'LIMIT';

/** Exact figures of one numeric field over all rows read; decimals as text in canonical units. */
export type FieldStatistics = {
  count: number;
  missing: number;
  sum: string;
  min: string | null;
  max: string | null;
  /** Σ(balance × value) / Σ balance over the rows that have the value, 8 places half-even; null without weight. */
  weighted_average: string | null;
  /** Balance of the rows where the value is missing. */
  missing_weight: string;
};
