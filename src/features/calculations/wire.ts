import Type, { type Static } from 'typebox';
import { AssumptionsSchema, CALCULATION_TYPES, StartSchema } from '../../finance/structure/request.ts';
import { MEASURES, UNAVAILABLE_CODES } from '../../finance/structure/tranche-measures.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { date, id, money, nullable, oneOf, timestamp } from '../../platform/http/schemas.ts';
import type { Id } from '../../platform/ids.ts';
import { CALCULATION_STATUSES, type Calculation, type CalculationWithResult } from './queries.ts';

const years = (description: string) => nullable(Type.Number({ description: `${description} Years.` }));
const number = (description: string) => nullable(Type.Number({ description }));
const period = (description: string) => nullable(Type.Integer({ description }));

const fields = {
  calculation_id: id('calc'),
  pool_id: id('pool'),
  type: namedOneOf('CalculationType', CALCULATION_TYPES),
  purpose: namedOneOf('CalculationPurpose', ['ANALYSIS', 'MARK']),
  status: namedOneOf('CalculationStatus', CALCULATION_STATUSES),
  as_of: date('As-of date.'),
  from: StartSchema,
  opening: nullable(
    named('CalculationOpening', {
      period: Type.Integer({ description: 'The payment after which it starts.' }),
      payment_date: date('Of its report.'),
      pool_balance: money('Pool after it, as reported.'),
    }),
  ),
  granularity: namedOneOf('CalculationGranularity', ['LOAN', 'REPLINE']),
  structure_version: Type.Integer({ description: 'Version of the structure that it runs over.' }),
  tape_versions: Type.Record(Type.String(), Type.Integer(), { description: 'Deal → version of its tape.' }),
  error: nullable(Type.String({ description: 'Why it FAILED.' })),
  error_code: nullable(Type.String({ description: 'Stable code of the failure.' })),
  created_at: timestamp(),
  completed_at: nullable(timestamp()),
};

export const CalculationRowSchema = named('CalculationSummary', fields);

const Distribution = {
  mean: Type.Number(),
  standard_deviation: Type.Number(),
  minimum: Type.Number(),
  maximum: Type.Number(),
  tail: Type.Array(
    named('TailLoss', {
      confidence: Type.Number({ description: 'Fraction.' }),
      value_at_risk: Type.Number({ description: 'Lower empirical quantile, percent.' }),
      expected_shortfall: Type.Number({ description: 'Mean of the path at the value at risk and of those beyond it, percent.' }),
    }),
  ),
};

const RiskSchema = named('LossDistribution', {
  generator: Type.String({ description: 'Name of the random generator.' }),
  seed: Type.Integer(),
  paths: Type.Integer(),
  factors: Type.Array(named('RiskFactor', { factor: Type.String(), sigma: Type.Number() })),
  correlation: Type.Array(Type.Array(Type.Number())),
  collateral: Type.Object(Distribution, { description: 'Loss of the pool, percent of its opening balance.' }),
  tranches: Type.Array(
    named('TrancheLoss', {
      tranche: Type.String(),
      probability_of_loss: Type.Number({ description: 'Percent of paths.' }),
      ...Distribution,
    }),
  ),
});

const ScenarioSchema = named('ScenarioResult', {
  scenario: Type.String(),
  assumptions: AssumptionsSchema,
  called_period: period('Payment period in which the pool is called.'),
  collateral: named('CollateralResult', {
    wal: years('Principal only, from settlement.'),
    principal: money('Principal and recoveries to the last payment of the loans, also beyond a call.'),
    interest: money('Interest collected.'),
    loss: money('Loss booked.'),
    last_period: period('Last with at least a cent of principal.'),
  }),
  tranches: Type.Array(
    named('TrancheResult', {
      tranche: Type.String(),
      class: Type.String(),
      wal: years('Principal only, from settlement.'),
      first_period: period('First with principal.'),
      last_period: period('Last with principal.'),
      principal: money('Principal paid.'),
      interest: money('Interest paid, without what a cap had cut; of the residual, its payments.'),
      carry_over_paid: Type.Optional(money('Interest that a cap had cut, paid; absent where the coupon carries nothing over.')),
      write_down: money('Written off, or unpaid at the end.'),
      price: number('Clean, per 100 of current balance.'),
      yield: number('Percent, on the requested basis.'),
      modified_duration: years('Macaulay / (1 + y/2), or / (1 + y/12) for a monthly yield.'),
      convexity: number('(1/P) d²P/dy².'),
      spread_bp: number('Yield as quoted less the benchmark at the WAL, basis points.'),
      discount_margin_bp: Type.Optional(
        number('Floaters: constant over the projected index at which the cash flows are worth the price, basis points.'),
      ),
      z_spread_bp: Type.Optional(
        number('Constant over the zero rates of `benchmark_curve` at which the cash flows are worth the price, basis points.'),
      ),
      effective_duration: Type.Optional(
        years('(P− − P+) / (2·P·dy) under parallel shifts of all curves by 25 basis points, floating rates following them.'),
      ),
      effective_convexity: Type.Optional(number('(P− + P+ − 2P) / (P·dy²), under the same shifts.')),
      unavailable: Type.Optional(
        Type.Array(
          named('UnavailableMeasure', {
            field: oneOf(MEASURES, 'The measure that is null.'),
            code: oneOf(UNAVAILABLE_CODES, 'Stable code of the reason.'),
            message: Type.String({ description: 'The reason.' }),
          }),
          { description: 'Why measures of this tranche are null: an entry for each.' },
        ),
      ),
      break_even_cdr: Type.Optional(
        number('Highest constant CDR up to which no scanned CDR loses, percent; null if the tranche loses without defaults.'),
      ),
      first_loss_cdr: Type.Optional(number('The CDR a hundredth above, which loses; null if none up to 100 does.')),
      highest_safe_cdr: Type.Optional(
        number('Highest constant CDR that leaves the tranche whole, even if a lower one does not, percent.'),
      ),
      monotone: Type.Optional(
        nullable(Type.Boolean({ description: 'Whether every scanned CDR above the first that loses does too.' })),
      ),
    }),
  ),
  risk: Type.Optional(RiskSchema),
});

