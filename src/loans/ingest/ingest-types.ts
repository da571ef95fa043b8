import type { Engine } from '../engine/engine.ts';
import type { RawTable } from '../reading/raw-table.ts';
import type { BalanceBasis, FieldStatistics, LoanType, Mapping, MappingRequest, TapeFinding } from '../types.ts';

/** What every way of taking a tape in needs. */
export type IngestContext = {
  engine: Engine;
  loanType: LoanType;
  /** Directory that the engine may write: raw.parquet, loans.parquet and issues.parquet are put there. */
  outDir: string;
  /** Date of the intake, YYYY-MM-DD: dates after it lie in the future. */
  asOf: string;
  signal?: AbortSignal;
};

export type IngestInput = IngestContext & {
  raw: RawTable;
  /** Mapping remembered for this organization and loan type; entries whose source is not on the tape are ignored. */
  remembered?: readonly MappingRequest[];
  /** What the user said for this tape; wins over everything. */
  overrides?: readonly MappingRequest[];
};

export type MergeTapeInput = IngestInput & {
  /** raw.parquet of the version that the tape is merged into. */
  previousRawPath: string;
};

export type RemapInput = IngestContext & {
  /** The raw.parquet that `ingestTape` wrote for this version. */
  rawPath: string;
  remembered?: readonly MappingRequest[];
  overrides?: readonly MappingRequest[];
  /** The loans came inline: columns are named by their fields and in canonical units, nothing remembered applies. */
  inline?: boolean;
};

export type InlineValue = string | number | boolean | null | undefined;

export type InlineInput = IngestContext & {
  /** Loans keyed by canonical field names, in canonical units; other keys are kept as columns. */
  loans: readonly Readonly<Record<string, InlineValue>>[];
};

export type IngestResult = {
  mapping: Mapping;
  /** No amount column: the loans wait for a mapping; loans.parquet is not written, every other figure is zero. */
  needs_mapping: boolean;
  /** Rows read, before rejection. */
  rows: number;
  accepted: number;
  rejected: number;
  /** Σ of the amount of accepted rows on `balance_basis`, exact decimal text with 2 places. */
  total_balance: string;
  balance_basis: BalanceBasis;
  /** Row issues and tape findings together. */
  issue_counts: { error: number; warning: number };
  /** Per numeric field, over ALL rows read. */
  statistics: Record<string, FieldStatistics>;
  /** What was decided about columns and units, in words. */
  decisions: string[];
  tape_findings: TapeFinding[];
  /** Reporting date of the tape (latest), else the date of the intake. */
  as_of_date: string;
  /** The loan ids are row numbers because the tape has no id column. */
  synthetic_ids: boolean;
  /** More than 10 % of the rows were rejected. */
  qc_failed: boolean;
  files: { raw: string; loans: string | null; issues: string };
};
