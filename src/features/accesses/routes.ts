import { actorFields } from '../../platform/http/actor-fields.ts';
import Type from 'typebox';
import { asPlatform } from '../../platform/db/as-platform.ts';
import { mapPage } from '../../platform/pages.ts';
import { operatorList, ownList } from '../../platform/http/list-route.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import type { Route } from '../../platform/http/route.ts';
import { CreatedBetween, id, text, timestamp } from '../../platform/http/schemas.ts';
import { ACCESS_ACTS } from './access.ts';
import { listRecordAccesses } from './queries.ts';

const ActSchema = namedOneOf('AccessAct', ACCESS_ACTS, 'READ: in a response; DOWNLOADED: as a file.');

const fields = {
  reader_id: id('org'),
  reader: Type.String({ description: 'Name of the organization that read.' }),
  ...actorFields,
  act: ActSchema,
  entity_type: Type.String({ description: 'deal, pool or job.' }),
  entity_id: Type.String(),
  what: Type.String({ description: 'The part of the record, such as loans.' }),
  details: Type.Record(Type.String(), Type.Unknown(), {
    description: 'Of loans: the fields, and the format and number of a file.',
  }),
  at: timestamp(),
};

const filters = {
  entity_id: Type.Optional(text(128, 'Readings of one record.')),
  reader_id: Type.Optional(id('org', 'Readings by one organization.')),
  act: Type.Optional(ActSchema),
  ...CreatedBetween,
};

export const accessRoutes: Route[] = [
  ownList({
    operation: 'listAccesses',
    path: '/v1/api/access-log',
    access: 'customer',
    tag: 'Keys and organizations',
    summary: 'List who outside your organization read your records, newest first',
    description:
      'Investors that read or downloaded loans which you disclose, and the operator where it read your deals, pools and jobs. Documents have logs of their own. Kept for seven years.',
    filters,
    reply: named('RecordAccess', fields),
    list: (tx, organizationId, query) =>
      asPlatform(tx, async () =>
        mapPage(await listRecordAccesses(tx, organizationId, query), ({ organization_id: _own, ...row }) => row),
      ),
  }),
  operatorList({
    operation: 'listOperatorAccesses',
    path: '/v1/operator/access-log',
    summary: 'List who read records of other organizations, newest first',
    filters: { organization_id: Type.Optional(id('org', 'Readings of its records.')), ...filters },
    reply: named('OperatorRecordAccess', { organization_id: id('org', 'Owner of the record.'), ...fields }),
    list: (tx, query) => listRecordAccesses(tx, null, query),
  }),
];
