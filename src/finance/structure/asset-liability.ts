import { weightedAverageLife } from '../bond.ts';
import { fromCents, roundHalfEven, roundToCent, toCents } from '../money.ts';
import type { IsoDate } from '../types.ts';
import type { CompiledStructure } from './compiled-structure.ts';
import { monthsCollected } from './periods.ts';
import type { WaterfallFlows } from './flows.ts';
import { type CollateralResult, paymentYears } from './results.ts';
import type { PoolRow, TrancheRow } from './rows.ts';

/**
 * Collateral beside the notes on one payment date, currency units: principal, interest, call proceeds, income and the accounts before the
 * payment are fees, notes, residual, what is released outside and the accounts after it.
 */
export type AssetLiabilityRow = {
  period: number;
  date: IsoDate;
  collateral_balance: number;
  collateral_principal: number;
  collateral_interest: number;
  collateral_loss: number;
  /** Paid for the pool on a call. */
  call_proceeds: number;
  /** Earned by the accounts. */
  account_income: number;
  fees: number;
  note_balance: number;
  note_interest: number;
  note_principal: number;
  residual: number;
  /** Released from accounts to the holders of the residual outside the steps: in no tranche's row. */
  released_outside: number;
  /** All accounts after the payment. */
  reserve_balance: number;
  /** Interest less fees, note interest paid and loss, percent a year of the opening pool; null when there is no pool. */
  excess_spread: number | null;
  /** Pool less notes, and as percent of the pool. */
  over_collateralization: number;
  oc: number | null;
};

export type AssetLiability = {
  collateral_wal: number | null;
  notes_wal: number | null;
  /** Collateral WAL less notes WAL, years. */
  wal_mismatch: number | null;
  rows: AssetLiabilityRow[];
};

/** Collateral against notes per payment date, the last one that of a call, and the mismatch of their average lives. */
export function assetLiability(
  structure: CompiledStructure,
  flows: WaterfallFlows,
  collateral: { rows: readonly PoolRow[]; result: CollateralResult },
  trancheRows: readonly (readonly TrancheRow[])[],
  settlement: IsoDate,
): AssetLiability {
  const notes = structure.tranches.flatMap((tranche, trancheIndex) => (tranche.residual ? [] : [trancheIndex]));
  const notional = structure.tranches.flatMap((tranche, trancheIndex) => (tranche.notional ? [trancheIndex] : []));
  const residuals = structure.tranches.flatMap((tranche, trancheIndex) =>
    tranche.residual && !tranche.notional ? [trancheIndex] : [],
  );
  const sum = (trancheIndices: readonly number[], index: number, read: (row: TrancheRow) => number) =>
    fromCents(trancheIndices.reduce((cents, trancheIndex) => cents + toCents(read(trancheRows[trancheIndex][index])), 0));
  const { start } = structure.periods;
  const flow = (name: 'accounts' | 'callProceeds' | 'income' | 'releasedApart', index: number) =>
    roundToCent(flows[name][start + index]);
  // A pool that was called is sold.
  const ofDeal = flows.calledAt === -1 ? collateral.rows : collateral.rows.slice(0, flows.calledAt + 1 - start);
  const rows = ofDeal.map((row, index): AssetLiabilityRow => {
    const noteBalance = sum(notes, index, ({ closing }) => closing);
    const noteInterest = sum(
      [...notes, ...notional],
      index,
      ({ interest_paid, carry_over_paid = 0 }) => interest_paid + carry_over_paid,
    );
    const excess = row.interest - row.fees - noteInterest - row.loss;
    return {
      period: row.period,
      date: row.date,
      collateral_balance: row.closing,
      collateral_principal: roundToCent(row.scheduled_principal + row.prepayment + row.recovery + row.advanced_principal),
      collateral_interest: row.interest,
      collateral_loss: row.loss,
      call_proceeds: flow('callProceeds', index),
      account_income: flow('income', index),
      fees: row.fees,
      note_balance: noteBalance,
      note_interest: noteInterest,
      note_principal: sum(notes, index, ({ principal }) => principal),
      residual: sum(residuals, index, ({ interest_paid, principal }) => interest_paid + principal),
      released_outside: flow('releasedApart', index),
      reserve_balance: flow('accounts', index),
      excess_spread: percent((12 / monthsCollected(structure.periods, start + index)) * excess, row.opening),
      over_collateralization: roundToCent(row.closing - noteBalance),
      oc: percent(row.closing - noteBalance, row.closing),
    };
  });
  const notesWal = weightedAverageLife(
    paymentYears(structure, settlement).subarray(start, start + rows.length),
    rows.map((row) => row.note_principal),
  );
  const { wal } = collateral.result;
  return {
    collateral_wal: wal,
    notes_wal: notesWal === null ? null : roundHalfEven(notesWal, 8),
    wal_mismatch: wal === null || notesWal === null ? null : roundHalfEven(wal - notesWal, 8),
    rows,
  };
}

function percent(amount: number, base: number): number | null {
  return base > 0 ? roundHalfEven((100 * amount) / base, 6) : null;
}
