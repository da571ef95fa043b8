import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Deps } from '../../platform/deps.ts';
import { checkCsrf } from '../../platform/http/authorize.ts';
import { ApiError } from '../../platform/http/errors.ts';
import type { RouteConfig } from '../../platform/http/options.ts';
import { signInFrom } from '../../platform/http/rate-limit.ts';
import { registerOtherMethods } from '../../platform/http/server.ts';
import { isSecure, sessionCookieName, sessionCookieOf } from '../../platform/http/session-cookie.ts';
import { asId } from '../../platform/ids.ts';
import { unavailableReason } from '../../platform/unavailable.ts';
import { memberEmail } from '../members/member.ts';
import { listPeople } from '../members/queries.ts';
import { createIdentityProvider, type IdentityProvider } from './identity-provider.ts';
import { choicePage, failurePage } from './pages.ts';
import {
  findSession,
  insertSignIn,
  MOST_HOURS,
  SIGN_IN_MINUTES,
  type SignIn,
  type StoredSession,
  takeSignIn,
} from './queries.ts';
import { hashOf, localPath, newSecret, roleOfMembers, type Secret } from './session.ts';
import { chooseOrganization, openMembers, type Proven, signIn, signOut } from './sign-in.ts';

const PUBLIC: { config: RouteConfig } = { config: { access: 'public' } };
const CALLBACK = '/auth/callback';
const DEVELOPMENT = '/auth/development';
/** One cookie for each sign-in: two tabs may sign in at once. */
const stateCookie = (stateHash: string): string => `sluice_sign_in_${stateHash.slice(0, 16)}`;
const HOME = '/console';
const MOST_FORM_BYTES = 4_096;
/** The issuer of people who sign in without a provider, which Development alone has. */
const DEVELOPMENT_ISSUER = 'development';

/** Sign-in of people for the console: `/auth/…`. Who has no session gets 401; a request that changes something needs `X-Sluice-CSRF`. */
export function addSignIn(app: FastifyInstance, deps: Deps): void {
  const { identityProvider, environment } = deps.config;
  const provider = identityProvider && createIdentityProvider(identityProvider, () => `${deps.publicUrl()}${CALLBACK}`);
  const inDevelopment = provider === null && environment === 'development';
  const paths: [path: string, method: 'GET' | 'POST'][] = [
    ['/auth/login', 'GET'],
    ['/auth/me', 'GET'],
    ['/auth/logout', 'POST'],
    ['/auth/organization', 'POST'],
  ];
  app.get('/auth/login', PUBLIC, (request, reply) => begin(deps, provider, request, reply));
  app.get('/auth/me', PUBLIC, async (request, reply) => {
    const session = await sessionOf(deps, request);
    return reply.send({ success: true, data: await meOf(deps, session) });
  });
  app.post('/auth/logout', PUBLIC, (request, reply) => leave(deps, provider, request, reply));
  app.post('/auth/organization', PUBLIC, (request, reply) => choose(deps, request, reply));
  if (provider) {
    paths.push([CALLBACK, 'GET']);
    app.get(CALLBACK, PUBLIC, (request, reply) => onPage(deps, reply, () => comeBack(deps, provider, request, reply)));
  }
  if (inDevelopment) {
    paths.push([DEVELOPMENT, 'POST']);
    void app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser(
        'application/x-www-form-urlencoded',
        { parseAs: 'string', bodyLimit: MOST_FORM_BYTES },
        (_request, body, done) => done(null, new URLSearchParams(String(body))),
      );
      scope.post(DEVELOPMENT, PUBLIC, (request, reply) => onPage(deps, reply, () => comeAs(deps, request, reply)));
    });
  }
  registerOtherMethods(
    app,
    paths.map(([path, method]) => ({ path, method, access: 'public' })),
  );
}

