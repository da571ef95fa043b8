import type { YieldBasis } from '../bond.ts';
import type { NetLossCurve } from '../net-loss.ts';
import type { RiskFactor } from '../risk.ts';
import type { Assumptions, CollateralLoan, CurvePoint, IsoDate } from '../types.ts';
import type { MergedAssumptions } from './assumptions.ts';
import type { DealState } from './deal-state.ts';
import type { CalculationType, WireAssumptions } from './request.ts';

/** What is asked of a tranche: clean prices per 100, or yields in percent. */
export type PriceTable = { tranche: string; prices: readonly number[] | null; yields: readonly number[] | null };

/** A monthly tape: its payment period, the months of collateral until then, the month it is of, and the key of its loans. */
export type OpeningTape = { period: number; months: number; cut_off: IsoDate; loans_key: string };

/** Where a calculation of a deal that has paid starts: what the request says, and the state after that payment. */
export type CalculationOpening = {
  from: 'LATEST' | number;
  state: DealState & { payment_date: IsoDate };
  /** Dates on which the periods up to it were paid, from the first; the calendar's where they are not known. */
  payment_dates?: readonly IsoDate[];
  /** The monthly tape that has the loans, of this period or an earlier one; absent for the closing tape. */
  tape?: OpeningTape;
  /** What the state does not know, and the calculation assumes. */
  warnings?: readonly string[];
};

/** The pool that a calculation runs over: loans at the cut-off and its dates. Balance in currency units. */
export type CalculationPool = {
  loans: Iterable<CollateralLoan>;
  loanType: string;
  /** POOL_ORIGINAL: performing balance at the cut-off. */
  originalBalance: number;
  cutOff: IsoDate;
  closing: IsoDate;
  /** Versions of the tapes that the loans come from; echoed in the result and part of its key. */
  tapeVersions?: unknown;
  /**
   * By segmentation (`segmentationOf`), the segment of each loan in their order: from 0, NO_SEGMENT or UNDECIDED_SEGMENT. Needed to calculate
   * with segments, and not to normalize a request.
   */
  segments?: ReadonlyMap<string, Int8Array>;
  /** The state after a payment; absent where the calculation starts from the closing date. */
  opening?: CalculationOpening;
  /** Assumptions made while the loans were read, such as for a missing optional field; passed on in the result. */
  warnings?: readonly string[];
};

export type NormalScenario = {
  scenario: string;
  /** Assumptions on the wire after defaults, and in the form that projections read. */
  wire: MergedAssumptions;
  assumptions: Assumptions;
  call: boolean | undefined;
  /** In place of a default measure; the projection needs it solved (`solveNetLosses`). */
  netLoss?: NetLossCurve;
  /** Assumed amounts of billed fees by payment period, whose last persists; currency units. Absent where none are assumed. */
  billedFees?: Record<string, number[]>;
};

export type NormalRisk = {
  paths: number;
  seed: number;
  factors: RiskFactor[];
  /** Cholesky factor of the correlation. */
  lower: number[][];
  correlation: number[][];
  confidence: number[];
};

/** A request with every default filled in. */
export type NormalRequest = {
  type: CalculationType;
  purpose: 'ANALYSIS' | 'MARK';
  asOf: IsoDate;
  settlementDate: IsoDate;
  granularity: 'LOAN' | 'REPLINE';
  base: WireAssumptions;
  scenarios: NormalScenario[];
  prices: Record<string, number>;
  yields: Record<string, number>;
  /** What a PRICE_TABLE asks; absent for other types. */
  table?: PriceTable;
  yieldBasis: YieldBasis;
  benchmark: { as_of: IsoDate; kind: 'PAR' | 'ZERO'; points: CurvePoint[] } | null;
  /** Index rates by month after the cut-off, percent a year. */
  indexCurves: Record<string, number[]>;
  risk: NormalRisk | null;
  warnings: string[];
};
