import { fixed, interest, repline, RESERVE, RESIDUAL, type TermSheet, TO_RESIDUAL } from './term-sheet.ts';

/*
 * Pagaya AI Debt Trust 2026-2, unsecured consumer loans: the issuer's base case before pricing.
 *
 * Source: GraamOrg/graam-flows, tests/GraamFlows.Tests/Integration/Data/paid/deal.json (commit 2991de1e), with its order of execution. The
 * dates are the source's place-holders. The certificate of 13,800,000 is what the pool has above the notes.
 *
 * Not given: fees, triggers (one is hinted at) and calls; there are none here. The term of the loans is a stand-in; their coupon is given.
 */
const NOTES = ['A1', 'A2', 'B', 'C', 'D', 'E', 'F1', 'F2'];

export const PAID_2026_2: TermSheet = {
  structure: {
    payment: { first_payment_date: '2026-05-01', payment_day: 1, business_day: 'NONE', rounding: 'CENT' },
    tranches: [
      fixed('A1', 128_200_000, 4.212),
      fixed('A2', 94_400_000, 4.516),
      fixed('B', 168_300_000, 4.924),
      fixed('C', 35_400_000, 5.037),
      fixed('D', 24_600_000, 5.291),
      fixed('E', 105_300_000, 8.473),
      fixed('F1', 10_200_000, 10.832),
      fixed('F2', 19_800_000, 12),
      RESIDUAL,
    ],
    accounts: [{ account: 'reserve', initial: 900_000, target: { percent: 0.15, of: 'POOL_ORIGINAL' } }],
    waterfall: [
      interest(NOTES),
      { step: 'principal', pay: 'PRINCIPAL', to: NOTES },
      RESERVE,
      {
        step: 'turbo',
        pay: 'PRINCIPAL',
        to: NOTES,
        amount: { target: 'OC', percent: 2.3, of: 'POOL_CURRENT', floor: { percent: 2.3, of: 'POOL_ORIGINAL' } },
      },
      TO_RESIDUAL,
    ],
    losses: { mode: 'REVERSE_SEQUENTIAL' },
  },
  facts: { balance: 600_000_000, cut_off_date: '2026-04-01', closing_date: '2026-04-01' },
  loans: [repline(600_000_000, 18.49, 56, 60)],
};

/** Credit enhancement in percent. source: deal.json, `_creditEnhancement`. */
export const PAID_2026_2_ENHANCEMENT = [80.36, 64.63, 36.58, 30.68, 26.58, 9.03, 7.33, 4.03];
