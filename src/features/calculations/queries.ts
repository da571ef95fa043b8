import { storedRecord } from '../../platform/http/stored-record.ts';
import { ENGINE_VERSION } from '../../finance/structure/key.ts';
import type { CalculationResult } from '../../finance/structure/calculate.ts';
import type { CalculationOpening } from '../../finance/structure/normal-request.ts';
import type { CalculationRequest } from '../../finance/structure/request.ts';
import type { Structure } from '../../finance/structure/structure.ts';
import type { LoanType } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newestFirst, type Page, type PageRequest } from '../../platform/pages.ts';
import { type Filter, selectPage } from '../../platform/db/page.ts';
import { type Between, between } from '../../platform/db/list-filter.ts';
import type { Id } from '../../platform/ids.ts';

export const CALCULATION_RECORD = storedRecord('calculations', 'calculation_id', {
  only: ['pool_id', 'status', 'run', 'started_at', 'completed_at', 'error_code'],
});

export const CALCULATION_STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED'] as const;
export type CalculationStatus = (typeof CALCULATION_STATUSES)[number];

/** The inputs of a run, as they were when the calculation was requested. */
export type RunInputs = {
  request: CalculationRequest;
  /** The engine whose results the key of the calculation stands for; absent in those from before it was written down. */
  engine_version?: string;
  use_scheduled_payment: boolean;
  structure: Structure;
  structure_version: number;
  /** The deal of an investor's calculation. */
  deal_id?: Id<'deal'>;
  /** The state from which it starts; absent for the closing date. */
  opening?: CalculationOpening;
  /** What the calculation says of the request besides what it finds itself. */
  warnings?: readonly string[];
  pool: {
    loan_type: LoanType;
    cut_off_date: string;
    closing_date: string;
    loans_key: string;
    tape_versions: Record<string, number>;
    /** Averages for loans without a rate or a term; null where no loan has one. */
    wac: number | null;
    wam: number | null;
  };
};

export type Calculation = {
  calculation_id: Id<'calc'>;
  organization_id: Id<'org'>;
  pool_id: Id<'pool'>;
  type: CalculationRequest['type'];
  purpose: 'ANALYSIS' | 'MARK';
  status: CalculationStatus;
  run: number;
  as_of: string;
  from: 'CUT_OFF' | CalculationOpening['from'];
  /** The payment after which it starts; null for the closing date. */
  opening: Pick<CalculationOpening['state'], 'period' | 'payment_date' | 'pool_balance'> | null;
  granularity: 'LOAN' | 'REPLINE';
  structure_version: number;
  tape_versions: Record<string, number>;
  details_key: string | null;
  error: string | null;
  error_code: string | null;
  created_at: Date;
  started_at: Date | null;
  completed_at: Date | null;
};

const CALCULATION = `c.calculation_id, c.organization_id, c.pool_id, c.type, c.purpose, c.status, c.run, c.as_of::text as as_of, c.granularity,
  coalesce(c.inputs->'opening'->'from', '"CUT_OFF"') as from,
  case when c.inputs->'opening' is not null then json_build_object('period', c.inputs->'opening'->'state'->'period',
    'payment_date', c.inputs->'opening'->'state'->'payment_date', 'pool_balance', c.inputs->'opening'->'state'->'pool_balance') end as opening,
  (c.inputs->>'structure_version')::int as structure_version, c.inputs->'pool'->'tape_versions' as tape_versions, c.details_key, c.error, c.error_code,
  c.created_at, c.started_at, c.completed_at`;

export type CalculationWithResult = Calculation & { result: CalculationResult | null; inputs: RunInputs };

export function findCalculation(
  tx: Tx,
  organizationId: Id<'org'>,
  poolId: Id<'pool'>,
  calculationId: Id<'calc'>,
): Promise<CalculationWithResult | null> {
  return tx.one<CalculationWithResult>(
    `select ${CALCULATION}, c.result, c.inputs from calculations c where c.organization_id = $1 and c.pool_id = $2 and c.calculation_id = $3`,
    [organizationId, poolId, calculationId],
  );
}

