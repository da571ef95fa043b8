import type { Context } from '../../platform/http/route.ts';
import type { Id } from '../../platform/ids.ts';
import { type MarkWithCash, readMarkCash } from '../calculations/mark-cash.ts';
import { listMarkSources } from '../calculations/mark-queries.ts';
import type { AllocationMethod } from './allocate.ts';
import { findAllocation } from './queries.ts';

type Reading = Pick<Context<unknown, unknown, unknown>, 'deps' | 'read' | 'caller'>;

/** The marks of a deal for an allocation, read before its transaction begins: a sale at the mark needs no cash flows. */
export async function loadMarks(
  { deps, read }: Reading,
  { deal_id, method }: { deal_id: Id<'deal'>; method: AllocationMethod },
): Promise<MarkWithCash[]> {
  const sources = await read((tx) => listMarkSources(tx, deal_id));
  return readMarkCash(deps.store, method === 'PRO_RATA' ? sources.map((source) => ({ ...source, details_key: null })) : sources);
}

/** The mark that prices an allocation from before prices were fixed at the issue; every other one has its price. */
export async function loadMarkOf(reading: Reading, allocationId: Id<'all'>): Promise<MarkWithCash | undefined> {
  const { organization_id } = reading.caller;
  const allocation = await reading.read((tx) => findAllocation(tx, organization_id, allocationId));
  if (!allocation || allocation.price !== null) return undefined;
  const marks = await loadMarks(reading, allocation);
  return marks.find((mark) => mark.tranche_id === allocation.tranche_id);
}
