import Type, { type Static } from 'typebox';
import { fromCents, roundToCent, toCents } from '../money.ts';
import { amountContext } from './compiled-amount.ts';
import { MAX_AMOUNT, MAX_PERIODS } from './amount.ts';
import { balanceOf, type Structure } from './structure.ts';
import type { DealState } from './deal-state.ts';
import { compileTriggers, newTriggerState } from './triggers.ts';

/*
 * Servicer reports: the actual payments of a deal on one payment date. A report is reconciled with itself and with the previous one; factors,
 * losses and triggers are then derived from it.
 */

const money = (description: string) =>
  Type.Number({ minimum: 0, maximum: MAX_AMOUNT, format: 'money', description: `${description} Currency units.` });
/** Of either sign. */
const optionalChange = (description: string) =>
  Type.Optional(
    Type.Number({
      minimum: -MAX_AMOUNT,
      maximum: MAX_AMOUNT,
      format: 'money',
      description: `${description} Currency units.`,
    }),
  );
const optionalMoney = (description: string) => Type.Optional(money(description));
const optionalPercent = (description: string) =>
  Type.Optional(Type.Number({ minimum: 0, maximum: 100, description: `${description} Percent.` }));

export const RemittanceCollateralSchema = Type.Object({
  beginning_pool_balance: optionalMoney('Pool before the period; `beginning_balance` is read too.'),
  beginning_balance: optionalMoney('The same as `beginning_pool_balance`.'),
  scheduled_principal: optionalMoney('Scheduled principal collected; it may be left out where `principal_collected` is given.'),
  principal_collected: optionalMoney(
    'Scheduled and prepaid principal in one figure, where the split is not reported; `cpr` is then null.',
  ),
  prepayments: optionalMoney('Prepaid principal. Default 0.'),
  repurchases: optionalMoney('Principal of loans bought back. Default 0.'),
  gross_losses: optionalMoney('Balance charged off. Default 0.'),
  recoveries: optionalMoney('Recoveries on loans charged off. Default 0.'),
  net_losses: optionalChange('Gross losses less recoveries; negative when more is recovered.'),
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
  delinquent_30_amount: optionalMoney('Balance 30 to 59 days delinquent.'),
  delinquent_60_amount: optionalMoney('Balance 60 to 89 days delinquent.'),
  delinquent_90_amount: optionalMoney('Balance 90 days and more delinquent.'),
  adjustment: optionalMoney('What the adjusted pool is less than the ending pool.'),
  adjustment_original: optionalMoney('What the adjusted pool was less than the pool at the cut-off; once is enough.'),
});

export const RemittanceTrancheSchema = Type.Object({
  tranche: Type.String({ minLength: 1, maxLength: 64, description: 'Name of the tranche.' }),
  beginning_balance: money('Balance before the payment.'),
  interest_due: optionalMoney('Interest of the period and interest unpaid before.'),
  interest_paid: money('Interest paid.'),
  interest_shortfall: optionalMoney(
    'Interest due and not paid. Default: `interest_due` less `interest_paid` where that is given, else 0.',
  ),
  accreted: optionalMoney('Interest added to the balance. Default 0.'),
  principal_paid: money('Principal paid.'),
  write_down: optionalChange('Balance written off; negative when reinstated. Default 0.'),
  ending_balance: money('Balance after the payment.'),
  rate: Type.Optional(Type.Number({ minimum: -100, maximum: 1000, description: 'Coupon of the period. Percent a year.' })),
  carry_over_paid: optionalMoney('Interest that a cap had cut, paid.'),
  carry_over_closing: optionalMoney('Interest that caps cut and that is still owed.'),
  beginning_shortfall: optionalMoney(
    'Interest unpaid before the payment: the opening where that is the reported one, else compared with it.',
  ),
  beginning_carry_over: optionalMoney(
    'Carry-over before the payment: the opening where that is the reported one, else compared with it.',
  ),
});

const figure = (description: string) => Type.String({ minLength: 1, maxLength: 64, format: 'plain-text', description });
const percentRecord = (description: string) =>
  Type.Optional(
    Type.Record(Type.String(), Type.Number({ minimum: -100, maximum: 1000 }), {
      propertyNames: Type.String({ minLength: 1, maxLength: 64 }),
      maxProperties: 20,
      description,
    }),
  );