/** The latest COMPLETED calculation of a pool. */
export function findLatestCalculation(
  tx: Tx,
  organizationId: Id<'org'>,
  poolId: Id<'pool'>,
): Promise<CalculationWithResult | null> {
  return tx.one<CalculationWithResult>(
    `select ${CALCULATION}, c.result, c.inputs from calculations c where c.organization_id = $1 and c.pool_id = $2 and c.status = 'COMPLETED'
     order by c.completed_at desc, c.calculation_id desc limit 1`,
    [organizationId, poolId],
  );
}

export type CalculationFilter = PageRequest & Between & { status?: string; type?: string; purpose?: string };

export function listCalculations(
  tx: Tx,
  organizationId: Id<'org'>,
  poolId: Id<'pool'>,
  filter: CalculationFilter,
): Promise<Page<Calculation>> {
  const filters: Filter[] = [
    ['c.organization_id = ?', organizationId],
    ['c.pool_id = ?', poolId],
    ['c.status = ?', filter.status],
    ['c.type = ?', filter.type],
    ['c.purpose = ?', filter.purpose],
    ...between('c.created_at', filter),
  ];
  const order = newestFirst('c.created_at', 'c.calculation_id');
  return selectPage<Calculation>(tx, { select: CALCULATION, from: 'calculations c', filters, order }, filter);
}

export type NewCalculation = Pick<
  Calculation,
  'calculation_id' | 'organization_id' | 'pool_id' | 'type' | 'purpose' | 'as_of' | 'granularity'
> & {
  calculation_key: string;
  inputs: RunInputs;
};

/** Writes a PENDING calculation; false if one with the same key is stored. */
export async function insertCalculation(tx: Tx, row: NewCalculation): Promise<boolean> {
  const written = await tx.exec(
    `insert into calculations (calculation_id, organization_id, pool_id, calculation_key, type, purpose, status, as_of, granularity, inputs, created_at)
     values ($1, $2, $3, $4, $5, $6, 'PENDING', $7, $8, $9, $10)
     on conflict (organization_id, pool_id, calculation_key) where status <> 'FAILED' do nothing`,
    [
      row.calculation_id,
      row.organization_id,
      row.pool_id,
      row.calculation_key,
      row.type,
      row.purpose,
      row.as_of,
      row.granularity,
      JSON.stringify(row.inputs),
      tx.now,
    ],
  );
  return written === 1;
}

/** Key of a calculation that nobody finds by its inputs any more. */
const OWN_KEY = `calculation_key || ' ' || calculation_id`;

/**
 * Takes the key from a completed calculation whose result is another engine's than this one: a worker of another build had its job. It stays
 * under its id. False when there is none.
 */
export async function releaseKey(
  tx: Tx,
  { organization_id, pool_id, calculation_key }: Pick<NewCalculation, 'organization_id' | 'pool_id' | 'calculation_key'>,
): Promise<boolean> {
  const released = await tx.exec(
    `update calculations set calculation_key = ${OWN_KEY} where organization_id = $1 and pool_id = $2 and calculation_key = $3
       and status = 'COMPLETED' and result->>'engine_version' is distinct from $4`,
    [organization_id, pool_id, calculation_key, ENGINE_VERSION],
  );
  return released > 0;
}

/** Takes the key from a calculation that just ended if its result is another engine's than the key stands for. */
export async function releaseForeignKey(tx: Tx, { organization_id, calculation_id }: StartedCalculation): Promise<void> {
  await tx.exec(
    `update calculations set calculation_key = ${OWN_KEY} where organization_id = $1 and calculation_id = $2
       and result->>'engine_version' is distinct from inputs->>'engine_version'`,
    [organization_id, calculation_id],
  );
}

export type KeyedCalculation = { calculation_id: Id<'calc'>; status: CalculationStatus };

export function findByKey(tx: Tx, organizationId: Id<'org'>, poolId: Id<'pool'>, key: string): Promise<KeyedCalculation | null> {
  return tx.one<KeyedCalculation>(
    `select calculation_id, status from calculations where organization_id = $1 and pool_id = $2 and calculation_key = $3 and status <> 'FAILED'`,
    [organizationId, poolId, key],
  );
}

