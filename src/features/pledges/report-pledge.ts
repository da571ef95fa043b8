import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Identities } from '../../loans/identity/write-identities.ts';
import type { IdentitiesTaskInput } from '../../loans/tasks/write-identities.ts';
import { identitiesTask } from '../../loans/tasks/tasks.ts';
import type { LoanType } from '../../loans/types.ts';
import { runForRequest, type WaitingClient } from '../../platform/compute/run-for-request.ts';
import { asPlatform } from '../../platform/db/as-platform.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Deps } from '../../platform/deps.ts';
import { localFile } from '../../platform/files/local-file.ts';
import { ApiError, notFound, orNotFound } from '../../platform/http/errors.ts';
import type { Actor } from '../../platform/http/own-organization.ts';
import { type Id, newId } from '../../platform/ids.ts';
import { claimStored } from '../uploads/sweep-queries.ts';
import { storeUnclaimed } from '../uploads/upload.ts';
import type { Holder } from './encumbrance-queries.ts';
import { type OutsidePledge, PLEDGE_MOVES } from './outside-pledge.ts';
import { compareLoans, pledgeLoans, releaseLoans, rewritePledged } from './pledge.ts';
import {
  findPledge,
  findUnsettledPledge,
  insertPledge,
  listOwnTapes,
  listSamePledgee,
  type OwnTape,
  setPledgeCompared,
  setPledgeFingerprints,
} from './pledge-queries.ts';
import { settleHolders } from './settle-holders.ts';

/** A loan by one of the numbers that name it. */
export type NamedLoan = { loan_id?: string; vin?: string; contract_number?: string };

export type PledgeReport = {
  pledgee: string;
  loan_type: LoanType;
  as_of: string;
  deal_id: Id<'deal'> | null;
  loans: readonly NamedLoan[] | null;
};

type Transactions<Output> = {
  read: <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>;
  write: (work: (tx: Tx) => Promise<OutsidePledge>) => Promise<Output>;
};

const LIMITS = { deadlineMs: 120_000, instead: 'Report the pledge in parts.' };

/**
 * Records a pledge outside the platform: all loans of a deal, or listed ones, which are looked up in the newest tapes of the organization's
 * deals. It raises a conflict with every pool and every other pledge that holds one of them, and claims nothing.
 */