const declared = (description: string) =>
  Type.Optional(
    Type.Array(
      Type.Object(
        { trigger: figure('Trigger.'), on: Type.Boolean({ description: 'Whether it is on.' }) },
        { title: 'ReportedTrigger' },
      ),
      {
        maxItems: 50,
        description,
      },
    ),
  );

/** What a report may say of the cash beside its figures: with `available` the waterfall is run on it again. */
export const CertificateFields = {
  collection_period: Type.Optional(
    Type.Object(
      {
        from: Type.String({ format: 'date', description: 'First day.' }),
        to: Type.String({ format: 'date', description: 'Last day.' }),
      },
      { title: 'CollectionPeriod', description: 'Days whose collections are paid.' },
    ),
  ),
  available: Type.Optional(
    Type.Object(
      {
        interest: money('Interest collected.'),
        principal: money('Principal collected.'),
        recoveries: optionalMoney('Recoveries. Default 0.'),
        repurchases: optionalMoney('Purchase amounts of loans bought back. Default 0.'),
        income: optionalMoney('Income of accounts that joins the collections. Default 0.'),
        other: optionalMoney('Other collections. Default 0.'),
        total: optionalMoney('Their sum.'),
      },
      {
        title: 'AvailableFunds',
        description: 'Cash of the payment date. With it the waterfall is run again, and every figure compared.',
      },
    ),
  ),
  fixings: percentRecord('Index of the period by name, without margin. Percent a year.'),
  rates: percentRecord('NET_WAC: the rate of the loans after fees. Percent a year.'),
  accounts: Type.Optional(
    Type.Array(
      Type.Object(
        {
          account: figure('Account.'),
          opening: optionalMoney('Before the payment.'),
          earned: optionalMoney('Income.'),
          draw: optionalMoney('Paid for steps that were short.'),
          deposit: optionalMoney('Topped up.'),
          release: optionalMoney('Released.'),
          closing: optionalMoney('After the payment.'),
        },
        { title: 'ReportedAccount' },
      ),
      { maxItems: 20, description: 'Accounts.' },
    ),
  ),
  fees: Type.Optional(
    Type.Array(
      Type.Object(
        {
          fee: figure('Fee.'),
          due: optionalMoney('Due, with what was unpaid before.'),
          paid: optionalMoney('Paid.'),
          beginning_unpaid: optionalMoney('Unpaid before: the opening where that is the reported one, else compared with it.'),
        },
        { title: 'ReportedFee' },
      ),
      { maxItems: 50, description: 'Fees.' },
    ),
  ),
  steps: Type.Optional(
    Type.Array(
      Type.Object({ step: figure('Step.'), amount: money('Paid, with what was drawn for it.') }, { title: 'ReportedStep' }),
      {
        maxItems: 200,
        description: 'Steps of the waterfall.',
      },
    ),
  ),
  events: declared('Declared triggers that go on or off.'),
  triggers: declared('Triggers as the report has them.'),
  call: Type.Optional(
    Type.Object(
      {
        exercised: Type.Boolean({ description: 'Whether the pool is called.' }),
        proceeds: optionalMoney('Price that was paid.'),
      },
      { title: 'ReportedCall' },
    ),
  ),
  residual: optionalMoney('Paid to the holders of the residual by the waterfall.'),
};

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
      Type.Object(
        {
          beginning_balance: optionalMoney('Sum over the tranches.'),
          interest_paid: optionalMoney('Sum over the tranches.'),
          principal_paid: optionalMoney('Sum over the tranches.'),
          ending_balance: optionalMoney('Sum over the tranches.'),
        },
        { title: 'ReportedTotals' },
      ),
    ),
    ...CertificateFields,
  },
  { description: 'Servicer report of one payment date.' },
);
export type Remittance = Static<typeof RemittanceSchema>;
export type RemittanceTranche = Remittance['tranches'][number];

/** State from which the next report must start. */
export type RemittanceState = DealState & {
  /** Balance of the reserve accounts. */
  reserve_balance: number;
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
    accounts: Object.fromEntries((structure.accounts ?? []).map(({ account, initial = 0 }) => [account, { balance: initial }])),
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
