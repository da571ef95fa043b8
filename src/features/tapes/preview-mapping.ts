import { localDate } from '../../finance/business-date.ts';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { MappingPreview } from '../../loans/ingest/preview-mapping.ts';
import type { PreviewTask } from '../../loans/tasks/preview-mapping.ts';
import { previewMappingTask } from '../../loans/tasks/tasks.ts';
import type { MappingRequest } from '../../loans/types.ts';
import { runForRequest, type WaitingClient } from '../../platform/compute/run-for-request.ts';
import type { Tx } from '../../platform/db/database.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { ApiError, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { findDeal } from '../deals/queries.ts';
import { checkEntries, refuseDestroyedSeals } from './check-entries.ts';
import { tokenKey } from './data-key.ts';
import { type MappingChange, mappableTape } from './map-tape.ts';
import { isOfInlineLoans, type StoredMapping, type Tape } from './queries.ts';
import { rememberedFor } from './remembered.ts';
import { openColumns } from './seal-upload.ts';
import { mergeBySource } from './tape.ts';

const PREVIEW = {
  deadlineMs: 120_000,
  instead: 'Change the mapping with PUT …/mapping: its checks then run as a job.',
};

/** What is read under both mappings, and the tape and the key of its raw table. */
export type PlannedPreview = Omit<PreviewTask, 'rawPath' | 'sealedPath' | 'workDir' | 'tokenKey'> & {
  rawKey: string;
  tape: Tape;
};

/** Checks a change of the newest tape's mapping as the change itself would, and gathers what its preview reads. */
export async function planPreview(
  tx: Tx,
  { organization_id }: Actor,
  { dealId, entries }: MappingChange,
): Promise<PlannedPreview> {
  const deal = orNotFound(await findDeal(tx, organization_id, dealId), 'deal');
  const tape = await mappableTape(tx, deal);
  checkEntries(entries, tape.mapping, deal.loan_type);
  refuseDestroyedSeals(tape, entries);
  if (!tape.raw_key) throw new ApiError('CONFLICT', 'The checks of the tape failed before it was read: recheck it.');
  const remembered = await rememberedFor(tx, organization_id, deal.loan_type, tape.sent_by);
  return {
    rawKey: tape.raw_key,
    tape,
    loanType: deal.loan_type,
    asOf: localDate(tx.now, tx.zone),
    before: everyColumn(tape.mapping),
    remembered: remembered?.entries ?? [],
    overrides: mergeBySource(tape.overrides, entries),
    inline: await isOfInlineLoans(tx, organization_id, dealId, tape.version),
  };
}

/** Reads the tape under both mappings, in a child process. Reads files, so call it outside a transaction. */
export async function runPreview(client: WaitingClient, { rawKey, tape, ...planned }: PlannedPreview): Promise<MappingPreview> {
  const { deps } = client;
  const rawPath = await localFile(deps, rawKey);
  const workDir = await mkdtemp(join(deps.workDir, 'preview-'));
  try {
    const sealedPath = await openColumns(deps, tape, workDir);
    const key = tokenKey(deps, tape.organization_id);
    return await runForRequest(client, previewMappingTask, { ...planned, rawPath, sealedPath, workDir, tokenKey: key }, PREVIEW);
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

/** The mapping in force as a request that leaves nothing to be matched. */
function everyColumn({ mappings, unmapped }: StoredMapping): MappingRequest[] {
  return [
    ...unmapped.map((source) => ({ source, target: null })),
    ...mappings.map(({ source, target, transform }) => ({ source, target, ...(transform && { transform }) })),
  ];
}
