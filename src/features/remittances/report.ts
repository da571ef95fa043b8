import Type, { type Static, type TSchema } from 'typebox';
import {
  CertificateFields,
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

/** Principal may be split into scheduled and prepaid, or not. */
const requiredOf = ({ principal_collected }: ReportFigures): string[] => [
  'beginning_pool_balance',
  ...(principal_collected === undefined ? ['scheduled_principal'] : []),
  'ending_pool_balance',
];
const REQUIRED_TRANCHE = ['beginning_balance', 'interest_paid', 'principal_paid', 'ending_balance'] as const;

function withSynonyms(
  schema: { properties: Record<string, TSchema> },
  names: Record<string, string>,
  required: readonly string[],
  title: string,
) {
  const properties = Object.fromEntries(
    Object.entries(schema.properties).map(([name, each]) => [name, required.includes(name) ? each : Type.Optional(each)]),
  );
  const synonyms = Object.entries(names).map(([synonym, name]) => [
    synonym,
    Type.Optional({ ...(schema.properties[name] as object), description: `The same as \`${name}\`.` }),
  ]);
  return Type.Object({ ...properties, ...Object.fromEntries(synonyms) } as Record<string, TSchema>, { title });
}

/** Body of a report: `RemittanceSchema`, with the field names of cash-flow rows beside those of servicer reports. */
export const RemittanceBodySchema = Type.Object(
  {
    period: RemittanceSchema.properties.period,
    payment_date: RemittanceSchema.properties.payment_date,
    collateral: withSynonyms(RemittanceCollateralSchema, COLLATERAL_NAMES, [], 'ReportedCollateral'),
    tranches: Type.Array(withSynonyms(RemittanceTrancheSchema, TRANCHE_NAMES, ['tranche', 'interest_paid'], 'ReportedTranche'), {
      minItems: 1,
      maxItems: 50,
    }),
    totals: RemittanceSchema.properties.totals,
    ...CertificateFields,
  },
  { title: 'NewRemittance', description: 'Servicer report of one payment date.' },
);
/** Body of a report that is verified and not stored: also one that stands by itself. */
export const VerifyBodySchema = Type.Object(
  {
    ...RemittanceBodySchema.properties,
    opening: Type.Optional(
      Type.Unsafe<'APPLIED' | 'REPORTED'>({
        type: 'string',
        enum: ['APPLIED', 'REPORTED'],
        title: 'VerifiedOpening',
        description:
          'APPLIED (default): from the last applied report. REPORTED: from the opening balances, shortfalls, carry-overs, unpaid fees, accounts and `trigger_state` of the body.',
      }),
    ),
    trigger_state: Type.Optional(
      Type.Array(
        Type.Object({ trigger: Type.String({ minLength: 1, maxLength: 64 }), on: Type.Boolean() }, { title: 'TriggerState' }),
        {
          maxItems: 50,
          description:
            'Triggers before the payment, where the opening is the reported one. Default: off. One that the structure does not have, or that was not so after the last applied report from which the opening is, is a line.',
        },
      ),
    ),
  },
  { title: 'RemittanceToVerify', description: 'Servicer report of one payment date.' },
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
  const cash = Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(CertificateFields, name)));
  const report = { period, payment_date, collateral, tranches, ...(totals ? { totals } : {}), ...cash };
  refuseIncomplete(report);
  return report;
}

type ReportFigures = Record<string, unknown>;

function refuseIncomplete(report: { collateral: ReportFigures; tranches: ReportFigures[] }): asserts report is Remittance {
  const problems = [
    ...missing(report.collateral, requiredOf(report.collateral), 'collateral'),
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
