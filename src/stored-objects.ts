/**
 * Every object of the store that a row names: its key, and the size and hash in the row, which are those of the plain bytes and so unknown of
 * encrypted ones. `below`: a prefix of several keys. A column that
 * names objects belongs here; a test compares this list with the schema.
 */
export const STORED_OBJECTS = `
  select object_key as key, size, sha256, false as below from uploads where object_key is not null
  union all select object_key, case when object_key not like '%.sealed' then size end, case when object_key not like '%.sealed' then sha256 end, false
    from tapes where keys_destroyed_at is null or object_key like '%.sealed'
  union all select object_key, size, sha256, false from bulk_items where object_key is not null
  union all select object_key, size, sha256, false from documents
  union all select key, null, null, false from tapes, unnest(array[loans_key, raw_key, issues_key, sealed_key]) as key where key is not null
  union all select key, null, null, false from pool_tapes, unnest(array[raw_key, read_issues_key, loans_key, issues_key]) as key where key is not null
  union all select loans_key, null, null, false from pool_months
  union all select distinct 'destructions/' || organization_id || '/' || deal_id, null::bigint, null, true from tapes where keys_destroyed_at is not null
  union all select key, null, null, false from sc_jobs, unnest(array[outcomes_key, loans_key]) as key where key is not null
  union all select loans_key, null, null, false from pools where loans_key is not null
  union all select object_key, null, null, false from shared_files
  union all select source_key, null, null, false from outside_pledges where source_key is not null
  union all select inputs -> 'pool' ->> 'loans_key', null, null, false from calculations
  union all select details_key, null, null, true from calculations where details_key is not null
  union all select 'audit/' || key || '/' || lpad(number::text, 9, '0') || '.json', null, null, false from audit_checkpoints where stored_at is not null`;

/** Columns that are named like keys but name no object. */
export const OTHER_KEYS = [
  'tapes.data_key',
  'calculations.calculation_key',
  'portfolio_runs.run_key',
  'scenario_flows.scenario_key',
  'documents.file_key',
  'request_log.idempotency_key',
  // Names of the key of the fingerprints.
  'outside_pledges.fingerprint_key',
  'pools.fingerprint_key',
  'uploads.file_key',
  // What a shared file was made from: the pool names it, or its month.
  'shared_files.loans_key',
  // Objects that are to be deleted, or are not complete yet.
  'removed_objects.object_key',
  'uploads.receiving_key',
];
