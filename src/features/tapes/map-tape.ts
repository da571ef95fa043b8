import { checkEntries } from './check-entries.ts';
import { mergeBySource, restartTape } from './tape.ts';
import { sourceName } from '../../loans/reading/source-name.ts';
import type { MappingRequest } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { lockDeal } from '../deals/queries.ts';
import { findLatestTape, hasLiveRun, type StoredMapping, type Tape } from './queries.ts';

const MAPPABLE = ['IN_REVIEW', 'QC_COMPLETED'];

/**
 * Changes the newest tape's mapping and queues its checks again. If they pass, the mapping is remembered for the next tape of this loan
 * type.
 */
export async function mapTape(
  tx: Tx,
  actor: Actor,
  { dealId, entries }: { dealId: Id<'deal'>; entries: MappingRequest[] },
  { jobs }: Pick<Deps, 'jobs'>,
): Promise<{ tape: Tape; mapping_id: Id<'map'>; mapping: StoredMapping }> {
  const { organization_id } = actor;
  const deal = orNotFound(await lockDeal(tx, organization_id, dealId), 'deal');
  const tape = await findLatestTape(tx, organization_id, dealId);
  if (!MAPPABLE.includes(deal.status) || !tape) {
    throw new ApiError(
      'INVALID_TRANSITION',
      `A mapping can be changed while the deal is IN_REVIEW or QC_COMPLETED; it is ${deal.status}.`,
      {
        extra: { current_status: deal.status, allowed: MAPPABLE },
      },
    );
  }
  if (tape.state === 'RUNNING') throw new ApiError('CONFLICT', 'The checks of the tape are still running.');
  if (!tape.mapping) throw new ApiError('CONFLICT', 'The checks of the tape failed before they had a mapping: recheck it.');
  if (await hasLiveRun(tx, organization_id, dealId))
    throw new ApiError('RUN_IN_PROGRESS', 'A selection criteria run on this deal is in progress.');
  checkEntries(entries, tape.mapping, deal.loan_type);
  const mappingId = tx.newId('map');
  const overrides = mergeBySource(tape.overrides, entries);
  const { run } = await restartTape(tx, tape, overrides, mappingId);
  await jobs.enqueue(tx, 'ingest-tape', { organization_id, deal_id: dealId, version: tape.version, run });
  return {
    tape: { ...tape, state: 'RUNNING', run, overrides, mapping_id: mappingId },
    mapping_id: mappingId,
    mapping: preview(tape.mapping, entries),
  };
}

/** The mapping that the checks will use: the new entries over the existing mapping. */
function preview(mapping: StoredMapping, entries: readonly MappingRequest[]): StoredMapping {
  const merged = mergeBySource(
    mapping.mappings.map(({ source, target, transform }) => ({ source, target, ...(transform ? { transform } : {}) })),
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
  const sources = new Set(mapped.map((entry) => entry.source));
  const targets = new Set(mapped.map((entry) => entry.target));
  return {
    ...mapping,
    mappings: mapped,
    unmapped: mapping.columns.map((column) => sourceName(column, mapping.columns)).filter((name) => !sources.has(name)),
    missing_required: mapping.missing_required.filter((field) => !targets.has(field)),
  };
}
