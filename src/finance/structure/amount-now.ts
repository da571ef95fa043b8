import { accountsNow, notesNow, roundDue, sumOf, type WaterfallRun } from './waterfall-run.ts';
import type { CompiledAmount, CompiledBase } from './compiled-amount.ts';

/** An amount at this point of the period; `payees` are the tranches that a planned balance is of. */
export function amountNow(run: WaterfallRun, amount: CompiledAmount, payees?: readonly number[]): number {
  switch (amount.kind) {
    case 'FIXED':
      return amount.value;
    case 'BY_PERIOD':
      return amount.values[run.periodIndex];
    case 'SHARE': {
      const share = amount.percent ? amountNow(run, amount.percent) / 100 : amount.share;
      return share === 0 ? 0 : share * baseNow(run, amount.base);
    }
    case 'MAX':
    case 'MIN':
    case 'SUM':
    case 'MINUS':
      return combined(run, amount.kind, amount.parts, payees);
    case 'IF':
      return amountNow(run, run.triggers.on[amount.trigger] === 1 ? amount.on : amount.off, payees);
    case 'SENIOR_SHARE':
      return seniorShare(run, amount.tranches, amountNow(run, amount.shift));
    case 'PRINCIPAL_COLLECTIONS':
      return Math.max(0, run.principalAvailable - run.principalSpent);
    case 'ALL':
      return Math.max(0, run.availableCash);
    case 'NET_WAC':
      return run.netWac * run.netWacScale;
    case 'OC':
      return Math.max(
        0,
        notesNow(run, amount.tranches) - Math.max(0, run.poolCurrent - roundDue(run, amountNow(run, amount.size))),
      );
    case 'NOTES':
      return Math.max(0, notesNow(run, amount.tranches) - roundDue(run, amountNow(run, amount.size)));
    case 'PLANNED':
      return Math.max(0, sumOf(run.balance, payees ?? []) - amount.planned[run.periodIndex]);
  }
}

function combined(
  run: WaterfallRun,
  kind: 'MAX' | 'MIN' | 'SUM' | 'MINUS',
  parts: readonly CompiledAmount[],
  payees: readonly number[] | undefined,
): number {
  let result = amountNow(run, parts[0], payees);
  for (let place = 1; place < parts.length; place++) {
    const value = amountNow(run, parts[place], payees);
    if (kind === 'MAX') result = Math.max(result, value);
    else if (kind === 'MIN') result = Math.min(result, value);
    else result += kind === 'SUM' ? value : -value;
  }
  return kind === 'MINUS' ? Math.max(0, result) : result;
}

/** Percent: the share of the tranches in the pool before the period's collateral, and `shift` percent of the rest. */
function seniorShare(run: WaterfallRun, tranches: readonly number[], shift: number): number {
  if (run.poolBeginning <= 0) return 100;
  const share = Math.min(100, (100 * sumOf(run.openingBalance, tranches)) / run.poolBeginning);
  return Math.min(100, share + ((100 - share) * shift) / 100);
}

/** The base of a percentage at this point of the period, in the unit of the run. */
export function baseNow(run: WaterfallRun, { base, tranches, account }: CompiledBase): number {
  switch (base) {
    case 'POOL_ORIGINAL':
      return run.structure.poolOriginal;
    case 'POOL_BEGINNING':
      return run.poolBeginning;
    case 'POOL_CURRENT':
      return run.poolCurrent;
    case 'NOTES_ORIGINAL':
      return tranches ? originalOf(run, tranches) : run.structure.notesOriginal;
    case 'NOTES':
      return notesNow(run, tranches);
    case 'POOL_ADJUSTED':
      return run.poolCurrent - run.adjustment;
    case 'POOL_ADJUSTED_ORIGINAL':
      return run.structure.poolOriginal - run.adjustmentOriginal;
    case 'COLLECTIONS':
      return run.interestCollected + run.principalCollected;
    case 'SCHEDULED':
      return run.scheduled;
    case 'PREPAID':
      return run.prepaid;
    case 'LIQUIDATED':
      return run.recovered + run.loss;
    case 'RECOVERED':
      return run.recovered;
    case 'LOSS':
      return run.loss;
    case 'WRITTEN_DOWN':
      return sumOf(run.writtenOff, tranches);
    case 'ACCRETED':
      return sumOf(run.accreted, tranches);
    case 'ACCRUED_TO_CAPITALISE':
      // Interest of deferred loans joins their balance as it accrues, and reports do not name it.
      return 0;
    case 'INTEREST_DUE':
      return interestDue(run, tranches);
    case 'FEES_DUE':
      return sumOf(run.feeUnpaid) + sumOf(run.feePaid);
    case 'DELINQUENT_30':
      return run.delinquent[0];
    case 'DELINQUENT_60':
      return run.delinquent[1];
    case 'DELINQUENT_90':
      return run.delinquent[2];
    case 'ACCOUNT':
      return account === -1 ? accountsNow(run) : run.account[account];
  }
}

/** Interest due on the payment date, with what was short before, whatever of it is paid already; the residual is owed none. */
function interestDue({ structure, interestDue: dues }: WaterfallRun, places: readonly number[] | null): number {
  let sum = 0;
  for (let index = 0; index < dues.length; index++) {
    const { residual, notional } = structure.tranches[index];
    if ((!residual || notional) && (places === null || places.includes(index))) sum += dues[index];
  }
  return sum;
}

function originalOf({ structure }: WaterfallRun, tranches: readonly number[]): number {
  let sum = 0;
  for (const index of tranches) sum += structure.tranches[index].original;
  return sum;
}
