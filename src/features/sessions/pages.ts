import type { FastifyReply } from 'fastify';
import type { ApiError } from '../../platform/http/errors.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (each) => ENTITIES[each] ?? each);

/** Development without an identity provider: everybody who can sign in. */
export function choicePage(
  reply: FastifyReply,
  people: readonly { email: string; name: string; places: string }[],
  action: string,
  state: string,
): FastifyReply {
  const buttons = people.map(
    ({ email, name, places }) =>
      `<p><button name="email" value="${escape(email)}">${escape(name)} (${escape(email)})</button> ${escape(places)}</p>`,
  );
  const nobody =
    '<p>There are no members. Seed a sandbox, or add one: <code>sluice members add --organization NAME --email you@example.com --rights ADMIN</code></p>';
  return page(
    reply,
    'Sign in',
    `<p>Development has no identity provider: choose who you are.</p><form method="post" action="${action}"><input type="hidden" name="state" value="${escape(state)}">${buttons.join('') || nobody}</form>`,
  );
}

export function failurePage(reply: FastifyReply, error: ApiError): FastifyReply {
  for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
  return page(
    reply.status(error.statusCode),
    'You are not signed in',
    `<p>${escape(error.message)}</p><p><a href="/auth/login">Sign in</a></p><p>${error.code}, request ${escape(reply.request.id)}</p>`,
  );
}

/** Without scripts and styles. */
function page(reply: FastifyReply, title: string, body: string): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', `default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`)
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Sluice</title><h1>${title}</h1>${body}</html>\n`,
    );
}
