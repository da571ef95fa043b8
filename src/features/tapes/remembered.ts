import type { MappingRequest } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import type { Id } from '../../platform/ids.ts';
import { type Deal, findDeal } from '../deals/queries.ts';
import { forgetMappings, listMappings, rememberMapping, type Tape } from './queries.ts';
import { mergeBySource } from './tape.ts';

/** The mapping that a tape of a key starts with. */
export type Remembered = { mapping_id: Id<'map'>; entries: MappingRequest[] };

/**
 * What is remembered for the key that sends a tape, and for everything that it says nothing of, what is remembered for its organization.
 * A key stands for a person or a program; nothing else is known of either.
 */
export async function rememberedFor(
  tx: Tx,
  organizationId: Id<'org'>,
  loanType: string,
  keyId: string | null,
): Promise<Remembered | null> {
  const mappings = await listMappings(tx, organizationId, loanType, keyId);
  const shared = mappings.find(({ remembered_by }) => remembered_by === organizationId);
  const own = mappings.find(({ remembered_by }) => remembered_by !== organizationId);
  const first = own ?? shared;
  return first ? { mapping_id: first.mapping_id, entries: mergeBySource(shared?.entries ?? [], own?.entries ?? []) } : null;
}

/** Remembers the mapping of a tape for its organization, and for the key that made it. */
export async function rememberFor(
  tx: Tx,
  { organization_id, loan_type }: Pick<Deal, 'organization_id' | 'loan_type'>,
  { overrides, mapped_by }: Pick<Tape, 'overrides' | 'mapped_by'>,
  mapping_id: Id<'map'>,
): Promise<void> {
  const mappings = await listMappings(tx, organization_id, loan_type, mapped_by);
  for (const remembered_by of new Set([organization_id, mapped_by ?? organization_id])) {
    const before = mappings.find((mapping) => mapping.remembered_by === remembered_by);
    const entries = mergeBySource(before?.entries ?? [], overrides);
    await rememberMapping(tx, organization_id, loan_type, { remembered_by, mapping_id, entries });
  }
}

export const MEMORY_SCOPES = ['own', 'organization'] as const;
export type MemoryScope = (typeof MEMORY_SCOPES)[number];

/**
 * Forgets what is remembered for the loan type of a deal: for the key of the actor, or for the whole organization, all its keys included.
 * Tapes that were read keep their mapping.
 */
export async function forgetMapping(
  tx: Tx,
  { organization_id, actor_id }: Actor,
  { dealId, scope }: { dealId: Id<'deal'>; scope: MemoryScope },
): Promise<{ deal_id: Id<'deal'>; loan_type: Deal['loan_type']; scope: MemoryScope; forgotten: number }> {
  const { deal_id, loan_type } = orNotFound(await findDeal(tx, organization_id, dealId), 'deal');
  const forgotten = await forgetMappings(tx, organization_id, loan_type, scope === 'own' ? actor_id : null);
  return { deal_id, loan_type, scope, forgotten };
}
