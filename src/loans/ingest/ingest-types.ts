import type { Engine } from '../engine/engine.ts';
import type { ColumnSample } from '../mapping/content.ts';
import type { RawManifest } from '../reading/raw-file.ts';
import type { RawTable } from '../reading/raw-table.ts';
import type { BalanceBasis, FieldStatistics, LoanType, Mapping, MappingRequest, RuleCount, TapeFinding } from '../types.ts';

export type SealedTape = {
  rawPath: string;
  manifest: RawManifest;
  /** The sealed values, in the clear: for a working directory only. Null where nothing is sealed. */
  sealedPath: string | null;
  /** A sample of each column as it was sent, for the matching alone; nothing of it may be shown. */
  samples: ColumnSample[];
  /** The requests, without those that would show a sealed column. */
  requests: MappingRequest[];
  decisions: string[];
  findings: TapeFinding[];
};

/**
 * The stages of an ingest in their order. READING counts bytes (of the file, or of the sheet once unpacked), MATCHING columns, the others rows: CHECKING reads the
 * values and runs the checks, LISTING writes the findings, WRITING the accepted loans.
 */
export const INGEST_STAGES = ['READING', 'MATCHING', 'CHECKING', 'LISTING', 'WRITING'] as const;
export type IngestProgress = { stage: (typeof INGEST_STAGES)[number]; done: number; total: number };
export type ReportProgress = (progress: IngestProgress) => void;

/** Inputs of every kind of ingest. */
export type IngestContext = {
  engine: Engine;
  loanType: LoanType;
  /** Directory that the engine may write; it receives raw.parquet, loans.parquet and issues.parquet. */
  outDir: string;
  /** Date of the ingest, YYYY-MM-DD; later dates lie in the future. */
  asOf: string;
  signal?: AbortSignal;
  report?: ReportProgress;
  /** The loans that this tape takes the place of; null or absent for the first one. */
  replaces?: LoansBefore | null;
  /** Key of the organization's tokens, as hex; without one the tokens are of no use beyond this ingest. */
  tokenKey?: string;
};

/** The accepted loans of the version before: loans.parquet, and whether a column of that tape gave them their ids. */
export type LoansBefore = { version: number; loansPath: string; hasIds: boolean };

export type IngestInput = IngestContext & {
  raw: RawTable;
  /** Mapping remembered for this organization and loan type; entries whose source is not on the tape are ignored. */
  remembered?: readonly MappingRequest[];
  /** Mapping requested by the user for this tape; overrides everything else. */
  overrides?: readonly MappingRequest[];
};

export type MergeTapeInput = IngestInput & {
  /** raw.parquet of the version that the tape is merged into. */
  previousRawPath: string;
  /** The sealed values of that version, in the clear; null or absent where it has none, or none any more. */
  previousSealedPath?: string | null;
  /** Number of that version, for messages. */
  previousVersion?: number;
  /** Its loans were sent inline; see {@link RemapInput}. */
  inline?: boolean;
};

export type RemapInput = IngestContext & {
  /** The raw.parquet that `ingestRawTable` wrote for this version. */
  rawPath: string;
  /** The sealed values of this version, in the clear; null or absent where it has none, or none any more. */
  sealedPath?: string | null;
  remembered?: readonly MappingRequest[];
  overrides?: readonly MappingRequest[];
  /** The loans were sent inline: columns are named after fields and in canonical units; no remembered mapping applies. */
  inline?: boolean;
};

export type InlineValue = string | number | boolean | null | undefined;

export type InlineInput = IngestContext & {
  /** Loans keyed by canonical field names, in canonical units; other keys are kept as columns. */
  loans: readonly Readonly<Record<string, InlineValue>>[];
};

/** What every kind of ingest gives to `runIngest`: the raw table on disk and the requested mapping. */
export type RunIngestInput = IngestContext & {
  rawPath: string;
  manifest: RawManifest;
  requests: readonly MappingRequest[];
  /** Values are in canonical units and every column is already named by a request. */
  canonical: boolean;
  /** What was found while the tape was sealed; its samples are of the values as they were sent. */
  sealing?: Pick<SealedTape, 'decisions' | 'findings'> & Partial<Pick<SealedTape, 'samples'>>;
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
  /** The same findings by rule: errors first, then by their number. */
  issues_by_rule: RuleCount[];
  /** Per numeric field, over ALL rows read. */
  statistics: Record<string, FieldStatistics>;
  /** Decisions about columns and units, in words. */
  decisions: string[];
  tape_findings: TapeFinding[];
  /** Latest reporting date of the tape, else the date of the ingest. */
  as_of_date: string;
  /** The loan ids are row numbers because the tape has no id column. */
  synthetic_ids: boolean;
  /** More than 10 % of the rows were rejected. */
  qc_failed: boolean;
  /** `sealed` has the sealed values in the clear; null where there are none. */
  files: { raw: string; sealed: string | null; loans: string | null; issues: string };
};
