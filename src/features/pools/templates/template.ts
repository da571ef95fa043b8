import type { Structure } from '../../../finance/structure/structure.ts';
import type { LoanType } from '../../../loans/types.ts';

/** A public deal that a template follows, how far, and where its terms can be read. */
export type Followed = { deal: string; source: string; scope: string };

/**
 * A structure to begin with. Balances of tranches and accounts are per 100 of the pool, everything else is as in a structure. It has no
 * dates: those of the pool are the default.
 */
export type StructureTemplate = {
  template: string;
  name: string;
  loan_type: LoanType;
  description: string;
  /** Empty where no public deal was at hand: the template is as deals of this kind are. */
  follows: readonly Followed[];
  /** What the deal at hand decides: the values of the template are examples. */
  must_set: readonly { path: string; message: string }[];
  structure: Structure;
};

export const MUST_SET = {
  sizes: { path: 'tranches', message: 'balances, coupons, ratings and final maturities as priced' },
  curve: {
    path: 'tranches',
    message: 'a floating class follows SOFR30A: calculations need index_curves.SOFR30A, reports its fixing',
  },
  fees: { path: 'fees', message: 'fees as the servicing and trust agreements say' },
};
