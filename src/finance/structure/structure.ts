import Type, { type Static, type TUnsafe } from 'typebox';
import { type Amount, amountOf, type Base, MAX_AMOUNT, MAX_PERIODS, type SchedulePoint } from './amount.ts';

/*
 * The liabilities of a pool as data: payment dates, tranches, accounts, fees, waterfall, triggers, losses and call. Rates and percentages
 * are percent, spreads basis points, money is in currency units. These schemas define shape and bounds, and with them which fields are
 * known; `validateStructure` checks the references between names.
 */

const oneOf = <const Values extends readonly string[]>(values: Values, description: string, title?: string) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, description, ...(title ? { title } : {}) });
const name = (description: string) => Type.String({ minLength: 1, maxLength: 64, format: 'plain-text', description });
const names = (description: string) => Type.Array(name('Name.'), { minItems: 1, maxItems: 50, description, uniqueItems: true });
const date = (description: string) => Type.String({ format: 'date', description });
const money = (description: string) =>
  Type.Number({ minimum: 0, maximum: MAX_AMOUNT, format: 'money', description: `${description} Currency units.` });
/** Above zero, in whole cents. */
const size = (description: string) =>
  Type.Number({ exclusiveMinimum: 0, maximum: MAX_AMOUNT, format: 'money', description: `${description} Currency units.` });
const percent = (description: string, maximum = 100) =>
  Type.Number({ minimum: 0, maximum, description: `${description} In percent.` });
const period = (description: string) => Type.Integer({ minimum: 1, maximum: MAX_PERIODS, description });

const clause = Type.Optional(
  Type.String({
    maxLength: 200,
    format: 'plain-text',
    description: 'Where the documents say it, such as `Indenture § 8.2(c)(iii)`.',
  }),
);
const rate = (description: string) => Type.Number({ minimum: -100, maximum: 100, description: `${description} Percent a year.` });
const moneyAmount = (description: string) => amountOf(money('An amount.'), description);
/** A whole amount of the base at least, such as the size of a target. */
const percentAmount = (description: string, maximum = 1000) => amountOf(percent('A percentage.', maximum), description);

const ofTranches = Type.Optional(
  names('Tranches that count, by name; a last `*` stands for any ending. Default: all that are neither residual nor notional.'),
);
const base = Type.Unsafe<Base>({
  type: 'string',
  maxLength: 72,
  description: 'Base of the percentage, as in an amount. Default POOL_BEGINNING.',
});

const PaymentSchema = Type.Object(
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
    first_collection_months: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 24,
        description: 'Collateral months that the first payment date distributes. Default: the months between payments.',
      }),
    ),
    rounding: Type.Optional(
      oneOf(
        ['NONE', 'CENT'],
        'CENT: every fee, interest, target, draw and income is rounded to the cent, half up, when it becomes due, as certificates do. Default NONE.',
        'PaymentRounding',
      ),
    ),
  },
  { title: 'PaymentTerms', description: 'Payment dates and accrual.' },
);

const couponLimits = {
  floor: Type.Optional(amountOf(rate('A rate.'), 'Lowest coupon: a rate, a schedule or NET_WAC.', ['NET_WAC'])),
  cap: Type.Optional(
    amountOf(
      percent('A rate.'),
      'Highest coupon: a rate, a schedule or NET_WAC, the balance-weighted rate of the loans less the fees of the period.',
      ['NET_WAC'],
    ),
  ),
  carry_over: Type.Optional(
    Type.Boolean({ description: 'What the cap cuts stays owed, and a CARRY_OVER step pays it. Default false: it is lost.' }),
  ),
};
const FixedCouponSchema = Type.Object({
  type: oneOf(['FIXED'], 'A fixed rate.'),
  rate: amountOf(percent('A rate.'), 'Coupon, percent a year; a schedule of rates steps up or down.'),
  ...couponLimits,
});
const FloatingCouponSchema = Type.Object({
  type: oneOf(['FLOATING'], 'Index plus margin.'),
  index: name('Index, a key of `index_curves` of a calculation.'),
  margin_bp: amountOf(
    Type.Number({ minimum: -10_000, maximum: 10_000, description: 'Basis points.' }),
    'Margin over the index, basis points.',
  ),
  multiplier: Type.Optional(
    Type.Number({ minimum: -100, maximum: 100, description: 'Times the index; −2.5 is an inverse floater. Default 1.' }),
  ),
  reset: Type.Optional(
    Type.Object(
      {
        lag_days: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: 90,
            description: 'The index is that of so many days before the accrual. Default 0.',
          }),
        ),
        every_months: Type.Optional(
          Type.Integer({
            minimum: 1,
            maximum: 120,
            description: 'The coupon keeps its index so long. Default: the months between payments.',
          }),
        ),
      },
      { title: 'CouponReset' },
    ),
  ),
  ...couponLimits,
});
const ExcessCouponSchema = Type.Object({
  type: oneOf(['EXCESS'], 'NET_WAC less the average of the coupons, weighted by opening balance; at least 0.'),
});
const CouponSchema = Type.Union([FixedCouponSchema, FloatingCouponSchema, ExcessCouponSchema]);
export type Coupon = Static<typeof CouponSchema>;