async function begin(
  deps: Deps,
  provider: IdentityProvider | null,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { return_to = HOME } = request.query as { return_to?: string };
  const path = typeof return_to === 'string' ? localPath(return_to) : null;
  if (path === null) throw new ApiError('VALIDATION_FAILED', 'return_to has to be a path of this site, such as /console.');
  if (!provider && deps.config.environment !== 'development')
    throw new ApiError(
      'NOT_FOUND',
      'This gateway has no identity provider, so nobody can sign in: its operator sets SLUICE_OIDC_ISSUER. API keys work.',
    );
  return await onPage(deps, reply, async () => {
    await limit(deps, request);
    const state = newSecret();
    const row = { nonce: newSecret().secret, code_verifier: newSecret().secret, return_to: path };
    const url = await provider?.authorizationUrl(state.secret, row);
    await deps.db.tx({ platform: true }, (tx) => insertSignIn(tx, state.hash, row));
    // Only the browser that has begun may end a sign-in: another's code would sign it in as somebody else.
    setCookie(deps, reply, stateCookie(state.hash), state.secret, { path: '/auth', maxAge: SIGN_IN_MINUTES * 60 });
    if (url) return reply.redirect(url.href);
    const members = await deps.db.tx({ platform: true }, (tx) => listPeople(tx));
    return choicePage(reply, members, DEVELOPMENT, state.secret);
  });
}

async function comeBack(
  deps: Deps,
  provider: IdentityProvider,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  await limit(deps, request);
  const { state } = request.query as { state?: unknown };
  const row = await takeState(deps, request, reply, state);
  const url = new URL(`${deps.publicUrl()}${request.url}`);
  const proven = await provider.redeem(url, String(state), row);
  return await enter(deps, request, reply, proven, row.return_to);
}

/** Without a provider: as whom the page offers. */
async function comeAs(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  const row = await takeState(deps, request, reply, form.get('state'));
  const email = memberEmail(form.get('email') ?? '');
  if (email === null) throw new ApiError('SIGN_IN_REFUSED', 'No person was chosen: begin again.');
  return await enter(deps, request, reply, { issuer: DEVELOPMENT_ISSUER, subject: email, email, name: null }, row.return_to);
}

/** The sign-in that this browser has begun and that nobody has ended. */
async function takeState(deps: Deps, request: FastifyRequest, reply: FastifyReply, state: unknown): Promise<SignIn> {
  if (typeof state === 'string') {
    const stateHash = hashOf(state);
    const held = parseCookie(request.headers.cookie ?? '')[stateCookie(stateHash)];
    const row = state === held ? await deps.db.tx({ platform: true }, (tx) => takeSignIn(tx, stateHash)) : null;
    if (held !== undefined) setCookie(deps, reply, stateCookie(stateHash), '', { path: '/auth', maxAge: 0 });
    if (row) return row;
  }
  throw new ApiError(
    'SIGN_IN_REFUSED',
    'This sign-in was not begun in this browser, was ended before, or took more than ten minutes: begin again.',
  );
}

async function enter(
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  proven: Proven,
  returnTo: string,
): Promise<FastifyReply> {
  const before = sessionCookieOf(request, isSecure(deps));
  const secret = await deps.db.tx({ platform: true }, (tx) => signIn(tx, proven, before === undefined ? null : hashOf(before)));
  setSession(deps, reply, secret);
  return reply.redirect(returnTo, 303);
}

async function choose(deps: Deps, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const session = await sessionOf(deps, request);
  checkCsrf(request, session.csrf);
  const { organization_id } = (request.body ?? {}) as { organization_id?: unknown };
  if (typeof organization_id !== 'string')
    throw new ApiError('VALIDATION_FAILED', undefined, {
      errors: [
        {
          field: 'organization_id',
          code: 'REQUIRED',
          message: 'organization_id is required: one of organizations of GET /auth/me',
        },
      ],
    });
  const { secret, next } = await deps.db.tx({ platform: true }, async (tx) => {
    const secret = await chooseOrganization(tx, session, asId('org', organization_id));
    return { secret, next: await findSession(tx, secret.hash) };
  });
  if (!next) throw new ApiError('SESSION_EXPIRED');
  setSession(deps, reply, secret);
  return reply.send({ success: true, data: await meOf(deps, next) });
}

