import type { CollateralLoan } from '../../types.ts';
import type { NamedBase } from '../amount.ts';
import type { Payee, Step, Structure, Tranche, Trigger } from '../structure.ts';
import type { PoolFacts } from '../issue.ts';

/*
 * Real deals in the structure language. Each file says where its figures come from; what the source does not give is called a stand-in
 * where it stands, and is no figure of the deal.
 */

/** A deal, the facts of its pool, and replines in its place. */
export type TermSheet = { structure: Structure; facts: PoolFacts; loans: CollateralLoan[] };

export const RESIDUAL: Tranche = { tranche: 'R', class: 'RESIDUAL', balance: 0 };

/** A note with a fixed coupon, on 30/360 unless it says otherwise. */
export const fixed = (tranche: string, balance: number, rate: number, more: Partial<Tranche> = {}): Tranche => ({
  tranche,
  balance,
  coupon: { type: 'FIXED', rate },
  ...more,
});

/** A note over an index, on ACT/360. */
export const floater = (
  tranche: string,
  balance: number,
  index: string,
  margin_bp: number,
  more: Partial<Tranche> = {},
): Tranche => ({
  tranche,
  balance,
  coupon: { type: 'FLOATING', index, margin_bp, floor: 0 },
  day_count: 'ACT/360',
  ...more,
});

/** A priority payment: principal that brings certain notes down to the pool. */
export const parity = (step: string, to: Payee[], of_tranches: string[], of: NamedBase = 'POOL_CURRENT'): Step => ({
  step,
  pay: 'PRINCIPAL',
  to,
  amount: { target: 'NOTES', of_tranches, percent: 100, of },
});

export const interest = (to: Payee[], more: Partial<Step> = {}): Step => ({ pay: 'INTEREST', to, ...more });
export const fee = (name: string, more: Partial<Step> = {}): Step => ({ step: name, pay: 'FEE', to: [name], ...more });
export const RESERVE: Step = { step: 'reserve', pay: 'RESERVE', to: ['reserve'] };
export const TO_RESIDUAL: Step = { step: 'residual', pay: 'RESIDUAL', to: ['R'] };

/** Level-pay loans of one rate and term. */
export const repline = (
  balance: number,
  ratePercent: number,
  remainingMonths: number,
  originalMonths: number,
): CollateralLoan => ({
  balance,
  ratePercent,
  remainingMonths,
  ageMonths: originalMonths - remainingMonths,
  originalMonths,
});

/** The reserve and the collections can pay all that is due and every note. */
export const CAN_RETIRE: Trigger = {
  trigger: 'can retire',
  ratio: [
    {
      sum_of: [
        { percent: 100, of: 'NOTES' },
        { percent: 100, of: 'INTEREST_DUE' },
        { percent: 100, of: 'FEES_DUE' },
      ],
    },
    {
      sum_of: [
        { percent: 100, of: 'ACCOUNT:reserve' },
        { percent: 100, of: 'COLLECTIONS' },
      ],
    },
  ],
  op: 'lte',
  value: 100,
  curable: true,
};
/** The step that retires them then: an account that covers what the cash leaves is drawn for it without being told. */
export const retire = (to: Payee[], clause: string): Step => ({
  step: 'retire',
  pay: 'PRINCIPAL',
  to,
  amount: { percent: 100, of: 'NOTES' },
  when: 'can retire',
  clause,
});
