import Type from 'typebox';
import { orNotFound } from '../../platform/http/errors.ts';
import { named, namedOneOf } from '../../platform/http/named.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { date, id, money, nullable, pathId, timestamp } from '../../platform/http/schemas.ts';
import { findDeal } from '../deals/queries.ts';
import { compareVersions, findTwoVersions } from './compare-versions.ts';
import { listTapes } from './queries.ts';
import { TAG } from './wire.ts';

const Version = named('TapeVersion', {
  version: Type.Integer(),
  file_name: Type.String(),
  format: Type.String(),
  mode: namedOneOf('TapeMode', ['REPLACE', 'MERGE']),
  size: Type.Integer(),
  sha256: Type.String(),
  state: namedOneOf('CheckState', ['RUNNING', 'NEEDS_MAPPING', 'DONE', 'FAILED']),
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
    method: 'GET',
    path: '/v1/api/originator/loans/:dealId/tapes/:version/diff',
    access: 'originator',
    tag: TAG,
    summary: 'Compare two versions of the tape: loans added, removed and changed, and the roll-forward of the balance',
    params: Type.Object({
      dealId: id('deal'),
      version: Type.String({ pattern: '^[1-9][0-9]{0,8}$', description: 'The newer version.' }),
    }),
    query: Type.Object({
      against: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1_000_000_000, description: 'The older version; the previous one by default.' }),
      ),
    }),
    reply: named('TapeDiff', {
      added: Type.Integer(),
      removed: Type.Integer(),
      changed: Type.Integer(),
      roll_forward: Type.Object(
        Object.fromEntries(
          ['opening', 'added', 'removed', 'principal', 'charged_off', 'adjustment', 'closing'].map((name) => [
            name,
            Type.Number(),
          ]),
        ),
      ),
      breaks: Type.Array(
        Type.Unknown({ description: 'Impossible changes: a balance that rose, a term that grew, a loan that came back.' }),
      ),
    }),
    errors: ['NOT_FOUND', 'CONFLICT', 'TOO_EXPENSIVE', 'COMPUTE_BUSY'],
    handler: async ({ deps, caller, params, query, read, reply }) => {
      const version = Number(params.version);
      const versions = { previous: query.against ?? version - 1, next: version };
      const tapes = await read((tx) => findTwoVersions(tx, caller.organization_id, params.dealId, versions));
      const { roll_forward, ...diff } = await compareVersions({ deps, caller, reply }, tapes);
      return { ...diff, roll_forward: asNumbers(roll_forward) };
    },
  }),
];

const asNumbers = (decimals: object) =>
  Object.fromEntries(Object.entries(decimals).map(([name, value]) => [name, Number(value)]));
