import type { FastifyInstance } from 'fastify';
import type { Deps } from '../../platform/deps.ts';
import type { Role } from '../../platform/http/caller.ts';
import { issueKey } from '../keys/issue-key.ts';
import { platformActor } from '../../platform/http/platform-actor.ts';

/** How members of the sandbox call themselves. */
export const SANDBOX_AGENT = 'sluice-sandbox';
const CALLS_PER_KEY = 40;
const KEY_LIFETIME_SECONDS = 900;

/** A member of the sandbox: calls the gateway as any client does, through the whole HTTP layer. */
export type SandboxMember = {
  organization: string;
  /** The `data` of the response; the caller names the fields of it that it reads. */
  call<Data>(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<Data>;
  /** Sends bytes to a signed address. */
  put(address: UploadAddress, bytes: Buffer | string): Promise<void>;
};

export type UploadAddress = { upload_url: string; upload_headers: Record<string, string> };

export class SandboxStepFailed extends Error {
  /** Whether another request has changed the record meanwhile. */
  readonly isConflict: boolean;

  constructor(message: string, statusCode?: number) {
    super(message);
    this.isConflict = statusCode === 409;
  }
}

export function createMember(app: FastifyInstance, deps: Deps, organization: string, role: Role): SandboxMember {
  const freshToken = createTokenSource(deps, organization, role);
  return {
    organization,
    async call<Data>(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<Data> {
      const response = await app.inject({
        method,
        url: path,
        headers: {
          authorization: `Bearer ${await freshToken()}`,
          'user-agent': SANDBOX_AGENT,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
      });
      const envelope = JSON.parse(response.payload || '{}') as { data: Data; message?: string; errors?: unknown };
      if (response.statusCode >= 400) {
        const { message, errors = '' } = envelope;
        throw new SandboxStepFailed(
          `${method} ${path} responded ${response.statusCode}: ${message} ${JSON.stringify(errors)}`,
          response.statusCode,
        );
      }
      return envelope.data;
    },
    async put(address, bytes) {
      const response = await app.inject({
        method: 'PUT',
        url: new URL(address.upload_url).pathname,
        headers: { ...address.upload_headers, 'user-agent': SANDBOX_AGENT },
        payload: bytes,
      });
      if (response.statusCode !== 200)
        throw new SandboxStepFailed(`an upload responded ${response.statusCode}`, response.statusCode);
    },
  };
}

/** Issues short-lived keys as they are needed, so that a member never reaches the rate limit of a single key. */
function createTokenSource({ config, db, tokens }: Deps, organization: string, role: Role): () => Promise<string> {
  const key = { token: '', callsLeft: 0 };
  return async () => {
    if (key.callsLeft === 0) {
      const request = {
        organization,
        role,
        environment: config.environment,
        requester: 'sandbox',
        use_case: 'seeding',
        expires_in_seconds: KEY_LIFETIME_SECONDS,
      };
      key.token = (await db.tx({ platform: true }, (tx) => issueKey(tx, platformActor('sandbox'), request, { tokens }))).token;
      key.callsLeft = Math.min(CALLS_PER_KEY, config.rateLimit);
    }
    key.callsLeft -= 1;
    return key.token;
  };
}
