import Type, { type Static } from 'typebox';

/*
 * The liabilities of a pool as data: payment dates, tranches, accounts, fees, waterfall, triggers, losses and call. Rates and percentages
 * are percent, spreads basis points, money is in currency units. These schemas define shape and bounds, and with them which fields are
 * known; `validateStructure` checks the references between names.
 */

/** Largest amount, below 2^53 cents. */
const MAX_AMOUNT = 90_071_992_547_409.91;
/** Longest deal, months. */
export const MAX_PERIODS = 1200;

const oneOf = <const Values extends readonly string[]>(values: Values, description: string, title?: string) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, description, ...(title ? { title } : {}) });
const name = (description: string) => Type.String({ minLength: 1, maxLength: 64, format: 'plain-text', description });
const names = (description: string, maxItems = 50) =>
  Type.Array(name('Name.'), { minItems: 1, maxItems, description, uniqueItems: true });
const date = (description: string) => Type.String({ format: 'date', description });
const money = (description: string) =>
  Type.Number({ minimum: 0, maximum: MAX_AMOUNT, format: 'money', description: `${description} Currency units.` });
const percent = (description: string, maximum = 100) =>
  Type.Number({ minimum: 0, maximum, description: `${description} In percent.` });
const period = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_PERIODS, description });

export const BASES = ['POOL_ORIGINAL', 'POOL_BEGINNING', 'POOL_CURRENT', 'NOTES_ORIGINAL', 'NOTES'] as const;
/**
 * The base of a percentage: performing pool balance at the cut-off, before or after the period's collateral, or balance of the tranches
 * that are not residual, at closing or now.
 */
export type Base = (typeof BASES)[number];
const base = oneOf(
  BASES,
  'Base of the percentage: performing pool balance at the cut-off, before or after the collateral of the period; balance of the non-residual tranches at closing or now.',
  'PercentBase',
);

const ShareSchema = Type.Object({ percent: percent('Share of `of`.', 1000), of: base }, { title: 'Share' });
const SizeSchema = Type.Union([money('An amount.'), ShareSchema], {
  description: 'A number, or a percentage of a balance.',
});
/** An amount in currency units, or a percentage of a balance. */
export type Size = Static<typeof SizeSchema>;

export const PaymentSchema = Type.Object(
  {
    first_payment_date: Type.Optional(
      date(
        'First payment date before adjustment. Default: `payment_day` of the month after the cut-off, or later after closing.',
      ),
    ),
    payment_day: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 31,
        description: 'Day of the month of the later dates; 31 is the last day. Default: the day of the first, else 15.',
      }),
    ),
    frequency: Type.Optional(
      oneOf(['MONTHLY', 'QUARTERLY', 'SEMI_ANNUAL', 'ANNUAL'], 'How often the deal pays. Default MONTHLY.'),
    ),
    business_day: Type.Optional(
      oneOf(['NONE', 'FOLLOWING', 'MODIFIED_FOLLOWING'], 'How a date on a holiday moves. Default FOLLOWING.'),
    ),
    calendar: Type.Optional(oneOf(['US_FED', 'TARGET', 'WEEKENDS'], 'Holidays. Default US_FED.')),
    dated_date: Type.Optional(date('Interest accrues from here. Default: the closing date.')),
    first_accrual: Type.Optional(
      oneOf(['FULL', 'ACTUAL'], 'First accrual: a whole period of 30-day months, or the days from the dated date. Default FULL.'),
    ),
    delay_months: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 24,
        description: 'Payment date k distributes collateral month k less this. Default 0.',
      }),
    ),
  },
  { title: 'PaymentTerms', description: 'Payment dates and accrual.' },
);

const FixedCouponSchema = Type.Object({
  type: oneOf(['FIXED'], 'A fixed rate.'),
  rate: percent('Coupon a year.'),
});
const FloatingCouponSchema = Type.Object({
  type: oneOf(['FLOATING'], 'Index plus margin.'),
  index: name('Index, a key of `index_curves` of a calculation.'),
  margin_bp: Type.Number({ minimum: -10_000, maximum: 10_000, description: 'Margin over the index, basis points.' }),
  floor: Type.Optional(Type.Number({ minimum: -100, maximum: 100, description: 'Lowest coupon, percent a year.' })),
  cap: Type.Optional(percent('Highest coupon a year.')),
});
export const CouponSchema = Type.Union([FixedCouponSchema, FloatingCouponSchema]);
export type Coupon = Static<typeof CouponSchema>;

