import Type from 'typebox';
import { notFound, orNotFound } from '../../platform/http/errors.ts';
import { type Route, route } from '../../platform/http/route.ts';
import { CreatedBetween, id, pageQuery, pathId } from '../../platform/http/schemas.ts';
import { addressOf, issueAddress, openDownload } from './download-document.ts';
import { findInvestorDocument, findVisibleOwner, listInvestorDocuments } from './queries.ts';
import { DOCUMENT_TYPES } from './sniff.ts';
import { Address, InvestorDocument, TAG } from './wire.ts';
import { isVisible } from '../securitizations/queries.ts';
import { asId } from '../../platform/ids.ts';

/** The documents of a deal that investors may read, and the signed address of every document. */
export const investorDocumentRoutes: Route[] = [
  route({
    operation: 'listMarketDealDocuments',
    method: 'GET',
    path: '/v1/api/investor/deals/:dealId/documents',
    access: 'investor',
    tag: TAG,
    summary: 'List the documents of a deal that investors may read',
    params: pathId('dealId', 'deal'),
    query: pageQuery(CreatedBetween),
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
    operation: 'requestMarketDealDocumentDownload',
    right: 'VIEW',
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
      const document = { document_id: asId('doc', String(data.document_id)), organization_id: orNotFound(owner, 'document') };
      return { ...data, ...addressOf(deps, caller, document) };
    },
    handler: ({ deps, write, caller, params }) =>
      write(async (tx) => {
        const visible = await isVisible(tx, caller.organization_id, params.dealId);
        const found = visible ? await findInvestorDocument(tx, params.dealId, params.documentId) : null;
        return issueAddress(tx, caller, orNotFound(found, 'document'), deps);
      }),
  }),
  route({
    operation: 'downloadFile',
    method: 'GET',
    path: '/v1/downloads/:token',
    access: 'public',
    tag: TAG,
    summary: 'Read a document at its signed address',
    params: Type.Object({ token: Type.String({ maxLength: 2_048 }) }),
    reply: Type.String(),
    replyKind: 'file',
    fileTypes: [...new Set(Object.values(DOCUMENT_TYPES))],
    errors: ['SIGNATURE_INVALID'],
    handler: ({ deps, params, request }) => openDownload(deps, params.token, { wanted: request.method !== 'HEAD' }),
  }),
];
