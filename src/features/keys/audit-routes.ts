import Type from 'typebox';
import { verifyAudit } from '../../platform/audit.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, nullable, pageQuery, text, timestamp } from '../../platform/http/schemas.ts';
import { listAudit } from './queries.ts';
import { TAG } from './wire.ts';

const AuditSchema = Type.Object({
  id: id('aud'),
  sequence: Type.Integer(),
  organization_id: id('org'),
  actor: Type.String(),
  action: Type.String(),
  entity_type: Type.String(),
  entity_id: Type.String(),
  before: Type.Unknown(),
  after: Type.Unknown(),
  reason: nullable(Type.String()),
  at: timestamp(),
  previous_hash: Type.String(),
  hash: Type.String(),
});

export const auditRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/operator/audit',
    access: 'operator',
    tag: TAG,
    summary: 'Read the audit log, newest first',
    query: pageQuery({
      organization_id: Type.Optional(id('org')),
      deal_id: Type.Optional(
        Type.String({ maxLength: 128, description: 'Acts on the deal, its pool, and what was asked, given and settled in it.' }),
      ),
      status: Type.Optional(text(64, 'Acts that led to this status, such as APPROVED or MARKETING.')),
    }),
    reply: AuditSchema,
    replyKind: 'page',
    handler: async ({ read, query }) => {
      const page = await read((tx) => listAudit(tx, query));
      return {
        total: page.total,
        rows: page.rows.map(({ entry_id, ...row }) => ({ id: entry_id, ...row, at: row.at.toISOString() })),
      };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/operator/audit/verify',
    access: 'operator',
    tag: TAG,
    summary: 'Verify the hash chain of the audit log',
    reply: Type.Object({ valid: Type.Boolean(), entries: Type.Integer(), broken_at: nullable(Type.Integer()) }),
    handler: ({ read }) => read((tx) => verifyAudit(tx)),
  }),
];
