import Type, { type Static } from 'typebox';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { date, id, money, nullable, timestamp } from '../../platform/http/schemas.ts';

/*
 * Wire schemas of the rows behind the results of a calculation: cash flows, traces, assets beside liabilities, marks.
 */

export const CashFlowSchema = Type.Object(
  {
    tranche: Type.String({ description: 'Name of the tranche, or `collateral`.' }),
    period: Type.Integer(),
    date: date('Payment date.'),
    opening: money('Before the payment.'),
    interest_due: Type.Optional(money('Interest of the period and unpaid before.')),
    interest_paid: Type.Optional(money('Interest paid.')),
    interest_shortfall: Type.Optional(money('Interest due and not paid.')),
    accreted: Type.Optional(money('Interest added to the balance.')),
    principal: Type.Optional(money('Principal paid.')),
    write_down: Type.Optional(money('Written off; negative when reinstated.')),
    carry_over_paid: Type.Optional(money('Interest that a cap had cut, paid.')),
    carry_over: Type.Optional(money('Interest that caps cut and that is still owed.')),
    coupon: Type.Optional(Type.Number({ description: 'Percent a year, where the period decides it.' })),
    scheduled_principal: Type.Optional(money('Collateral: scheduled principal.')),
    prepayment: Type.Optional(money('Collateral: prepaid principal.')),
    default: Type.Optional(money('Collateral: balance that defaults.')),
    recovery: Type.Optional(money('Collateral: recoveries received.')),
    loss: Type.Optional(money('Collateral: loss booked.')),
    advanced_principal: Type.Optional(money('Collateral: principal advanced by the servicer.')),
    interest: Type.Optional(money('Collateral: interest collected.')),
    fees: Type.Optional(money('Fees paid.')),
    closing: money('After the payment.'),
    factor: Type.Optional(
      Type.Number({
        description: 'Closing over original balance, 8 decimals; of a notional class over its notional at the closing date.',
      }),
    ),
  },
  {
    title: 'CashFlow',
    description:
      'A tranche on one payment date, or the collateral of the period. Each row ties in itself and to the one before. Under `rounding` CENT the rows of all tranches add up to the cash; without it the run is in unrounded amounts and each is rounded here, so that a sum over tranches may differ by a cent for each amount in it.',
  },
);

export type CashFlowRow = Static<typeof CashFlowSchema>;

const Amount = Type.Number();
export const TraceSchema = named('PeriodTrace', {
  period: Type.Integer(),
  date: date('Payment date.'),
  interest_collected: money('Interest available to the waterfall.'),
  principal_collected: money('Principal available to the waterfall.'),
  call_proceeds: money('Proceeds of the clean-up call.'),
  called: Type.Boolean(),
  pool_beginning: money('Performing balance before the period.'),
  pool_current: money('Performing balance after it.'),
  triggers: Type.Array(
    named('TraceTrigger', {
      trigger: Type.String(),
      on: Type.Boolean(),
      tests: Type.Array(
        named('TraceTest', {
          metric: Type.String(),
          value: nullable(
            Type.Number({
              description: 'Percent; currency units of an amount; of DATE the day since 1970-01-01. Null where it is not known.',
            }),
          ),
          op: Type.String(),
          threshold: nullable(Type.Number({ description: 'As `value`; null where the period has none.' })),
          breached: Type.Boolean(),
          date: Type.Optional(date('Of DATE: `value` as a date.')),
          threshold_date: Type.Optional(date('Of DATE: `threshold` as a date.')),
        }),
      ),
    }),
  ),
  steps: Type.Array(
    named('TraceStep', {
      step: nullable(Type.Integer({ description: 'Place in the waterfall from 1; null for the redemption on a call.' })),
      name: Type.Optional(nullable(Type.String({ description: 'Name in the structure.' }))),
      clause: Type.Optional(nullable(Type.String({ description: 'Where the documents say it.' }))),
      pay: Type.String(),
      to: Type.Array(Type.String()),
      when: nullable(Type.String()),
      unless: nullable(Type.String()),
      active: Type.Boolean({ description: 'False when its trigger kept the step from paying.' }),
      available: Amount,
      due: Amount,
      paid: Amount,
      drawn: Amount,
      shortfall: Amount,
    }),
  ),
  accounts: Type.Array(
    named('TraceAccount', {
      account: Type.String(),
      opening: Type.Optional(money('Before the payment.')),
      earned: Type.Optional(money('Income of the period.')),
      drawn: Type.Optional(money('Paid for steps that were short.')),
      deposited: Type.Optional(money('Topped up.')),
      released: Type.Optional(money('Above the target, or at the end of the deal: to `release_to`.')),
      release_to: Type.Optional(
        Type.String({
          description:
            'POT: `released` is in what the next steps have available. RESIDUAL: paid to the holders of the residual outside the steps, in no step and no row of a tranche. A tranche: in its `interest_paid`, in no step.',
        }),
      ),
      closing: money('After the payment.'),
    }),
  ),
});

