import Type from 'typebox';
import { explainStructure } from '../../finance/structure/explain.ts';
import { LINT_CODES, lintStructure } from '../../finance/structure/lint.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { id, nullable } from '../../platform/http/schemas.ts';
import type { Id } from '../../platform/ids.ts';
import { findPool } from './queries.ts';

const text = Type.String({ description: 'In sentences, as an indenture says it.' });
const clause = nullable(Type.String({ description: 'Where the documents say it, as the structure names it.' }));

export const ExplanationSchema = named('StructureExplanation', {
  pool_id: id('pool'),
  structure_version: Type.Integer({ description: 'Version of the structure that is explained.' }),
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
  findings: Type.Array(
    named('StructureFinding', {
      path: Type.String({ description: 'Path in the structure, such as `waterfall[3].limit`.' }),
      code: namedOneOf('StructureFindingCode', LINT_CODES),
      message: Type.String(),
    }),
    { description: 'What the structure says and most likely does not mean. Warnings: they refuse nothing.' },
  ),
});

/** The structure of a pool in sentences, with what most likely is not meant in it. */
export async function explainPool(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>) {
  const pool = orNotFound(await findPool(tx, organizationId, poolId), 'pool');
  const { pool_id, structure, structure_version, balance } = pool;
  if (!structure) throw new ApiError('CONFLICT', 'The pool has no structure to explain: set a structure first.');
  return { pool_id, structure_version, ...explainStructure(structure), findings: lintStructure(structure, Number(balance)) };
}