/** A completed calculation of the same inputs by this engine, whoever asked for it. In the platform's scope. */
export function findSame(tx: Tx, { calculation_id, pool_id }: StartedCalculation): Promise<SameCalculation | null> {
  return tx.one<SameCalculation>(
    `select same.result::text as result, same.projection::text as projection, same.details_key
     from calculations c join calculations same using (pool_id, calculation_key)
     where c.calculation_id = $1 and c.pool_id = $2 and same.calculation_id <> c.calculation_id and same.status = 'COMPLETED' and same.details_key is not null
       and same.result->>'engine_version' = $3
     order by same.completed_at limit 1`,
    [calculation_id, pool_id, ENGINE_VERSION],
  );
}

/** The stored output of a calculation: JSON texts, and where its files are. */
export type SameCalculation = { result: string; projection: string; details_key: string };

/** A calculation as its worker reads and updates it. */
export type StartedCalculation = {
  calculation_id: Id<'calc'>;
  organization_id: Id<'org'>;
  pool_id: Id<'pool'>;
  status: CalculationStatus;
  run: number;
  /** Starts so far, this one included. */
  attempts: number;
  inputs: RunInputs;
  started_at: Date | null;
  completed_at: Date | null;
  details_key: string | null;
  error: string | null;
  error_code: string | null;
  /** JSON text, as the thread wrote it. */
  result?: string;
  projection?: string;
};

export function lockCalculation(
  tx: Tx,
  organizationId: Id<'org'>,
  calculationId: Id<'calc'>,
): Promise<StartedCalculation | null> {
  return tx.one<StartedCalculation>(
    `select calculation_id, organization_id, pool_id, status, run, attempts, inputs, started_at, completed_at, details_key, error, error_code
     from calculations where organization_id = $1 and calculation_id = $2 for update`,
    [organizationId, calculationId],
  );
}

/** Uncounts an attempt that ended through no fault of the calculation. */
export async function returnCalculationAttempt(tx: Tx, started: StartedCalculation): Promise<void> {
  await tx.exec(
    `update calculations set attempts = greatest(attempts - 1, 0) where organization_id = $1 and calculation_id = $2 and run = $3 and status = 'RUNNING'`,
    [started.organization_id, started.calculation_id, started.run],
  );
}

/** The calculations that are queued or running. */
export function listLiveCalculations(tx: Tx): Promise<Pick<Calculation, 'organization_id' | 'calculation_id'>[]> {
  return tx.rows(`select organization_id, calculation_id from calculations where status in ('PENDING', 'RUNNING')`);
}

export type PublishableCalculation = {
  calculation_id: Id<'calc'>;
  organization_id: Id<'org'>;
  deal_id: Id<'deal'> | null;
  type: string;
  purpose: string;
  status: CalculationStatus;
  as_of: string;
  result: CalculationResult | null;
};

/** A calculation with the securitization deal of its pool; for the operator, who may see every calculation. */
export function findPublishable(tx: Tx, calculationId: Id<'calc'>): Promise<PublishableCalculation | null> {
  return tx.one<PublishableCalculation>(
    `select c.calculation_id, c.organization_id, s.deal_id, c.type, c.purpose, c.status, c.as_of::text as as_of, c.result
     from calculations c left join securitization_deals s on s.pool_id = c.pool_id where c.calculation_id = $1`,
    [calculationId],
  );
}

export type NewMark = {
  tranche: string;
  price: number;
  yield: number | null;
  spread_bp: number | null;
  wal: number | null;
  duration: number | null;
};

/**
 * Writes the marks of a calculation to the tranches of its deal and returns their number. Publishing a calculation again makes its marks
 * the latest again.
 */
export function insertMarks(tx: Tx, calculation: PublishableCalculation, marks: readonly NewMark[]): Promise<number> {
  return tx.exec(
    `insert into marks (tranche_id, calculation_id, deal_id, organization_id, price, yield, spread_bp, wal, duration, as_of, published_at)
     select t.tranche_id, $2, t.deal_id, t.organization_id, m.price, m.yield, m.spread_bp, m.wal, m.duration, $3::date, $4
     from json_to_recordset($5) as m (tranche text, price numeric, yield numeric, spread_bp numeric, wal numeric, duration numeric)
     join tranches t on t.deal_id = $1 and t.tranche = m.tranche
     on conflict (tranche_id, calculation_id) do update set published_at = excluded.published_at`,
    [calculation.deal_id, calculation.calculation_id, calculation.as_of, tx.now, JSON.stringify(marks)],
  );
}
