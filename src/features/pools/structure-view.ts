import Type from 'typebox';
import { explainStructure } from '../../finance/structure/explain.ts';
import { lintStructure } from '../../finance/structure/lint.ts';
import { LINT_CODES } from '../../finance/structure/lint-finding.ts';
import type { Tx } from '../../platform/db/database.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { id } from '../../platform/http/schemas.ts';
import type { Id } from '../../platform/ids.ts';
import { EXPLANATION } from './explanation.ts';
import { findPool } from './queries.ts';

export const ExplanationSchema = named('StructureExplanation', {
  pool_id: id('pool'),
  structure_version: Type.Integer({ description: 'Version of the structure that is explained.' }),
  ...EXPLANATION,
  findings: Type.Array(
    named('StructureFinding', {
      path: Type.String({ description: 'Path in the structure, such as `waterfall[3].limit`.' }),
      code: namedOneOf('StructureFindingCode', LINT_CODES),
      message: Type.String(),
    }),
    { description: 'What the structure says and most likely does not mean. Warnings: they refuse nothing.' },
  ),
});

export const PoolStructureSchema = named('PoolStructure', {
  ...ExplanationSchema.properties,
  structure: Type.Unknown({ description: 'Tranches, accounts, fees, waterfall and triggers, in the deal language.' }),
});

/** The structure of a pool as data and in sentences, with what most likely is not meant in it. */
export async function readStructure(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>) {
  const explained = await explainPool(tx, organizationId, poolId);
  const { structure } = orNotFound(await findPool(tx, organizationId, poolId), 'pool');
  return { ...explained, structure };
}

/** The structure of a pool in sentences, with what most likely is not meant in it. */
export async function explainPool(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>) {
  const pool = orNotFound(await findPool(tx, organizationId, poolId), 'pool');
  const { pool_id, structure, structure_version, balance, closing_date } = pool;
  if (!structure) throw new ApiError('CONFLICT', 'The pool has no structure to explain: set a structure first.');
  const findings = lintStructure(structure, { balance: Number(balance), closing_date });
  return { pool_id, structure_version, ...explainStructure(structure), findings };
}