/** Ends the session, or with `everywhere` all of the person. The provider's own session goes on until the browser opens `end_session_url`. */
async function leave(
  deps: Deps,
  provider: IdentityProvider | null,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const session = await sessionOf(deps, request);
  checkCsrf(request, session.csrf);
  const { everywhere = false } = (request.body ?? {}) as { everywhere?: unknown };
  if (typeof everywhere !== 'boolean') throw new ApiError('VALIDATION_FAILED', 'everywhere has to be true or false.');
  await deps.db.tx({ platform: true }, (tx) => signOut(tx, session, everywhere));
  setCookie(deps, reply, sessionCookieName(isSecure(deps)), '', { path: '/', maxAge: 0 });
  // Signed out here is signed out here, also while the provider is down.
  const url = await provider?.endSessionUrl(`${deps.publicUrl()}${HOME}`).catch((error: unknown) => {
    deps.log.warn({ err: error }, 'the identity provider names no page for signing out');
    return null;
  });
  return reply.send({ success: true, data: { end_session_url: url ?? null } });
}

async function sessionOf(deps: Deps, request: FastifyRequest): Promise<StoredSession> {
  await limit(deps, request);
  const cookie = sessionCookieOf(request, isSecure(deps));
  const session = cookie === undefined ? null : await deps.db.tx({ platform: true }, (tx) => findSession(tx, hashOf(cookie)));
  if (!session) throw new ApiError('SESSION_EXPIRED', 'You are not signed in: sign in at /auth/login.');
  return session;
}

async function meOf(deps: Deps, session: StoredSession) {
  const members = await deps.db.tx({ platform: true }, (tx) => openMembers(tx, session));
  const { member } = session;
  return {
    member_id: member?.member_id ?? null,
    email: member?.email ?? members[0]?.email ?? null,
    name: member?.name ?? members[0]?.name ?? null,
    organization_id: member?.organization_id ?? null,
    organization: member?.organization ?? null,
    organizations: members.map(({ organization_id, organization, roles }) => ({
      organization_id,
      name: organization,
      role: roleOfMembers(roles),
    })),
    rights: member?.rights ?? [],
    role: member ? roleOfMembers(member.roles) : null,
    environment: deps.config.environment,
    csrf: session.csrf,
    expires_at: session.expires_at.toISOString(),
  };
}

/** Without a session the address is what there is to count. */
async function limit(deps: Deps, request: FastifyRequest): Promise<void> {
  const { allowed, reset } = await deps.rateLimiter.consume(signInFrom(request.ip), ADDRESS_LIMIT);
  if (!allowed) throw new ApiError('RATE_LIMITED', undefined, { headers: { 'retry-after': String(Math.max(1, reset)) } });
}

const ADDRESS_LIMIT = 600;

/** People see pages: a failure of one is a page too. */
async function onPage(deps: Deps, reply: FastifyReply, work: () => Promise<FastifyReply>): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    const failure = error instanceof ApiError ? error : asUnavailable(error);
    if (!failure) throw error;
    deps.log.warn(
      { code: failure.code, reason: failure.message, request_id: reply.request.id, err: failure === error ? undefined : error },
      'a sign-in failed',
    );
    return failurePage(reply, failure);
  }
}

const asUnavailable = (error: unknown): ApiError | null =>
  unavailableReason(error) === null ? null : new ApiError('UNAVAILABLE', undefined, { headers: { 'retry-after': '5' } });

const setSession = (deps: Deps, reply: FastifyReply, { secret }: Secret): void =>
  setCookie(deps, reply, sessionCookieName(isSecure(deps)), secret, { path: '/', maxAge: MOST_HOURS * 3_600 });

function setCookie(
  deps: Deps,
  reply: FastifyReply,
  name: string,
  value: string,
  options: { path: string; maxAge: number },
): void {
  reply.header(
    'set-cookie',
    stringifySetCookie({ name, value, httpOnly: true, secure: isSecure(deps), sameSite: 'lax', ...options }),
  );
}
