import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../platform/deps.ts';
import type { RouteConfig } from '../../platform/http/options.ts';
import { registerOtherMethods } from '../../platform/http/server.ts';
import { DIGEST_TOPIC } from './notification.ts';
import { readUnsubscribeToken, unsubscribe, type Unsubscription } from './unsubscribe.ts';

export const UNSUBSCRIBE_PATH = '/unsubscribe/';
const PATH = `${UNSUBSCRIBE_PATH}:token`;
const PUBLIC: { config: RouteConfig } = { config: { access: 'public' } };
const MOST_BODY_BYTES = 16_384;
type Request = FastifyRequest<{ Params: { token: string } }>;

/**
 * The page behind the link in each e-mail. A GET only asks, since scanners of mail follow links; the POST of its button, or of a mailbox's
 * own button (RFC 8058), unsubscribes at once. The signed address is the permission.
 */
export async function addUnsubscribePage(app: FastifyInstance, deps: Deps): Promise<void> {
  await app.register(async (scope) => {
    // A mailbox posts a form, whose one field says nothing that the address does not.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MOST_BODY_BYTES }, (_request, _body, done) =>
      done(null, null),
    );
    scope.get(PATH, PUBLIC, async (request: Request, reply) => {
      const grant = readUnsubscribeToken(deps, request.params.token, Date.now());
      return page(reply, 'Stop these e-mails?', `${sentence(grant, 'will get')} Alerts stay on the platform.`, true);
    });
    scope.post(PATH, PUBLIC, async (request: Request, reply) => {
      const grant = readUnsubscribeToken(deps, request.params.token, Date.now());
      await deps.db.tx({ organization: grant.organization_id }, (tx) => unsubscribe(tx, grant));
      return page(reply, 'Done', `${sentence(grant, 'gets')} Alerts stay on the platform.`, false);
    });
  });
  registerOtherMethods(app, [
    { path: PATH, method: 'GET', access: 'public' },
    { path: PATH, method: 'POST', access: 'public' },
  ]);
}

const sentence = ({ topic }: Unsubscription, verb: string): string =>
  topic === DIGEST_TOPIC ? `The address ${verb} no more digests.` : `The address ${verb} no more notices of type ${topic}.`;

/** Without scripts, styles and input; what it says comes from this file. */
function page(reply: FastifyReply, title: string, text: string, asks: boolean): FastifyReply {
  const button = asks
    ? '<form method="post"><input type="hidden" name="List-Unsubscribe" value="One-Click"><button>Stop them</button></form>'
    : '';
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', `default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`)
    .header('x-robots-tag', 'noindex')
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><h1>${title}</h1><p>${text}</p>${button}</html>\n`,
    );
}
