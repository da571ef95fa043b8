import type { Config } from '../../config.ts';
import { ApiError } from '../../platform/http/errors.ts';
import { FORMATS } from '../../platform/http/schemas.ts';
import { memberEmail } from '../members/member.ts';
import type { SignIn } from './queries.ts';
import type { Proven } from './sign-in.ts';

export type ProviderSettings = NonNullable<Config['identityProvider']>;

const TIMEOUT_SECONDS = 10;
/** How far the clocks of the provider and the gateway may be apart. */
const CLOCK_TOLERANCE_SECONDS = 60;

/** An OpenID provider. Its metadata and keys are read for each sign-in: they are few, and its keys change when it likes. */
export type IdentityProvider = {
  /** Where the browser is sent, for a sign-in with this state. */
  authorizationUrl(state: string, signIn: Pick<SignIn, 'nonce' | 'code_verifier'>): Promise<URL>;
  /** What the provider says of the person who has come back to `url` with its code. */
  redeem(url: URL, state: string, signIn: Pick<SignIn, 'nonce' | 'code_verifier'>): Promise<Proven>;
  /** Throws where the provider does not respond as it should. */
  check(): Promise<void>;
  /** Where the browser ends the session at the provider; null where that has no such page. */
  endSessionUrl(returnTo: string): Promise<string | null>;
};

/** `redirectUri` is the address of the callback, which the provider has to know. */
export function createIdentityProvider(settings: ProviderSettings, redirectUri: () => string): IdentityProvider {
  const configure = async () => {
    // The protocol's package is loaded by those who sign in.
    const oidc = await import('openid-client');
    const { issuer, clientId, clientSecret } = settings;
    const insecure = new URL(issuer).protocol === 'http:';
    try {
      const configuration = await oidc.discovery(
        new URL(issuer),
        clientId,
        { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS },
        clientSecret === null ? oidc.None() : oidc.ClientSecretBasic(clientSecret),
        {
          timeout: TIMEOUT_SECONDS,
          execute: [oidc.enableNonRepudiationChecks, ...(insecure ? [oidc.allowInsecureRequests] : [])],
        },
      );
      requireAddresses(configuration.serverMetadata());
      return { oidc, configuration };
    } catch (error) {
      throw unavailable(error);
    }
  };
  return {
    async authorizationUrl(state, { nonce, code_verifier }) {
      const { oidc, configuration } = await configure();
      return oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri(),
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(code_verifier),
        code_challenge_method: 'S256',
      });
    },
    async redeem(url, state, { nonce, code_verifier }) {
      const { oidc, configuration } = await configure();
      try {
        const tokens = await oidc.authorizationCodeGrant(configuration, url, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: code_verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw new Error('the provider sent no id token');
        // Many providers put the address, or whether it is verified, only there.
        const isTold = claims.email !== undefined && claims.email_verified !== undefined;
        const about =
          isTold || configuration.serverMetadata().userinfo_endpoint === undefined
            ? claims
            : await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
        const { email, name } = about;
        return {
          issuer: claims.iss,
          subject: subjectOf(claims.sub),
          // Put in lower case only as an address of members: that of another alphabet may become one of theirs.
          email: isVerified(about.email_verified) && typeof email === 'string' ? memberEmail(email) : null,
          name: typeof name === 'string' && name !== '' && FORMATS['plain-text'](name) ? name.slice(0, 200) : null,
        };
      } catch (error) {
        if (error instanceof ApiError) throw error;
        throw isRefusal(error) ? refused(error) : unavailable(error);
      }
    },
    async check() {
      await configure();
    },
    async endSessionUrl(returnTo) {
      const { oidc, configuration } = await configure();
      if (configuration.serverMetadata().end_session_endpoint === undefined) return null;
      // With the client's id, by which the provider knows where the browser may go afterwards. An id token would say so too, but the page's
      // script gets this address.
      return oidc.buildEndSessionUrl(configuration, { post_logout_redirect_uri: returnTo }).href;
    },
  };
}

/** Some providers write it as a text. */
const isVerified = (claim: unknown): boolean => claim === true || claim === 'true';

/** 403 for a subject that OpenID Connect has none of. */
function subjectOf(sub: string): string {
  if (/^\P{Cc}{1,255}$/u.test(sub)) return sub;
  throw new ApiError(
    'SIGN_IN_REFUSED',
    'The sign-in was not accepted: the identity provider names the account by no usable text.',
  );
}

/** Without these addresses nobody can sign in, and the package of the protocol finds out one by one. */
function requireAddresses(metadata: Readonly<Record<string, unknown>>): void {
  const missing = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'].find((name) => !URL.canParse(String(metadata[name])));
  if (missing !== undefined) throw Object.assign(new Error('the metadata lacks an address'), { code: `no-${missing}` });
}

/** What is wrong with the provider, or with what the gateway is at it, rather than with one sign-in. */
const OF_THE_PROVIDER = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
  'server_error',
  'temporarily_unavailable',
  'slow_down',
  'invalid_client',
  'unauthorized_client',
]);
/** How the package tells that a signature is no base64. */
const UNDECODABLE = 'ERR_INVALID_ARG_VALUE';

/** Whether the provider or the checks of its answer have said no, rather than that it could not be reached or has failed. */
function isRefusal(error: unknown): boolean {
  const { error: word, code } = error as { error?: string; code?: string };
  if (OF_THE_PROVIDER.has(word ?? '') || OF_THE_PROVIDER.has(code ?? '')) return false;
  return code?.startsWith('OAUTH_') === true || code === UNDECODABLE;
}

const reasonOf = (error: unknown): string => {
  const { error: word, code, name } = error as { error?: unknown; code?: unknown; name?: unknown };
  const reason = [word, code, name].find((each) => typeof each === 'string' && /^[\w-]{1,64}$/.test(each));
  return typeof reason === 'string' ? reason : 'unknown';
};

const refused = (error: unknown): ApiError =>
  new ApiError('SIGN_IN_REFUSED', `The sign-in was not accepted (${reasonOf(error)}): sign in again.`);

const unavailable = (error: unknown): ApiError =>
  new ApiError(
    'UNAVAILABLE',
    `The identity provider does not respond as it should (${reasonOf(error)}), so nobody can sign in now; who is signed in stays so. Try again in a minute.`,
    { headers: { 'retry-after': '60' } },
  );
