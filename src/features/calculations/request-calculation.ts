import { numberOrNull } from '../../finance/decimal.ts';
import Type, { type Static } from 'typebox';
import { calculationKey, ENGINE_VERSION } from '../../finance/structure/key.ts';
import { type CalculationFault, normalizeRequest } from '../../finance/structure/normalize.ts';
import type { CalculationOpening, CalculationPool, NormalRequest } from '../../finance/structure/normal-request.ts';
import { segmentLists } from '../../finance/structure/assumptions.ts';
import { type CalculationRequest, CalculationRequestSchema } from '../../finance/structure/request.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import { named } from '../../platform/http/named.ts';
import { asPlatform } from '../../platform/db/as-platform.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { refuseUnknownFields } from '../../platform/http/refuse-unknown-fields.ts';
import { type Id } from '../../platform/ids.ts';
import { findOpening } from './opening.ts';
import { holdPool, type Pool } from '../pools/queries.ts';
import { findVisiblePool } from '../securitizations/queries.ts';
import { refuseInvalidSegments } from './segments.ts';
import { type RunInputs, findByKey, insertCalculation, type KeyedCalculation, releaseKey } from './queries.ts';

export const NewCalculationSchema = named('NewCalculation', {
  ...CalculationRequestSchema.properties,
  use_scheduled_payment: Type.Optional(
    Type.Boolean({
      description:
        'Loans pay the payment of the tape instead of the one recomputed from balance, rate and remaining term; those that pay no principal yet pay the recomputed one afterwards. Default false.',
    }),
  ),
});
export type CalculationBody = Static<typeof NewCalculationSchema>;

/**
 * Requests a calculation of an own pool. If this engine has calculated the same inputs, or is calculating them, the stored calculation is
 * returned; otherwise a new one is queued. 422 names every fault of the request.
 */
export async function requestCalculation(
  tx: Tx,
  actor: Actor,
  { poolId, ...body }: CalculationBody & { poolId: Id<'pool'> },
  means: Pick<Deps, 'jobs'>,
): Promise<KeyedCalculation> {
  return request(tx, actor, calculable(orNotFound(await holdPool(tx, actor.organization_id, poolId), 'pool')), body, means);
}

/**
 * Requests a calculation of the pool behind a deal that an investor sees. It belongs to the investor, and nobody else sees it. Marks are
 * the owner's, and rules over loans need loans that are disclosed: both are 422.
 */
export async function requestDealCalculation(
  tx: Tx,
  actor: Actor,
  { dealId, ...body }: CalculationBody & { dealId: Id<'deal'> },
  means: Pick<Deps, 'jobs'>,
): Promise<KeyedCalculation & { pool_id: Id<'pool'> }> {
  const { organization_id, pool_id } = await calculableDeal(tx, actor.organization_id, dealId);
  // In the platform's scope, since it is another's: the loans of its months are deleted once no calculation names them.
  const pool = calculable(orNotFound(await asPlatform(tx, () => holdPool(tx, organization_id, pool_id)), 'deal'));
  refuse([
    ...(body.purpose === 'MARK'
      ? [invalid('purpose', 'is MARK; marks are published from calculations of the owner, expected ANALYSIS')]
      : []),
    ...segmentLists(body).map(({ path }) =>
      invalid(path, 'chooses loans by their fields; the loans of this deal are not disclosed'),
    ),
  ]);
  return { ...(await request(tx, actor, { ...pool, listed: dealId }, body, means)), pool_id: pool.pool_id };
}

export const invalid = (path: string, message: string): CalculationFault => ({ code: 'ASSUMPTIONS_INVALID', path, message });

/** The pool behind a deal that an investor sees; 404 otherwise. */
export async function calculableDeal(tx: Tx, investorId: Id<'org'>, dealId: Id<'deal'>): Promise<CalculablePool> {
  return calculable(orNotFound(await findVisiblePool(tx, investorId, dealId), 'deal'));
}