const AssetLiabilityRow = named('AssetLiabilityRow', {
  period: Type.Integer(),
  date: date('Payment date.'),
  collateral_balance: money('Performing balance after the period.'),
  collateral_principal: Amount,
  collateral_interest: Amount,
  collateral_loss: Amount,
  call_proceeds: Type.Optional(money('Paid for the pool on a call.')),
  account_income: Type.Optional(money('Earned by the accounts.')),
  fees: Amount,
  note_balance: money('Notes after the payment.'),
  note_interest: Amount,
  note_principal: Amount,
  residual: Amount,
  released_outside: Type.Optional(
    money(
      "Released from accounts to the holders of the residual outside the steps (`release_to` RESIDUAL): in no tranche's row.",
    ),
  ),
  reserve_balance: money('All accounts after the payment.'),
  excess_spread: nullable(
    Type.Number({
      description:
        'Interest less fees, note interest and loss, percent a year of the pool, by the months that the payment collects.',
    }),
  ),
  over_collateralization: money('Pool less notes.'),
  oc: nullable(Type.Number({ description: 'Percent of the pool.' })),
});

export const AssetLiabilitySchema = named('AssetLiabilityProjection', {
  calculation_id: id('calc'),
  scenario: Type.String(),
  as_of: date('As-of date.'),
  engine_version: Type.String(),
  tape_versions: Type.Record(Type.String(), Type.Integer()),
  assumptions: Type.Unknown({ description: 'Assumptions of the scenario after defaults.' }),
  collateral_wal: nullable(Type.Number({ description: 'Years.' })),
  notes_wal: nullable(Type.Number({ description: 'Years.' })),
  wal_mismatch: nullable(Type.Number({ description: 'WAL of the collateral less that of the notes, years.' })),
  rows: Type.Array(AssetLiabilityRow),
});

/** Marks that a calculation put on its deal. */
export const PublishedMarksSchema = named('PublishedMarks', {
  calculation_id: id('calc'),
  deal_id: id('deal'),
  as_of: date('As-of date of the marks.'),
  published_at: timestamp(),
  marks: Type.Array(
    named('TrancheMark', {
      tranche: Type.String(),
      price: Type.Number({ description: 'Clean, per 100.' }),
      yield: nullable(Type.Number({ description: 'Percent.' })),
      spread_bp: nullable(Type.Number({ description: 'Basis points.' })),
      wal: nullable(Type.Number({ description: 'Years.' })),
      duration: nullable(Type.Number({ description: 'Modified, years.' })),
    }),
  ),
  without_price: Type.Array(Type.String(), {
    description: 'Tranches to which the calculation gives no price, such as the residual. A mark that they have stays.',
  }),
});

export const scenarioQuery = Type.Optional(
  Type.String({ maxLength: 64, description: 'Name of the scenario; the first by default.' }),
);

/** Which rows of a calculation are read, and how. */
export const CashFlowQuery = Type.Object({
  tranche: Type.Optional(Type.String({ maxLength: 64, description: 'A tranche, or `collateral`; all tranches by default.' })),
  scenario: scenarioQuery,
  format: Type.Optional(namedOneOf('CashFlowFormat', ['json', 'csv'], 'Default json.')),
});

export const TraceQuery = Type.Object({
  period: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_200, description: 'Payment period; all by default.' })),
  scenario: scenarioQuery,
});
