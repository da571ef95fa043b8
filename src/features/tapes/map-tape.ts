import { checkEntries, refuseDestroyedSeals } from './check-entries.ts';
import { checksJobId, mergeBySource, restartTape } from './tape.ts';
import { sourceName } from '../../loans/reading/source-name.ts';
import { sourceFinder } from '../../loans/mapping/source-finder.ts';
import type { MappingRequest, SealedColumn } from '../../loans/types.ts';
import { audit } from '../../platform/audit.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { type Deal, lockDeal } from '../deals/queries.ts';
import { findLatestTape, hasLiveRun, type StoredMapping, type Tape } from './queries.ts';

const MAPPABLE = ['IN_REVIEW', 'QC_COMPLETED'];

export type MappingChange = { dealId: Id<'deal'>; entries: MappingRequest[] };

/** A tape whose mapping can be changed, with the mapping in force. */
export type MappableTape = Tape & { mapping: StoredMapping };

/**
 * Changes the newest tape's mapping and queues its checks again. If they pass, the mapping is remembered for the next tape of this loan
 * type.
 */
export async function mapTape(
  tx: Tx,
  actor: Actor,
  { dealId, entries }: MappingChange,
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<{ tape: Tape; mapping_id: Id<'map'>; mapping: StoredMapping }> {
  const { organization_id } = actor;
  const deal = orNotFound(await lockDeal(tx, organization_id, dealId), 'deal');
  const tape = await mappableTape(tx, deal);
  checkEntries(entries, tape.mapping, deal.loan_type);
  refuseDestroyedSeals(tape, entries);
  auditSeals(tx, actor, deal, tape.mapping, entries);
  const mappingId = tx.newId('map');
  const overrides = mergeBySource(tape.overrides, entries);
  const changed = { overrides, mapping_id: mappingId, mapped_by: actor.actor_id };
  const { run } = await restartTape(tx, tape, changed);
  await jobs.enqueue(
    tx,
    'ingest-tape',
    { organization_id, deal_id: dealId, version: tape.version, run },
    { id: checksJobId(tape) },
  );
  return {
    tape: { ...tape, ...changed, state: 'RUNNING', run },
    mapping_id: mappingId,
    mapping: preview(tape.mapping, entries),
  };
}

/** Who sealed or unsealed a column is on record by the name of the column. */
function auditSeals(
  tx: Tx,
  { organization_id, actor_id }: Actor,
  { deal_id }: Deal,
  { columns }: StoredMapping,
  entries: readonly MappingRequest[],
): void {
  const find = sourceFinder(columns);
  const asked = entries.filter(({ sealed }) => sealed !== undefined);
  const changed = asked.filter(({ source, sealed }) => sealed !== (find(source)?.sealed !== undefined));
  if (changed.length === 0) return;
  const named = (isSealed: boolean) => changed.filter(({ sealed }) => sealed === isSealed).map(({ source }) => source);
  audit(tx, {
    organization_id,
    actor: actor_id,
    action: 'mapping.seals_changed',
    entity_type: 'deal',
    entity_id: deal_id,
    before: { sealed: columns.filter(({ sealed }) => sealed).map(({ name }) => name) },
    after: { sealed: named(true), unsealed: named(false) },
  });
}

/** The newest tape of a deal, whose mapping can be changed now; 409 where it cannot. */
export async function mappableTape(tx: Tx, { organization_id, deal_id, status }: Deal): Promise<MappableTape> {
  const tape = await findLatestTape(tx, organization_id, deal_id);
  if (!MAPPABLE.includes(status) || !tape) {
    throw new ApiError(
      'INVALID_TRANSITION',
      `A mapping can be changed while the deal is IN_REVIEW or QC_COMPLETED; it is ${status}.`,
      {
        extra: { current_status: status, allowed: MAPPABLE },
      },
    );
  }
  const { mapping } = tape;
  if (tape.state === 'RUNNING') throw new ApiError('CONFLICT', 'The checks of the tape are still running.');
  if (!mapping) throw new ApiError('CONFLICT', 'The checks of the tape failed before they had a mapping: recheck it.');
  if (await hasLiveRun(tx, organization_id, deal_id))
    throw new ApiError('RUN_IN_PROGRESS', 'A selection criteria run on this deal is in progress.');
  return { ...tape, mapping };
}

/** The mapping that the checks will use: the new entries over the existing mapping. */
function preview(mapping: StoredMapping, entries: readonly MappingRequest[]): StoredMapping {
  const merged = mergeBySource(
    mapping.mappings.map(
      ({ source, target, transform }): MappingRequest => ({ source, target, ...(transform ? { transform } : {}) }),
    ),
    entries,
  );
  const mapped = merged.flatMap((entry) => {
    if (entry.target === null) return [];
    const before = mapping.mappings.find((each) => each.source === entry.source && each.target === entry.target);
    const confidence = entries.includes(entry) ? 1 : (before?.confidence ?? 1);
    return [
      { source: entry.source, target: entry.target, confidence, ...(entry.transform ? { transform: entry.transform } : {}) },
    ];
  });
  const sealed = sealsAfter(mapping, entries, mapped);
  const marked = new Set(sealed.map(({ source }) => source));
  const sources = new Set(mapped.map((entry) => entry.source));
  const targets = new Set(mapped.map((entry) => entry.target));
  return {
    ...mapping,
    mappings: mapped.map((entry) => (marked.has(entry.source) ? { ...entry, sealed: true as const } : entry)),
    sealed,
    unmapped: mapping.columns.map((column) => sourceName(column, mapping.columns)).filter((name) => !sources.has(name)),
    missing_required: mapping.missing_required.filter((field) => !targets.has(field)),
  };
}

/** The columns that will be sealed, as far as the entries say; the checks judge the others again. */
function sealsAfter(
  { columns }: StoredMapping,
  entries: readonly MappingRequest[],
  mapped: readonly { source: string; target: string }[],
): SealedColumn[] {
  const find = sourceFinder(columns);
  const asked = new Map(entries.map(({ source, sealed }) => [find(source)?.index, sealed]));
  return columns.flatMap((column) => {
    const isSealed = asked.get(column.index) ?? column.sealed !== undefined;
    if (!isSealed) return [];
    const source = sourceName(column, columns);
    const target = mapped.find((entry) => entry.source === source)?.target ?? null;
    return [{ source, target, sealed: true as const, reason: column.sealed ?? ('REQUEST' as const) }];
  });
}
