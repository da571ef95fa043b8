import type { MappingRequest } from '../../loans/types.ts';
import type { Tx } from '../../platform/db/database.ts';
import { orNotFound } from '../../platform/http/errors.ts';
import { type Id, asId } from '../../platform/ids.ts';
import { Mover } from '../../platform/moves.ts';
import { findDeal } from '../deals/queries.ts';
import { findCurrentTape, findLatestTape, type Tape, type TapeResult, type TapeState } from './queries.ts';

/**
 * The states of a tape's checks. After they have ended they may run again, under the next run number. A version that NEEDS_CONFIRMATION
 * is not in force; its owner confirms it or drops it, and a dropped version stays as a record of what was sent.
 */
export const TAPE_MOVES = new Mover<Tape, 'state', TapeState>({
  noun: 'tape',
  table: 'tapes',
  key: ['organization_id', 'deal_id', 'version'],
  fence: ['run'],
  column: 'state',
  json: ['overrides', 'findings', 'mapping', 'by_rule', 'progress'],
  moves: {
    RUNNING: ['NEEDS_MAPPING', 'NEEDS_CONFIRMATION', 'DONE', 'FAILED'],
    NEEDS_MAPPING: ['RUNNING'],
    NEEDS_CONFIRMATION: ['RUNNING', 'DONE', 'DROPPED'],
    DONE: ['RUNNING'],
    FAILED: ['RUNNING'],
    DROPPED: [],
  },
});

/** The job id under which a customer follows the checks of a tape version. */
export const checksJobId = ({ deal_id, version }: Tape): Id<'job'> =>
  asId('job', `job_${deal_id.slice('deal_'.length)}_${version}`);

/** Starts the checks of a tape again with this mapping; the previous run can no longer commit. */
export function restartTape(
  tx: Tx,
  tape: Tape,
  { overrides, mapping_id, mapped_by }: Pick<Tape, 'overrides' | 'mapping_id' | 'mapped_by'>,
): Promise<Tape> {
  return TAPE_MOVES.move(tx, tape, 'RUNNING', {
    run: tape.run + 1,
    attempts: 0,
    progress: null,
    failure: null,
    overrides,
    mapping_id,
    mapped_by,
    completed_at: null,
  });
}

/**
 * Merges mapping entries by source: a later entry for a column replaces an earlier one, and takes its target from any other column: what
 * is remembered of other tapes never stands in the way of a newer word. A person's request is refused before it takes a field from a column
 * that fills it. What was said of a seal holds until something else is said.
 */
export function mergeBySource(before: readonly MappingRequest[], entries: readonly MappingRequest[]): MappingRequest[] {
  const sources = new Set(entries.map((entry) => entry.source));
  const targets = new Set(entries.flatMap((entry) => (entry.target ? [entry.target] : [])));
  const kept = before.filter((entry) => !sources.has(entry.source) && !(entry.target && targets.has(entry.target)));
  const seals = new Map(before.map(({ source, sealed }) => [source, sealed]));
  return [
    ...kept,
    ...entries.map((entry) => {
      const sealed = entry.sealed ?? seals.get(entry.source);
      return sealed === undefined ? entry : { ...entry, sealed };
    }),
  ];
}

/** Writes the result of the checks; null when this run has ended or was superseded. */
export function finishTape(tx: Tx, tape: Tape, { state, ...result }: TapeResult): Promise<Tape | null> {
  const mapping_id = tape.mapping_id ?? result.mapping_id;
  return TAPE_MOVES.tryMove(tx, tape, state, { ...result, mapping_id, progress: null, completed_at: tx.now });
}

/** Ends the checks without a result; the result of an earlier run of the same version stays. Null when this run has ended already. */
export function failTape(tx: Tx, tape: Tape, failure: string): Promise<Tape | null> {
  return TAPE_MOVES.tryMove(tx, tape, 'FAILED', { failure, progress: null, completed_at: tx.now });
}

/** Drops the version of a deal that waits for a confirmation, if there is one. */
export async function dropWaiting(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<void> {
  await TAPE_MOVES.moveWhere(tx, { organization_id: organizationId, deal_id: dealId }, 'NEEDS_CONFIRMATION', 'DROPPED');
}

/** The tape whose issues are listed: the newest, or the one in force while the newest waits for a confirmation. 404 without the deal. */
export async function tapeOfIssues(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<Tape | null> {
  const newest = await newestTape(tx, organizationId, dealId);
  return newest?.state === 'NEEDS_CONFIRMATION' ? findCurrentTape(tx, organizationId, dealId) : newest;
}

/** The newest tape of an organization's deal, null before the first one; 404 when the organization has no such deal. */
export async function newestTape(tx: Tx, organizationId: Id<'org'>, dealId: Id<'deal'>): Promise<Tape | null> {
  orNotFound(await findDeal(tx, organizationId, dealId), 'deal');
  return findLatestTape(tx, organizationId, dealId);
}
