import Type, { type Static } from 'typebox';
import { MAX_PERIODS } from './amount.ts';

/*
 * The request of a calculation as on the wire: speeds and percentages in percent, money in currency units, prices per 100. Shape and bounds
 * only, and with them which fields are known; `normalizeRequest` reports missing and contradictory fields.
 */

const oneOf = <const Values extends readonly string[]>(values: Values, description: string, title?: string) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, description, ...(title ? { title } : {}) });
const name = (description: string) => Type.String({ minLength: 1, maxLength: 64, format: 'plain-text', description });
const date = (description: string) => Type.String({ format: 'date', description });

/** A number, or values by month whose last persists. */
const speed = (description: string, maximum: number) =>
  Type.Optional(
    Type.Union(
      [
        Type.Number({ minimum: 0, maximum }),
        Type.Array(Type.Number({ minimum: 0, maximum }), { minItems: 1, maxItems: MAX_PERIODS }),
      ],
      { description: `${description} A number, or values by month whose last persists.` },
    ),
  );

/** Bounds of the names in a record; the schema of its keys alone would not be checked. */
const propertyNames = Type.String({ minLength: 1, maxLength: 64 });
const amount = Type.Number({ minimum: 0, maximum: 90_071_992_547_409.91, format: 'money' });

/** What a segment may have of its own. */
const SegmentFields = {
  cpr: speed('Prepayment, percent a year of the balance.', 100),
  psa: speed('Prepayment, percent of the PSA curve (100 is the curve).', 100_000),
  abs: speed('Prepayment, percent of the original number of loans a month.', 100),
  smm: speed('Prepayment, percent a month of the balance.', 100),
  cdr: speed('Default, percent a year of the balance.', 100),
  sda: speed('Default, percent of the SDA curve (100 is the curve).', 100_000),
  mdr: speed('Default, percent a month of the balance.', 100),
  severity: speed('Loss, percent of the defaulted balance.', 100),
  by: Type.Optional(
    oneOf(
      ['PERIOD', 'AGE'],
      'How values by month of speeds and severity are read. PERIOD (default): the first is that of the first projected month. AGE: by age of each loan, the first is that of the month after its origination; severity by age in the month of default.',
      'VectorBasis',
    ),
  ),
  multiple: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1000,
      description:
        'Multiplies the default measure (charge_off of cards). A monthly rate never exceeds 1: a warning says where it was capped. Default 1.',
    }),
  ),
  recovery_lag_months: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 240, description: 'Months from default to liquidation.' }),
  ),
  late_defaults: Type.Optional(
    oneOf(
      ['NONE', 'KEEP'],
      'KEEP: loans default to their last payment, and what defaults in the last recovery_lag_months is liquidated after it. NONE (default): nothing defaults in these months; a warning names the amount.',
      'LateDefaults',
    ),
  ),
  deferment_interest: Type.Optional(
    oneOf(
      ['CAPITALISE', 'SPREAD', 'PAY'],
      'Interest of deferred months: joins the balance (default), is due in equal parts afterwards, or is paid as it accrues.',
      'DefermentInterest',
    ),
  ),
  servicer_advances: Type.Optional(
    Type.Boolean({ description: 'The servicer pays the schedule of defaulted balance until liquidation.' }),
  ),
  payment_rate: speed('Credit cards: principal paid, percent a month of the balance.', 100),
  portfolio_yield: speed('Credit cards: finance charges and fees, percent a year of the balance.', 1000),
  charge_off: speed('Credit cards: balance charged off, percent a year.', 1200),
};

const SegmentSchema = Type.Object(
  {
    where: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'A condition of the rule language of selection criteria.',
    }),
    ...SegmentFields,
  },
  {
    title: 'AssumptionSegment',
    description:
      'What differs for the loans of the segment; a measure replaces its whole group, other fields are those of the request.',
  },
);
/** A segment as on the wire. */
export type WireSegment = Static<typeof SegmentSchema>;

const share = (description: string, maxItems: number) =>
  Type.Array(Type.Number({ minimum: 0, maximum: 100 }), { minItems: 1, maxItems, description });

const NetLossSchema = Type.Object(
  {
    percent: Type.Number({
      minimum: 0,
      maximum: 100,
      description: "Lifetime net loss, percent of the pool's original balance; `multiple` multiplies it.",
    }),
    timing: Type.Union(
      [
        share('Percent of the loss by 12 months of age of the deal, in equal parts by month; 100 in sum.', MAX_PERIODS / 12),
        Type.Object({ by_month: share('Percent of the loss by month of age of the deal; 100 in sum.', MAX_PERIODS) }),
      ],
      { description: 'When the loss is booked.' },
    ),
  },
  { title: 'CumulativeNetLoss' },
);

