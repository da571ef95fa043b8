import Type, { type Static } from 'typebox';
import { fromCents, roundToCent, toCents } from '../money.ts';
import type { IsoDate } from '../types.ts';
import { amountContext } from './compiled-amount.ts';
import { balanceOf, MAX_PERIODS, type Structure } from './structure.ts';
import { compileTriggers, newTriggerState, type TriggerState } from './triggers.ts';

/*
 * Servicer reports: the actual payments of a deal on one payment date. A report is reconciled with itself and with the previous one; factors,
 * losses and triggers are then derived from it.
 */

const money = (description: string) =>
  Type.Number({ minimum: 0, maximum: 90_071_992_547_409.91, format: 'money', description: `${description} Currency units.` });
const optionalMoney = (description: string) => Type.Optional(money(description));
const optionalPercent = (description: string, maximum = 100) =>
  Type.Optional(Type.Number({ minimum: 0, maximum, description: `${description} Percent.` }));

export const RemittanceCollateralSchema = Type.Object({
  beginning_pool_balance: optionalMoney('Pool before the period; `beginning_balance` is read too.'),
  beginning_balance: optionalMoney('The same as `beginning_pool_balance`.'),
  scheduled_principal: money('Scheduled principal collected.'),
  prepayments: optionalMoney('Prepaid principal. Default 0.'),
  repurchases: optionalMoney('Principal of loans bought back. Default 0.'),
  gross_losses: optionalMoney('Balance charged off. Default 0.'),
  recoveries: optionalMoney('Recoveries on loans charged off. Default 0.'),
  net_losses: Type.Optional(
    Type.Number({ description: 'Gross losses less recoveries; negative when more is recovered. Currency units.' }),
  ),
  ending_pool_balance: optionalMoney('Pool after the period; `ending_balance` is read too.'),
  ending_balance: optionalMoney('The same as `ending_pool_balance`.'),
  interest: optionalMoney('Interest collected.'),
  fees: optionalMoney('Fees paid.'),
  reserve_balance: optionalMoney('Reserve accounts after the payment.'),
  loan_count: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000_000, description: 'Loans after the period.' })),
  wac: optionalPercent('Weighted average coupon a year.'),
  wam: Type.Optional(Type.Number({ minimum: 0, maximum: MAX_PERIODS, description: 'Weighted average remaining term, months.' })),
  delinquent_30: optionalPercent('30 to 59 days delinquent, of the ending balance.'),
  delinquent_60: optionalPercent('60 to 89 days delinquent, of the ending balance.'),
  delinquent_90: optionalPercent('90 days and more delinquent, of the ending balance.'),
});

export const RemittanceTrancheSchema = Type.Object({
  tranche: Type.String({ minLength: 1, maxLength: 64, description: 'Name of the tranche.' }),
  beginning_balance: money('Balance before the payment.'),
  interest_due: optionalMoney('Interest of the period and interest unpaid before.'),
  interest_paid: money('Interest paid.'),
  interest_shortfall: optionalMoney('Interest due and not paid. Default 0.'),
  accreted: optionalMoney('Interest added to the balance. Default 0.'),
  principal_paid: money('Principal paid.'),
  write_down: Type.Optional(
    Type.Number({ description: 'Balance written off; negative when reinstated. Default 0. Currency units.' }),
  ),
  ending_balance: money('Balance after the payment.'),
});

export const RemittanceSchema = Type.Object(
  {
    period: Type.Integer({ minimum: 1, maximum: MAX_PERIODS, description: 'Payment period, 1 is the first.' }),
    payment_date: Type.String({ format: 'date', description: 'Date of the payment.' }),
    collateral: RemittanceCollateralSchema,
    tranches: Type.Array(RemittanceTrancheSchema, {
      minItems: 1,
      maxItems: 50,
      description: 'Every note; the residual is optional.',
    }),
    totals: Type.Optional(
      Type.Object({
        beginning_balance: optionalMoney('Sum over the tranches.'),
        interest_paid: optionalMoney('Sum over the tranches.'),
        principal_paid: optionalMoney('Sum over the tranches.'),
        ending_balance: optionalMoney('Sum over the tranches.'),
      }),
    ),
  },
  { description: 'Servicer report of one payment date.' },
);
export type Remittance = Static<typeof RemittanceSchema>;
export type RemittanceTranche = Remittance['tranches'][number];

/** State from which the next report must start; plain data, so that it can be stored. Money in currency units. */
export type RemittanceState = {
  period: number;
  payment_date: IsoDate | null;
  pool_original: number;
  pool_balance: number;
  reserve_balance: number;
  cumulative_net_loss_amount: number;
  tranches: Record<string, { balance: number; shortfall: number }>;
  triggers: TriggerState;
};

/** Only the number of tests counts at closing, and none of their dates. */
const CLOSING_DATES = { cutOff: '2000-01-01', closing: '2000-01-01' };

/** State of a deal at closing, before its first report. */
export function openRemittances(structure: Structure, poolOriginal: number): RemittanceState {
  return {
    period: 0,
    payment_date: null,
    pool_original: poolOriginal,
    pool_balance: poolOriginal,
    reserve_balance: roundToCent((structure.accounts ?? []).reduce((sum, account) => sum + (account.initial ?? 0), 0)),
    cumulative_net_loss_amount: 0,
    tranches: Object.fromEntries(
      structure.tranches.map((tranche) => [tranche.tranche, { balance: balanceOf(tranche), shortfall: 0 }]),
    ),
    triggers: newTriggerState(compileTriggers(structure.triggers ?? [], amountContext(structure, CLOSING_DATES, 1))),
  };
}

/** Sum of amounts in currency units, taken in whole cents. */
export function addCents(...amounts: number[]): number {
  return fromCents(amounts.reduce((cents, amount) => cents + toCents(amount), 0));
}