export const TrancheSchema = Type.Object({
  tranche: name('Name, unique in the structure.'),
  class: Type.Optional(name('Class; RESIDUAL is the equity. Default: the name.')),
  balance: money('Original balance.'),
  coupon: Type.Optional(CouponSchema),
  day_count: Type.Optional(
    oneOf(['30/360', '30E/360', 'ACT/360', 'ACT/365', 'ACT/ACT'], 'Day count of the coupon. Default 30/360.'),
  ),
  seniority: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 1000, description: '1 is the most senior. Default: the place in the list.' }),
  ),
  interest: Type.Optional(
    oneOf(['PAY', 'ACCRUE_UNTIL'], 'PAY (default), or accrete to the balance until `accrue_until` is paid.'),
  ),
  accrue_until: Type.Optional(names('Tranches that must be paid before this one is paid interest.')),
  interest_on_shortfall: Type.Optional(Type.Boolean({ description: 'Unpaid interest earns the coupon. Default false.' })),
  denomination: Type.Optional(money('Smallest holding.')),
  increment: Type.Optional(money('Step above the denomination.')),
  rating: Type.Optional(Type.String({ maxLength: 32, description: 'Rating, as text.' })),
  final_maturity: Type.Optional(date('The whole balance is due from the first payment date on or after this date.')),
  erisa_eligible: Type.Optional(Type.Boolean({ description: 'May be bought by plans under ERISA.' })),
  offered_yield: Type.Optional(
    Type.Number({ minimum: -100, maximum: 1000, description: 'Yield at which it is offered, percent.' }),
  ),
});
export type Tranche = Static<typeof TrancheSchema>;

const TargetSchema = Type.Union([
  money('An amount.'),
  Type.Object({ percent: percent('Share of `of`.', 1000), of: base, floor: Type.Optional(SizeSchema) }),
]);

export const STEP_KINDS = ['FEE', 'INTEREST', 'PRINCIPAL', 'RESERVE', 'RESIDUAL'] as const;
export type StepKind = (typeof STEP_KINDS)[number];

export const AccountSchema = Type.Object({
  account: name('Name, unique in the structure.'),
  initial: Type.Optional(money('Balance at closing. Default 0.')),
  target: Type.Optional(TargetSchema),
  draws: Type.Optional(
    Type.Array(oneOf(['FEE', 'INTEREST', 'PRINCIPAL'], 'Kind of step.'), {
      maxItems: 3,
      description: 'Steps whose shortfall the account pays. Default: FEE and INTEREST.',
    }),
  ),
});
export type Account = Static<typeof AccountSchema>;

export const FeeSchema = Type.Object({
  fee: name('Name, unique in the structure.'),
  percent: Type.Optional(percent('Fee a year of `of`.')),
  of: Type.Optional(base),
  amount_per_year: Type.Optional(money('Fee a year.')),
});
export type Fee = Static<typeof FeeSchema>;

const TargetAmountSchema = Type.Object({
  target: oneOf(
    ['OC', 'NOTES'],
    'OC: principal that brings the notes down to the pool less max(percent of base, floor). NOTES: that brings the notes down to the percentage.',
  ),
  percent: percent('Share of `of`.', 1000),
  of: base,
  floor: Type.Optional(SizeSchema),
});
const ScheduleAmountSchema = Type.Object({
  schedule: Type.Array(Type.Object({ period: period('Payment period.'), balance: money('Planned closing balance.') }), {
    minItems: 1,
    maxItems: MAX_PERIODS,
    description: 'Planned closing balances by payment period; one holds until the next is given.',
  }),
});
export const AmountSchema = Type.Union(
  [oneOf(['PRINCIPAL_COLLECTIONS', 'ALL'], 'Rule.'), TargetAmountSchema, ScheduleAmountSchema],
  { description: 'How much principal is due. Default PRINCIPAL_COLLECTIONS.' },
);
export type Amount = Static<typeof AmountSchema>;

export const StepSchema = Type.Object({
  pay: oneOf(STEP_KINDS, 'What the step pays.'),
  to: names('Fees, tranches or accounts, by name.', 100),
  order: Type.Optional(
    oneOf(['SEQUENTIAL', 'PRO_RATA'], 'One name after the other, or by balance (principal) or by due. Default SEQUENTIAL.'),
  ),
  amount: Type.Optional(AmountSchema),
  limit: Type.Optional(SizeSchema),
  when: Type.Optional(name('Trigger that must be on.')),
  unless: Type.Optional(name('Trigger that must be off.')),
});
export type Step = Static<typeof StepSchema>;

export const METRICS = [
  'CUMULATIVE_NET_LOSS',
  'OC',
  'EXCESS_SPREAD',
  'DELINQUENT_60',
  'POOL_FACTOR',
  'RESERVE_RATIO',
  'PAYMENT_RATE',
] as const;
export type MetricBase = (typeof METRICS)[number];
export type Metric = MetricBase | `${MetricBase}_AVG3`;
const METRIC_NAMES: readonly Metric[] = METRICS.flatMap((metric) => [metric, `${metric}_AVG3`] as const);