const TrancheSchema = Type.Object({
  tranche: name('Name, unique in the structure.'),
  class: Type.Optional(name('Class; RESIDUAL is the equity. Default: the name.')),
  balance: Type.Optional(money('Original balance; every tranche that is not notional has one.')),
  notional: Type.Optional(
    moneyAmount(
      'Of a notional tranche, which is paid interest alone: what its coupon is of, by the opening balances of other tranches.',
    ),
  ),
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
  denomination: Type.Optional(size('Smallest holding. Default 1,000 at issue.')),
  increment: Type.Optional(size('Step above the denomination. Default 1,000 at issue.')),
  rating: Type.Optional(Type.String({ maxLength: 32, description: 'Rating, as text.' })),
  final_maturity: Type.Optional(date('The whole balance is due from the first payment date on or after this date.')),
  erisa_eligible: Type.Optional(Type.Boolean({ description: 'May be bought by plans under ERISA.' })),
  offered_yield: Type.Optional(
    Type.Number({ minimum: -100, maximum: 1000, description: 'Yield at which it is offered, percent.' }),
  ),
  clause,
});
export type Tranche = Static<typeof TrancheSchema>;

const STEP_KINDS = ['FEE', 'INTEREST', 'PRINCIPAL', 'RESERVE', 'RESIDUAL', 'CARRY_OVER', 'WRITTEN_DOWN'] as const;
export type StepKind = (typeof STEP_KINDS)[number];

const AccountSchema = Type.Object({
  account: name('Name, unique in the structure.'),
  kind: Type.Optional(
    oneOf(
      ['RESERVE', 'COLLECTION'],
      'COLLECTION holds the collections of a period until they are paid. Default RESERVE.',
      'AccountKind',
    ),
  ),
  initial: Type.Optional(money('Balance at closing. Default 0.')),
  target: Type.Optional(moneyAmount('Balance to which a RESERVE step tops it up, at most the notes. Default 0.')),
  non_declining: Type.Optional(Type.Boolean({ description: 'The target never falls. Default false.' })),
  draws: Type.Optional(
    Type.Array(
      Type.Unsafe<'FEE' | 'INTEREST' | 'PRINCIPAL' | `step:${string}`>({
        type: 'string',
        maxLength: 69,
        pattern: '^(FEE|INTEREST|PRINCIPAL|step:.{1,64})$',
        description: 'A kind of step, or step: and the name of one.',
      }),
      { maxItems: 50, description: 'Steps whose shortfall the account pays. Default: FEE and INTEREST.' },
    ),
  ),
  earns: Type.Optional(
    Type.Object(
      {
        rate: Type.Optional(rate('What it earns.')),
        index: Type.Optional(name('Index, in place of a rate.')),
        margin_bp: Type.Optional(
          Type.Number({ minimum: -10_000, maximum: 10_000, description: 'Margin, basis points. Default 0.' }),
        ),
      },
      { title: 'AccountIncome', description: 'Income of a period, ACT/360 on the opening balance. Default: none.' },
    ),
  ),
  float_days: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 366,
      description: 'Days for which collections earn in a COLLECTION account. Default 15.',
    }),
  ),
  income_to: Type.Optional(
    oneOf(['ACCOUNT', 'POT'], 'Where the income goes. Default: ACCOUNT; POT for a COLLECTION account.', 'IncomeReceiver'),
  ),
  release_to: Type.Optional(
    name(
      'Where the part above the target goes: POT (default), or RESIDUAL or a tranche, outside the steps; steps of principal that are short draw it first.',
    ),
  ),
  clause,
});
export type Account = Static<typeof AccountSchema>;