async function request(
  tx: Tx,
  actor: Actor,
  pool: CalculablePool,
  { use_scheduled_payment = false, ...body }: CalculationBody,
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<KeyedCalculation> {
  refuseUnknownFields(NewCalculationSchema, body);
  refuseInvalidSegments(body, pool);
  const { opening, structure, faults, warnings } = await findOpening(tx, pool, body);
  refuse(faults);
  const normalized = normalizeRequest(body, { ...factsOf(pool), ...(opening ? { opening } : {}) }, structure);
  if (!normalized.ok) throw cannotRun(normalized.faults);
  const { type, purpose, asOf, granularity } = normalized.request;
  const inputs = inputsOf({ ...pool, structure }, body, { useScheduledPayment: use_scheduled_payment, opening, warnings });
  const key = keyOf(pool, normalized.request, inputs);
  const record = { organization_id: actor.organization_id, calculation_id: tx.newId('calc') };
  const row = {
    ...record,
    pool_id: pool.pool_id,
    type,
    purpose,
    as_of: asOf,
    granularity,
    calculation_key: key,
    inputs,
  };
  const inserted = (await insertCalculation(tx, row)) || ((await releaseKey(tx, row)) && (await insertCalculation(tx, row)));
  if (!inserted) return findStored(tx, actor, pool.pool_id, key);
  await jobs.enqueue(tx, 'run-calculation', record, { id: record.calculation_id });
  return { calculation_id: record.calculation_id, status: 'PENDING' };
}

async function findStored(tx: Tx, actor: Actor, poolId: Id<'pool'>, key: string): Promise<KeyedCalculation> {
  const stored = await findByKey(tx, actor.organization_id, poolId, key);
  if (!stored) throw new ApiError('CONFLICT', 'The calculation of these inputs failed just now: request it again.');
  return stored;
}

export const factsOf = (pool: Pool): CalculationPool => ({
  loans: [],
  loanType: pool.loan_type,
  originalBalance: Number(pool.balance),
  cutOff: pool.cut_off_date,
  closing: pool.closing_date,
});

/** The key under which equal inputs have one calculation. */
export function keyOf(
  pool: Pool,
  request: NormalRequest,
  { use_scheduled_payment, opening, warnings, structure: { fixings } }: RunInputs,
): string {
  return calculationKey(
    {
      structureVersion: pool.structure_version,
      loanSet: `${pool.loan_set}${use_scheduled_payment ? ' with scheduled payments' : ''}`,
      tapeVersions: pool.tape_versions,
      cutOff: `${pool.cut_off_date}, closing ${pool.closing_date}`,
      ...(opening ? { opening: { ...opening, fixings } } : {}),
      // What one request is told, another with the same figures may not be.
      ...(warnings ? { warnings } : {}),
    },
    request,
  );
}

/** `listed`: the deal by which an investor asks. */
export type CalculablePool = Pool & { structure: Structure; loans_key: string; listed?: Id<'deal'> };

export function calculable(pool: Pool): CalculablePool {
  const { status, structure, loans_key } = pool;
  if (structure && loans_key && status !== 'CANCELLED') return { ...pool, structure, loans_key };
  const hint = status === 'DRAFT' ? 'set a structure first' : 'its loans were released';
  throw new ApiError('CONFLICT', `The pool is ${status}: ${hint}.`, { extra: { current_status: status } });
}

export function inputsOf(
  pool: CalculablePool,
  request: CalculationRequest,
  {
    useScheduledPayment,
    opening,
    warnings = [],
  }: { useScheduledPayment: boolean; opening: CalculationOpening | null; warnings?: readonly string[] },
): RunInputs {
  const { loan_type, cut_off_date, closing_date, tape_versions, structure, structure_version } = pool;
  const loans_key = opening?.tape?.loans_key ?? pool.loans_key;
  const averages = { wac: numberOrNull(pool.wac), wam: numberOrNull(pool.wam) };
  return {
    request,
    engine_version: ENGINE_VERSION,
    use_scheduled_payment: useScheduledPayment,
    structure,
    structure_version,
    ...(pool.listed ? { deal_id: pool.listed } : {}),
    ...(opening ? { opening } : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    pool: { loan_type, cut_off_date, closing_date, loans_key, tape_versions, ...averages },
  };
}

function refuse(faults: readonly CalculationFault[]): void {
  if (faults.length > 0) throw cannotRun(faults);
}

export function cannotRun(faults: readonly CalculationFault[]): ApiError {
  const [first] = faults;
  const code = faults.every((fault) => fault.code === 'CURVE_MISSING') ? 'CURVE_MISSING' : 'ASSUMPTIONS_INVALID';
  return new ApiError(code, first && `The calculation cannot run: ${first.path}: ${first.message}.`, {
    errors: faults.map(({ path, code: each, message }) => ({ field: path, code: each, message })),
  });
}
