/**
 * Buffers that a projection reuses from loan to loan and from chunk to chunk. Each run and each thread has its own: their content is
 * valid only until the next loan or group of loans.
 */
export type Workspace = {
  /** Summed schedule of a group of loans: balance after month 0…n, interest due in month 1…n. */
  balance: Float64Array;
  interest: Float64Array;
  /** Schedule of one loan that is not level pay. */
  loanBalance: Float64Array;
  loanInterest: Float64Array;
  /** Share of a schedule that defaults, by month: needed for servicer advances. */
  defaultingShare: Float64Array;
};

/** Buffers for schedules of at most `periods` months. */
export function createWorkspace(periods: number): Workspace {
  return {
    balance: new Float64Array(periods + 1),
    interest: new Float64Array(periods),
    loanBalance: new Float64Array(periods + 1),
    loanInterest: new Float64Array(periods),
    defaultingShare: new Float64Array(periods),
  };
}
