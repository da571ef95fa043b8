import Type from 'typebox';
import { named } from '../../platform/http/named.ts';
import { nullable } from '../../platform/http/schemas.ts';

const text = Type.String({ description: 'In sentences, as an indenture says it.' });
const clause = nullable(Type.String({ description: 'Where the documents say it, as the structure names it.' }));

/** The parts of a structure in sentences. */
export const EXPLANATION = {
  payment: Type.Array(Type.String(), {
    description: 'Dates, accrual, rounding, losses and other conventions of the whole deal.',
  }),
  tranches: Type.Array(named('ExplainedTranche', { tranche: Type.String(), text, clause })),
  accounts: Type.Array(named('ExplainedAccount', { account: Type.String(), text, clause })),
  fees: Type.Array(named('ExplainedFee', { fee: Type.String(), text, clause })),
  steps: Type.Array(
    named('ExplainedStep', {
      step: Type.String({ description: 'Name of the step, or its place.' }),
      place: Type.Integer({ description: 'From 1.' }),
      text,
      clause,
    }),
    { description: 'The waterfall, in order.' },
  ),
  triggers: Type.Array(named('ExplainedTrigger', { trigger: Type.String(), text, clause })),
  calls: Type.Array(named('ExplainedCall', { call: Type.String(), text, clause })),
};
