import Type, { type TSchema } from 'typebox';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { ComparedBy } from '../tapes/diff-schema.ts';
import { date, id, money, nullable } from '../../platform/http/schemas.ts';

const share = Type.Number({ description: 'Fraction of the balance, 6 decimals.' });
const percent = (description: string) => nullable(Type.Number({ description: `${description} Percent.` }));

const lineage = {
  as_of: date('Terms and ages are as of this date: the tape’s, or the pool’s cut-off.'),
  tape_versions: Type.Record(Type.String(), Type.Integer(), { description: 'Deal → version of its tape.' }),
  engine_version: Type.String(),
};

const figures = {
  loan_count: Type.Integer(),
  balance: money('Current balance.'),
  average_balance: nullable(money('Balance over loans.')),
  averages: Type.Record(Type.String(), nullable(Type.Number()), {
    description:
      'Balance-weighted averages: wac percent, wam months, wa_credit_score, …; loans without a value are left out; null when none has one.',
  }),
};
const Figures = named('StratFigures', figures);

const stratum = <Groups extends Record<string, TSchema>>(name: string, groups: Groups) =>
  named(name, {
    key: Type.String({ description: 'Value, band or date; `(missing)` for loans without one.' }),
    lower: nullable(Type.Number({ description: 'The band begins here.' })),
    upper: nullable(Type.Number({ description: 'The band ends below this.' })),
    share,
    ...figures,
    ...groups,
  });

export const StratsSchema = named('Strats', {
  by: Type.String(),
  then_by: nullable(Type.String()),
  bands: nullable(Type.Array(Type.Number())),
  then_bands: nullable(Type.Array(Type.Number())),
  total: Figures,
  groups: Type.Array(stratum('StratGroup', { groups: Type.Optional(Type.Array(stratum('StratSubgroup', {}))) })),
  ...lineage,
});

export const VintagesSchema = named('Vintages', {
  unit: namedOneOf('VintageUnit', ['month', 'quarter']),
  vintages: Type.Array(
    named('Vintage', {
      vintage: Type.String({ description: 'Month or quarter of origination.' }),
      ...figures,
      original_balance: money('At origination.'),
      factor: nullable(
        Type.Number({ description: 'Balance over original balance of the loans that have an original balance, 6 decimals.' }),
      ),
      delinquent_30: percent('30 to 59 days past due, of the balance of the loans that say how many days.'),
      delinquent_60: percent('60 to 89 days past due, of the same.'),
      delinquent_90: percent('90 days and more past due, of the same.'),
      charged_off: nullable(money('Charged off.')),
      loss_rate: percent('Charged off, of the original balance of the loans that have one.'),
    }),
  ),
  roll_rates: Type.Array(
    named('RollRates', {
      deal_id: id('deal'),
      from_version: Type.Integer(),
      to_version: Type.Integer(),
      compared_by: ComparedBy,
      rolls: Type.Array(
        named('RollRate', {
          from: Type.String({ description: 'Days past due on the older tape, or CHARGED_OFF.' }),
          to: Type.String({
            description:
              'On the newer tape; CHARGED_OFF where the tape says so (status, code of a zero balance, amount charged off), PAID_OFF without a balance, REMOVED when the tape does not have the loan.',
          }),
          loan_count: Type.Integer(),
          balance: money('On the older tape.'),
          rate: percent('Of the balance that was in `from`.'),
        }),
      ),
    }),
    { description: 'Between tape versions that follow each other, loans matched by id; empty for a deal with one version.' },
  ),
  ...lineage,
});

const concentration = { name: Type.String(), loan_count: Type.Integer(), balance: money('Current balance.'), share };

export const RiskSchema = named('CreditRisk', {
  total: Figures,
  weighted_averages: Type.Array(
    named('WeightedAverage', {
      field: Type.String(),
      value: nullable(Type.Number()),
      unit: nullable(Type.String()),
      loans_missing: Type.Integer(),
      balance_missing: money('Of the loans without a value.'),
    }),
    { description: 'Every numeric field that is not an amount, weighted by balance.' },
  ),
  top_obligors: nullable(
    Type.Array(named('Concentration', concentration), { description: 'The ten largest; null when no loan has a value.' }),
  ),
  top_states: nullable(
    Type.Array(named('Concentration', concentration), { description: 'The ten largest; null when no loan has a value.' }),
  ),
  hhi: Type.Object(
    { obligor: nullable(Type.Number()), state: nullable(Type.Number()) },
    { title: 'Herfindahl', description: 'Σ share², 1 is a single group.' },
  ),
  delinquency: Type.Array(
    named('DelinquencyBucket', { ...concentration, from_days: nullable(Type.Integer()), to_days: nullable(Type.Integer()) }),
    { description: 'By days past due.' },
  ),
  ...lineage,
});

const { tape_versions: _strats, ...ofStrats } = StratsSchema.properties;
const { tape_versions: _vintages, roll_rates: _rolls, ...ofVintages } = VintagesSchema.properties;
const { tape_versions: _risk, ...ofRisk } = RiskSchema.properties;

/** What investors read of the loans of a deal: no group of a few loans, no name, and nothing of the tapes that they come from. */
export const InvestorStratsSchema = named('InvestorStrats', ofStrats);
export const InvestorVintagesSchema = named('InvestorVintages', ofVintages);
export const InvestorRiskSchema = named('InvestorCreditRisk', ofRisk);