/** Where the income of an account goes: it stays there, or joins the pot. */
export const incomeTo = ({ income_to, kind }: Account): 'ACCOUNT' | 'POT' =>
  income_to ?? (kind === 'COLLECTION' ? 'POT' : 'ACCOUNT');

const FeeSchema = Type.Object({
  fee: name('Name, unique in the structure.'),
  percent: Type.Optional(percentAmount('Fee a year, percent of `of`.', 100)),
  of: Type.Optional(base),
  amount_per_year: Type.Optional(moneyAmount('Fee a year.')),
  one_off: Type.Optional(
    Type.Object(
      { period: period('Payment period in which it is due.'), amount: money('Fee.') },
      { title: 'OneOffFee', description: 'A fee that is due once.' },
    ),
  ),
  billed: Type.Optional(
    Type.Boolean({
      description: 'What is due is reported; a projection has 0, unless its assumptions say otherwise. Default false.',
    }),
  ),
  clause,
});
export type Fee = Static<typeof FeeSchema>;

/** A payee, or payees that alternate between sequence and pro rata: a list in a sequential one is shared, one in that sequential. */
export type Payee = string | Payee[];
const payee = name('Name.');
const PayeesSchema = Type.Unsafe<Payee[]>(
  Type.Array(
    Type.Union([
      payee,
      Type.Array(Type.Union([payee, Type.Array(payee, { minItems: 1, maxItems: 50 })]), { minItems: 1, maxItems: 50 }),
    ]),
    {
      minItems: 1,
      maxItems: 100,
      description:
        'Fees, tranches or accounts, by name, each once. A list in the list is a group whose members share pro rata; a list in a group, or in a PRO_RATA list, is paid one after the other.',
    },
  ),
);

const PerYearSchema = Type.Object(
  { amount: moneyAmount('Most that is paid.'), per: oneOf(['YEAR'], 'In a calendar year.') },
  { title: 'YearlyLimit' },
);
export type YearlyLimit = { amount: Amount; per: 'YEAR' };

const ConditionSchema = Type.Union(
  [
    name('Trigger.'),
    Type.Object({ any_of: names('Triggers.') }, { title: 'AnyTrigger' }),
    Type.Object({ all_of: names('Triggers.') }, { title: 'AllTriggers' }),
  ],
  { description: 'A trigger, any of several or all of several.' },
);
export type StepCondition = Static<typeof ConditionSchema>;

const StepSchema = Type.Object({
  step: Type.Optional(name('Name, unique in the structure. Default: the place in the list, from 1.')),
  pay: oneOf(STEP_KINDS, 'What the step pays.'),
  to: PayeesSchema,
  order: Type.Optional(
    oneOf(['SEQUENTIAL', 'PRO_RATA'], 'One name after the other, or by balance (principal) or by due. Default SEQUENTIAL.'),
  ),
  weights: Type.Optional(
    oneOf(
      ['CURRENT', 'ORIGINAL'],
      'By which balances the groups of a PRINCIPAL step share: at the opening of the period, or at closing. Default CURRENT.',
      'GroupWeights',
    ),
  ),
  amount: Type.Optional(
    amountOf(money('An amount.'), 'How much principal is due. Default PRINCIPAL_COLLECTIONS.', ['PRINCIPAL_COLLECTIONS', 'ALL']),
  ),
  limit: Type.Optional(
    amountOf<Amount | YearlyLimit>(
      money('An amount.'),
      'Most that the step pays, in a period or in a calendar year.',
      [],
      [PerYearSchema],
    ),
  ),
  when: Type.Optional(ConditionSchema),
  unless: Type.Optional(ConditionSchema),
  clause,
});
export type Step = Static<typeof StepSchema>;

/** Metrics in their order in stored states: new ones go to the end. */
export const METRICS = [
  'CUMULATIVE_NET_LOSS',
  'OC',
  'EXCESS_SPREAD',
  'DELINQUENT_60',
  'POOL_FACTOR',
  'RESERVE_RATIO',
  'PAYMENT_RATE',
  'PERIOD',
  'DATE',
  'INTEREST_SHORTFALL',
  'PRINCIPAL_SHORTFALL',
  'DELINQUENT_30',
  'DELINQUENT_90',
  'NET_LOSS_12M',
  'NOTE_BALANCE',
] as const;
export type MetricBase = (typeof METRICS)[number];
export type Metric = MetricBase | `${MetricBase}_AVG3`;
const METRIC_NAMES: readonly Metric[] = METRICS.flatMap((metric) =>
  metric === 'PERIOD' || metric === 'DATE' ? [metric] : [metric, `${metric}_AVG3` as const],
);

