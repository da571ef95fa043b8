import Type from 'typebox';
import { notFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { id, pageQuery, pathId } from '../../platform/http/schemas.ts';
import { addressOf, issueAddress, openDownload } from './download-document.ts';
import { findInvestorDocument, findVisibleOwner, listInvestorDocuments } from './queries.ts';
import { Address, InvestorDocument, TAG } from './wire.ts';
import { isVisible } from '../securitizations/queries.ts';
import { asId } from '../../platform/ids.ts';

/** What investors read of a deal, and the signed address that everybody reads a document at. */
export const investorDocumentRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/api/investor/deals/:dealId/documents',
    access: 'investor',
    tag: TAG,
    summary: 'List the documents of a deal that investors may read',
    params: pathId('dealId', 'deal'),
    query: pageQuery({}),
    reply: InvestorDocument,
    replyKind: 'page',
    errors: ['NOT_FOUND'],
    handler: ({ read, caller, params, query }) =>
      read(async (tx) => {
        if (!(await isVisible(tx, caller.organization_id, params.dealId))) throw notFound('deal');
        return listInvestorDocuments(tx, params.dealId, query);
      }),
  }),
  route({
    method: 'POST',
    path: '/v1/api/investor/deals/:dealId/documents/:documentId/download',
    access: 'investor',
    tag: TAG,
    summary: 'Get a short-lived address of a document of a deal',
    params: Type.Object({ dealId: id('deal'), documentId: id('doc') }),
    body: Type.Object({}),
    bodyOptional: true,
    reply: Address,
    secretFields: ['download_url'],
    errors: ['NOT_FOUND'],
    onReplay: async (deps, caller, data) => {
      const owner = await deps.db.tx({ market: [caller.organization_id] }, (tx) =>
        findVisibleOwner(tx, caller.organization_id, asId('doc', String(data.document_id))),
      );
      if (!owner) throw notFound('document');
      return {
        ...data,
        ...addressOf(deps, caller, { document_id: asId('doc', String(data.document_id)), organization_id: owner }),
      };
    },
    handler: ({ deps, write, caller, params }) =>
      write(async (tx) => {
        const visible = await isVisible(tx, caller.organization_id, params.dealId);
        const document = visible && (await findInvestorDocument(tx, params.dealId, params.documentId));
        if (!document) throw notFound('document');
        return issueAddress(tx, deps, caller, document);
      }),
  }),
  route({
    method: 'GET',
    path: '/v1/downloads/:token',
    access: 'public',
    tag: TAG,
    summary: 'Read a document at its signed address',
    params: Type.Object({ token: Type.String({ maxLength: 2_048 }) }),
    reply: Type.String(),
    replyKind: 'file',
    errors: ['SIGNATURE_INVALID'],
    handler: ({ deps, params }) => openDownload(deps, params.token),
  }),
];
