import { DEAL_ROW } from '../deals/deal-fields.ts';
import Type from 'typebox';
import { orNotFound } from '../../platform/http/errors.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { date, id, money, nullable, pathId, timestamp } from '../../platform/http/schemas.ts';
import { findDeal } from '../deals/queries.ts';
import { compareVersions, findTwoVersions } from './compare-versions.ts';
import { comparedBy } from './loan-ids.ts';
import { findingsChange, TapeDiffSchema, wireDiff } from './diff-schema.ts';
import { confirmTape, dropTape } from './confirm-tape.ts';
import { listTapes, TAPE_STATES } from './queries.ts';
import { TAG, withDeal } from './wire.ts';

const oneVersion = Type.Object({
  dealId: id('deal'),
  version: Type.String({ pattern: '^[1-9][0-9]{0,8}$', description: 'Number of the version, such as 2.' }),
});

const Version = named('TapeVersion', {
  version: Type.Integer(),
  file_name: Type.String(),
  format: Type.String(),
  mode: namedOneOf('TapeMode', ['REPLACE', 'MERGE']),
  size: Type.Integer(),
  sha256: Type.String(),
  merged_into: nullable(Type.Integer({ description: 'The version that the file was merged into; null for a tape of its own.' })),
  state: namedOneOf(
    'CheckState',
    TAPE_STATES,
    'NEEDS_CONFIRMATION: would lose more than half of the loans or of the balance in force, and waits. DROPPED: was never in force.',
  ),
  rows: Type.Integer(),
  accepted: Type.Integer(),
  rejected: Type.Integer(),
  total_balance: money('Balance of the accepted rows.'),
  as_of_date: nullable(date()),
  created_at: timestamp(),
  completed_at: nullable(timestamp()),
});

export const tapeVersionRoutes: Route[] = [
  route({
    operation: 'listTapeVersions',
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/tapes',
    access: 'originator',
    tag: TAG,
    summary: 'List the versions of the deal’s tape, newest first',
    params: pathId('dealId', 'deal'),
    reply: Type.Array(Version),
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, read }) =>
      read(async (tx) => {
        orNotFound(await findDeal(tx, caller.organization_id, params.dealId), 'deal');
        const tapes = await listTapes(tx, caller.organization_id, params.dealId);
        return tapes.map((tape) => ({ ...tape, total_balance: Number(tape.total_balance) }));
      }),
  }),
  route({
    operation: 'confirmTapeVersion',
    method: 'POST',
    path: '/v1/api/originator/loans/:dealId/tapes/:version/confirm',
    access: 'originator',
    tag: TAG,
    summary: 'Put a version in force that waits because it would lose more than half of the loans or of the balance',
    description: 'A version that is in force already gets the same response.',
    params: oneVersion,
    reply: named('ConfirmedTape', {
      ...DEAL_ROW,
      job_id: id('job'),
      tape_version: Type.Integer({ description: 'The version in force.' }),
    }),
    status: 202,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: ({ caller, params, write }) =>
      write(async (tx) =>
        withDeal(tx, caller, await confirmTape(tx, caller, { dealId: params.dealId, version: Number(params.version) })),
      ),
  }),
  route({
    operation: 'deleteTapeVersion',
    method: 'DELETE',
    path: '/v1/api/originator/loans/:dealId/tapes/:version',
    access: 'originator',
    audit: { action: 'tape.dropped', entity_type: 'deal', id: 'dealId', after: ['dropped_version'] },
    tag: TAG,
    summary: 'Drop a version that waits for a confirmation',
    description: 'The version in force stays. The list of versions keeps the dropped one, DROPPED.',
    params: oneVersion,
    reply: Type.Object({}),
    replyKind: 'message',
    errors: ['NOT_FOUND', 'INVALID_TRANSITION'],
    handler: async ({ caller, params, write }) => {
      const dropped_version = Number(params.version);
      await write((tx) => dropTape(tx, caller, { dealId: params.dealId, version: dropped_version }));
      return `Version ${dropped_version} is dropped.`;
    },
  }),
  route({
    operation: 'compareTapeVersions',
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/tapes/:version/diff',
    access: 'originator',
    tag: TAG,
    summary: 'Compare two versions of the tape: loans added, removed and changed, and the roll-forward of the balance',
    description:
      'By loan id. Where one of the versions has none, loans are paired by what the tape says of their origination (original balance, date, rate, term, state, collateral), equal ones in their order, and `compared_by` is CONTENT.',
    params: oneVersion,
    query: Type.Object({
      against: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 1_000_000_000,
          description: 'The older version; by default the newest before it that was not dropped.',
        }),
      ),
    }),
    reply: TapeDiffSchema,
    errors: ['NOT_FOUND', 'CONFLICT', 'TOO_EXPENSIVE', 'COMPUTE_BUSY'],
    handler: async ({ deps, caller, params, query, read, reply }) => {
      const version = Number(params.version);
      const versions = { previous: query.against, next: version };
      const tapes = await read((tx) => findTwoVersions(tx, caller.organization_id, params.dealId, versions));
      const diff = wireDiff(await compareVersions({ deps, caller, reply }, tapes));
      const compared_by = comparedBy([tapes.previous, tapes.next]);
      return { ...diff, compared_by, findings: findingsChange(tapes.previous.by_rule, tapes.next.by_rule) };
    },
  }),
];
