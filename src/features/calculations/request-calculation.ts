import { calculationKey } from '../../finance/structure/key.ts';
import { type CalculationFault, type CalculationPool, normalizeRequest } from '../../finance/structure/normalize.ts';
import type { CalculationRequest } from '../../finance/structure/request.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, notFound } from '../../platform/http/errors.ts';
import { type Id } from '../../platform/ids.ts';
import { findPool, type Pool } from '../pools/queries.ts';
import { type CalculationInputs, findByKey, insertCalculation, type KeyedCalculation } from './queries.ts';

export type CalculationBody = CalculationRequest & { use_scheduled_payment?: boolean };

/**
 * Asks for a calculation: it is queued, or, where the same inputs were calculated or are being calculated under this engine, the stored one
 * is the answer. 422 names every fault of the request.
 */
export async function requestCalculation(
  tx: Tx,
  deps: Pick<Deps, 'jobs'>,
  organizationId: Id<'org'>,
  poolId: Id<'pool'>,
  body: CalculationBody,
): Promise<KeyedCalculation> {
  const pool = await findPool(tx, organizationId, poolId);
  if (!pool) throw notFound('pool');
  const structure = calculable(pool);
  const { use_scheduled_payment = false, ...request } = body;
  const facts: CalculationPool = {
    loans: [],
    loanType: pool.loan_type,
    originalBalance: Number(pool.balance),
    cutOff: pool.cut_off_date,
    closing: pool.closing_date,
  };
  const normalized = normalizeRequest(request, facts, structure);
  if (!normalized.ok) refuse(normalized.faults);
  const key = calculationKey(
    {
      structureVersion: pool.structure_version,
      loanSet: `${pool.loan_set}${use_scheduled_payment ? ' with scheduled payments' : ''}`,
      tapeVersions: pool.tape_versions,
      cutOff: `${pool.cut_off_date}, closing ${pool.closing_date}`,
    },
    normalized.request,
  );
  const calculationId = tx.newId('calc');
  const { type, purpose, asOf, granularity } = normalized.request;
  const row = {
    calculation_id: calculationId,
    organization_id: organizationId,
    pool_id: poolId,
    type,
    purpose,
    as_of: asOf,
    granularity,
  };
  const inputs = inputsOf(pool, structure, request, use_scheduled_payment);
  if (!(await insertCalculation(tx, { ...row, calculation_key: key, inputs }))) {
    return (await findByKey(tx, organizationId, poolId, key)) as KeyedCalculation;
  }
  await deps.jobs.enqueue(tx, 'run-calculation', { organization_id: organizationId, calculation_id: calculationId });
  return { calculation_id: calculationId, status: 'PENDING' };
}

function calculable(pool: Pool): Structure {
  if (pool.structure && pool.status !== 'CANCELLED') return pool.structure;
  const hint = pool.status === 'DRAFT' ? 'put a structure first' : 'its loans were given free';
  throw new ApiError('CONFLICT', `The pool is ${pool.status}: ${hint}.`, { extra: { current_status: pool.status } });
}

function inputsOf(
  pool: Pool,
  structure: Structure,
  request: CalculationRequest,
  useScheduledPayment: boolean,
): CalculationInputs {
  const { loan_type, cut_off_date, closing_date, tape_versions } = pool;
  const averages = { wac: Number(pool.wac ?? 0), wam: Number(pool.wam ?? 1) };
  return {
    request,
    use_scheduled_payment: useScheduledPayment,
    structure,
    structure_version: pool.structure_version,
    pool: { loan_type, cut_off_date, closing_date, loans_key: pool.loans_key as string, tape_versions, ...averages },
  };
}

function refuse(faults: readonly CalculationFault[]): never {
  const code = faults.every((fault) => fault.code === 'CURVE_MISSING') ? 'CURVE_MISSING' : 'ASSUMPTIONS_INVALID';
  const [first] = faults;
  throw new ApiError(code, first && `The calculation cannot run: ${first.path}: ${first.message}.`, {
    errors: faults.map(({ path, code: each, message }) => ({ field: path, code: each, message })),
  });
}
