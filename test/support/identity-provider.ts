import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import Provider from 'oidc-provider';

export const CLIENT = { id: 'sluice', secret: 'a secret of the tests' };

export type Account = { subject: string; email?: string; email_verified?: boolean; name?: string };

/** Changes the id token that the provider sends: its claims, its key, or all of it, `jwk` being the provider's public key. */
export type Tampering = (
  claims: Record<string, unknown>,
  jwk: JWK,
) => { claims: Record<string, unknown>; foreignKey?: boolean; token?: string };

/** A real OpenID provider on loopback, at which whoever is set as `account` is signed in. */
export class TestProvider implements AsyncDisposable {
  readonly issuer: string;
  account: Account = { subject: 'nobody' };
  tamper: Tampering | null = null;
  /** Answers one of its addresses like this in place of what it would. */
  instead: { path: string; status: number; body?: unknown } | null = null;
  readonly #server: Server;
  #provider: Provider | null = null;
  #key: { private: CryptoKey; jwk: JWK } | null = null;
  #redirectUri = '';
  #home = '';

  private constructor(server: Server) {
    this.#server = server;
    this.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<TestProvider> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const made = new TestProvider(server);
    server.on('request', (request, response) => void made.#answer(request, response));
    return made;
  }

  /** Serves the gateway at this address, from now on with a new key. */
  async serve(gatewayUrl: string): Promise<void> {
    this.#redirectUri = `${gatewayUrl}/auth/callback`;
    this.#home = `${gatewayUrl}/console`;
    await this.rotateKey();
  }

  async rotateKey(): Promise<void> {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: crypto.randomUUID() };
    this.#key = { private: privateKey, jwk };
    this.#provider = this.#make(jwk);
  }

  /** Answers nothing any more. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #make(jwk: JWK): Provider {
    return new Provider(this.issuer, {
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          redirect_uris: [this.#redirectUri],
          post_logout_redirect_uris: [this.#home],
          response_types: ['code'],
          grant_types: ['authorization_code'],
          id_token_signed_response_alg: 'ES256',
        },
      ],
      jwks: { keys: [jwk] },
      cookies: { keys: ['of the tests'] },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      findAccount: (_context, subject) => ({
        accountId: subject,
        claims: () => {
          const { email, email_verified, name } = this.account;
          return { sub: subject, email, email_verified, name };
        },
      }),
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    });
  }

  async #answer(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse): Promise<void> {
    const provider = this.#provider;
    if (!provider) return void response.writeHead(503).end();
    if (this.instead && request.url?.startsWith(this.instead.path)) {
      const { status, body = {} } = this.instead;
      return void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
    if (request.url?.startsWith('/interaction/')) return await this.#interact(provider, request, response);
    if (request.url === '/token' && this.tamper) return await this.#tampered(provider, this.tamper, request, response);
    await provider.callback()(request, response);
  }

  /** Signs in as the account and agrees to everything. */
  async #interact(
    provider: Provider,
    request: import('node:http').IncomingMessage,
    response: import('node:http').ServerResponse,
  ): Promise<void> {
    const { prompt, params } = await provider.interactionDetails(request, response);
    if (prompt.name === 'login')
      return await provider.interactionFinished(request, response, { login: { accountId: this.account.subject } });
    const grant = new provider.Grant({ accountId: this.account.subject, clientId: String(params.client_id) });
    grant.addOIDCScope('openid email profile');
    await provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
  }

  async #tampered(
    provider: Provider,
    tamper: Tampering,
    request: import('node:http').IncomingMessage,
    response: import('node:http').ServerResponse,
  ): Promise<void> {
    const key = this.#key;
    const { end } = response;
    response.end = ((body: string | Buffer) => {
      response.end = end;
      void (async () => {
        const sent = JSON.parse(String(body)) as { id_token: string };
        const claims = JSON.parse(Buffer.from(sent.id_token.split('.')[1] ?? '', 'base64url').toString()) as Record<
          string,
          unknown
        >;
        if (!key) throw new Error('the provider has no key');
        const { d: _private, ...jwk } = key.jwk;
        const changed = tamper(claims, jwk);
        const signer = changed.foreignKey ? (await generateKeyPair('ES256')).privateKey : key.private;
        const id_token =
          changed.token ??
          (await new SignJWT(changed.claims).setProtectedHeader({ alg: 'ES256', kid: key.jwk.kid ?? '' }).sign(signer));
        const text = JSON.stringify({ ...sent, id_token });
        response.setHeader('content-length', Buffer.byteLength(text));
        response.end(text);
      })();
      return response;
    }) as typeof end;
    await provider.callback()(request, response);
  }
}