export async function reportPledge<Output>(
  { read, write }: Transactions<Output>,
  actor: Actor,
  report: PledgeReport,
  client: WaitingClient,
): Promise<Output> {
  const { deps } = client;
  const pledge = { organization_id: actor.organization_id, pledge_id: newId('plg') };
  const tapes = await read((tx) => tapesOf(tx, actor, report));
  const workDir = await mkdtemp(join(deps.workDir, 'pledge-'));
  try {
    const input = await taskInput(deps, { ...report, ...pledge }, tapes, workDir);
    const identities = await runForRequest(client, identitiesTask, input, LIMITS);
    const source_key = await keepList(deps, pledge, report.loans);
    const recorded = await write(async (tx) => {
      if (source_key !== null) await claimStored(tx, [source_key]);
      await pledgeLoans(tx, holderOf(pledge), input.path);
      const { loans: _loans, ...terms } = report;
      return insertPledge(tx, {
        ...pledge,
        ...terms,
        ...countsOf(report, identities),
        source_key,
        fingerprint_key: deps.fingerprints.keyId,
      });
    });
    await comparePledge(deps, pledge.pledge_id).catch((error: unknown) => {
      // The pledge is recorded whatever comes of this: a worker compares what was not compared.
      deps.log.warn({ pledge_id: pledge.pledge_id, err: error }, 'a pledge was not compared yet');
    });
    return recorded;
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

const holderOf = ({ organization_id, pledge_id }: Pick<OutsidePledge, 'organization_id' | 'pledge_id'>): Holder => ({
  organization_id,
  holder_id: pledge_id,
});

async function tapesOf(tx: Tx, actor: Actor, { loan_type, deal_id }: PledgeReport): Promise<OwnTape[]> {
  const tapes = await listOwnTapes(tx, actor.organization_id, { loan_type, deal_id });
  if (deal_id === null) return tapes;
  const [tape] = tapes;
  if (!tape) throw notFound(`deal ${deal_id} with a checked tape`);
  if (tape.loan_type === loan_type) return tapes;
  const message = `is ${loan_type}, and the deal ${deal_id} has ${tape.loan_type} loans`;
  throw new ApiError('LOAN_TYPE_MISMATCH', 'The deal is of another loan type.', {
    errors: [{ field: 'loan_type', code: 'LOAN_TYPE_MISMATCH', message }],
  });
}

/** Matched are the loans of the deal, or the rows of the list that are loans of own tapes. */
function countsOf({ loans }: PledgeReport, identities: Identities): Pick<OutsidePledge, 'matched' | 'unmatched'> {
  if (!loans) return { matched: identities.loans, unmatched: 0 };
  return { matched: loans.length - identities.unmatched, unmatched: identities.unmatched };
}

type Listed = Pick<OutsidePledge, 'organization_id' | 'loan_type'> & { loans: readonly NamedLoan[] | null };

async function taskInput(
  deps: Deps,
  { organization_id, loan_type, loans }: Listed,
  tapes: readonly OwnTape[],
  workDir: string,
): Promise<IdentitiesTaskInput> {
  const listPath = join(workDir, 'list.json');
  if (loans) await writeFile(listPath, JSON.stringify(loans), { mode: 0o600 });
  const sources = await Promise.all(
    tapes.map(async ({ loans_key, synthetic_ids }) => ({
      loansPath: await localFile(deps, loans_key),
      syntheticIds: synthetic_ids,
      pool: null,
    })),
  );
  return {
    organizationId: organization_id,
    loanType: loan_type,
    sources,
    ...(loans ? { listPath } : {}),
    key: deps.fingerprints.key,
    path: join(workDir, 'identities'),
    workDir,
  };
}

/** Keeps a list encrypted, to make its fingerprints again under another key; returns its key in the store. */
async function keepList(
  deps: Deps,
  { organization_id, pledge_id }: Pick<OutsidePledge, 'organization_id' | 'pledge_id'>,
  loans: readonly NamedLoan[] | null,
): Promise<string | null> {
  if (!loans) return null;
  const key = `pledges/${pledge_id}/list`;
  const sealed = deps.secrets.seal(JSON.stringify(loans), pledge_id);
  await storeUnclaimed(deps, organization_id, key, () => Readable.from([sealed]));
  return key;
}

/** Compares the loans of a pledge with those that others hold, and opens the conflicts. */
async function comparePledge(deps: Deps, pledgeId: Id<'plg'>): Promise<void> {
  await deps.db.patient().tx({ platform: true }, async (tx) => {
    const pledge = await findPledge(tx, null, pledgeId, true);
    if (!pledge || pledge.status === 'RELEASED') return;
    const exempt = await listSamePledgee(tx, pledge);
    await compareLoans(tx, { ...holderOf(pledge), loan_type: pledge.loan_type }, exempt);
    await setPledgeCompared(tx, pledgeId);
  });
}

/** Ends a pledge and the conflicts that it was in. 409 when it has been released. */
export async function releasePledge(tx: Tx, actor: Actor, pledgeId: Id<'plg'>): Promise<OutsidePledge> {
  const pledge = orNotFound(await findPledge(tx, actor.organization_id, pledgeId, true), 'pledge');
  const released = await PLEDGE_MOVES.move(tx, pledge, 'RELEASED', { released_at: tx.now });
  // A conflict ends for the other side too, which may be another organization.
  await asPlatform(tx, () => releaseLoans(tx, holderOf(pledge)));
  return released;
}

/** Compares the pledges that were not compared yet, and makes their fingerprints again when the key has changed. Returns how many. */
export async function settlePledges(deps: Deps): Promise<number> {
  return settleHolders({
    find: (after) => deps.db.tx({ platform: true }, (tx) => findUnsettledPledge(tx, deps.fingerprints.keyId, after)),
    idOf: (pledge) => pledge.pledge_id,
    settle: async (pledge) => {
      if (pledge.fingerprint_key !== deps.fingerprints.keyId) await fingerprintAgain(deps, pledge);
      await comparePledge(deps, pledge.pledge_id);
    },
  });
}

async function fingerprintAgain(deps: Deps, pledge: OutsidePledge): Promise<void> {
  const tapes = await deps.db.tx({ platform: true }, (tx) => listOwnTapes(tx, pledge.organization_id, pledge));
  const workDir = await mkdtemp(join(deps.workDir, 'pledge-'));
  try {
    const loans = pledge.source_key === null ? null : await readList(deps, pledge.pledge_id, pledge.source_key);
    const input = await taskInput(deps, { ...pledge, loans }, tapes, workDir);
    await deps.compute.run(identitiesTask, input, { owner: pledge.organization_id });
    await deps.db.tx({ platform: true }, async (tx) => {
      const current = await findPledge(tx, null, pledge.pledge_id, true);
      if (current?.status !== 'LIVE') return;
      await rewritePledged(tx, holderOf(pledge), input.path);
      await setPledgeFingerprints(tx, pledge.pledge_id, deps.fingerprints.keyId);
    });
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

async function readList(deps: Deps, pledgeId: Id<'plg'>, key: string): Promise<NamedLoan[]> {
  const path = await localFile(deps, key);
  return JSON.parse(deps.secrets.open(await text(createReadStream(path)), pledgeId));
}