const testFields = {
  op: oneOf(['gt', 'gte', 'lt', 'lte'], 'The test is breached when metric op value.', 'TriggerOperator'),
  value: Type.Optional(Type.Number({ minimum: -1e6, maximum: 1e6, description: 'Threshold, percent.' })),
  schedule: Type.Optional(
    Type.Array(
      Type.Object(
        {
          from_period: period('First payment period of the value.'),
          value: Type.Number({ minimum: -1e6, maximum: 1e6, description: 'Threshold, percent.' }),
        },
        { title: 'ThresholdStep' },
      ),
      {
        minItems: 1,
        maxItems: MAX_PERIODS,
        description: 'Thresholds by period, in place of `value`; not tested before the first.',
      },
    ),
  ),
  interpolate: Type.Optional(oneOf(['NONE', 'LINEAR'], 'Between values of the schedule. Default NONE.', 'Interpolation')),
  consecutive: Type.Optional(period('Periods in a row that must breach. Default 1.')),
};
const metricField = oneOf(
  METRIC_NAMES,
  'What is tested, in percent (POOL_FACTOR 10 is a tenth of the original pool). `_AVG3` is the mean of at most the last three periods.',
  'TriggerMetric',
);
export const TestSchema = Type.Object({ metric: metricField, ...testFields }, { title: 'TriggerTest' });
export type Test = Static<typeof TestSchema>;

export const TriggerSchema = Type.Object({
  trigger: name('Name, unique in the structure.'),
  metric: Type.Optional(metricField),
  ...testFields,
  op: Type.Optional(testFields.op),
  any_of: Type.Optional(Type.Array(TestSchema, { minItems: 1, maxItems: 20, description: 'Breached when one of the tests is.' })),
  all_of: Type.Optional(
    Type.Array(TestSchema, { minItems: 1, maxItems: 20, description: 'Breached when all of the tests are.' }),
  ),
  curable: Type.Optional(Type.Boolean({ description: 'Goes off again after `cure_periods`. Default false.' })),
  cure_periods: Type.Optional(period('Periods in a row without a breach that cure it. Default 1.')),
});
export type Trigger = Static<typeof TriggerSchema>;

export const StructureSchema = Type.Object(
  {
    payment: Type.Optional(PaymentSchema),
    tranches: Type.Array(TrancheSchema, { minItems: 1, maxItems: 50, description: 'Notes and residual.' }),
    accounts: Type.Optional(Type.Array(AccountSchema, { maxItems: 20, description: 'Reserve accounts.' })),
    fees: Type.Optional(Type.Array(FeeSchema, { maxItems: 50, description: 'Fees; unpaid ones carry forward.' })),
    waterfall: Type.Array(StepSchema, { maxItems: 200, description: 'Steps in order; the last is RESIDUAL.' }),
    triggers: Type.Optional(
      Type.Array(TriggerSchema, { maxItems: 50, description: 'Tests, once a period before the first step.' }),
    ),
    losses: Type.Optional(
      Type.Object({
        mode: oneOf(
          ['NONE', 'REVERSE_SEQUENTIAL'],
          'NONE: what is unpaid at the end is lost. REVERSE_SEQUENTIAL: notes above the pool are written off from the most junior up.',
        ),
        write_up: Type.Optional(
          Type.Boolean({ description: 'Write-offs are reinstated when the pool covers them. Default false.' }),
        ),
      }),
    ),
    clean_up_call: Type.Optional(
      Type.Object({
        percent: percent('The pool may be called at or below this share of its original balance.'),
        exercised: Type.Optional(Type.Boolean({ description: 'The call is exercised as soon as it can be. Default true.' })),
      }),
    ),
    interest_on_shortfall: Type.Optional(
      Type.Boolean({ description: 'Default of the tranches: unpaid interest earns the coupon. Default false.' }),
    ),
  },
  { title: 'Structure', description: 'Liabilities of a pool.' },
);
/** The structure object of a pool, as on the wire. */
export type Structure = Static<typeof StructureSchema>;

/** Whether a tranche is the equity: class RESIDUAL, or paid by RESIDUAL steps and by no PRINCIPAL step. */
export function isResidual(structure: Structure, tranche: Tranche): boolean {
  if (tranche.class?.toUpperCase() === 'RESIDUAL') return true;
  const paidBy = (kind: StepKind) => structure.waterfall.some((step) => step.pay === kind && step.to.includes(tranche.tranche));
  return paidBy('RESIDUAL') && !paidBy('PRINCIPAL');
}
