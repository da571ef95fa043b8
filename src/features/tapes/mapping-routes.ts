import { DEAL_RECORD } from '../deals/queries.ts';
import { recordOfPath } from '../../platform/http/stored-record.ts';
import Type from 'typebox';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, oneOf, pathId } from '../../platform/http/schemas.ts';
import { mapTape } from './map-tape.ts';
import { LoanTypeSchema } from '../deals/fields.ts';
import { planPreview, runPreview } from './preview-mapping.ts';
import { forgetMapping, MEMORY_SCOPES } from './remembered.ts';
import { newestTape } from './tape.ts';
import { ChangeMapping, MappingSchema, PreviewSchema, requestedEntries, wireMapping } from './mapping-schema.ts';
import { TAG } from './wire.ts';

const dealId = pathId('dealId', 'deal');
const MemoryScopeSchema = namedOneOf(
  'MappingMemoryScope',
  MEMORY_SCOPES,
  'Of the calling key, or of the organization and all its keys.',
);

export const tapeMappingRoutes: Route[] = [
  route({
    operation: 'getTapeMapping',
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/mapping',
    record: recordOfPath('dealId', DEAL_RECORD),
    access: 'originator',
    tag: TAG,
    summary: 'Read how the columns of the newest tape were matched',
    params: dealId,
    reply: MappingSchema,
    errors: ['NOT_FOUND'],
    handler: async ({ caller, params, read }) => {
      const tape = await read((tx) => newestTape(tx, caller.organization_id, params.dealId));
      return wireMapping(tape?.mapping ?? null);
    },
  }),
  route({
    operation: 'setTapeMapping',
    method: 'PUT',
    path: '/v1/api/originator/loans/:dealId/mapping',
    record: recordOfPath('dealId', DEAL_RECORD),
    access: 'originator',
    audit: { action: 'mapping.changed', entity_type: 'deal', id: 'deal_id', after: ['mapping_id'] },
    tag: TAG,
    summary: 'Change the mapping; the checks run again',
    description:
      'Entries merge by `source`; `target: null` unmaps. A field that another column fills is refused (`DUPLICATE_TARGET`) until the same request unmaps that column or gives it another field. Once the checks have passed, the mapping is remembered for this loan type twice: for the key that made it and for its ' +
      'organization. A later tape starts with what is remembered for the key that sends it and, for columns of which that says nothing, with what is remembered for ' +
      'the organization. A key is all that is known of a person; what is remembered for a rotated or revoked key is not looked up any more. An entry whose ' +
      'further columns a tape lacks is not applied to it (finding `MAPPING_NOT_APPLIED`).',
    params: dealId,
    body: ChangeMapping,
    reply: named('ChangedMapping', {
      deal_id: id('deal'),
      mapping_id: id('map'),
      qc: Type.Object({ state: oneOf(['RUNNING']) }),
      ...MappingSchema.properties,
    }),
    status: 202,
    errors: ['NOT_FOUND', 'INVALID_TRANSITION', 'CONFLICT', 'RUN_IN_PROGRESS', 'UNKNOWN_FIELD', 'MAPPING_INVALID', 'QUEUE_FULL'],
    example: { body: { mappings: [{ source: 'Face Amt', target: 'original_balance' }] } },
    handler: ({ deps, caller, params, body, write }) =>
      write(async (tx) => {
        const request = { dealId: params.dealId, entries: requestedEntries(body.mappings) };
        const { tape, mapping_id, mapping } = await mapTape(tx, caller, request, deps);
        return {
          deal_id: tape.deal_id,
          mapping_id,
          qc: { state: 'RUNNING' as const },
          ...wireMapping(mapping),
        };
      }),
  }),
  route({
    operation: 'previewTapeMapping',
    right: 'VIEW',
    method: 'POST',
    path: '/v1/api/originator/loans/:dealId/mapping/preview',
    access: 'originator',
    tag: TAG,
    summary: 'Try a change of the mapping: what the values are now, and what they would be',
    description:
      'Takes the body of PUT …/mapping, refuses what that refuses, and changes nothing. `fields` counts over all rows what becomes of each field that would be read in ' +
      'another way; `sample` has 20 rows: first those in which a value becomes unreadable, then those in which one changes, then others, each in the order of the tape. ' +
      '`decisions` and `findings` are those that the change adds.',
    params: dealId,
    body: ChangeMapping,
    reply: PreviewSchema,
    errors: [
      'NOT_FOUND',
      'INVALID_TRANSITION',
      'CONFLICT',
      'RUN_IN_PROGRESS',
      'UNKNOWN_FIELD',
      'MAPPING_INVALID',
      'TOO_EXPENSIVE',
      'COMPUTE_BUSY',
    ],
    example: { body: { mappings: [{ source: 'Face Amt', target: 'original_balance', transform: { divide: 100 } }] } },
    handler: async ({ deps, caller, params, body, reply, read }) => {
      const request = { dealId: params.dealId, entries: requestedEntries(body.mappings) };
      const planned = await read((tx) => planPreview(tx, caller, request));
      const { mapping, ...preview } = await runPreview({ deps, caller, reply }, planned);
      return { ...preview, mapping: wireMapping(mapping) };
    },
  }),
  route({
    operation: 'forgetTapeMapping',
    method: 'DELETE',
    path: '/v1/api/originator/loans/:dealId/mapping/memory',
    access: 'originator',
    audit: { action: 'mapping.forgotten', entity_type: 'deal', id: 'deal_id', after: ['loan_type', 'scope', 'forgotten'] },
    tag: TAG,
    summary: 'Forget the mapping that is remembered for the loan type of this deal',
    description:
      '`scope=own`, the default, forgets what is remembered for the calling key, and what is remembered for its organization stays; `scope=organization` forgets both, for all keys ' +
      'of the organization. Tapes that were read keep their mapping; checks that are running remember theirs when they end. Repeating it is no error.',
    params: dealId,
    query: Type.Object({
      scope: Type.Optional(MemoryScopeSchema),
    }),
    reply: named('ForgottenMapping', {
      deal_id: id('deal'),
      loan_type: LoanTypeSchema,
      scope: MemoryScopeSchema,
      forgotten: Type.Integer({ description: 'Remembered mappings that were there and are no more.' }),
    }),
    errors: ['NOT_FOUND'],
    handler: ({ caller, params, query, write }) =>
      write((tx) => forgetMapping(tx, caller, { dealId: params.dealId, scope: query.scope ?? 'own' })),
  }),
];
