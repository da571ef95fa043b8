import Type, { type Static, type TSchema } from 'typebox';
import {
  type Remittance,
  RemittanceCollateralSchema,
  RemittanceSchema,
  RemittanceTrancheSchema,
} from '../../finance/structure/remittance.ts';
import { ApiError, type FieldProblem } from '../../platform/http/errors.ts';

/*
 * A report may use the field names of servicer reports or those of a calculation's cash-flow rows, so that a projected row can be
 * compared with the reported one or sent as it is.
 */

const COLLATERAL_NAMES = {
  opening: 'beginning_pool_balance',
  prepayment: 'prepayments',
  repurchase: 'repurchases',
  default: 'gross_losses',
  recovery: 'recoveries',
  closing: 'ending_pool_balance',
} as const;
const TRANCHE_NAMES = { opening: 'beginning_balance', principal: 'principal_paid', closing: 'ending_balance' } as const;

const REQUIRED_COLLATERAL = ['beginning_pool_balance', 'scheduled_principal', 'ending_pool_balance'] as const;
const REQUIRED_TRANCHE = ['beginning_balance', 'interest_paid', 'principal_paid', 'ending_balance'] as const;

function withSynonyms(
  schema: { properties: Record<string, TSchema> },
  names: Record<string, string>,
  required: readonly string[],
) {
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, each]) => [name, required.includes(name) ? each : Type.Optional(each)]),
  );
  const synonyms = Object.entries(names).map(([synonym, name]) => [
    synonym,
    Type.Optional({ ...(schema.properties[name] as object), description: `The same as \`${name}\`.` }),
  ]);
  return Type.Object({ ...properties, ...Object.fromEntries(synonyms) } as Record<string, TSchema>);
}

/** Body of a report: `RemittanceSchema`, with the field names of cash-flow rows beside those of servicer reports. */
export const RemittanceBodySchema = Type.Object(
  {
    period: RemittanceSchema.properties.period,
    payment_date: RemittanceSchema.properties.payment_date,
    collateral: withSynonyms(RemittanceCollateralSchema, COLLATERAL_NAMES, ['scheduled_principal']),
    tranches: Type.Array(withSynonyms(RemittanceTrancheSchema, TRANCHE_NAMES, ['tranche', 'interest_paid']), {
      minItems: 1,
      maxItems: 50,
    }),
    totals: RemittanceSchema.properties.totals,
  },
  { title: 'NewRemittance', description: 'Servicer report of one payment date.' },
);
export type RemittanceBody = Static<typeof RemittanceBodySchema>;

/** The report under the field names of servicer reports. 400 naming every missing figure. */
export function toRemittance(body: RemittanceBody): Remittance {
  const collateral = rename(body.collateral, COLLATERAL_NAMES, {
    beginning_balance: 'beginning_pool_balance',
    ending_balance: 'ending_pool_balance',
  });
  const tranches = body.tranches.map((row) => rename(row, TRANCHE_NAMES));
  const { period, payment_date, totals } = body;
  const report = { period, payment_date, collateral, tranches, ...(totals ? { totals } : {}) };
  refuseIncomplete(report);
  return report;
}

type ReportFigures = Record<string, unknown>;

function refuseIncomplete(report: { collateral: ReportFigures; tranches: ReportFigures[] }): asserts report is Remittance {
  const problems = [
    ...missing(report.collateral, REQUIRED_COLLATERAL, 'collateral'),
    ...report.tranches.flatMap((row, index) => missing(row, REQUIRED_TRANCHE, `tranches.${index}`)),
  ];
  if (problems.length === 0) return;
  const fields = problems.slice(0, 5).map((problem) => problem.field);
  throw new ApiError('VALIDATION_FAILED', `A field is missing or invalid: ${fields.join(', ')}.`, { errors: problems });
}

function rename(row: Record<string, unknown>, ...names: Record<string, string>[]): Record<string, unknown> {
  const synonyms: Record<string, string> = Object.assign({}, ...names);
  const renamed = Object.entries(row).map(([name, value]) => [Object.hasOwn(synonyms, name) ? synonyms[name] : name, value]);
  // A figure under its own name wins over a synonym.
  return {
    ...Object.fromEntries(renamed),
    ...Object.fromEntries(Object.entries(row).filter(([name]) => !Object.hasOwn(synonyms, name))),
  };
}

function missing(row: Record<string, unknown>, required: readonly string[], path: string): FieldProblem[] {
  return required
    .filter((name) => row[name] === undefined)
    .map((name) => ({ field: `${path}.${name}`, code: 'REQUIRED', message: 'must have this amount' }));
}