const CollateralAssumptionFields = {
  ...SegmentFields,
  cnl: Type.Optional({
    ...NetLossSchema,
    description:
      'In place of a default measure: cumulative net loss of the pool. Defaults are solved month by month, by severity and recovery lag, so that each month books the loss of the curve. Not with segments.',
  }),
  segments: Type.Optional(
    Type.Array(SegmentSchema, {
      maxItems: 20,
      description:
        'Parts of the pool with assumptions of their own. A loan is in the first segment whose condition it meets; if a condition before that cannot be decided, or it meets none, it is in none and has those of the request. A list in a scenario replaces that of the request, an empty one removes it.',
    }),
  ),
  delinquency_30: speed('30 or more days delinquent, percent of the pool by projected month.', 100),
  delinquency: speed('60 or more days delinquent, percent of the pool; read by triggers.', 100),
  delinquency_90: speed('90 or more days delinquent, percent of the pool by projected month.', 100),
  billed_fees: Type.Optional(
    Type.Record(Type.String(), Type.Union([amount, Type.Array(amount, { minItems: 1, maxItems: MAX_PERIODS })]), {
      propertyNames,
      maxProperties: 50,
      description:
        'Fees whose amount only a certificate says, by name of the fee: the amount of a payment period, or amounts by period whose last persists. Currency units.',
    }),
  ),
};

export const AssumptionsSchema = Type.Object(CollateralAssumptionFields, {
  title: 'Assumptions',
  description: 'Collateral assumptions: at most one of cpr, psa, abs, smm and one of cdr, sda, mdr; none is 0.',
});
/** Collateral assumptions as on the wire. */
export type WireAssumptions = Static<typeof AssumptionsSchema>;

export const ScenarioSchema = Type.Object(
  {
    scenario: name('Name, unique in the request.'),
    ...CollateralAssumptionFields,
    call: Type.Optional(Type.Boolean({ description: 'False omits the clean-up call. Default: as the structure says.' })),
  },
  { title: 'Scenario', description: 'What differs from `assumptions`; a measure replaces its whole group.' },
);
export type WireScenario = Static<typeof ScenarioSchema>;

/** Prices or yields of a table. */
const MOST_OF_TABLE = 41;
const ByTrancheOrList = (value: ReturnType<typeof Type.Number>, description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Record(Type.String(), value, { propertyNames, maxProperties: 50 }),
        Type.Array(value, { minItems: 1, maxItems: MOST_OF_TABLE }),
      ],
      { description },
    ),
  );

const RISK_FACTORS = ['cpr', 'psa', 'abs', 'smm', 'prepayment', 'cdr', 'sda', 'mdr', 'default', 'severity'] as const;
export type RiskFactorKey = (typeof RISK_FACTORS)[number];
const SigmaSchema = Type.Object(
  {
    sigma: Type.Number({
      minimum: 0,
      maximum: 5,
      description: 'Standard deviation of the logarithm; of the logit for severity.',
    }),
  },
  { title: 'RiskSigma' },
);

export const RiskSchema = Type.Object(
  {
    paths: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'Paths. Default 1,000.' })),
    seed: Type.Optional(Type.Integer({ minimum: 0, maximum: 4_294_967_295, description: 'Seed of the generator. Default 1.' })),
    factors: Type.Optional(
      Type.Partial(
        Type.Object(
          Object.fromEntries(RISK_FACTORS.map((factor) => [factor, SigmaSchema])) as Record<RiskFactorKey, typeof SigmaSchema>,
        ),
        {
          description: 'What moves: a speed by a log-normal multiplier, severity on the logit scale.',
        },
      ),
    ),
    correlation: Type.Optional(
      Type.Array(Type.Array(Type.Number({ minimum: -1, maximum: 1 }), { minItems: 1, maxItems: 10 }), {
        minItems: 1,
        maxItems: 10,
        description: 'Correlation of the factors, rows and columns in the order in which `factors` lists them. Default: none.',
      }),
    ),
    confidence: Type.Optional(
      Type.Array(Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }), {
        minItems: 1,
        maxItems: 20,
        description: 'Confidence levels of value at risk, as fractions. Default 0.95 and 0.99.',
      }),
    ),
  },
  { title: 'RiskSettings', description: 'Monte Carlo run of a RISK calculation.' },
);

