import Type from 'typebox';
import { orNotFound } from '../../platform/http/errors.ts';
import { named } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, pathId, timestamp } from '../../platform/http/schemas.ts';
import { findDeal } from '../deals/queries.ts';
import { destroyPersonalData } from './destroy-personal-data.ts';
import { openTapeFile, refuseDestroyed, TAPE_FILE_TYPES } from './download-tape.ts';
import { findTape } from './queries.ts';
import { TAG } from './wire.ts';

/** What only the owner of a tape may do with the personal data in it. */
export const personalDataRoutes: Route[] = [
  route({
    operation: 'downloadTapeFile',
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/tapes/:version/file',
    access: 'originator',
    audit: { action: 'tape.downloaded', entity_type: 'deal', id: 'dealId', after: ['version'] },
    tag: TAG,
    summary: 'Download the file of a version as it was sent, sealed columns included',
    description:
      'The file is stored encrypted and decrypted while it is sent; the audit log names who asked for it. 410 once its key is destroyed. Loans that were sent inline are the JSON list of them.',
    params: Type.Object({
      dealId: id('deal'),
      version: Type.String({ pattern: '^[1-9][0-9]{0,8}$', description: 'Number of the version, such as 2.' }),
    }),
    reply: Type.String(),
    replyKind: 'file',
    fileTypes: Object.values(TAPE_FILE_TYPES),
    errors: ['NOT_FOUND', 'PERSONAL_DATA_DESTROYED'],
    handler: async ({ deps, caller, params, write }) => {
      const tape = await write(async (tx) => {
        orNotFound(await findDeal(tx, caller.organization_id, params.dealId), 'deal');
        const found = orNotFound(
          await findTape(tx, caller.organization_id, params.dealId, Number(params.version)),
          'tape version',
        );
        refuseDestroyed(found);
        return found;
      });
      return openTapeFile(deps, tape);
    },
  }),
  route({
    operation: 'deletePersonalData',
    right: 'APPROVE',
    method: 'DELETE',
    path: '/v1/api/originator/loans/:dealId/personal-data',
    access: 'originator',
    audit: { action: 'personal_data.destroyed', entity_type: 'deal', id: 'deal_id', after: ['versions', 'destroyed_at'] },
    tag: TAG,
    summary: 'Destroy the data keys of all versions: their sealed columns and files can never be opened again',
    description:
      'There is no way back. The sealed columns then read `[destroyed]`, the file of each version answers 410; loans, findings, tokens of obligors and merging work as before. ' +
      'Versions that are sent later have keys of their own. Repeating it is no error: `versions` is empty then.',
    params: pathId('dealId', 'deal'),
    reply: named('DestroyedPersonalData', {
      deal_id: id('deal'),
      versions: Type.Array(Type.Integer(), { description: 'The versions whose keys were destroyed by this request.' }),
      destroyed_at: timestamp(),
    }),
    errors: ['NOT_FOUND', 'CONFLICT'],
    handler: ({ deps, caller, params, write }) => write((tx) => destroyPersonalData(tx, caller, params.dealId, deps)),
  }),
];
