import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { ApiError } from '../../platform/http/errors.ts';

type Environment = 'development' | 'staging' | 'production';
type Person = { email: string; name: string; places: string };

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text: string): string => text.replace(/[&<>"']/g, (each) => ENTITIES[each] ?? each);

const ENVIRONMENTS: Record<Environment, string> = {
  production: 'Production',
  staging: 'Staging',
  development: 'Development',
};

/** Where people without a session begin. It is sent in the place of the console, whose program a stranger does not need. */
export function signInPage(
  reply: FastifyReply,
  { environment, returnTo, possible }: { environment: Environment; returnTo: string; possible: boolean },
): FastifyReply {
  const act = possible
    ? `<p><a class="act" href="/auth/login?return_to=${escape(encodeURIComponent(returnTo))}">Sign in</a></p>
<p class="small">Not invited? An administrator of your organization adds members. Programs use API keys, not this page.</p>`
    : '<p role="alert">Nobody can sign in yet: this gateway has no identity provider. Its operator sets <code>SLUICE_OIDC_ISSUER</code>. API keys work.</p>';
  return page(
    reply,
    'Sign in',
    `<p class="badge ${environment}">${ENVIRONMENTS[environment]}</p>
<p>Loan tapes, deals and holdings of your organization. Sign in with the account that it invited.</p>
${act}`,
  );
}

/** Development without an identity provider: everybody who can sign in. */
export function choicePage(reply: FastifyReply, people: readonly Person[], action: string, state: string): FastifyReply {
  const buttons = people.map(
    ({ email, name, places }) =>
      `<li><button name="email" value="${escape(email)}"><b>${escape(name)}</b> <span>${escape(email)}</span></button><p class="small">${escape(places)}</p></li>`,
  );
  const nobody =
    '<p>There are no members. Seed a sandbox, or add one: <code>sluice members add --organization NAME --email you@example.com --rights ADMIN</code></p>';
  return page(
    reply,
    'Who are you?',
    `<p>Development has no identity provider: choose who you are.</p>
<form method="post" action="${action}"><input type="hidden" name="state" value="${escape(state)}">${people.length > 0 ? `<ul>${buttons.join('')}</ul>` : nobody}</form>`,
  );
}

export function failurePage(reply: FastifyReply, error: ApiError): FastifyReply {
  for (const [name, value] of Object.entries(error.headers)) reply.header(name, value);
  return page(
    reply.status(error.statusCode),
    'You are not signed in',
    `<p role="alert">${escape(error.message)}</p><p><a class="act" href="/auth/login">Sign in</a></p>
<p class="small">${error.code}, request <code>${escape(reply.request.id)}</code></p>`,
  );
}

const STYLE = `
:root { color-scheme: light dark; --ground: light-dark(#fff, #242424); --text: light-dark(#1f2328, #e3e6e9); --quiet: light-dark(#5a6169, #b3b8bd);
  --line: light-dark(#dee2e6, #424242); --act: light-dark(#4263eb, #3b5bdb); --over: light-dark(#f1f3f5, #2e2e2e) }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground); color: var(--text);
  font: 0.875rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif }
main { width: min(26rem, 100vw - 2rem); padding: 1rem 0 }
header { display: flex; align-items: center; gap: 0.5rem; font-weight: 650; font-size: 1rem }
h1 { font-size: 1.375rem; line-height: 1.3; margin: 1rem 0 0.5rem }
p { margin: 0.75rem 0 }
.small, button span { font-size: 0.75rem; color: var(--quiet) }
.badge { display: inline-block; margin: 0; padding: 0 0.5rem; border-radius: 4px; font-size: 0.75rem; font-weight: 500; color: #fff; background: #2e2e2e }
.badge.production { background: #c92a2a }
.badge.staging { background: #a8430b }
.act { display: block; padding: 0.5rem 1rem; border-radius: 4px; background: var(--act); color: #fff; text-align: center; font-weight: 600; text-decoration: none }
ul { list-style: none; margin: 1rem 0; padding: 0; max-height: 60vh; overflow: auto; border: 1px solid var(--line); border-radius: 4px }
li + li { border-top: 1px solid var(--line) }
li p { margin: 0; padding: 0 0.75rem 0.5rem }
button { display: flex; flex-wrap: wrap; gap: 0 0.5rem; align-items: baseline; width: 100%; padding: 0.5rem 0.75rem 0; border: 0; background: none;
  color: inherit; font: inherit; text-align: left; cursor: pointer; overflow-wrap: anywhere }
li:hover { background: var(--over) }
:focus-visible { outline: 2px solid var(--act); outline-offset: 2px }
code { font-size: 0.75rem; overflow-wrap: anywhere }
`;
const MARK =
  '<svg width="22" height="22" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true"><path d="M5 3v12M19 3v12M5 7h14M9 7v8M15 7v8M3 19c2 0 2-1.5 4.5-1.5S10 19 12 19s2-1.5 4.5-1.5S19 19 21 19"/></svg>';
const ICON = MARK.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ').replace('currentColor', '#4263eb');
const STYLE_DIGEST = createHash('sha256').update(STYLE).digest('base64');
const POLICY = `default-src 'none'; img-src data:; style-src 'sha256-${STYLE_DIGEST}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`;

/** A page without scripts, whose policy lets in this one style. */
function page(reply: FastifyReply, title: string, body: string): FastifyReply {
  return reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', POLICY)
    .header('cache-control', 'no-store')
    .send(
      `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="description" content="Loan tapes, deals and holdings"><link rel="icon" type="image/svg+xml" href="data:image/svg+xml,${encodeURIComponent(ICON)}"><title>${title} · Sluice</title><style>${STYLE}</style><main><header>${MARK} Sluice</header><h1>${title}</h1>${body}</main></html>\n`,
    );
}