const CurveSchema = Type.Object({
  as_of: Type.Optional(date('Date of the curve.')),
  kind: Type.Optional(oneOf(['PAR', 'ZERO'], 'Par yields or zero rates. Default PAR.')),
  points: Type.Array(
    Type.Object({
      years: Type.Number({ exclusiveMinimum: 0, maximum: 100, description: 'Maturity, years.' }),
      rate: Type.Number({ minimum: -50, maximum: 1000, description: 'Rate, percent a year.' }),
    }),
    { minItems: 1, maxItems: 200, description: 'Points; linear between them, flat outside.' },
  ),
});

export const CALCULATION_TYPES = ['CASHFLOW', 'PRICING', 'BREAKEVEN', 'SCENARIOS', 'RISK', 'PRICE_TABLE'] as const;
export type CalculationType = (typeof CALCULATION_TYPES)[number];

/** Where a calculation starts. */
export const StartSchema = Type.Union(
  [
    oneOf(['LATEST', 'CUT_OFF'], 'The last applied report, or the closing date.', 'CalculationStart'),
    Type.Integer({ minimum: 1, maximum: MAX_PERIODS, description: 'The payment of a period whose report was applied.' }),
  ],
  {
    description:
      'Where the calculation starts: from the state after a payment, with the loans of the closing tape rolled by their schedules and scaled to the reported pool balance, or from the closing date. Default: LATEST where `as_of` is given on or after the last applied payment date and no `settlement_date` before it, else CUT_OFF. Payment periods keep their numbers; vectors and curves count from the first projected month.',
  },
);

export const CalculationRequestSchema = Type.Object(
  {
    type: oneOf(
      CALCULATION_TYPES,
      'Results in addition to cash flows: BREAKEVEN adds break-even CDRs, RISK a loss distribution, PRICE_TABLE the yields of a tranche at many prices, or its prices at many yields.',
    ),
    purpose: Type.Optional(
      oneOf(['ANALYSIS', 'MARK'], 'MARK: a PRICING calculation that the operator may publish. Default ANALYSIS.'),
    ),
    from: Type.Optional(StartSchema),
    as_of: Type.Optional(date('As-of date. Default: the cut-off date; of a calculation that starts from a payment, its date.')),
    settlement_date: Type.Optional(
      date(
        'WAL, price and yield count from here. Default: the closing date; of a calculation that starts from a payment, `as_of`.',
      ),
    ),
    granularity: Type.Optional(oneOf(['LOAN', 'REPLINE'], 'Loan by loan, or groups of like loans. Default LOAN.')),
    assumptions: Type.Optional(AssumptionsSchema),
    scenarios: Type.Optional(
      Type.Array(ScenarioSchema, { minItems: 1, maxItems: 12, description: 'Scenarios. Default: one, `base`.' }),
    ),
    tranche: Type.Optional(name('Of a PRICE_TABLE: the tranche.')),
    prices: ByTrancheOrList(
      Type.Number({ exclusiveMinimum: 0, maximum: 1000 }),
      'Clean prices per 100, by tranche. Default 100. Of a PRICE_TABLE: a list of prices.',
    ),
    yields: ByTrancheOrList(
      Type.Number({ minimum: -50, maximum: 1000 }),
      'Yields in percent, by tranche, in place of a price. Of a PRICE_TABLE: a list of yields, in place of prices.',
    ),
    yield_basis: Type.Optional(
      oneOf(['BEY', 'MONTHLY'], 'Yield compounded twice a year (bond equivalent) or every month. Default BEY.'),
    ),
    benchmark_curve: Type.Optional(CurveSchema),
    index_curves: Type.Optional(
      Type.Record(
        Type.String(),
        Type.Array(
          Type.Object({
            period: Type.Integer({
              minimum: 1,
              maximum: MAX_PERIODS,
              description:
                'Projected month, 1 is the first after the cut-off or after the payment from which the calculation starts.',
            }),
            rate: Type.Number({ minimum: -50, maximum: 1000, description: 'Index, percent a year.' }),
          }),
          { minItems: 1, maxItems: MAX_PERIODS },
        ),
        {
          propertyNames,
          maxProperties: 20,
          description: 'Index rates by projected month; one holds until the next is given.',
        },
      ),
    ),
    risk: Type.Optional(RiskSchema),
  },
  { description: 'A calculation over a pool and its structure.' },
);
/** Body of a calculation, as on the wire. */
export type CalculationRequest = Static<typeof CalculationRequestSchema>;