/** Words of other languages, refused with the right one. */
const WRONG_WORDS: Record<string, string> = {
  ge: 'gte',
  le: 'lte',
  CREDIT_ENHANCEMENT: 'OC with of_tranches: the pool less the balance of the class and of those before it',
};
export const rightWord = (word: string): string | undefined => WRONG_WORDS[word];
const orWrong = <Value extends string>(
  schema: TUnsafe<Value>,
  title: string,
  words: readonly string[],
  description: string,
): TUnsafe<Value> =>
  Type.Unsafe<Value>({
    description,
    anyOf: [schema, { type: 'string', title, enum: words, description: 'Refused with 422, which says the right word.' }],
  });

const testFields = {
  op: orWrong(
    oneOf(['gt', 'gte', 'lt', 'lte'], 'Comparison.', 'TriggerOperator'),
    'WrongOperator',
    ['ge', 'le'],
    'The test is breached when metric op value.',
  ),
  value: Type.Optional(
    Type.Unsafe<Amount | string>({
      description: 'Threshold: percent, currency units for amounts, a period, or a date for DATE.',
      anyOf: [
        { type: 'string', format: 'date', description: 'Of DATE.' },
        amountOf(Type.Number({ minimum: -MAX_AMOUNT, maximum: MAX_AMOUNT }), 'An amount.'),
      ],
    }),
  ),
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
  of_tranches: ofTranches,
  ratio: Type.Optional(
    Type.Array(moneyAmount('An amount.'), {
      minItems: 2,
      maxItems: 2,
      description: 'In place of a metric: the first amount in percent of the second.',
    }),
  ),
  average: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 60, description: 'The mean of the ratio of at most so many periods. Default 1.' }),
  ),
  after_payment: Type.Optional(
    Type.Boolean({ description: 'The ratio is taken after the payment, and counts from the next period on. Default false.' }),
  ),
};
const metricField = orWrong(
  oneOf(METRIC_NAMES, 'Metric.', 'TriggerMetric'),
  'WrongMetric',
  ['CREDIT_ENHANCEMENT'],
  'What is tested, in percent (POOL_FACTOR 10 is a tenth of the original pool) or currency units. `_AVG3` is the mean of at most the last three periods.',
);
const TestSchema = Type.Object({ metric: Type.Optional(metricField), ...testFields }, { title: 'TriggerTest' });
export type Test = Static<typeof TestSchema>;

const TriggerSchema = Type.Object({
  trigger: name('Name, unique in the structure.'),
  metric: Type.Optional(metricField),
  ...testFields,
  op: Type.Optional(testFields.op),
  any_of: Type.Optional(Type.Array(TestSchema, { minItems: 1, maxItems: 20, description: 'Breached when one of the tests is.' })),
  all_of: Type.Optional(
    Type.Array(TestSchema, { minItems: 1, maxItems: 20, description: 'Breached when all of the tests are.' }),
  ),
  declared: Type.Optional(
    Type.Boolean({ description: 'On when a report declares it, such as an event of default; it has no test. Default false.' }),
  ),
  curable: Type.Optional(Type.Boolean({ description: 'Goes off again after `cure_periods`. Default false.' })),
  cure_periods: Type.Optional(period('Periods in a row without a breach that cure it. Default 1.')),
  clause,
});
export type Trigger = Static<typeof TriggerSchema>;

const CallSchema = Type.Object({
  call: name('Name, unique in the structure.'),
  any_of: Type.Array(TestSchema, {
    minItems: 1,
    maxItems: 20,
    description: 'It is due from the first payment date on which one of the tests holds.',
  }),
  price: Type.Optional(moneyAmount('What is paid for the pool. Default: its performing balance.')),
  exercised: Type.Optional(Type.Boolean({ description: 'The call is exercised as soon as it can be. Default true.' })),
  clause,
});
export type Call = Static<typeof CallSchema>;