export const CalculationSchema = named('Calculation', {
  ...fields,
  engine_version: nullable(Type.String({ description: 'Version of the engine; null before it has run.' })),
  settlement_date: nullable(date()),
  cut_off_date: nullable(date()),
  assumptions: nullable(AssumptionsSchema),
  results: nullable(
    Type.Array(ScenarioSchema, { description: 'One per scenario, in the order of the request; null until COMPLETED.' }),
  ),
  rows: Type.Optional(
    Type.Array(
      named('PriceRow', {
        price: number('The price asked, clean per 100; null where a yield was.'),
        yield: number('The yield asked, percent; null where a price was.'),
        cells: Type.Array(
          named('PriceCell', {
            scenario: Type.String(),
            price: number('Clean, per 100 of current balance.'),
            yield: number('Percent, on the requested basis.'),
            spread_bp: number('Yield as quoted less the benchmark at the WAL, basis points.'),
            discount_margin_bp: number('Of floaters, basis points.'),
            modified_duration: years('Macaulay / (1 + y/2), or / (1 + y/12) for a monthly yield.'),
            wal: years('Principal only, from settlement.'),
            first_period: period('First with principal.'),
            last_period: period('Last with principal.'),
          }),
        ),
      }),
      { description: 'Of a PRICE_TABLE, in the order of its prices or yields.' },
    ),
  ),
  warnings: Type.Array(Type.String(), { description: 'Assumptions that were made, and columns that were not read.' }),
});

const { pool_id: _pool, tape_versions: _tapes, ...ofDeal } = fields;
const { pool_id: _ofPool, tape_versions: _ofTapes, ...resultsOfDeal } = CalculationSchema.properties;

/** A calculation that an investor asked for: it names the deal, and not what its owner made it of. */
export const InvestorCalculationRowSchema = named('InvestorCalculationSummary', { deal_id: id('deal'), ...ofDeal });
export const InvestorCalculationSchema = named('InvestorCalculation', { deal_id: id('deal'), ...resultsOfDeal });

export function wireInvestorRow(deal_id: Id<'deal'>, calculation: Calculation): Static<typeof InvestorCalculationRowSchema> {
  const { pool_id: _, tape_versions: __, ...row } = wireRow(calculation);
  return { deal_id, ...row };
}

export function wireInvestorCalculation(
  deal_id: Id<'deal'>,
  calculation: CalculationWithResult,
): Static<typeof InvestorCalculationSchema> {
  const { pool_id: _, tape_versions: __, ...results } = wireCalculation(calculation);
  return { deal_id, ...results };
}

export function wireRow(calculation: Calculation): Static<typeof CalculationRowSchema> {
  const {
    calculation_id,
    pool_id,
    type,
    purpose,
    status,
    as_of,
    from,
    opening,
    granularity,
    structure_version,
    tape_versions,
    error,
    error_code,
  } = calculation;
  const times = {
    created_at: calculation.created_at.toISOString(),
    completed_at: calculation.completed_at?.toISOString() ?? null,
  };
  return {
    calculation_id,
    pool_id,
    type,
    purpose,
    status,
    as_of,
    from,
    opening,
    granularity,
    structure_version,
    tape_versions,
    error,
    error_code,
    ...times,
  };
}

export function wireCalculation(calculation: CalculationWithResult): Static<typeof CalculationSchema> {
  const { result } = calculation;
  return {
    ...wireRow(calculation),
    engine_version: result?.engine_version ?? null,
    settlement_date: result?.settlement_date ?? null,
    cut_off_date: result?.cut_off_date ?? null,
    assumptions: result?.assumptions ?? null,
    results: result?.results ?? null,
    ...(result?.rows ? { rows: result.rows } : {}),
    warnings: result?.warnings ?? [],
  };
}
