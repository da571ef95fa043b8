import type { LoanColumns } from '../../finance/loan-columns.ts';
import type { CollateralTerms } from '../../loans/tasks/read-collateral.ts';
import type { RunInputs } from './queries.ts';
import { segmentationsOf } from './segments.ts';

/** Loans that one thread keeps at most. */
export const KEPT_BYTES = 128 * 2 ** 20;

/** How the loans of a calculation are read from their file. */
export function loanTerms({ pool, request, use_scheduled_payment, opening }: RunInputs): CollateralTerms {
  const { months = 0, cut_off = pool.cut_off_date } = opening?.tape ?? {};
  return {
    loanType: pool.loan_type,
    cutOff: cut_off,
    useScheduledPayment: use_scheduled_payment,
    averageRatePercent: pool.wac,
    averageRemainingMonths: pool.wam === null ? null : Math.max(1, pool.wam - months),
    segmentations: segmentationsOf(request, pool),
  };
}

/** Names the loans of a calculation: equal for the same file, whose key is never used again, read in the same way. */
export function loansSubject(inputs: RunInputs): string {
  const { segmentations, ...terms } = loanTerms(inputs);
  return JSON.stringify([inputs.pool.loans_key, terms, [...(segmentations ?? [])]]);
}

/** The loans of a pool as calculations read them, the numbers of their segments, and the warnings of their reading. */
export type ReadLoans = { loans: LoanColumns; segments: ReadonlyMap<string, Int8Array>; warnings: readonly string[] };

function bytesOf({ loans, segments }: ReadLoans): number {
  return loans.bytes + [...segments.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

const MOST_POOLS = 64;

/**
 * Loans that a thread has read, for later calculations of the same pool. The least recently used ones go when all together exceed
 * `maxBytes`, or are more than 64 pools; loans that exceed it alone are not kept.
 */
export class KeptLoans {
  readonly #maxBytes: number;
  /** In the order of their last use. */
  readonly #kept = new Map<string, ReadLoans>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get subjects(): string[] {
    return [...this.#kept.keys()];
  }

  get bytes(): number {
    return [...this.#kept.values()].reduce((sum, read) => sum + bytesOf(read), 0);
  }

  /** The loans of a subject: the kept ones, or those that `read` returns. Loans of one subject must always be the same. */
  async get(subject: string, read: () => Promise<ReadLoans>): Promise<ReadLoans> {
    const found = this.#kept.get(subject) ?? (await read());
    this.#kept.delete(subject);
    if (bytesOf(found) > this.#maxBytes) return found;
    this.#kept.set(subject, found);
    for (const oldest of this.#kept.keys()) {
      if (this.bytes <= this.#maxBytes && this.#kept.size <= MOST_POOLS) break;
      this.#kept.delete(oldest);
    }
    return found;
  }
}
