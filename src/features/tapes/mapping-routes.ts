import Type from 'typebox';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, oneOf, pathId } from '../../platform/http/schemas.ts';
import { mapTape } from './map-tape.ts';
import { newestTape } from './tape.ts';
import { MappingEntries, MappingSchema, requestedEntries, TAG, wireMapping } from './wire.ts';

const dealId = pathId('dealId', 'deal');

export const tapeMappingRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/mapping',
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
    method: 'PUT',
    path: '/v1/api/originator/loans/:dealId/mapping',
    access: 'originator',
    audit: { action: 'mapping.changed', entity_type: 'deal', id: 'deal_id', after: ['mapping_id'] },
    tag: TAG,
    summary: 'Change the mapping; the checks run again',
    description: 'Entries merge by `source`; `target: null` unmaps. Remembered for this organization and loan type.',
    params: dealId,
    body: named('ChangeMapping', {
      mappings: MappingEntries,
    }),
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
];