const PresentValueSchema = Type.Object(
  {
    kind: oneOf(['PRESENT_VALUE'], 'Each loan less the present value of its remaining scheduled payments.'),
    rate: percent('Discount rate a year.'),
    applies: oneOf(
      ['BELOW', 'ALL'],
      'BELOW: loans with a rate below the discount rate (yield supplement). ALL: every loan (securitization value).',
      'AdjustedLoans',
    ),
  },
  { title: 'PresentValueAdjustment' },
);
const PoolTermsSchema = Type.Object(
  {
    adjustment: Type.Optional(
      Type.Unsafe<Static<typeof PresentValueSchema> | SchedulePoint[]>({
        anyOf: [
          PresentValueSchema,
          Type.Array(
            Type.Object({
              from_period: Type.Integer({ minimum: 0, maximum: MAX_PERIODS, description: 'Payment period; 0 is the closing.' }),
              value: money('Adjustment.'),
            }),
            { minItems: 1, maxItems: MAX_PERIODS + 1, description: 'Amounts by payment period.' },
          ),
        ],
        description: 'POOL_ADJUSTED is POOL_CURRENT less this.',
      }),
    ),
  },
  { title: 'PoolTerms' },
);

export const StructureSchema = Type.Object(
  {
    payment: Type.Optional(PaymentSchema),
    pool: Type.Optional(PoolTermsSchema),
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
    calls: Type.Optional(
      Type.Array(CallSchema, {
        minItems: 1,
        maxItems: 10,
        description: 'Calls by date, factor or another test, in place of `clean_up_call`.',
      }),
    ),
    fixings: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Array(
          Type.Object(
            {
              date: date('First accrual day to which it applies.'),
              rate: Type.Number({ minimum: -50, maximum: 1000, description: 'Index without margin, percent a year.' }),
            },
            { title: 'IndexFixing' },
          ),
          { minItems: 1, maxItems: MAX_PERIODS },
        ),
        {
          propertyNames: Type.String({ minLength: 1, maxLength: 64 }),
          maxProperties: 20,
          description: 'Known fixings by index; periods without one use the curve.',
        },
      ),
    ),
    interest_on_shortfall: Type.Optional(
      Type.Boolean({ description: 'Default of the tranches: unpaid interest earns the coupon. Default false.' }),
    ),
  },
  { title: 'Structure', description: 'Liabilities of a pool.' },
);
/** The structure object of a pool, as on the wire. */
export type Structure = Static<typeof StructureSchema>;

/** The names of a step's payees, whatever their groups. */
export const payeesOf = ({ to }: Pick<Step, 'to'>): string[] =>
  to.flatMap((each) => (typeof each === 'string' ? [each] : payeesOf({ to: each })));

/** The name of a step: its own, or its place in the waterfall from 1 on. */
export const stepName = ({ step }: Pick<Step, 'step'>, place: number): string => step ?? String(place + 1);

/** Whether a step of a kind names a tranche, a fee or an account. */
export const isPaidBy = ({ waterfall }: Structure, kind: StepKind, payee: string): boolean =>
  waterfall.some((step) => step.pay === kind && payeesOf(step).includes(payee));

/** Whether a tranche is the equity: class RESIDUAL, or paid by RESIDUAL steps and by no PRINCIPAL step. */
export const isResidual = (structure: Structure, { class: className, tranche }: Tranche): boolean =>
  className?.toUpperCase() === 'RESIDUAL' ||
  (isPaidBy(structure, 'RESIDUAL', tranche) && !isPaidBy(structure, 'PRINCIPAL', tranche));

/** Whether a tranche has a balance that principal pays: it is neither the equity nor notional. */
export const isNote = (structure: Structure, tranche: Tranche): boolean =>
  tranche.notional === undefined && !isResidual(structure, tranche);

/** Original balance; 0 for a notional tranche. */
export const balanceOf = ({ balance = 0 }: Pick<Tranche, 'balance'>): number => balance;

/** The places of the tranches that names or patterns with a last `*` stand for; a pattern leaves the equity and notional tranches out. */
export function placesOf(structure: Structure, patterns: readonly string[]): number[] {
  return structure.tranches.flatMap((tranche, place) => {
    const matches = patterns.some((pattern) =>
      pattern.endsWith('*')
        ? isNote(structure, tranche) && tranche.tranche.startsWith(pattern.slice(0, -1))
        : pattern === tranche.tranche,
    );
    return matches ? [place] : [];
  });
}
