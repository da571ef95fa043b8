import type { Readable } from 'node:stream';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { AUDIT_PROBLEMS } from '../../platform/audit-chain.ts';
import { verifyAudit } from '../../platform/audit-verify.ts';
import { mapPage } from '../../platform/pages.ts';
import { ownList, operatorRecord } from '../../platform/http/list-route.ts';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, nullable, oneOf, pageQuery, text, timestamp, pathId } from '../../platform/http/schemas.ts';
import { exportLog, exportOwn } from './export-audit.ts';
import { type AuditRow, listAudit, listOwnAudit, AUDIT_RECORD, findAuditEntry } from './queries.ts';

const tag = 'Keys and organizations';

const OwnEntry = {
  id: id('aud'),
  actor: Type.String({ description: 'Who acted: a key or a member, yours or the operator’s, or a part of the platform.' }),
  actor_name: nullable(
    Type.String({
      description:
        'The name of the member, or the label or requester of the key; null for a part of the platform, and for who acts for another organization than yours.',
    }),
  ),
  action: Type.String(),
  entity_type: Type.String(),
  entity_id: Type.String(),
  before: Type.Unknown(),
  after: Type.Unknown(),
  reason: nullable(Type.String()),
  at: timestamp(),
  hash: Type.String({ description: 'sha-256 over the entry and the hash of the one before it in the log of the platform.' }),
};

const AuditSchema = named('OperatorAuditEntry', {
  ...OwnEntry,
  sequence: Type.Integer(),
  organization_id: id('org'),
  previous_hash: Type.String(),
});

const VerdictSchema = named('AuditVerification', {
  valid: nullable(
    Type.Boolean({
      description:
        'Null: the log is consistent in the database, but the checkpoints of the object store could not be read, so a removed end cannot be ruled out.',
    }),
  ),
  entries: Type.Integer({ description: 'Entries that follow from one another, from the first.' }),
  broken_at: nullable(Type.Integer({ description: 'Sequence of the first problem.' })),
  problems: Type.Array(
    named('AuditProblem', {
      code: oneOf(AUDIT_PROBLEMS),
      sequence: Type.Integer(),
      seen: Type.String(),
      expected: Type.String(),
      message: Type.String(),
    }),
  ),
  public_key_sha256: Type.String({
    description: 'Of the public key that checks the signatures; compare it with that of an export.',
  }),
  checkpoints: named('AuditCheckpoints', {
    store: oneOf(['read', 'unavailable'], 'Whether the checkpoints of the object store could be read.'),
    count: Type.Integer({ description: 'Signed heads of the log, made every 100 entries or 5 minutes by a worker.' }),
    last_sequence: Type.Integer({
      description: 'The last entry under a signature; entries after it are protected by the chain alone.',
    }),
    last_at: nullable(timestamp()),
  }),
});

const OF_ENTRY = {
  action: Type.Optional(text(64, 'Such as subscription.created.')),
  actor: Type.Optional(text(64, 'Acts of one key, member or part of the platform.')),
  entity_id: Type.Optional(Type.String({ maxLength: 128, description: 'Acts on one record.' })),
};

const JSON_LINES = 'application/x-ndjson';
const VERIFIED_BY = 'The last line is signed and says how many entries there are; /docs/verify-audit.mjs verifies the file.';

const asEntry = ({ entry_id, ...row }: AuditRow) => ({ id: entry_id, ...row });

const fileOf = (stream: Readable) => ({ stream, contentType: JSON_LINES, fileName: 'audit.jsonl' });

export const auditRoutes: Route[] = [
  ownList({
    operation: 'listAuditEntries',
    path: '/v1/api/audit',
    access: 'customer',
    tag,
    summary: 'Read the acts of your keys that move money or rights, and the decisions about your records, newest first',
    filters: {
      ...OF_ENTRY,
      ...CreatedBetween,
    },
    reply: named('AuditEntry', OwnEntry),
    list: async (tx, organizationId, query) => {
      return mapPage(await listOwnAudit(tx, organizationId, query), asEntry);
    },
  }),
  route({
    operation: 'listOperatorAuditEntries',
    method: 'GET',
    path: '/v1/operator/audit',
    access: 'operator',
    tag,
    summary: 'Read the audit log, newest first',
    query: pageQuery({
      organization_id: Type.Optional(id('org')),
      deal_id: Type.Optional(id('deal', 'Acts on the deal, its pool, and its indications, commitments, allocations and trades.')),
      ...OF_ENTRY,
      status: Type.Optional(text(64, 'Acts that led to this status, such as APPROVED or MARKETING.')),
      ...CreatedBetween,
    }),
    reply: AuditSchema,
    replyKind: 'page',
    handler: async ({ read, query }) => mapPage(await read((tx) => listAudit(tx, query)), asEntry),
  }),
  route({
    operation: 'downloadAuditEntries',
    method: 'GET',
    path: '/v1/api/audit/export',
    access: 'customer',
    tag,
    summary: 'Download your part of the audit log as JSON lines, oldest first',
    description: `${VERIFIED_BY} Your entries do not follow from one another, so that it cannot show that none is missing: compare it with an earlier export.`,
    query: Type.Object({ ...CreatedBetween }),
    reply: Type.String(),
    replyKind: 'file',
    fileTypes: [JSON_LINES],
    errors: ['RANGE_REVERSED'],
    handler: async ({ deps, caller, query }) =>
      fileOf(exportOwn(deps, caller.organization_id, { from: query.from ?? null, to: query.to ?? null })),
  }),
  route({
    operation: 'downloadOperatorAuditLog',
    method: 'GET',
    path: '/v1/operator/audit/export',
    access: 'operator',
    tag,
    summary: 'Download the audit log as JSON lines, with its signed checkpoints',
    description: VERIFIED_BY,
    query: Type.Object({
      from_sequence: Type.Optional(
        Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The first entry; 1 by default.' }),
      ),
    }),
    reply: Type.String(),
    replyKind: 'file',
    fileTypes: [JSON_LINES],
    handler: async ({ deps, query }) => fileOf(await exportLog(deps, query.from_sequence ?? 1)),
  }),
  operatorRecord({
    operation: 'getOperatorAuditEntry',
    path: '/v1/operator/audit/:entryId',
    summary: 'Read an entry of the audit log',
    params: pathId('entryId', 'aud'),
    reply: AuditSchema,
    record: recordOfPath('entryId', AUDIT_RECORD),
    what: 'audit entry',
    tag,
    find: async (tx, { entryId }) => {
      const entry = await findAuditEntry(tx, entryId);
      return entry && asEntry(entry);
    },
  }),
  route({
    operation: 'verifyAuditLog',
    method: 'GET',
    path: '/v1/operator/audit/verify',
    access: 'operator',
    tag,
    summary: 'Verify the audit log: its hash chain, and the signed checkpoints of the database and of the object store',
    reply: VerdictSchema,
    handler: ({ deps }) => verifyAudit(deps),
  }),
];
